// SPDX-License-Identifier: Apache-2.0
// Combinations of two independent variables by quadrature over both, which heavy tails do not disturb.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "prism/distribution.h"
#include "prism/numerics.h"

namespace prism {
namespace {

/// Log-normals multiply to a log-normal, with the moments that any product of independent variables has.
std::optional<Distribution> lognormal_from_moments(double mean, double cv) {
  const Family* family = find_family("lognormal");
  if (!family) return std::nullopt;
  for (const ParameterSet& set : family->sets) {
    if (set.parameters.size() != 2 || set.parameters[0].name != "mean" || set.parameters[1].name != "cv")
      continue;
    const double values[] = {mean, cv};
    auto made = set.make(values);
    if (auto* distribution = std::get_if<Distribution>(&made)) return *distribution;
  }
  return std::nullopt;
}

Distribution scaled(const Distribution& d, double factor) {
  return Distribution({d.family(), [d, factor](Mass m) { return factor * d.quantile(m); }, factor * d.mean(),
                       factor * d.sd()});
}

/// A cell of x: the probability it carries and the value in its middle.
struct Cell {
  double weight, value;
};

constexpr int octaves = 44;           // masses down to 2^-45
constexpr int fine = 24, coarse = 6;  // cells an octave, in the innermost four octaves and further out

/// Masses that cut one side, from the middle (0.5) outwards.
std::vector<double> cuts() {
  std::vector<double> masses;
  double top = 0.5;
  for (int octave = 0; octave < octaves; ++octave, top /= 2) {
    const int cells = octave < 4 ? fine : coarse;
    for (int i = 0; i < cells; ++i) masses.push_back(top * (1 - 0.5 * i / cells));
  }
  masses.push_back(top);
  return masses;
}

/// A distribution function on a grid of values: lower and upper mass side by side.
struct Table {
  std::vector<double> value, lower, upper;

  double quantile(Mass m) const {
    // Whichever mass is smaller is exact: search on that side, interpolate linearly between the knots.
    if (m.lower <= m.upper) {
      const auto above = std::lower_bound(lower.begin(), lower.end(), m.lower);
      return between(static_cast<std::size_t>(above - lower.begin()), lower, m.lower);
    }
    const auto above =
        std::lower_bound(upper.begin(), upper.end(), m.upper, [](double a, double b) { return a > b; });
    return between(static_cast<std::size_t>(above - upper.begin()), upper, m.upper);
  }

 private:
  double between(std::size_t i, const std::vector<double>& mass, double wanted) const {
    if (i == 0) return value.front();
    if (i == value.size()) return value.back();
    const double span = mass[i] - mass[i - 1];
    return span == 0 ? value[i] : value[i - 1] + (value[i] - value[i - 1]) * (wanted - mass[i - 1]) / span;
  }
};

template <class Law>
std::vector<double> knots(const Law& d, const std::vector<double>& masses) {
  std::vector<double> values;
  for (auto m = masses.rbegin(); m != masses.rend(); ++m) values.push_back(d.quantile(Mass::below(*m)));
  for (std::size_t i = 1; i < masses.size(); ++i) values.push_back(d.quantile(Mass::above(masses[i])));
  return values;
}

/// P(x and y together stay below something), by quadrature over both.
struct Quadrature {
  std::vector<Cell> cells;                       ///< of x, from the largest value
  std::vector<double> y, lower, upper;           ///< knots of y, ascending, with the mass either side
  std::vector<double> lower_slope, upper_slope;  ///< mass a value, from the knot before

