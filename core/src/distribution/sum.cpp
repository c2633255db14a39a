// SPDX-License-Identifier: Apache-2.0
// Sums of independent variables by direct convolution of lumps on one grid.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "prism/distribution.h"

namespace prism {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 16;
/// Products that a convolution chain may cost before the grid is made coarser (about 10 ms), and before the
/// sum is refused (about 0.1 s).
constexpr double affordable = 0x1p25, refused = 0x1p28;
/// Grid steps in one standard deviation of the sum, finest first.
constexpr double resolutions[] = {64, 32, 16};
/// Tail mass below which cells are dropped: far below the outermost knot of a table, 2^-49.
constexpr double negligible = 0x1p-60;

/// Weight k sits at (first + k) * step from the mean of what it stands for.
struct Lumps {
  std::vector<double> weight;
  std::int64_t first = 0;
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
  Lumps sum{convolve(a.weight, b.weight), a.first + b.first};
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
  return {{0.5 * (second - third), 1.0 - second, 0.5 * (second + third)}, -1};
}

/// A variable as lumps: each bit of mass goes to its two neighbours on the grid in the proportion that keeps
/// its mean. The grid is laid so that the variable's mean is a grid point.
Lumps hat_lumps(const QuantileTable& t, double step) {
  if (t.sd() < 0.5 * step) return narrow_lumps(t, step);
  const double inverse = 1.0 / step;
  const auto cell_of = [&](double x) {
    return static_cast<std::int64_t>(std::floor((x - t.mean()) * inverse));
  };
  Lumps l;
  l.first = cell_of(t.lowest());
  l.weight.assign(static_cast<std::size_t>(cell_of(t.highest()) - l.first + 2), 0.0);
  each_piece(t, [&](double mass, double a, double b) {
    const double u = (a - t.mean()) * inverse - static_cast<double>(l.first);
    const double v = (b - t.mean()) * inverse - static_cast<double>(l.first);
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

/// Products of adding lumps of these sizes one after the other.
double products(const std::vector<std::size_t>& sizes) {
  double sum = 0, cost = 0;
  for (const std::size_t n : sizes) {
    cost += sum * static_cast<double>(n);
    sum += static_cast<double>(n);
  }
  return cost;
}

/// The table of lumps, each spread evenly over its cell; values kept within [lowest, highest].
QuantileTable table_of(const Lumps& l, double mean, double step, double lowest, double highest) {
  const std::size_t n = l.weight.size();
  std::vector<double> below(n + 1, 0.0), above(n + 1, 0.0);  // mass on either side of the cell edges
  for (std::size_t i = 0; i < n; ++i) below[i + 1] = below[i] + l.weight[i];
  for (std::size_t i = n; i-- > 0;) above[i] = above[i + 1] + l.weight[i];
  const double first_edge = mean + (static_cast<double>(l.first) - 0.5) * step;
  return QuantileTable([&](Mass m) {
    std::size_t cell;  // the one that holds mass m
    double part;
    if (m.lower < m.upper) {
      cell = static_cast<std::size_t>(std::upper_bound(below.begin(), below.end(), m.lower) - below.begin());
      cell = cell == 0 ? 0 : std::min(cell - 1, n - 1);
      part = l.weight[cell] > 0 ? (m.lower - below[cell]) / l.weight[cell] : 0;
    } else {
      cell = static_cast<std::size_t>(
          std::partition_point(above.begin(), above.end(), [&](double q) { return q > m.upper; }) -
          above.begin());
      cell = cell == 0 ? 0 : std::min(cell - 1, n - 1);
      part = l.weight[cell] > 0 ? 1.0 - (m.upper - above[cell + 1]) / l.weight[cell] : 1;
    }
    return std::clamp(first_edge + (static_cast<double>(cell) + part) * step, lowest, highest);
  });
}

QuantileTable shifted(const QuantileTable& t, double by) {
  return by == 0 ? t : QuantileTable([&](Mass m) { return t.quantile(m) + by; });
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
  // that.
  const QuantileTable t = table_of(l, facts.mean, step, facts.lowest, facts.highest)
                              .with_moments(facts.mean, std::sqrt(facts.variance));
  if (t.lowest() >= facts.lowest && t.highest() <= facts.highest) return t;
  return QuantileTable([&](Mass m) { return std::clamp(t.quantile(m), facts.lowest, facts.highest); });
}

/// Sum of equal variables by repeated squaring, on the grid that suits it alone.
std::optional<QuantileTable> copies(const QuantileTable& t, std::uint64_t count) {
  if (count == 1) return t;
  Facts facts;
  facts.add(t, count);
  const double sd = std::sqrt(facts.variance);
  for (const double resolution : resolutions) {
    const double step = sd / resolution;
    const double cells = (t.highest() - t.lowest()) / step + 2;
    if (cells > static_cast<double>(most_cells)) continue;
    // Each squaring doubles the cells until trimming holds them at some 40 standard deviations.
    const double widest = std::min(cells * static_cast<double>(count), std::max(cells, 40 * resolution));
    const double cost = 2 * widest * widest;
    if (cost > (resolution > resolutions[2] ? affordable : refused)) continue;
    Lumps power = hat_lumps(t, step), sum;
    for (std::uint64_t n = count;;) {
      if (n & 1) sum = sum.weight.empty() ? power : plus(sum, power);
      n >>= 1;
      if (n == 0) break;
      power = plus(power, power);
      if (power.weight.size() > most_cells) return std::nullopt;
    }
    return finish(sum, facts, step);
  }
  return std::nullopt;
}

}  // namespace

std::optional<QuantileTable> sum_of(std::span<const Addend> addends) {
  double shift = 0;
  Facts facts;  // of what is random
  std::vector<QuantileTable> parts;
  for (const Addend& a : addends) {
    if (a.count == 0) continue;
    if (a.table->is_constant()) {
      shift += static_cast<double>(a.count) * a.table->median();
      continue;
    }
    facts.add(*a.table, a.count);
    auto group = copies(*a.table, a.count);
    if (!group) return std::nullopt;
    parts.push_back(std::move(*group));
  }
  if (parts.empty()) return QuantileTable([shift](Mass) { return shift; });
  if (parts.size() == 1) return shifted(parts.front(), shift);

  const double sd = std::sqrt(facts.variance);
  for (const double resolution : resolutions) {
    const double step = sd / resolution;
    std::vector<std::size_t> sizes;
    bool fits = true;
    for (const QuantileTable& t : parts) {
      const double cells = (t.highest() - t.lowest()) / step + 2;
      fits = fits && cells <= static_cast<double>(most_cells);
      sizes.push_back(fits ? static_cast<std::size_t>(cells) : 0);
    }
    if (!fits) continue;
    std::sort(sizes.begin(), sizes.end());
    if (products(sizes) > (resolution > resolutions[2] ? affordable : refused)) continue;
    std::vector<Lumps> lumps;
    for (const QuantileTable& t : parts) lumps.push_back(hat_lumps(t, step));
    // Narrow ones first, while the partial sum is narrow too; equal sizes stay in the order given.
    std::stable_sort(lumps.begin(), lumps.end(),
                     [](const Lumps& a, const Lumps& b) { return a.weight.size() < b.weight.size(); });
    Lumps sum = lumps.front();
    for (std::size_t i = 1; i < lumps.size(); ++i) {
      sum = plus(sum, lumps[i]);
      if (sum.weight.size() > most_cells) return std::nullopt;
    }
    return shifted(finish(sum, facts, step), shift);
  }
  return std::nullopt;
}

}  // namespace prism
