// SPDX-License-Identifier: Apache-2.0
// From measurements to a scenario: what operations share is found again, and laws keep rare values rare.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <pcg_random.hpp>

#include "evidence/empirical_law.h"
#include "evidence/moments.h"
#include "evidence/shared_levels.h"

namespace prism::evidence_scenario_test {
namespace {

/// Uniform on -0.5 ... 0.5.
double centred(pcg32_oneseq& random) { return random() * 0x1p-32 - 0.5; }

TEST(EvidenceScenario, a_common_level_is_found_and_noise_is_not_taken_for_one) {
  pcg32_oneseq random(7);
  constexpr std::size_t rows = 8, columns = 2000;
  std::vector<double> level(columns);
  for (double& x : level) x = 1 + 0.1 * centred(random);
  std::vector<std::vector<double>> shared(rows, level), noise(rows, std::vector<double>(columns, 1));
  for (auto* table : {&shared, &noise})
    for (auto& row : *table)
      for (double& x : row) x += 0.1 * centred(random);
  // Rows are level + noise of the same size, sd 0.0289. The estimate's variance is that of the level: 2,000
  // columns leave 1.6 % of it, and the bound is four times that.
  const double wanted = variance_of(level);
  EXPECT_NEAR(variance_of(common_level(shared)) / wanted, 1, 0.064);
  EXPECT_LT(variance_of(common_level(noise)), 0.02 * wanted);
  EXPECT_NEAR(median_of(common_level(shared)), 1, 1e-12);
  // The plain mean over the rows keeps an eighth of the noise and would fail above.
  std::vector<double> plain(columns, 0);
  for (const auto& row : shared)
    for (std::size_t c = 0; c < columns; ++c) plain[c] += row[c] / rows;
  EXPECT_GT(variance_of(plain) / wanted, 1.064);
}

TEST(EvidenceScenario, rare_slow_values_stay_rare) {
  std::vector<double> seconds(1000, 0.010);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += 1e-6 * static_cast<double>(i % 100);
  for (std::size_t i = 0; i < 10; ++i) seconds[i * 100] = 0.300;
  const auto list = law_of_times(seconds)["empirical"]["quantiles_ms"];
  EXPECT_LE(list.size(), 20u);
  for (std::size_t i = 1; i < list.size(); ++i) EXPECT_LT(list[i - 1][0], list[i][0]);
  EXPECT_EQ(list.front()[0], 0.0);
  EXPECT_EQ(list.back(), (nlohmann::ordered_json{1.0, 300.0}));
  // One in a hundred is slow: at 98 % the law is still ordinary.
  for (const auto& [mass, value] : list.get<std::vector<std::pair<double, double>>>())
    EXPECT_TRUE(mass > 0.98 || value < 10.2) << mass;
}

TEST(EvidenceScenario, the_error_of_few_steps_covers_the_true_median) {
  constexpr int runs = 100, steps = 40, trials = 400;
  int covered = 0, narrow = 0;
  for (int run = 1; run <= runs; ++run) {
    pcg32_oneseq random(static_cast<std::uint64_t>(run));
    std::vector<double> level(steps);
    for (double& x : level) x = 1 + 0.1 * centred(random);
    std::vector<double> seconds;
    std::vector<int> step;
    for (int i = 0; i < trials; ++i) {
      step.push_back(i % steps);
      seconds.push_back(level[static_cast<std::size_t>(i % steps)]);
    }
    const PredictionError e = error_of_few_steps(seconds, step, steps, 200, 1);
    std::sort(level.begin(), level.end());
    const double predicted = level[steps / 2 - 1];
    covered += predicted * e.p50_low <= 1 && 1 <= predicted * e.p50_high;
    // Trials taken for independent measurements: the planted fault.
    std::vector<int> own(trials);
    for (int i = 0; i < trials; ++i) own[static_cast<std::size_t>(i)] = i;
    const PredictionError wrong = error_of_few_steps(seconds, own, trials, 200, 1);
    narrow += predicted * wrong.p50_low <= 1 && 1 <= predicted * wrong.p50_high;
  }
  // A percentile interval of a median of 40 covers 93 to 95 of 100; fewer than 84 has a chance below 1e-3.
  EXPECT_GE(covered, 84);
  EXPECT_LT(narrow, 84);
}

TEST(EvidenceScenario, equal_values_are_a_constant_and_few_factors_are_written_out) {
  EXPECT_EQ(law_of_times({0.002, 0.002})["constant"]["value_ms"], 2.0);
  EXPECT_EQ(law_of_factors({1.1, 0.9, 1})["empirical"]["samples"].size(), 3u);
  EXPECT_TRUE(law_of_factors(std::vector<double>(65, 1))["empirical"].contains("quantiles"));
}

}  // namespace
}  // namespace prism::evidence_scenario_test
