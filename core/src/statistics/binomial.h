// SPDX-License-Identifier: Apache-2.0
// The binomial distribution, and what follows from it without assuming any shape of the sampled distribution:
// intervals for quantiles, a guaranteed bound, an interval for a probability.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace prism {

/// Bin(n, p) on the range that holds all but 1e-25 of its mass. Cost and memory grow as sqrt(n).
/// n >= 1, 0 < p < 1. Relative error of the probabilities below 1e-10 for n up to 10 million.
class Binomial {
 public:
  Binomial(std::int64_t n, double p);
  double below(std::int64_t k) const;     ///< P(B < k), summed from the lower end
  double at_least(std::int64_t k) const;  ///< P(B >= k), summed from the upper end

  /// Largest k in 1 ... n with P(B < k) <= mass; none if even k = 1 has more.
  std::optional<std::int64_t> last_below(double mass) const;
  /// Smallest k in 1 ... n with P(B >= k) <= mass; none if even k = n has more.
  std::optional<std::int64_t> first_at_least(double mass) const;

 private:
  std::int64_t n_, first_;    ///< the mass of outcome first_ + i is mass_[i]
  std::vector<double> mass_;  ///< all other outcomes are impossible to 1e-25
};

/// 1-based ranks of order statistics; none where the bound does not exist: then all that can be said of the
/// quantile is "at least X(low)" or "at most X(high)".
struct RankInterval {
  std::optional<std::int64_t> low, high;
};

/// X(low) <= the p-quantile <= X(high), each side wrong with probability at most (1 - confidence) / 2,
/// whatever the distribution (David & Nagaraja, Order Statistics, 3rd ed., section 7.1). Low is the largest
/// and high the smallest such rank. Equal tails rather than fewest ranks, because each bound then stands
/// alone when the other is missing; the high bound of p exists from log((1 - confidence) / 2) / log(p)
/// samples: 72 for p95 at 95 %, 3,688 for p99.9.
RankInterval quantile_interval(std::int64_t n, double p, double confidence);

/// Smallest rank k such that, with probability >= confidence, at least `coverage` of the distribution lies
/// below X(k): P(Bin(n, coverage) <= k - 1) >= confidence (Wilks 1941, one-sided tolerance limit). For 95 %
/// and 95 % it exists from n = 59.
std::optional<std::int64_t> guarantee_rank(std::int64_t n, double coverage, double confidence);

struct ProbabilityInterval {
  double low, high;
};
/// Clopper-Pearson interval of a probability from `hits` of n: never less than the stated confidence. It is
/// the same statement as quantile_interval, read the other way round, so the two never contradict each other.
ProbabilityInterval probability_interval(std::int64_t hits, std::int64_t n, double confidence);

}  // namespace prism
