// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <pcg_random.hpp>
#include <vector>

#include "prism/numerics.h"
#include "statistics/statistics.h"

namespace prism::statistics_sample_test {
namespace {

std::vector<double> draws(std::size_t n, std::uint64_t seed) {
  pcg32_oneseq random(stream_state(seed, 0, stream_key("statistics")));
  std::vector<double> x(n);
  for (double& value : x) value = -log_exact((static_cast<double>(random()) + 0.5) / 4294967296.0);
  return x;
}

std::vector<double> sorted(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x;
}

std::vector<double> exponentials(std::size_t n, std::uint64_t seed) { return sorted(draws(n, seed)); }

// Definition 7 in Hyndman & Fan 1996 by hand: position (n - 1) p between order statistics.
TEST(Quantile, IsOfType7) {
  const std::vector<double> x{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(x, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(x, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(x, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(x, 0.9), 6.8);
  EXPECT_DOUBLE_EQ(quantile(x, 1), 8);
  std::vector<double> ten(10);
  std::iota(ten.begin(), ten.end(), 1);
  EXPECT_DOUBLE_EQ(quantile(ten, 0.25), 3.25);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{5}, 0.999), 5);
}

TEST(Moments, OfASmallSample) {
  const std::vector<double> x{2, 4, 4, 4, 5, 5, 7, 9};
  const Moments m = moments(x);
  EXPECT_DOUBLE_EQ(m.mean, 5);
  EXPECT_DOUBLE_EQ(m.sd, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(m.standard_error, std::sqrt(32.0 / 7 / 8));
}

TEST(Moments, OfAConstantSampleHaveNoSpreadWhateverTheRounding) {
  const std::vector<double> x(1000003, 0.1);
  EXPECT_EQ(moments(x).mean, 0.1);
  EXPECT_EQ(moments(x).sd, 0);
  EXPECT_EQ(moments(std::vector<double>{3}).standard_error, 0);
}

// 2,000 samples of 400, seeds 1 to 2,000, none skipped. The error of a mean in its own standard errors has
// sd 1. The sd of 2,000 such errors is within 4 of its own standard errors, 4 / sqrt(2 * 2000) = 0.063; a
// quarter is added for the skewness of the samples. A right program fails for about 6 of 100,000 choices of
// seeds.
TEST(Moments, StandardErrorIsTheErrorOfTheMean) {
  const int experiments = 2000;
  double squares = 0, squares_with_copies = 0;
  for (int seed = 1; seed <= experiments; ++seed) {
    std::vector<double> x = draws(400, static_cast<std::uint64_t>(seed));
    const auto squared_error = [&] {
      const Moments m = moments(sorted(x));
      return (m.mean - 1) * (m.mean - 1) / (m.standard_error * m.standard_error);
    };
    squares += squared_error();
    // The planted fault: every other trial is a copy of its neighbour, as if two workers had drawn the same
    // block.
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) x[i + 1] = x[i];
    squares_with_copies += squared_error();
  }
  EXPECT_NEAR(std::sqrt(squares / experiments), 1, 0.08);
  EXPECT_GT(std::fabs(std::sqrt(squares_with_copies / experiments) - 1), 0.08);
}

void expect_holds_all(const std::vector<double>& x, const Histogram& h) {
  ASSERT_EQ(h.edges.size(), h.counts.size() + 1);
  EXPECT_EQ(std::adjacent_find(h.edges.begin(), h.edges.end(), std::greater_equal<>()), h.edges.end());
  EXPECT_LE(h.edges.front(), x.front());
  EXPECT_GE(h.edges.back(), x.back());
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const bool last = i + 1 == h.counts.size();
    const auto inside = std::count_if(x.begin(), x.end(), [&](double v) {
      return v >= h.edges[i] && (v < h.edges[i + 1] || (last && v == h.edges[i + 1]));
    });
    EXPECT_EQ(h.counts[i], inside) << i;
  }
  EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), std::int64_t{0}),
            static_cast<std::int64_t>(x.size()));
}

TEST(Histogram, HoldsEveryValueOnce) {
  for (const std::size_t n : {1u, 2u, 3u, 10u, 256u, 10000u})
    expect_holds_all(exponentials(n, 7), histogram(exponentials(n, 7)));
}

TEST(Histogram, HasTheWidthOfFreedmanAndDiaconis) {
  std::vector<double> x(1001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / 1000;
  // IQR 0.5, so width 1 / 10.0033 and 11 bins when rounded up.
  EXPECT_EQ(histogram(x).counts.size(), 11u);
  EXPECT_NEAR(histogram(x).edges[1], 1.0 / 11, 1e-12);
  expect_holds_all(x, histogram(x));
}

TEST(Histogram, OfAConstantSampleIsOneBinThatCanBeDrawn) {
  const std::vector<double> x(100, 6.5);
  const Histogram h = histogram(x);
  ASSERT_EQ(h.counts, std::vector<std::int64_t>{100});
  EXPECT_LT(h.edges[0], 6.5);
  EXPECT_GT(h.edges[1], 6.5);
}

TEST(Histogram, KeepsTheBodyApartWhenOneValueIsFarOut) {
  std::vector<double> x = exponentials(10000, 3);
  x.back() = 1e6;
  const Histogram h = histogram(x);
  expect_holds_all(x, h);
  EXPECT_LT(*std::max_element(h.counts.begin(), h.counts.end()), 2000);
}

TEST(Histogram, TakesSamplesWithMostlyEqualValues) {
  std::vector<double> x(1000, 1.0);
  x.back() = 2;
  expect_holds_all(x, histogram(x));
  std::fill(x.begin() + 700, x.end(), 1.5);
  expect_holds_all(x, histogram(x));
}

TEST(Ecdf, SmallSamplesGiveEveryStep) {
  const auto points = ecdf(std::vector<double>{1, 2, 2, 4});
  const std::vector<std::pair<double, double>> expected{{1, 0}, {1, 0.25}, {2, 0.75}, {4, 1}};
  ASSERT_EQ(points.size(), expected.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].x, expected[i].first);
    EXPECT_EQ(points[i].share, expected[i].second);
  }
}

TEST(Ecdf, LargeSamplesGive201ExactPoints) {
  for (const std::size_t n : {200u, 201u, 777u, 10000u}) {
    const auto x = exponentials(n, 11);
    const auto points = ecdf(x);
    EXPECT_EQ(points.size(), 201u);
    EXPECT_EQ(points.front().share, 0);
    EXPECT_EQ(points.back().share, 1);
    EXPECT_EQ(points.back().x, x.back());
    for (std::size_t i = 1; i < points.size(); ++i) {
      EXPECT_GT(points[i].share, points[i - 1].share);
      const auto within = std::count_if(x.begin(), x.end(), [&](double v) { return v <= points[i].x; });
      EXPECT_EQ(points[i].share, static_cast<double>(within) / static_cast<double>(n));
    }
  }
}

TEST(Ecdf, OfAConstantSampleIsOneStep) {
  const auto points = ecdf(std::vector<double>(500, 2.0));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].share, 0);
  EXPECT_EQ(points[1].share, 1);
}

TEST(CountWithin, TakesEqualValuesIn) {
  const std::vector<double> x{1, 2, 2, 3};
  EXPECT_EQ(count_within(x, 0.5), 0);
  EXPECT_EQ(count_within(x, 2), 3);
  EXPECT_EQ(count_within(x, 9), 4);
}

}  // namespace
}  // namespace prism::statistics_sample_test
