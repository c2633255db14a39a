// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <pcg_random.hpp>
#include <vector>

#include "prism/numerics.h"
#include "statistics/binomial.h"

namespace prism::statistics_binomial_test {
namespace {

// Exact rational arithmetic (Python 3 fractions, math.comb) on the double nearest to p.
TEST(Binomial, TailsAgreeWithExactArithmetic) {
  const struct {
    std::int64_t n;
    double p;
    std::int64_t k;
    double at_least, below;
  } known[] = {
      {10, 0.5, 8, 0.0546875, 0.9453125},
      {100, 0.95, 99, 0.037081209327355071, 0.96291879067264496},
      {300, 0.99, 300, 0.049040894071285722, 0.95095910592871424},
      {500, 0.5, 300, 4.4700332711266336e-06, 0.99999552996672891},
      {1000, 0.05, 70, 0.003474358698846079, 0.99652564130115395},
      {2000, 0.999, 2000, 0.13519992539749945, 0.86480007460250052},
  };
  for (const auto& [n, p, k, at_least, below] : known) {
    const Binomial b(n, p);
    EXPECT_NEAR(b.at_least(k) / at_least, 1, 1e-12) << n << " " << p;
    EXPECT_NEAR(b.below(k) / below, 1, 1e-12) << n << " " << p;
    EXPECT_EQ(b.below(0), 0);
    EXPECT_NEAR(b.below(n + 1), 1, 1e-13);
    EXPECT_EQ(b.at_least(n + 1), 0);
    EXPECT_NEAR(b.at_least(0), 1, 1e-13);
  }
}

// Ranks from binomial sums with 40 digits (mpmath 1.3). 0 stands for a bound that does not exist.
TEST(QuantileInterval, RanksAgreeWithHighPrecision) {
  const struct {
    std::int64_t n;
    double p;
    std::int64_t low, high;
  } known[] = {
      {59, 0.01, 0, 3},
      {59, 0.5, 22, 38},
      {59, 0.95, 52, 0},
      {72, 0.95, 64, 72},
      {72, 0.999, 71, 0},
      {100, 0.95, 90, 100},
      {100, 0.99, 97, 0},
      {256, 0.5, 112, 145},
      {256, 0.95, 236, 251},
      {1000, 0.01, 4, 18},
      {1000, 0.95, 936, 964},
      {1000, 0.99, 983, 997},
      {3687, 0.999, 3679, 0},
      {3688, 0.999, 3680, 3688},
      {10000, 0.5, 4902, 5099},
      {10000, 0.95, 9457, 9543},
      {10000, 0.999, 9983, 9997},
      {1000000, 0.5, 499020, 500981},
      {1000000, 0.99, 989805, 990196},
      {10000000, 0.01, 99384, 100618},
      {10000000, 0.5, 4996901, 5003100},
      {10000000, 0.95, 9498649, 9501351},
      {10000000, 0.999, 9989804, 9990196},
  };
  for (const auto& [n, p, low, high] : known) {
    const RankInterval ranks = quantile_interval(n, p, 0.95);
    EXPECT_EQ(ranks.low.value_or(0), low) << n << " " << p;
    EXPECT_EQ(ranks.high.value_or(0), high) << n << " " << p;
  }
}

TEST(QuantileInterval, BothBoundsAreTheTightestOfTheirTail) {
  for (const std::int64_t n : {40, 500, 10000})
    for (const double p : {0.05, 0.5, 0.95, 0.99}) {
      const RankInterval ranks = quantile_interval(n, p, 0.95);
      const Binomial b(n, p);
      if (ranks.low) {
        EXPECT_LE(b.below(*ranks.low), 0.025);
        EXPECT_GT(b.below(*ranks.low + 1), 0.025);
      } else {
        EXPECT_GT(b.below(1), 0.025);
      }
      if (ranks.high) {
        EXPECT_LE(b.at_least(*ranks.high), 0.025);
        EXPECT_GT(b.at_least(*ranks.high - 1), 0.025);
      } else {
        EXPECT_GT(b.at_least(n), 0.025);
      }
    }
}

// Ranks from binomial sums with 40 digits (mpmath 1.3).
TEST(Guarantee, RanksAgreeWithHighPrecisionAndBeginAt59) {
  EXPECT_EQ(guarantee_rank(1, 0.95, 0.95), std::nullopt);
  EXPECT_EQ(guarantee_rank(58, 0.95, 0.95), std::nullopt);
  const std::pair<std::int64_t, std::int64_t> known[] = {{59, 59},          {72, 72},           {100, 99},
                                                         {256, 250},        {1000, 962},        {10000, 9537},
                                                         {1000000, 950359}, {10000000, 9501134}};
  for (const auto& [n, rank] : known) EXPECT_EQ(guarantee_rank(n, 0.95, 0.95), rank) << n;
}

// Limits by bisection with 40 digits (mpmath 1.3); the 5 of 10 limits are also the tabulated 0.187 and 0.813.
TEST(ProbabilityInterval, AgreesWithHighPrecision) {
  const struct {
    std::int64_t hits, n;
    double low, high;
  } known[] = {
      {0, 10, 0, 0.308497107818761},
      {5, 10, 0.187086028447399, 0.812913971552601},
      {95, 100, 0.887165088894537, 0.983568120817948},
      {1, 1000, 2.5317487491294e-5, 0.00555892427982667},
      {9500, 10000, 0.945545472971641, 0.954190057801229},
      {9999, 10000, 0.999442963002053, 0.999997468222407},
      {10000, 10000, 0.999631180085381, 1},
  };
  for (const auto& [hits, n, low, high] : known) {
    const ProbabilityInterval interval = probability_interval(hits, n, 0.95);
    EXPECT_NEAR(interval.low, low, 1e-11) << hits << " of " << n;
    EXPECT_NEAR(interval.high, high, 1e-11) << hits << " of " << n;
  }
}

// The value x is inside the interval of the p-quantile exactly if p is inside the interval of P(X <= x).
TEST(ProbabilityInterval, NeverContradictsTheQuantileInterval) {
  const std::int64_t n = 80;
  for (const double p : {0.05, 0.31, 0.5, 0.9, 0.95}) {
    const RankInterval ranks = quantile_interval(n, p, 0.95);
    for (std::int64_t hits = 0; hits <= n; ++hits) {  // x lies between X(hits) and X(hits + 1)
      const bool x_inside = hits >= ranks.low.value_or(0) && hits < ranks.high.value_or(n + 1);
      const ProbabilityInterval interval = probability_interval(hits, n, 0.95);
      EXPECT_EQ(interval.low <= p && p <= interval.high, x_inside) << p << " " << hits;
    }
  }
}

/// The share of `experiments` samples of n exponential values in which `holds` is true of the sorted sample.
double share_of_samples(std::int64_t n, int experiments,
                        const std::function<bool(const std::vector<double>&)>& holds) {
  int kept = 0;
  std::vector<double> sample(static_cast<std::size_t>(n));
  for (int seed = 1; seed <= experiments; ++seed) {  // none skipped
    pcg32_oneseq random(stream_state(static_cast<std::uint64_t>(seed), 0, stream_key("coverage")));
    for (double& x : sample) x = -log_exact((static_cast<double>(random()) + 0.5) / 4294967296.0);
    std::sort(sample.begin(), sample.end());
    kept += holds(sample);
  }
  return kept / static_cast<double>(experiments);
}

/// Whether a share of `experiments` is what chance makes of probability p: within 4 standard errors, so a
/// right program is called wrong in 6 of 100,000 choices of seeds.
bool compatible(double share, double p, int experiments) {
  return std::fabs(share - p) <= 4 * std::sqrt(p * (1 - p) / experiments);
}

double exponential_quantile(double p) { return -log_exact(1 - p); }

TEST(QuantileInterval, CoversTheTrueQuantileAsOftenAsItClaims) {
  const int experiments = 4000;
  const struct {
    std::int64_t n;
    double p;
  } cases[] = {{50, 0.5}, {300, 0.05}, {300, 0.95}, {1000, 0.99}, {256, 0.99}};
  for (const auto& [n, p] : cases) {
    const RankInterval ranks = quantile_interval(n, p, 0.95);
    const double truth = exponential_quantile(p);
    const auto at = [](const std::vector<double>& x, std::int64_t rank) {
      return x[static_cast<std::size_t>(rank - 1)];
    };
    const double low =
        share_of_samples(n, experiments, [&](const auto& x) { return at(x, *ranks.low) <= truth; });
    EXPECT_TRUE(compatible(low, 1 - Binomial(n, p).below(*ranks.low), experiments))
        << n << " " << p << " " << low;
    EXPECT_GE(low, 0.975 - 0.01);
    if (ranks.high) {
      const double high =
          share_of_samples(n, experiments, [&](const auto& x) { return truth <= at(x, *ranks.high); });
      EXPECT_TRUE(compatible(high, 1 - Binomial(n, p).at_least(*ranks.high), experiments)) << n << " " << p;
      EXPECT_GE(high, 0.975 - 0.01);
      // The planted fault, ranks off by one, must be seen.
      const double wrong =
          share_of_samples(n, experiments, [&](const auto& x) { return truth <= at(x, *ranks.high - 1); });
      EXPECT_FALSE(compatible(wrong, 1 - Binomial(n, p).at_least(*ranks.high), experiments)) << n << " " << p;
    }
  }
}

TEST(Guarantee, HoldsAsOftenAsItClaims) {
  const int experiments = 4000;
  const double truth = exponential_quantile(0.95);
  for (const std::int64_t n : {59, 256, 1000}) {
    const std::int64_t rank = *guarantee_rank(n, 0.95, 0.95);
    const double claimed = 1 - Binomial(n, 0.95).at_least(rank);
    EXPECT_GE(claimed, 0.95);
    const auto holds = [&](std::int64_t r) {
      return share_of_samples(n, experiments,
                              [&](const auto& x) { return x[static_cast<std::size_t>(r - 1)] >= truth; });
    };
    EXPECT_TRUE(compatible(holds(rank), claimed, experiments)) << n;
    EXPECT_FALSE(compatible(holds(rank - 1), claimed, experiments)) << n << ": a rank too low must be seen";
  }
}

TEST(ProbabilityInterval, CoversTheTrueProbabilityAtLeastAsOftenAsItClaims) {
  // Exact: the probability of each count times whether its interval holds p. No chance is involved.
  for (const std::int64_t n : {20, 200})
    for (const double p : {0.01, 0.2, 0.5, 0.93, 0.99}) {
      const Binomial b(n, p);
      double covered = 0, covered_by_narrower = 0;
      for (std::int64_t hits = 0; hits <= n; ++hits) {
        const double mass = b.at_least(hits) - b.at_least(hits + 1);
        const ProbabilityInterval interval = probability_interval(hits, n, 0.95);
        const ProbabilityInterval narrower = probability_interval(hits, n, 0.80);
        if (interval.low <= p && p <= interval.high) covered += mass;
        if (narrower.low <= p && p <= narrower.high) covered_by_narrower += mass;
      }
      EXPECT_GE(covered, 0.95) << n << " " << p;
      EXPECT_LT(covered_by_narrower, covered + 1e-12) << n << " " << p;
      if (n == 200 && p == 0.5) {
        EXPECT_LT(covered_by_narrower, 0.95) << "the test must see a narrow interval";
      }
    }
}

}  // namespace
}  // namespace prism::statistics_binomial_test
