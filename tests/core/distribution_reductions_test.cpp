// SPDX-License-Identifier: Apache-2.0
// Maxima and sums of independent variables against known answers and against other ways to compute them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "distribution_cases.h"

namespace prism::distribution_reductions_test {
namespace {

using test::laws;
using test::make;

QuantileTable table(const char* family, const char* parameters, const std::vector<double>& values) {
  return tabulate(make(family, parameters, values));
}

// Mean of the largest of n standard normals (H. L. Harter, Biometrika 48, 1961, for the small n; all
// recomputed as the integral of x d Phi(x)^n with mpmath, 30 digits).
TEST(Maximum, OfNormalsHasTheKnownMean) {
  const QuantileTable one = table("normal", "location+scale", {100, 1});
  EXPECT_NEAR(maximum_of(one, 8).mean() - 100, 1.4236003, 3e-5);
  EXPECT_NEAR(maximum_of(one, 64).mean() - 100, 2.3437335, 3e-5);
  EXPECT_NEAR(maximum_of(one, 1024).mean() - 100, 3.2482396, 3e-5);
  EXPECT_NEAR(maximum_of(one, 131072).mean() - 100, 4.4430390, 3e-5);
}

TEST(Maximum, OfExponentialsHasTheHarmonicMean) {
  const QuantileTable one = table("exponential", "mean", {1});
  double harmonic = 0, square = 0;
  std::uint64_t n = 0;
  for (const std::uint64_t upto : {1, 2, 3, 8, 64, 1000, 131072}) {
    for (; n < upto; ++n) {
      harmonic += 1.0 / static_cast<double>(n + 1);
      square += 1.0 / static_cast<double>(n + 1) / static_cast<double>(n + 1);
    }
    const QuantileTable largest = maximum_of(one, upto);
    EXPECT_NEAR(largest.mean(), harmonic, 8e-5) << upto;
    EXPECT_NEAR(largest.sd(), std::sqrt(square), 8e-5) << upto;
  }
}

TEST(Maximum, OfExponentialsHasTheKnownQuantiles) {
  const QuantileTable one = table("exponential", "mean", {1});
  for (const std::uint64_t n : {2, 8, 512, 131072}) {
    const QuantileTable largest = maximum_of(one, n);
    const double nd = static_cast<double>(n);
    for (const double q : {0.5, 0.3, 1e-2, 1e-4, 1e-8}) {
      // (1 - e^-x)^n = 1 - q
      EXPECT_NEAR(largest.quantile(Mass::above(q)), -std::log(-std::expm1(std::log1p(-q) / nd)), 2.5e-4)
          << n << " " << q;
      EXPECT_NEAR(largest.quantile(Mass::below(q)), -std::log(-std::expm1(std::log(q) / nd)), 2.5e-4)
          << n << " " << q;
    }
  }
}

TEST(Maximum, OfOneIsItselfAndOfConstantsIsConstant) {
  const QuantileTable one = table("gamma", "mean+cv", {1, 0.5});
  EXPECT_EQ(maximum_of(one, 1).quantile(Mass::above(0.1)), one.quantile(Mass::above(0.1)));
  EXPECT_EQ(maximum_of(table("constant", "value", {3}), 1000).median(), 3);
  EXPECT_EQ(
      maximum_of(std::vector{table("constant", "value", {3}), table("constant", "value", {2})}).median(), 3);
}

TEST(Maximum, OfDifferentOnesIsTheProductOfTheirDistributionFunctions) {
  const std::vector<Distribution> d{make("gamma", "mean+cv", {1, 0.5}),
                                    make("lognormal", "mean+cv", {1.2, 0.3}),
                                    make("uniform", "low+high", {0.5, 1.4}),
                                    make("weibull", "mean+cv", {1, 0.4}), make("exponential", "mean", {0.7})};
  std::vector<QuantileTable> parts;
  for (const auto& one : d) parts.push_back(tabulate(one));
  for (std::size_t n = 1; n <= parts.size(); ++n) {
    const QuantileTable largest = maximum_of(std::span(parts).first(n));
    for (const double q : {1e-9, 1e-6, 1e-3, 0.05, 0.3, 0.5}) {
      double below = 1, none_above = 0;
      for (std::size_t i = 0; i < n; ++i) {
        none_above += std::log1p(-d[i].mass(largest.quantile(Mass::above(q))).upper);
        below *= d[i].mass(largest.quantile(Mass::below(q))).lower;
      }
      // 1e-3 of mass is some 1e-4 of a value.
      EXPECT_NEAR(-std::expm1(none_above) / q, 1, 1e-3) << n << " above " << q;
      EXPECT_NEAR(below / q, 1, 1e-3) << n << " below " << q;
    }
  }
}

TEST(Maximum, OfEqualPartsIsTheMaximumOfCopies) {
  const QuantileTable one = table("lognormal", "mean+cv", {1, 0.2});
  for (const std::size_t n : {2, 3, 5, 8}) {
    const QuantileTable by_parts = maximum_of(std::vector<QuantileTable>(n, one)),
                        by_count = maximum_of(one, n);
    for (const double q : {1e-9, 1e-5, 1e-2, 0.5}) {
      EXPECT_NEAR(by_parts.quantile(Mass::above(q)), by_count.quantile(Mass::above(q)), 2e-4 * by_count.sd())
          << n;
      EXPECT_NEAR(by_parts.quantile(Mass::below(q)), by_count.quantile(Mass::below(q)), 2e-4 * by_count.sd())
          << n;
    }
  }
}

TEST(Maximum, WithAConstantIsCutOffBelow) {
  // max(E, 1), E exponential: an atom of 1 - 1/e at 1, mean 1 + 1/e.
  const std::vector parts{table("exponential", "mean", {1}), table("constant", "value", {1})};
  const QuantileTable largest = maximum_of(parts);
  EXPECT_EQ(largest.lowest(), 1);
  EXPECT_EQ(largest.quantile(Mass::below(0.6)), 1);
  EXPECT_NEAR(largest.mean(), 1 + std::exp(-1.0), 1e-4);
  EXPECT_NEAR(largest.quantile(Mass::above(1e-6)), -std::log(1e-6), 3e-4);
}

// C. E. Clark, "The greatest of a finite set of random variables", Operations Research 9, 1961: two normals
// with a shared part. The shared part comes out of the maximum, so sum and maximum are tested together.
TEST(Maximum, OfTwoCorrelatedNormalsIsClarks) {
  const QuantileTable a = table("normal", "location+scale", {100, 3}),
                      b = table("normal", "location+scale", {101, 4}),
                      shared = table("normal", "location+scale", {50, 2});
  const QuantileTable larger = maximum_of(std::vector{a, b});
  const std::vector<Addend> addends{{&shared, 1}, {&larger, 1}};
  const QuantileTable result = *sum_of(addends);
  const double theta = std::sqrt(3.0 * 3 + 4 * 4), alpha = (101 - 100) / theta;
  const double phi = std::exp(-alpha * alpha / 2) / std::sqrt(2 * std::acos(-1.0));
  const double Phi = 0.5 * std::erfc(-alpha / std::sqrt(2.0));
  const double mean = 151 * Phi + 150 * (1 - Phi) + theta * phi;
  const double second =
      (151 * 151 + 4 * 4 + 2 * 2) * Phi + (150 * 150 + 3 * 3 + 2 * 2) * (1 - Phi) + (151 + 150) * theta * phi;
  EXPECT_NEAR(result.mean(), mean, 2e-4);
  EXPECT_NEAR(result.sd(), std::sqrt(second - mean * mean), 2e-4);
}

// Sums.

double largest_miss(const QuantileTable& t, const Distribution& d, std::vector<double> masses) {
  double worst = 0;
  for (const double q : masses) {
    worst = std::max(worst, std::fabs(t.quantile(Mass::above(q)) - d.quantile(Mass::above(q))) / d.sd());
    worst = std::max(worst, std::fabs(t.quantile(Mass::below(q)) - d.quantile(Mass::below(q))) / d.sd());
  }
  return worst;
}
const std::vector<double> body{0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5};
const std::vector<double> tail{1e-9, 1e-7, 1e-5};

// The largest misses are at the lower end of short sums, where the law ends in a corner that a cell blurs.
TEST(Sum, OfGammasWithOneScaleIsGamma) {
  for (const double shape : {0.25, 1.0, 4.0, 25.0}) {
    const QuantileTable one = table("gamma", "shape+scale", {shape, 2});
    for (const std::uint64_t n : {2, 3, 5, 16, 31, 32, 100, 1024}) {
      const Addend copies{&one, n};
      const auto sum = sum_of({&copies, 1});
      ASSERT_TRUE(sum);
      const Distribution exact = make("gamma", "shape+scale", {shape * static_cast<double>(n), 2});
      EXPECT_NEAR(sum->mean() / (static_cast<double>(n) * one.mean()), 1, 1e-9) << shape << " " << n;
      EXPECT_NEAR(sum->sd() / (std::sqrt(static_cast<double>(n)) * one.sd()), 1, 1e-6) << shape << " " << n;
      EXPECT_LT(largest_miss(*sum, exact, body), 3e-3) << shape << " " << n;
      EXPECT_LT(largest_miss(*sum, exact, tail), 2e-2) << shape << " " << n;
    }
  }
}

TEST(Sum, OfDifferentGammasWithOneScaleIsGamma) {
  std::vector<QuantileTable> parts;
  std::vector<Addend> addends;
  double shape = 0;
  for (int i = 1; i <= 32; ++i) {
    parts.push_back(table("gamma", "shape+scale", {0.3 * i, 1}));
    shape += 0.3 * i;
  }
  for (const auto& p : parts) addends.push_back({&p, 1});
  const auto sum = sum_of(addends);
  ASSERT_TRUE(sum);
  const Distribution exact = make("gamma", "shape+scale", {shape, 1});
  EXPECT_LT(largest_miss(*sum, exact, body), 2e-3);
  EXPECT_LT(largest_miss(*sum, exact, tail), 1e-2);
}

TEST(Sum, OfNormalsIsNormal) {
  const QuantileTable a = table("normal", "location+scale", {100, 3}),
                      b = table("normal", "location+scale", {200, 4}),
                      narrow = table("normal", "location+scale", {10, 0.001}),
                      fixed = table("constant", "value", {7});
  const std::vector<Addend> addends{{&a, 16}, {&fixed, 10}, {&b, 9}, {&narrow, 100}, {&narrow, 0}};
  const auto sum = sum_of(addends);
  ASSERT_TRUE(sum);
  const Distribution exact =
      make("normal", "location+scale", {1600 + 70 + 1800 + 1000, std::sqrt(144 + 144 + 1e-4)});
  EXPECT_NEAR(sum->mean(), exact.mean(), 1e-6);
  EXPECT_LT(largest_miss(*sum, exact, body), 1e-3);
  EXPECT_LT(largest_miss(*sum, exact, tail), 3e-3);
}

/// Sum of two by its definition: P(A + B <= x) averaged over A, straight from the laws.
double brute_force(const Distribution& a, const Distribution& b, double x) {
  double sum = 0;
  constexpr int n = 40000;
  for (int i = 0; i < n; ++i) sum += b.mass(x - a.quantile(Mass::below((i + 0.5) / n))).lower / n;
  return sum;
}

TEST(Sum, OfTwoUnlikeOnesAgreesWithBruteForce) {
  const std::vector<Distribution> d{
      make("uniform", "low+high", {0, 1}), make("lognormal", "mean+cv", {1, 0.8}),
      make("weibull", "mean+cv", {2, 0.1}), make("shifted_exponential", "mean+cv", {1, 0.5}),
      test::unwrap(make_empirical(std::vector<double>{1, 1.1, 1.2, 2, 3}))};
  for (std::size_t i = 0; i < d.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const QuantileTable a = tabulate(d[i]), b = tabulate(d[j]);
      const std::vector<Addend> addends{{&a, 1}, {&b, 1}};
      const auto sum = sum_of(addends);
      ASSERT_TRUE(sum);
      for (const double p : {0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
        EXPECT_NEAR(brute_force(d[i], d[j], sum->quantile(Mass::below(p))), p, 1e-3)
            << d[i].family() << " + " << d[j].family();
      }
    }
  }
}

TEST(Sum, KeepsMeanAndSpreadOfEveryLaw) {
  for (const auto& [name, d] : laws()) {
    const QuantileTable one = tabulate(d);
    for (const std::uint64_t n : {1, 2, 7, 64}) {
      const Addend copies{&one, n};
      const auto sum = sum_of({&copies, 1});
      if (!sum) continue;
      const double nd = static_cast<double>(n);
      EXPECT_NEAR(sum->mean(), nd * one.mean(), 1e-5 * sum->sd()) << name << " " << n;
      EXPECT_NEAR(sum->sd(), std::sqrt(nd) * one.sd(), 1e-5 * std::sqrt(nd) * one.sd()) << name << " " << n;
      EXPECT_GE(sum->lowest(), nd * one.lowest() * (1 - 1e-12)) << name << " " << n;
      EXPECT_LE(sum->highest(), nd * one.highest() * (1 + 1e-12)) << name << " " << n;
    }
  }
}

TEST(Sum, OfManyNarrowAndOneWideKeepsTheWideOnesShape) {
  // 1,000 addends far below the grid step, which lumps by hat functions would blow up to a fifth of the
  // variance.
  const QuantileTable wide = table("exponential", "mean", {1}),
                      narrow = table("normal", "location+scale", {1, 1e-4});
  std::vector<Addend> addends{{&wide, 1}};
  for (int i = 0; i < 1000; ++i) addends.push_back({&narrow, 1});
  const auto sum = sum_of(addends);
  ASSERT_TRUE(sum);
  for (const double q : {1e-6, 1e-3, 0.1, 0.5, 0.9}) {
    EXPECT_NEAR(sum->quantile({1 - q, q}), 1000 - std::log(q), 5e-3) << q;
  }
}

TEST(Sum, RefusesTailsThatNeedTooManyCells) {
  const QuantileTable heavy = table("pareto", "minimum+shape", {1, 2.1}),
                      light = table("uniform", "low+high", {0, 1});
  const std::vector<Addend> two{{&heavy, 1}, {&light, 1}}, copies{{&heavy, 32}};
  EXPECT_FALSE(sum_of(two));
  EXPECT_FALSE(sum_of(copies));
  const std::vector<Addend> alone{{&heavy, 1}};
  EXPECT_TRUE(sum_of(alone));  // nothing to convolve
}

TEST(Sum, OfNothingIsZeroAndOfConstantsIsTheirSum) {
  EXPECT_EQ(sum_of({})->median(), 0);
  const QuantileTable two = table("constant", "value", {2}), three = table("constant", "value", {3});
  const std::vector<Addend> addends{{&two, 5}, {&three, 7}};
  const auto sum = sum_of(addends);
  EXPECT_EQ(sum->median(), 31);
  EXPECT_TRUE(sum->is_constant());
}

}  // namespace
}  // namespace prism::distribution_reductions_test
