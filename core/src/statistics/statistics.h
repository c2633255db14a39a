// SPDX-License-Identifier: Apache-2.0
// Summaries of a sample. Every function takes the sample sorted in increasing order, at least one value, all
// finite.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace prism {

/// The quantiles a result reports, with their keys.
struct NamedQuantile {
  std::string_view name;
  double p;
};
inline constexpr NamedQuantile reported_quantiles[] = {
    {"p1", 0.01},  {"p5", 0.05},  {"p25", 0.25}, {"p50", 0.50},    {"p75", 0.75},
    {"p90", 0.90}, {"p95", 0.95}, {"p99", 0.99}, {"p99_9", 0.999},
};

/// Quantile of type 7: linear between order statistics, p = 0 the smallest, p = 1 the largest value
/// (Hyndman & Fan, Sample quantiles in statistical packages, The American Statistician 50, 1996).
double quantile(std::span<const double> sorted, double p);

struct Moments {
  double mean;
  double standard_error;  ///< of the mean: sd / sqrt(n); 0 for one value
  double sd;              ///< with n - 1; 0 for one value
};
Moments moments(std::span<const double> sorted);

/// Bin i holds the values in [edges[i], edges[i+1]), the last one also its upper edge; counts add up to n.
struct Histogram {
  std::vector<double> edges;
  std::vector<std::int64_t> counts;
};
/// Bins of the width of Freedman & Diaconis (1981), 2 IQR / n^(1/3), at most 120, between the 0.5 % and 99.5
/// % quantiles and a quarter of their distance beyond, as far as there are values. The first and the last bin
/// reach out to the smallest and the largest value, so a rare far outlier does not squeeze the body into one
/// bin; hence widths differ and a picture must show counts per width. A constant sample gives one bin, 0.05 %
/// to either side.
Histogram histogram(std::span<const double> sorted);

struct EcdfPoint {
  double x;
  double share;  ///< of the sample at or below x; 0 for the first point, which is the foot of the first step
};
/// Points of the empirical distribution function, exact, from share 0 to share 1: all of them for up to 200
/// values, otherwise those at ranks ceil(n j / 200). Strictly increasing share.
std::vector<EcdfPoint> ecdf(std::span<const double> sorted);

/// How many values are at or below x.
std::int64_t count_within(std::span<const double> sorted, double x);

}  // namespace prism
