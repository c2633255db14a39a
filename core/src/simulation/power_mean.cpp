// SPDX-License-Identifier: Apache-2.0
#include "simulation/power_mean.h"

#include <algorithm>
#include <cmath>
#include <pcg_random.hpp>

#include "distribution/standard_normal.h"

namespace prism {
namespace {

constexpr std::size_t grid_points = 192, legs_used = 3;
constexpr int groups_sampled = 32;
constexpr std::int64_t ranks_sampled = 64;
constexpr double largest_exponent = 2000, smallest_exponent = 0.5;

/// Distribution function of one leg on an even grid.
struct Cdf {
  double low, step;
  std::vector<double> mass;  ///< [grid_points]

  explicit Cdf(const QuantileTable& table) {
    low = table.quantile(Mass::below(1e-7));
    step = (table.quantile(Mass::above(1e-9)) - low) / static_cast<double>(grid_points - 1);
    // Knots ascending; between them the quantile function is a line.
    std::vector<std::pair<double, double>> knots;
    const auto lower = table.lower_knots(), upper = table.upper_knots();
    for (int i = QuantileTable::half; i > 0; --i) knots.emplace_back(lower[i], QuantileTable::knot_mass(i));
    for (int i = 0; i <= QuantileTable::half; ++i)
      knots.emplace_back(upper[i], 1 - QuantileTable::knot_mass(i));
    std::size_t at = 1;
    for (std::size_t i = 0; i < grid_points; ++i) {
      const double x = low + step * static_cast<double>(i);
      while (at + 1 < knots.size() && knots[at].first < x) ++at;
      const auto& [a, fa] = knots[at - 1];
      const auto& [b, fb] = knots[at];
      mass.push_back(x >= b ? fb : x <= a ? fa : fa + (fb - fa) * (x - a) / (b - a));
    }
  }
  /// At a place on the grid.
  double at(double place) const {
    if (place <= 0) return 0;
    if (place >= static_cast<double>(grid_points - 1)) return 1;
    const auto i = static_cast<std::size_t>(place);
    return mass[i] + (mass[i + 1] - mass[i]) * (place - static_cast<double>(i));
  }
  double high() const { return low + step * static_cast<double>(grid_points - 1); }

  /// E[max g_r x_r].
  double mean_of_slowest(const std::vector<double>& g) const {
    const auto [least, most] = std::minmax_element(g.begin(), g.end());
    const double from = low * *least, to = high() * *most;
    const double width = (to - from) / static_cast<double>(grid_points);
    std::vector<double> inverse;  // of what a place on the grid is for each factor
    for (const double factor : g) inverse.push_back(1 / (factor * step));
    double mean = from;
    for (std::size_t i = 0; i < grid_points; ++i)
      mean += (1 - below(from + width * (static_cast<double>(i) + 0.5), inverse)) * width;
    return mean;
  }

 private:
  /// P(all g_r x_r <= x). Small and called often, or V8 leaves the whole sum in its baseline tier.
  __attribute__((noinline)) double below(double x, const std::vector<double>& inverse) const {
    double all = 1;
    for (const double i : inverse) all *= at(x * i - low / step);
    return all;
  }
};

using LegSeconds = std::vector<std::pair<LawBook::Law, double>>;

double fit(const LawBook& book, const LegSeconds& heaviest, std::int64_t n, double lasting) {
  std::vector<Cdf> cdfs;
  for (const auto& leg : heaviest) cdfs.emplace_back(book.table(leg.first));

  // Groups of even quantiles in a scattered order, the same at every call. Larger groups than `ranks_sampled`
  // are stood for by that many ranks.
  const double spread = std::max(lasting, 1e-3);
  const std::int64_t ranks = std::min(n, ranks_sampled);
  std::vector<std::vector<double>> groups;
  const std::vector<double> alike(static_cast<std::size_t>(ranks), 1.0);
  pcg32_oneseq generator(stream_state(1, 0, stream_key("groups of the power mean")));
  for (int i = 0; i < groups_sampled; ++i) {
    groups.emplace_back();
    for (std::int64_t r = 0; r < ranks; ++r) {
      const double u = (static_cast<double>(generator()) + 0.5) / 4294967296.0;
      groups.back().push_back(exp_exact(spread * detail::normal_quantile({u, 1 - u})));
    }
  }
  std::vector<double> target(groups.size(), 0);  // log of E[max g x] / E[max x]
  double weights = 0;
  for (std::size_t leg = 0; leg < cdfs.size(); ++leg) {
    const double weight = heaviest[leg].second, base = cdfs[leg].mean_of_slowest(alike);
    weights += weight;
    for (std::size_t i = 0; i < groups.size(); ++i)
      target[i] += weight * cdfs[leg].mean_of_slowest(groups[i]) / base;
  }
  for (double& t : target) t = log_exact(t / weights);

  const auto error = [&](double k) {
    double sum = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const double largest = *std::max_element(groups[i].begin(), groups[i].end());
      double mean = 0;
      for (double g : groups[i]) mean += pow_exact(g / largest, k);
      const double difference =
          target[i] - log_exact(largest) - log_exact(mean / static_cast<double>(ranks)) / k;
      sum += difference * difference;
    }
    return sum;
  };
  // Golden section on log k.
  double a = log_exact(smallest_exponent), b = log_exact(largest_exponent);
  const double golden = 0.6180339887498949;
  double x = b - golden * (b - a), y = a + golden * (b - a), fx = error(exp_exact(x)),
         fy = error(exp_exact(y));
  for (int i = 0; i < 24; ++i) {
    if (fx < fy) {
      b = y, y = x, fy = fx;
      x = b - golden * (b - a), fx = error(exp_exact(x));
    } else {
      a = x, x = y, fx = fy;
      y = a + golden * (b - a), fy = error(exp_exact(y));
    }
  }
  return exp_exact((a + b) / 2);
}

}  // namespace

double fitted_exponent(const LawBook& book, const LegSeconds& legs, std::int64_t n, double lasting) {
  // The heaviest legs that vary.
  LegSeconds heaviest = legs;
  std::erase_if(heaviest, [&](const auto& leg) { return book.table(leg.first).is_constant(); });
  if (heaviest.empty()) return largest_exponent;
  std::sort(heaviest.begin(), heaviest.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
  });
  if (heaviest.size() > legs_used) heaviest.resize(legs_used);
  TableName name = TableName("exponent").add(static_cast<std::uint64_t>(n)).add(lasting);
  for (const auto& [law, seconds] : heaviest) name.add(book.name(law)).add(seconds);
  return book.number(name, [&] { return fit(book, heaviest, n, lasting); });
}

}  // namespace prism
