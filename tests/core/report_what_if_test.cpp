// SPDX-License-Identifier: Apache-2.0
// What a what-if comes to: the multiplier in the result, and the warning where it is none.
#include <gtest/gtest.h>

#include <cmath>

#include "prism/report.h"
#include "scenario_files.h"

namespace prism::report_what_if_test {
namespace {

using Json = nlohmann::ordered_json;

Json lasting(const char* scope, double log_sd) {
  return {{"what", "compute"},
          {"scope", scope},
          {"period", "run"},
          {"lognormal", {{"median", 1}, {"log_sd", log_sd}}}};
}
Json job(Json factors, Json change) {
  Json s = test::job();
  s["variability"]["factors"] = std::move(factors);
  Json w = {{"where", {{"pp", 1}}}};
  w.update(change);
  s["what_if"] = Json::array({w});
  s["run"] = {{"trials", 256}, {"attribution_trials", 0}};
  return s;
}
double multiplier_of(const Json& text) {
  const auto prepared = prepare_job(text.dump());
  EXPECT_TRUE(prepared) << diagnostics_json(prepared.diagnostics);
  return prepared ? account(*prepared->simulation).what_if.at(0) : 0;
}

// The 95 % point of the standard normal is 1.644854 (Abramowitz and Stegun, table 26.5).
TEST(WhatIf, QuantileIsThatOfTheProductOfWhatLastsThere) {
  const Json quantile = {{"node_quantile", 0.95}};
  EXPECT_NEAR(multiplier_of(job(Json::array({lasting("gpu", 0.03)}), quantile)), std::exp(1.644854 * 0.03),
              1e-6);
  EXPECT_NEAR(multiplier_of(job(Json::array({lasting("gpu", 0.03), lasting("node", 0.04)}), quantile)),
              std::exp(1.644854 * 0.05), 1e-6);
  Json others = Json::array({lasting("gpu", 0.03), lasting("replica", 0.2), lasting("node", 0.2)});
  others[2]["what"] = "communication";
  EXPECT_NEAR(multiplier_of(job(others, quantile)), std::exp(1.644854 * 0.03), 1e-6);
  EXPECT_EQ(multiplier_of(job(Json::array(), quantile)), 1);
  EXPECT_EQ(multiplier_of(job(Json::array(), {{"factor", 1.25}})), 1.25);
}

TEST(WhatIf, QuantileOfOperatorsHasWhatIsFreshInItToo) {
  const Json quantile = {{"operator_quantile", 0.95}};
  Json fresh = lasting("operation", 0.03);
  fresh["period"] = "operation";
  EXPECT_NEAR(multiplier_of(job(Json::array({fresh}), quantile)), std::exp(1.644854 * 0.03), 1e-6);
  EXPECT_NEAR(multiplier_of(job(Json::array({fresh, lasting("node", 0.04)}), quantile)),
              std::exp(1.644854 * 0.05), 1e-6);
  EXPECT_NEAR(multiplier_of(job(Json::array({fresh, lasting("replica", 0.2)}), quantile)),
              std::exp(1.644854 * 0.03), 1e-6);
  EXPECT_EQ(multiplier_of(job(Json::array(), quantile)), 1);
}

TEST(WhatIf, OneThatChangesNothingGivesAWarningAtItsPlace) {
  const auto warnings = [](const Json& text) {
    const auto prepared = prepare_job(text.dump(2));
    EXPECT_TRUE(prepared) << diagnostics_json(prepared.diagnostics);
    return prepared ? prepared->warnings : std::vector<Diagnostic>{};
  };
  const auto idle = warnings(job(Json::array(), {{"node_quantile", 0.95}}));
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_EQ(idle[0].severity, Severity::warning);
  EXPECT_EQ(idle[0].pointer, "/what_if/0");
  EXPECT_GT(idle[0].line, 1);
  EXPECT_NE(idle[0].message.find("1.0000"), std::string::npos);
  EXPECT_FALSE(idle[0].hint.empty());
  EXPECT_EQ(warnings(job(Json::array(), {{"factor", 1.0005}})).size(), 1u);
  EXPECT_TRUE(warnings(job(Json::array(), {{"factor", 0.5}})).empty());
  EXPECT_TRUE(warnings(job(Json::array({lasting("node", 0.02)}), {{"node_quantile", 0.95}})).empty());
  const auto held = warnings(job(Json::array(), {{"operator_quantile", 0.95}}));
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].pointer, "/what_if/0");
  EXPECT_NE(held[0].hint.find("operation"), std::string::npos);
  EXPECT_TRUE(warnings(job(Json::array({lasting("node", 0.02)}), {{"operator_quantile", 0.95}})).empty());
}

TEST(WhatIf, ResultNamesTheMultiplierOfEach) {
  Json text = job(Json::array({lasting("gpu", 0.03)}), {{"node_quantile", 0.95}});
  text["what_if"].push_back({{"where", {{"pp", 0}}}, {"factor", 1.5}});
  const auto prepared = prepare_job(text.dump());
  ASSERT_TRUE(prepared);
  Parts pilot, trials;
  Simulation& s = *prepared->simulation;
  for (std::int64_t u = 0; u < unit_count(s, Phase::pilot); ++u)
    pilot.push_back(run_unit(s, Phase::pilot, u));
  learn(s, pilot);
  trials.push_back(run_unit(s, Phase::trials, 0));
  const Json result = Json::parse(result_json(*prepared, trials, {}, {}));
  ASSERT_EQ(result["what_if"].size(), 2u);
  EXPECT_NEAR(result["what_if"][0]["multiplier"].get<double>(), std::exp(1.644854 * 0.03), 1e-6);
  EXPECT_EQ(result["what_if"][1]["multiplier"], 1.5);
}

}  // namespace
}  // namespace prism::report_what_if_test
