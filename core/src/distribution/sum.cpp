// SPDX-License-Identifier: Apache-2.0
// Sums of independent variables by direct convolution of lumps on one grid.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <utility>

#include "prism/distribution.h"

namespace prism {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 16;
/// Products that a convolution chain may cost before its grid is made coarser (about 20 ms), and before the
/// sum is refused (about 50 ms).
constexpr double affordable = 0x1p27, refused = 0x1p28;
/// Share of the variance that lumps may add. The stretch to the exact sd removes it, but skewness falls by
/// half as much again.
constexpr double tolerable = 0.005;
/// Tail mass below which cells are dropped: far below the outermost knot of a table, 2^-49.
constexpr double negligible = 0x1p-60;

/// Weight k sits at origin + (first + k) * step.
struct Lumps {
  std::vector<double> weight;
  std::int64_t first = 0;
  double origin = 0;
};

void trim(Lumps& l) {
  double mass = 0;
  std::size_t end = l.weight.size();
  while (end > 1 && mass + l.weight[end - 1] < negligible) mass += l.weight[--end];
  l.weight.resize(end);
  mass = 0;
  std::size_t begin = 0;
  while (begin + 1 < end && mass + l.weight[begin] < negligible) mass += l.weight[begin++];
  l.weight.erase(l.weight.begin(), l.weight.begin() + static_cast<std::ptrdiff_t>(begin));
  l.first += static_cast<std::int64_t>(begin);
}

Lumps plus(const Lumps& a, const Lumps& b) {
  Lumps sum{convolve(a.weight, b.weight), a.first + b.first, a.origin + b.origin};
  trim(sum);
  return sum;
}

/// Calls visit(mass, a, b) for each piece of a table on which the variable is uniform from a to b.
template <class Visit>
void each_piece(const QuantileTable& t, Visit visit) {
  const auto lower = t.lower_knots(), upper = t.upper_knots();
  const double rest = QuantileTable::knot_mass(QuantileTable::half);
  visit(rest, lower.back(), lower.back());
  for (std::size_t i = QuantileTable::half; i > 0; --i) {
    visit(QuantileTable::knot_mass(static_cast<int>(i) - 1) - QuantileTable::knot_mass(static_cast<int>(i)),
          lower[i], lower[i - 1]);
  }
  for (std::size_t i = 0; i < QuantileTable::half; ++i) {
    visit(QuantileTable::knot_mass(static_cast<int>(i)) - QuantileTable::knot_mass(static_cast<int>(i) + 1),
          upper[i], upper[i + 1]);
  }
  visit(rest, upper.back(), upper.back());
}

/// A variable narrower than the grid as three lumps with its mean, its variance and, as far as weights allow,
/// its third moment. Hat functions would widen it many times over.
Lumps narrow_lumps(const QuantileTable& t, double step) {
  double third = 0;
  each_piece(t, [&](double mass, double a, double b) {
    const double u = (a - t.mean()) / step, v = (b - t.mean()) / step;
    third += mass * (u + v) * (u * u + v * v) * 0.25;  // mean of x^3 on [u, v]
  });
  const double second = (t.sd() / step) * (t.sd() / step);
  third = std::clamp(third, -second, second);
  return {{0.5 * (second - third), 1.0 - second, 0.5 * (second + third)}, -1, t.mean()};
}

/// A variable as lumps: each bit of mass goes to its two neighbours on the grid in the proportion that keeps
/// its mean. The grid begins at the lowest value: a law that begins steeply, as an exponential does, keeps
/// its edge.
Lumps hat_lumps(const QuantileTable& t, double step) {
  if (t.sd() < 0.5 * step) return narrow_lumps(t, step);
  const double inverse = 1.0 / step;
  Lumps l;
  l.origin = t.lowest();
  l.weight.assign(static_cast<std::size_t>((t.highest() - t.lowest()) * inverse) + 3, 0.0);
  each_piece(t, [&](double mass, double a, double b) {
    const double u = (a - t.lowest()) * inverse, v = (b - t.lowest()) * inverse;
    std::size_t cell = static_cast<std::size_t>(u);
    if (static_cast<double>(cell + 1) >= v || !(v > u)) {  // within one cell
      const double right = mass * (0.5 * (u + v) - static_cast<double>(cell));
      l.weight[cell] += mass - right;
      l.weight[cell + 1] += right;
      return;
    }
    const double density = mass / (v - u);
    for (double from = u; from < v; ++cell) {
      const double to = std::min(v, static_cast<double>(cell + 1));
      const double part = density * (to - from);
      const double right = part * (0.5 * (from + to) - static_cast<double>(cell));
      l.weight[cell] += part - right;
      l.weight[cell + 1] += right;
      from = to;
    }
  });
  trim(l);
  return l;
}

/// The finest of the resolutions (steps in a standard deviation, finest first) that is affordable, or the
/// coarsest that is not refused; 0 if there is none. `cost` is in products, infinite if a tail has too many
/// cells.
template <class Cost, class Widening>
double choose_resolution(std::initializer_list<double> resolutions, Cost cost, Widening widening) {
  double chosen = 0;
  for (const double r : resolutions) {
    if (r != *resolutions.begin() && widening(r) > tolerable) break;
    const double products = cost(r);
    if (products <= affordable) return r;
    if (products <= refused) chosen = r;
  }
  return chosen;
}

double cells_of(const QuantileTable& t, double step) {
  const double cells = (t.highest() - t.lowest()) / step + 2;
  return cells <= static_cast<double>(most_cells) ? cells : std::numeric_limits<double>::infinity();
}

/// The table of lumps, each spread evenly over its cell; cells end at lowest and highest.
QuantileTable table_of(const Lumps& l, double step, double lowest, double highest) {
  const std::size_t n = l.weight.size();
  std::vector<double> edge(n + 1), below(n + 1, 0.0),
      above(n + 1, 0.0);  // place of a cell's edge, mass either side
  for (std::size_t i = 0; i <= n; ++i) {
    edge[i] =
        std::clamp(l.origin + (static_cast<double>(l.first + static_cast<std::int64_t>(i)) - 0.5) * step,
                   lowest, highest);
  }
  for (std::size_t i = 0; i < n; ++i) below[i + 1] = below[i] + l.weight[i];
  for (std::size_t i = n; i-- > 0;) above[i] = above[i + 1] + l.weight[i];
  // The first edge beyond a mass is looked for from the last one found on that side: knots come in order.
  std::size_t last_below = n / 2, last_above = n / 2;
  return QuantileTable([&](Mass m) {
    const bool in_lower = m.lower < m.upper;
    std::size_t& after = in_lower ? last_below : last_above;
    const auto reached = [&](std::size_t i) { return in_lower ? below[i] <= m.lower : above[i] >= m.upper; };
    while (after > 0 && !reached(after - 1)) --after;
    while (after <= n && reached(after)) ++after;
    if (after == 0) return edge[0];
    if (after > n) return edge[n];
    const std::size_t cell = after - 1;
    const double part =
        in_lower ? (m.lower - below[cell]) / l.weight[cell] : (above[cell] - m.upper) / l.weight[cell];
    return edge[cell] + std::min(part, 1.0) * (edge[cell + 1] - edge[cell]);
  });
}

QuantileTable shifted(const QuantileTable& t, double by) {
  return QuantileTable([&](Mass m) { return t.quantile(m) + by; });
}

/// What is known exactly about a sum.
struct Facts {
  double mean = 0, variance = 0, lowest = 0, highest = 0;
  void add(const QuantileTable& t, std::uint64_t count) {
    const double n = static_cast<double>(count);
    mean += n * t.mean();
    variance += n * t.sd() * t.sd();
    lowest += n * t.lowest();
    highest += n * t.highest();
  }
};

QuantileTable finish(const Lumps& l, const Facts& facts, double step) {
  // Lumps are a little too wide: each adds up to step^2/4, the even spread step^2/12. The stretch undoes
  // that. It may carry an end past what the sum can be; cutting that off moves the moments again, but each
  // time by far less.
  const double sd = std::sqrt(facts.variance);
  QuantileTable t = table_of(l, step, facts.lowest, facts.highest).with_moments(facts.mean, sd);
  for (int round = 0; round < 4 && (t.lowest() < facts.lowest || t.highest() > facts.highest); ++round) {
    std::vector<double> lower(t.lower_knots().begin(), t.lower_knots().end());
    std::vector<double> upper(t.upper_knots().begin(), t.upper_knots().end());
    for (auto* side : {&lower, &upper}) {
      for (double& v : *side) v = std::clamp(v, facts.lowest, facts.highest);
    }
    t = QuantileTable(std::move(lower), std::move(upper));
    if (round < 3) t = t.with_moments(facts.mean, sd);
  }
  return t;
}

/// The same on a grid of twice the step: a lump between two new places is halved between them.
void coarsen(Lumps& l) {
  const std::int64_t last = l.first + static_cast<std::int64_t>(l.weight.size()) - 1;
  const auto half_down = [](std::int64_t k) { return k >= 0 ? k / 2 : -((1 - k) / 2); };
  Lumps wide;
  wide.origin = l.origin;
  wide.first = half_down(l.first);
  wide.weight.assign(static_cast<std::size_t>(half_down(last) - wide.first + 2), 0.0);
  for (std::size_t i = 0; i < l.weight.size(); ++i) {
    const std::int64_t k = l.first + static_cast<std::int64_t>(i);
    const std::size_t to = static_cast<std::size_t>(half_down(k) - wide.first);
    const double share = k % 2 == 0 ? 0 : 0.5 * l.weight[i];
    wide.weight[to] += l.weight[i] - share;
    wide.weight[to + 1] += share;
  }
  trim(wide);
  l = std::move(wide);
}

/// Sum of equal variables by repeated squaring. The grid coarsens as the sum widens, so that every squaring
/// works at the same resolution: on one grid fit for the whole sum, lumps would widen each of many narrow
/// addends out of shape.
std::optional<QuantileTable> copies(const QuantileTable& t, std::uint64_t count) {
  if (count == 1) return t;
  double squarings = 0;
  for (std::uint64_t n = count; n > 1; n >>= 1) ++squarings;
  // A sum of a few keeps the corner at the lower end of laws that begin steeply, and costs little.
  const double finest = count < 8 ? 64 : 32;
  const double resolution = choose_resolution(
      {finest, 32, 16, 8},
      [&](double r) {
        const double cells = cells_of(t, t.sd() / r);
        return 1.2 * squarings * cells * cells;
      },
      [](double r) { return 1 / (6 * r * r); });
  if (resolution == 0) return std::nullopt;

  double step = t.sd() / resolution;
  double width = resolution;  // sd of `power` in steps
  Lumps power = hat_lumps(t, step), sum;
  for (std::uint64_t n = count;;) {
    if (n & 1) sum = sum.weight.empty() ? power : plus(sum, power);
    n >>= 1;
    if (n == 0) break;
    power = plus(power, power);
    width *= std::sqrt(2.0);
    if (width >= 2 * finest) {
      width *= 0.5;
      step *= 2;
      coarsen(power);
      if (!sum.weight.empty()) coarsen(sum);
    }
  }
  Facts facts;
  facts.add(t, count);
  return finish(sum, facts, step);
}

/// Sum of different variables, one after the other on one grid.
std::optional<QuantileTable> chain(const std::vector<QuantileTable>& parts, const Facts& facts) {
  const double sd = std::sqrt(facts.variance);
  const auto wide = [&](double r) {  // addends that hat functions widen
    return static_cast<double>(std::count_if(parts.begin(), parts.end(),
                                             [&](const QuantileTable& t) { return t.sd() >= 0.5 * sd / r; }));
  };
  constexpr double finest = 64;
  const double resolution = choose_resolution(
      {finest, 32, 16},
      [&](double r) {
        // Trimming holds the partial sum at its longest tail and some 18 of its standard deviations.
        double all = 0, longest = 0, products = 0;
        for (const QuantileTable& t : parts) {
          const double cells = cells_of(t, sd / r);
          products += cells * std::min(all, longest + 18 * r);
          all += cells;
          longest = std::max(longest, cells);
        }
        return products;
      },
      [&](double r) { return wide(r) / (6 * r * r); });
  if (resolution == 0) return std::nullopt;

  const double step = sd / resolution;
  std::vector<Lumps> lumps;
  for (const QuantileTable& t : parts) lumps.push_back(hat_lumps(t, step));
  // Narrow ones first, while the partial sum is narrow too; equal sizes stay in the order given.
  std::stable_sort(lumps.begin(), lumps.end(),
                   [](const Lumps& a, const Lumps& b) { return a.weight.size() < b.weight.size(); });
  Lumps sum = lumps.front();
  for (std::size_t i = 1; i < lumps.size(); ++i) sum = plus(sum, lumps[i]);
  return finish(sum, facts, step);
}

}  // namespace

std::optional<QuantileTable> sum_of(std::span<const Addend> addends) {
  double shift = 0;  // constants are no lumps
  Facts facts;
  std::vector<QuantileTable> parts;
  for (const Addend& a : addends) {
    if (a.count == 0) continue;
    if (a.table->is_constant()) {
      shift += static_cast<double>(a.count) * a.table->median();
      continue;
    }
    auto group = copies(*a.table, a.count);
    if (!group) return std::nullopt;
    facts.add(*a.table, a.count);
    parts.push_back(std::move(*group));
  }
  if (parts.empty()) return QuantileTable([shift](Mass) { return shift; });
  std::optional<QuantileTable> sum = parts.size() == 1 ? std::move(parts.front()) : chain(parts, facts);
  if (sum && shift != 0) sum = shifted(*sum, shift);
  return sum;
}

}  // namespace prism
