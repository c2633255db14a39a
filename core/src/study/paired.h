// SPDX-License-Identifier: Apache-2.0
// Statistics of a sample of trials and their errors by the jackknife over blocks of consecutive trials.
// Leaving out the same block of two samples that share their noise gives the error of a difference, noise in
// common cancelled. Quantiles need blocks longer than the root of the sample (Shao & Wu, Annals of Statistics
// 17, 1989, 1176).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "prism/study.h"

namespace prism::study {

enum class Statistic { mean, sd, p50, p95, p99 };
inline constexpr std::size_t statistic_count = 5;
using Statistics = std::array<double, statistic_count>;

struct Blocked {
  explicit Blocked(std::span<const double> step_s);
  Statistics all{};
  std::vector<Statistics> without;  ///< [blocks]
  std::vector<double> sorted;
};
/// At most 20, each twice as long as the root of the sample: with shorter ones the intervals of quantiles are
/// too narrow.
std::int64_t block_count(std::size_t trials);

/// Standard error by the jackknife, from the values with one block left out.
double jackknife_error(std::span<const double> without);

/// Of a quantile, from order statistics where they give both ends; else by the jackknife.
Interval interval_of(const Blocked& sample, Statistic statistic);
Interval jackknife_interval(const Blocked& sample, Statistic statistic);
/// x less y. `comparisons`: how many are made, for the verdict.
Difference difference_of(const Blocked& x, const Blocked& y, Statistic statistic, std::size_t comparisons);

/// Student's t with `freedom` degrees at upper mass `q`: the expansion of Abramowitz & Stegun 26.7.5 in 1 /
/// freedom, better than 0.2 % from 7 degrees and q >= 1e-4.
double student(double q, double freedom);

}  // namespace prism::study