  /// Lower and upper mass of `rest(x) >= y`, where `rest` falls as x grows. Small and called for every value,
  /// or V8 leaves the whole quadrature in its baseline tier.
  template <class Rest>
  __attribute__((noinline)) Mass where(Rest rest) const {
    Mass m{0, 0};
    // From the largest x on, the rest grows: the position among y's knots only moves up.
    std::size_t j = 0;
    for (const Cell& cell : cells) {
      const double wanted = rest(cell.value);
      while (j < y.size() && y[j] <= wanted) ++j;
      // y's knots j-1 and j enclose it.
      if (j == 0) {
        m.upper += cell.weight;
      } else if (j == y.size()) {
        m.lower += cell.weight;
      } else {
        const double over = wanted - y[j - 1];
        m.lower += cell.weight * (lower[j - 1] + lower_slope[j] * over);
        m.upper += cell.weight * (upper[j - 1] + upper_slope[j] * over);
      }
    }
    return m;
  }
};

template <class Law>
Quadrature quadrature(const Law& x, const Law& y, const std::vector<double>& side) {
  Quadrature q;
  q.y = knots(y, side);
  for (auto m = side.rbegin(); m != side.rend(); ++m) q.lower.push_back(*m), q.upper.push_back(1 - *m);
  for (std::size_t i = 1; i < side.size(); ++i) q.lower.push_back(1 - side[i]), q.upper.push_back(side[i]);
  q.lower_slope.push_back(0), q.upper_slope.push_back(0);
  for (std::size_t j = 1; j < q.y.size(); ++j) {
    const double step = q.y[j] - q.y[j - 1];
    q.lower_slope.push_back(step > 0 ? (q.lower[j] - q.lower[j - 1]) / step : 0);
    q.upper_slope.push_back(step > 0 ? (q.upper[j] - q.upper[j - 1]) / step : 0);
  }
  const double outer = side.back();
  q.cells.push_back({outer, x.quantile(Mass::above(outer))});
  for (std::size_t i = side.size() - 1; i > 0; --i)
    q.cells.push_back({side[i - 1] - side[i], x.quantile(Mass::above((side[i - 1] + side[i]) / 2))});
  for (std::size_t i = 1; i < side.size(); ++i)
    q.cells.push_back({side[i - 1] - side[i], x.quantile(Mass::below((side[i - 1] + side[i]) / 2))});
  q.cells.push_back({outer, x.quantile(Mass::below(outer))});
  return q;
}

/// `together(x, y)`, increasing in both, with `rest(z, x)`: the y for which it is z.
template <class Law, class Together, class Rest>
Table combination(const Law& x, const Law& y, Together together, Rest rest) {
  const std::vector<double> side = cuts();
  const Quadrature q = quadrature(x, y, side);
  const std::vector<double> xs = knots(x, side);
  Table table;
  for (std::size_t k = 0; k < xs.size(); ++k) {
    const double z = together(xs[k], q.y[k]);
    if (!table.value.empty() && z <= table.value.back()) continue;
    const Mass m = q.where([&](double value) { return rest(z, value); });
    table.value.push_back(z);
    table.lower.push_back(m.lower);
    table.upper.push_back(m.upper);
  }
  return table;
}

}  // namespace

Distribution product_of(const Distribution& x, const Distribution& y) {
  if (x.is_constant()) return scaled(y, x.median());
  if (y.is_constant()) return scaled(x, y.median());
  const double mean = x.mean() * y.mean();
  const double cx = x.sd() / x.mean(), cy = y.sd() / y.mean();
  const double cv2 = cx * cx + cy * cy + cx * cx * cy * cy;  // 1 + cv^2 multiplies
  if (x.family() == "lognormal" && y.family() == "lognormal")
    if (auto both = lognormal_from_moments(mean, std::sqrt(cv2))) return *both;
  auto table = std::make_shared<const Table>(combination(
      x, y, [](double a, double b) { return a * b; }, [](double z, double a) { return z / a; }));
  return Distribution(
      {"product", [table](Mass m) { return table->quantile(m); }, mean, mean * std::sqrt(cv2)});
}

QuantileTable power_mean_of(const QuantileTable& one, std::uint64_t n, double exponent) {
  if (n == 1 || one.is_constant()) return one;
  const double low = one.lowest(), high = one.highest();
  // Powers of values relative to the highest: at most 1.
  const auto raised = [&](double x) { return pow_exact(x / high, exponent); };
  const auto add = [](const QuantileTable& a, const QuantileTable& b) {
    const Table sum = combination(
        a, b, [](double x, double y) { return x + y; }, [](double z, double x) { return z - x; });
    return QuantileTable([&](Mass m) { return sum.quantile(m); });
  };
  // n copies by doubling.
  QuantileTable doubled([&](Mass m) { return raised(one.quantile(m)); });
  std::optional<QuantileTable> total;
  for (std::uint64_t rest = n;;) {
    if (rest & 1) total = total ? add(*total, doubled) : doubled;
    if ((rest >>= 1) == 0) break;
    doubled = add(doubled, doubled);
  }
  const double count = static_cast<double>(n);
  return QuantileTable([&](Mass m) {
    const double mean = total->quantile(m) / count;
    return std::clamp(high * pow_exact(mean, 1 / exponent), low, high);
  });
}

}  // namespace prism
