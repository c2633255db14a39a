// SPDX-License-Identifier: Apache-2.0
#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>

#include "prism/numerics.h"

namespace prism {

double quantile(std::span<const double> sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(position), sorted.size() - 1);
  if (i + 1 == sorted.size()) return sorted[i];
  return sorted[i] + (position - static_cast<double>(i)) * (sorted[i + 1] - sorted[i]);
}

Moments moments(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  if (sorted.front() == sorted.back())
    return {sorted.front(), 0, 0};  // exactly, whatever the rounding of a sum
  const double mean = sum_compensated(sorted) / n;
  std::vector<double> squares(sorted.size());
  std::transform(sorted.begin(), sorted.end(), squares.begin(),
                 [&](double x) { return (x - mean) * (x - mean); });
  const double sd = std::sqrt(sum_compensated(squares) / (n - 1));
  return {mean, sd / std::sqrt(n), sd};
}

Histogram histogram(std::span<const double> sorted) {
  constexpr double most_bins = 120;
  const auto n = static_cast<double>(sorted.size());
  const double min = sorted.front(), max = sorted.back();
  if (min == max) return {{min * 0.9995, max * 1.0005}, {static_cast<std::int64_t>(sorted.size())}};

  const double inner_low = quantile(sorted, 0.005), inner_high = quantile(sorted, 0.995);
  const double margin = (inner_high - inner_low) / 4;
  double low = std::max(min, inner_low - margin), high = std::min(max, inner_high + margin);
  if (!(low < high)) low = min, high = max;  // all but a few values are equal

  // An IQR of 0 says nothing about a width: then as many bins as the square root of n.
  const double width = 2 * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / pow_exact(n, 1.0 / 3.0);
  const double wanted = width > 0 ? (high - low) / width : std::sqrt(n);
  const auto bins = static_cast<std::size_t>(std::ceil(std::clamp(wanted, 1.0, most_bins)));

  Histogram h;
  for (std::size_t i = 0; i <= bins; ++i)
    h.edges.push_back(low + (high - low) * (static_cast<double>(i) / static_cast<double>(bins)));
  h.edges.front() = min;
  h.edges.back() = max;
  auto from = sorted.begin();
  for (std::size_t i = 1; i <= bins; ++i) {
    const auto to = i == bins ? sorted.end() : std::lower_bound(from, sorted.end(), h.edges[i]);
    h.counts.push_back(to - from);
    from = to;
  }
  return h;
}

std::vector<EcdfPoint> ecdf(std::span<const double> sorted) {
  constexpr std::int64_t most_steps = 200;
  const auto n = static_cast<std::int64_t>(sorted.size());
  const std::int64_t steps = std::min(n, most_steps);
  std::vector<EcdfPoint> points{{sorted.front(), 0}};
  for (std::int64_t j = 1; j <= steps; ++j) {
    const std::int64_t rank = (n * j + steps - 1) / steps;
    const double x = sorted[static_cast<std::size_t>(rank - 1)];
    const double share = static_cast<double>(count_within(sorted, x)) / static_cast<double>(n);
    if (share > points.back().share) points.push_back({x, share});  // equal values make one step
  }
  return points;
}

std::int64_t count_within(std::span<const double> sorted, double x) {
  return std::upper_bound(sorted.begin(), sorted.end(), x) - sorted.begin();
}

}  // namespace prism
