// SPDX-License-Identifier: Apache-2.0
// Families whose parameters are lists: mixtures and empirical distributions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "distribution_cases.h"
#include "golden_file.h"

namespace prism::distribution_data_test {
namespace {

using test::make;
using test::unwrap;
using V = std::vector<double>;

Distribution mixture(const V& weights, const std::vector<Distribution>& parts) {
  return unwrap(make_mixture(weights, parts));
}

TEST(Mixture, AgreesWithHighPrecisionReferences) {
  const std::map<std::string, Distribution> laws{
      {"two modes", mixture({0.95, 0.05}, {make("lognormal", "median+cv", {1, 0.1}),
                                           make("lognormal", "median+cv", {1.6, 0.05})})},
      {"far modes", mixture({7, 3}, {make("lognormal", "median+cv", {1, 0.02}),
                                     make("lognormal", "median+cv", {3, 0.02})})},
      {"unlike",
       mixture({0.5, 0.3, 0.2}, {make("gamma", "mean+cv", {1, 0.5}), make("exponential", "mean", {2}),
                                 make("gamma", "mean+cv", {1, 2})})}};
  int rows = 0;
  for (const auto& row : test::golden_rows("mixtures.csv")) {
    const double mass = std::strtod(row[2].c_str(), nullptr),
                 reference = std::strtod(row[3].c_str(), nullptr);
    const double value = laws.at(row[0]).quantile(row[1] == "lower" ? Mass::below(mass) : Mass::above(mass));
    EXPECT_NEAR(value / reference, 1, 1e-5) << row[0] << " " << row[1] << " " << row[2];
    ++rows;
  }
  EXPECT_EQ(rows, 36);
}

TEST(Mixture, HasTheMomentsOfItsParts) {
  const Distribution d = mixture(
      {3, 1}, {make("normal", "location+scale", {100, 3}), make("normal", "location+scale", {140, 4})});
  EXPECT_NEAR(d.mean(), 110, 1e-12);
  EXPECT_NEAR(d.sd(), std::sqrt(0.75 * (9 + 100) + 0.25 * (16 + 900)), 1e-12);
  EXPECT_EQ(d.family(), "mixture");
}

TEST(Mixture, OfOnePartIsThatPart) {
  const Distribution one = make("gamma", "mean+cv", {1, 0.5}), d = mixture({2}, {one});
  for (const double p : {1e-9, 1e-3, 0.3, 0.5}) {
    EXPECT_NEAR(d.quantile(Mass::below(p)) / one.quantile(Mass::below(p)), 1, 1e-6);
    EXPECT_NEAR(d.quantile(Mass::above(p)) / one.quantile(Mass::above(p)), 1, 1e-6);
  }
}

TEST(Mixture, OfConstantsStepsAtTheirWeights) {
  const Distribution d = mixture(
      {0.25, 0.5, 0.25},
      {make("constant", "value", {3}), make("constant", "value", {1}), make("constant", "value", {2})});
  EXPECT_EQ(d.quantile(Mass::below(0.1)), 1);
  EXPECT_EQ(d.quantile(Mass::below(0.499)), 1);
  EXPECT_EQ(d.quantile(Mass::above(0.499)), 2);
  EXPECT_EQ(d.quantile(Mass::above(0.251)), 2);
  EXPECT_EQ(d.quantile(Mass::above(0.249)), 3);
  EXPECT_EQ(d.mass(1).lower, 0.5);
  EXPECT_EQ(d.mass(2.5).upper, 0.25);
  EXPECT_TRUE(
      mixture({1, 2}, {make("constant", "value", {0.1}), make("constant", "value", {0.1})}).is_constant());
}

TEST(Mixture, WithAnAtomIsFlatThereAndFollowsTheOtherPart) {
  const Distribution d =
      mixture({0.9, 0.1}, {make("constant", "value", {1}), make("exponential", "mean", {3})});
  const double below_one = 0.1 * -std::expm1(-1.0 / 3);
  for (const double p : {1e-6, 1e-3, 0.02})
    EXPECT_NEAR(d.quantile(Mass::below(p)), -3 * std::log1p(-p / 0.1), 1e-6);
  for (const double p : {below_one + 1e-6, 0.1, 0.4}) EXPECT_EQ(d.quantile(Mass::below(p)), 1) << p;
  for (const double q : {1e-12, 1e-6, 0.05})
    EXPECT_NEAR(d.quantile(Mass::above(q)), -3 * std::log(q / 0.1), 1e-5) << q;
}

TEST(Mixture, MayHoldMixturesAndDataAndLawsWithoutADistributionFunction) {
  const Distribution inner =
      mixture({1, 1}, {make("exponential", "mean", {1}), make("exponential", "mean", {4})});
  const Distribution bare({"bare", [](Mass m) { return m.lower < m.upper ? 2 + m.lower : 3 - m.upper; }, 2.5,
                           std::sqrt(1 / 12.0)});
  const Distribution d = mixture({1, 1, 2}, {inner, bare, unwrap(make_empirical(V{1, 2, 3, 4}))});
  for (const double p : {0.01, 0.2, 0.5}) {
    EXPECT_NEAR(d.mass(d.quantile(Mass::below(p))).lower, p, 1e-6);
    EXPECT_NEAR(d.mass(d.quantile(Mass::above(p))).upper, p, 1e-6);
  }
  EXPECT_NEAR(d.mean(), (2.5 + 2.5 + 2 * 2.5) / 4, 1e-12);
}

// Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50, 1996, type 7;
// numbers by numpy.quantile([1, 1, 2, 3, 4, 5, 6, 9], p), whose default is the same.
TEST(Empirical, SampleQuantilesAreType7) {
  const Distribution d = unwrap(make_empirical(V{3, 1, 4, 1, 5, 9, 2, 6}));
  EXPECT_EQ(d.quantile(Mass::below(0)), 1);
  EXPECT_NEAR(d.quantile(Mass::below(0.1)), 1, 1e-15);
  EXPECT_NEAR(d.quantile(Mass::below(0.25)), 1.75, 1e-15);
  EXPECT_NEAR(d.median(), 3.5, 1e-15);
  EXPECT_NEAR(d.quantile(Mass::above(0.25)), 5.25, 1e-15);
  EXPECT_NEAR(d.quantile(Mass::above(0.05)), 7.95, 1e-14);
  EXPECT_EQ(d.quantile(Mass::above(0)), 9);
  // The law that these straight lines describe, not the sample: uniform between neighbours.
  EXPECT_NEAR(d.mean(), (1 + 1.5 + 2.5 + 3.5 + 4.5 + 5.5 + 7.5) / 7, 1e-14);
}

TEST(Empirical, OrderOfSamplesDoesNotMatterAndEqualOnesMakeAnAtom) {
  const Distribution d = unwrap(make_empirical(V{2, 2, 2, 1, 3})),
                     e = unwrap(make_empirical(V{3, 2, 1, 2, 2}));
  for (const double p : {0.1, 0.25, 0.3, 0.5})
    EXPECT_EQ(d.quantile(Mass::below(p)), e.quantile(Mass::below(p)));
  EXPECT_EQ(d.quantile(Mass::below(0.3)), 2);
  EXPECT_EQ(d.mass(2).lower, 0.75);
  EXPECT_NEAR(d.mass(1.999999999).lower, 0.25, 1e-9);
  EXPECT_TRUE(unwrap(make_empirical(V{0.1, 0.1, 0.1})).is_constant());
}

TEST(Empirical, QuantilesAreJoinedByStraightLines) {
  const Distribution d = unwrap(make_empirical_quantiles(V{0, 0.5, 0.95, 1}, V{1, 2, 3, 10}));
  EXPECT_EQ(d.median(), 2);
  EXPECT_NEAR(d.quantile(Mass::below(0.25)), 1.5, 1e-15);
  EXPECT_NEAR(d.quantile(Mass::above(0.05)), 3, 1e-14);
  EXPECT_NEAR(d.quantile(Mass::above(0.025)), 6.5, 1e-13);
  EXPECT_EQ(d.quantile(Mass::above(0)), 10);
  EXPECT_NEAR(d.mean(), 0.5 * 1.5 + 0.45 * 2.5 + 0.05 * 6.5, 1e-15);
  EXPECT_NEAR(d.mass(6.5).upper, 0.025, 1e-15);
}

TEST(Empirical, ManySamplesComeBack) {
  const Distribution law = make("lognormal", "mean+cv", {1, 0.5});
  V samples;
  constexpr int n = 20001;
  for (int i = 0; i < n; ++i) samples.push_back(law.quantile(Mass::below((i + 0.5) / n)));
  const Distribution d = unwrap(make_empirical(samples));
  for (const double p : {0.01, 0.1, 0.5}) {
    EXPECT_NEAR(d.quantile(Mass::below(p)) / law.quantile(Mass::below(p)), 1, 1e-3);
    EXPECT_NEAR(d.quantile(Mass::above(p)) / law.quantile(Mass::above(p)), 1, 1e-3);
  }
  EXPECT_NEAR(d.mean() / law.mean(), 1, 1e-3);
  EXPECT_NEAR(d.sd() / law.sd(), 1, 1e-2);
}

}  // namespace
}  // namespace prism::distribution_data_test
