// SPDX-License-Identifier: Apache-2.0
// Several runs with deadlines on one cluster, against sums and probabilities known in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "prism/planning.h"

namespace prism::planning_schedule_test {
namespace {

/// In the order written: a scenario begins with "prism".
using json = nlohmann::ordered_json;

constexpr double day = 86400;

/// Steps of exactly a second on one GPU; no checkpoint is ever due.
json scenario(int steps, double failures_a_day, std::uint64_t seed = 1, int runs = 64) {
  json causes = json::array();
  if (failures_a_day > 0)
    causes.push_back(
        {{"name", "any"}, {"per_day", failures_a_day}, {"detection_min", 2}, {"restart_min", 8}});
  const json operation = {{"name", "f"},
                          {"scope", "stage"},
                          {"phase", "forward"},
                          {"kind", "gemm"},
                          {"latency", {{"constant", {{"value_ms", 1000}}}}}};
  const json failures = failures_a_day > 0 ? json{{"causes", causes}} : json("none");
  return {{"prism", 1},
          {"title", std::to_string(steps) + " steps"},
          {"operators", {operation}},
          {"batch", {{"micro", 1}, {"micro_batches", 1}}},
          {"training_run",
           {{"steps", steps},
            {"runs", runs},
            {"failures", failures},
            {"checkpoint", {{"every_min", 100000}, {"write_s", 1}}}}},
          {"run", {{"trials", 16}, {"seed", std::to_string(seed)}}}};
}

json question(const std::vector<std::pair<json, double>>& runs) {
  json list = json::array();
  for (const auto& [what, deadline] : runs) list.push_back({{"scenario", what}, {"deadline_days", deadline}});
  return {{"study", "schedule"}, {"runs", list}};
}

json played(const json& asked) {
  const auto planning = plan_planning("", asked.dump());
  if (!planning) throw std::runtime_error(planning.diagnostics.front().message);
  Parts parts;
  for (std::size_t i = 0; i < planning_units(*planning); ++i)
    parts.push_back(run_planning_unit(*planning, i));
  return json::parse(planning_json(*planning, parts));
}

TEST(PlanningSchedule, RunsWithoutFailuresFinishAtTheSumOfTheirTimes) {
  // In seconds from now: 3,000 and 5,000 long; due at 9,000 and 5,000. The second must start first.
  const json d = played(question({{scenario(3000, 0), 9000 / day}, {scenario(5000, 0), 5000 / day}}));
  EXPECT_EQ(d["runs"], 64);
  EXPECT_EQ(d["seed"], "1");
  EXPECT_EQ(d["digest"].get<std::string>().size(), 16u);
  EXPECT_EQ(d["scheduled"][1]["name"], "5000 steps");
  EXPECT_EQ(d["scheduled"][1]["steps"], 5000);
  for (const char* by : {"by_p95", "by_mean"}) {
    const json& places = d[by]["places"];
    EXPECT_EQ(places[0]["run"], 1);
    EXPECT_EQ(places[1]["run"], 0);
    for (const char* key : {"p50_start_s", "p95_start_s"}) {
      EXPECT_EQ(places[0][key], 0);
      EXPECT_EQ(places[1][key], 5000);
    }
    for (const char* key : {"mean_finish_s", "p50_finish_s", "p95_finish_s"}) {
      EXPECT_EQ(places[0][key], 5000);
      EXPECT_EQ(places[1][key], 8000);
    }
    // All 64 of 64: the lower limit is 0.025 to the power of 1/64.
    for (const json& share : {places[0]["met"], places[1]["met"], d[by]["all_met"]}) {
      EXPECT_EQ(share["probability"], 1);
      EXPECT_NEAR(share["interval"][0].get<double>(), std::pow(0.025, 1.0 / 64), 1e-9);
      EXPECT_EQ(share["interval"][1], 1);
    }
  }
  const json late = played(question({{scenario(3000, 0), 7999 / day}, {scenario(5000, 0), 5000 / day}}));
  EXPECT_EQ(late["by_p95"]["places"][1]["met"]["probability"], 0);
  EXPECT_NEAR(late["by_p95"]["all_met"]["interval"][1].get<double>(), 1 - std::pow(0.025, 1.0 / 64), 1e-9);
}

// A failure costs ten minutes at least, so a deadline a second after the failure-free finish is met exactly
// if nothing fails: with probability e^(-rate time). The same file twice is two runs: the second meets a
// deadline for both together with the square of that. Twenty seeds, each within four standard errors: one
// false alarm in 400 such tests. Seen to fail with the streams of the two runs the same (then both fail
// together).
TEST(PlanningSchedule, MeetsATightDeadlineWithTheChanceThatNothingFails) {
  const double rate = 20, days = 2000 / day, nothing = std::exp(-rate * days);
  const int n = 1000;
  double once = 0, twice = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const json run = scenario(2000, rate, seed, n);
    const json d = played(question({{run, days + 1 / day}, {run, 2 * days + 1 / day}}));
    const json& places = d["by_mean"]["places"];
    const auto errors = [&](const json& share, double expected) {
      const double p = share["probability"];
      EXPECT_LE(share["interval"][0], p);
      EXPECT_GE(share["interval"][1], p);
      return (p - expected) / std::sqrt(expected * (1 - expected) / n);
    };
    const double first = errors(places[0]["met"], nothing);
    const double second = errors(places[1]["met"], nothing * nothing);
    EXPECT_LT(std::fabs(first), 4) << seed;
    EXPECT_LT(std::fabs(second), 4) << seed;
    EXPECT_EQ(d["by_mean"]["all_met"], places[1]["met"]) << "who meets the second has met the first";
    once += first / std::sqrt(20);
    twice += second / std::sqrt(20);
  }
  std::printf("all seeds together: %.2f and %.2f standard errors\n", once, twice);
  EXPECT_LT(std::fabs(once), 4);
  EXPECT_LT(std::fabs(twice), 4);
}

TEST(PlanningSchedule, OrdersByP95AndByMeanMayDiffer) {
  // Both about a day long; the one that fails four times a day ranges far beyond its mean.
  const json steady = scenario(100000, 0), wild = scenario(60000, 4, 1, 256);
  const json alone = played(question({{wild, 9.0}}))["by_mean"]["places"][0];
  const double mean = alone["mean_finish_s"], p95 = alone["p95_finish_s"];
  ASSERT_GT(p95, 1.2 * mean);
  // Latest starts, seconds from now: steady 1,000; wild between that by its mean and before it by its p95.
  const json d = played(question({{wild, (mean + 2000) / day}, {steady, 101000 / day}}));
  EXPECT_EQ(d["by_mean"]["places"][0]["run"], 1);
  EXPECT_EQ(d["by_p95"]["places"][0]["run"], 0);
  EXPECT_EQ(d["by_p95"]["places"][0]["p95_finish_s"], d["by_p95"]["places"][1]["p95_start_s"]);
}

TEST(PlanningSchedule, UsesAsManySamplesAsEachRunHas) {
  EXPECT_EQ(played(question({{scenario(10, 0, 1, 64), 1.0}, {scenario(10, 0, 1, 32), 1.0}}))["runs"], 32);
}

TEST(PlanningSchedule, SaysWhereAQuestionIsWrongWhatItExpectsAndWhatItFound) {
  const json good = scenario(10, 0);
  json no_run = good, misspelt = good;
  no_run.erase("training_run");
  misspelt["training_run"]["stepz"] = 1;
  const std::vector<std::tuple<json, std::string, std::string>> wrong{
      {{{"study", "schedule"}}, "", "expected \"runs\", a list of 1 to 100, found none"},
      {question({}), "/runs", "found 0"},
      {{{"study", "schedule"}, {"runs", {7}}}, "/runs/0", "found 7"},
      {question({{good, 1.0}, {good, -1.0}}), "/runs/1/deadline_days", "found -1"},
      {{{"study", "schedule"}, {"runs", {{{"scenario", good}}}}}, "/runs/0", "expected \"deadline_days\""},
      {{{"study", "schedule"}, {"runs", {{{"deadline_days", 1}}}}}, "/runs/0", "expected \"scenario\""},
      {{{"study", "schedule"}, {"runs", {{{"scenario", "x"}, {"deadline_days", 1}}}}},
       "/runs/0/scenario",
       "found \"x\""},
      {{{"study", "schedule"}, {"runs", {{{"due", 1}}}}}, "/runs/0/due", "found \"due\" with 1"},
      {question({{no_run, 1.0}}), "/runs/0/scenario", "has no training_run"},
      {question({{good, 1.0}, {misspelt, 1.0}}), "/runs/1/scenario/training_run/stepz", ""}};
  for (const auto& [asked, pointer, message] : wrong) {
    const auto planning = plan_planning("", asked.dump());
    ASSERT_FALSE(planning) << asked;
    EXPECT_EQ(planning.diagnostics.front().pointer, pointer) << asked;
    EXPECT_NE(planning.diagnostics.front().message.find(message), std::string::npos)
        << planning.diagnostics.front().message;
  }
}

}  // namespace
}  // namespace prism::planning_schedule_test
