// SPDX-License-Identifier: Apache-2.0
// The resolved echo: complete, canonical, and every value in it either written by the user or marked as
// assumed.
#include <gtest/gtest.h>

#include <set>

#include "prism/scenario.h"
#include "scenario_files.h"

namespace prism::scenario_echo_test {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

void leaves(const Json& value, const Pointer& at, std::vector<Pointer>& to) {
  if (value.is_structured() && !value.empty()) {
    for (const auto& [key, member] : value.items())
      leaves(member, value.is_object() ? at / key : at / static_cast<std::size_t>(std::stoul(key)), to);
  } else {
    to.push_back(at);
  }
}

/// Whether the user wrote this value: at the same place, or as the name of a preset in place of an object.
bool written(const Json& document, const Pointer& at, const Json& value) {
  if (document.contains(at)) return document.at(at) == value;
  return at.back() == "preset" && document.contains(at.parent_pointer()) &&
         document.at(at.parent_pointer()) == value;
}

class Echo : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Corpus, Echo, testing::ValuesIn(test::good_scenarios()),
                         [](const auto& test) { return "file" + std::to_string(test.index); });

TEST_P(Echo, EveryValueIsWrittenOrMarkedAsAssumed) {
  std::string text = test::read_file(GetParam());
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.erase(0, 3);
  Json document = Json::parse(text);
  if (document.contains("prism_result")) document = document["scenario"];
  const auto s = read_scenario(text);
  ASSERT_TRUE(s) << GetParam();
  const Json echo = Json::parse(s->resolved);

  std::set<std::string> assumed;
  for (const Scenario::Assumption& a : s->assumptions) {
    SCOPED_TRACE(a.pointer);
    EXPECT_TRUE(assumed.insert(a.pointer).second) << "assumed twice";
    ASSERT_TRUE(echo.contains(Pointer(a.pointer)));
    EXPECT_EQ(echo.at(Pointer(a.pointer)).dump(), a.value);
    EXPECT_FALSE(a.origin.empty());
    EXPECT_FALSE(written(document, Pointer(a.pointer), echo.at(Pointer(a.pointer)))) << "assumed and written";
  }
  std::vector<Pointer> all;
  leaves(echo, Pointer(), all);
  EXPECT_GE(all.size(), 15u);
  for (const Pointer& leaf : all) {
    bool marked = false;
    for (Pointer at = leaf; !at.empty(); at = at.parent_pointer())
      marked |= assumed.count(at.to_string()) > 0;
    EXPECT_TRUE(marked || written(document, leaf, echo.at(leaf))) << leaf.to_string();
  }
}

TEST(ScenarioEcho, DoesNotDependOnOrderSpacingOrPresetSpelling) {
  const Json job = test::job();
  Json other = {{"prism", 1}};
  other["cluster"] = {{"gpu", {{"preset", "h100-sxm"}}}};
  other["batch"] = {{"sequence", 8192.0}, {"micro", 1}, {"global", 3.2e1}};
  other["parallel"] = {{"dp", 2}, {"pp", 4}, {"tp", 4}};
  other["model"] = {{"preset", "llama-3.1-8b"}};
  EXPECT_EQ(read_scenario(job.dump())->resolved, read_scenario(other.dump(7))->resolved);
}

TEST(ScenarioEcho, KeepsNumbersToTheLastBit) {
  for (double x : {0.1, 1.0 / 3, 5e-324, 123456.789, 1e6, 0.64}) {
    Json s = test::job();
    s["cluster"]["intra_node"]["latency_us"] = x;
    const auto read = read_scenario(s.dump());
    ASSERT_TRUE(read) << x;
    EXPECT_EQ(Json::parse(read->resolved)["cluster"]["intra_node"]["latency_us"].get<double>(), x);
  }
}

// The text is hashed into every result's digest: it may change only with the format.
TEST(ScenarioEcho, IsThisText) {
  const auto s = read_scenario(
      R"({"prism": 1, "operators": [{"name": "f", "scope": "stage", "phase": "forward", "kind": "gemm",
          "latency": {"lognormal": {"p95_us": 900.5, "median_us": 850.0}}}], "batch": {"micro_batches": 1}})");
  ASSERT_TRUE(s);
  EXPECT_EQ(
      s->resolved,
      R"({"prism":1,"title":"","operators":[{"name":"f","scope":"stage","phase":"forward","kind":"gemm",)"
      R"("latency":{"lognormal":{"median_us":850,"p95_us":900.5}}}],"parallel":{"tp":1,"cp":1,"pp":1,"dp":1,)"
      R"("schedule":"1f1b","virtual_stages":1,"layers_per_virtual_stage":[1]},)"
      R"("batch":{"global":1,"micro":1,"micro_batches":1},"cluster":{"gpus_per_node":8},)"
      R"("variability":{"preset":"none","preset_factors":[],"factors":[],)"
      R"("preset_stalls":[],"stalls":[]},"what_if":[],)"
      R"("run":{"trials":10000,"seed":"1","engine":"fast","attribution_trials":256,"step_within_s":[]}})");
}

// An old echo means the same after a preset has changed: what is written out wins.
TEST(ScenarioEcho, WrittenOutPresetFactorsWinOverTheTable) {
  Json echo = Json::parse(read_scenario(test::job().dump())->resolved);
  echo["variability"]["preset_factors"][0]["lognormal"]["cv"] = 0.5;
  const auto s = read_scenario(echo.dump());
  ASSERT_TRUE(s);
  ASSERT_EQ(s->factors.size(), 3u);
  EXPECT_NEAR(s->factors[0].factor.sd() / s->factors[0].factor.mean(), 0.5, 1e-9);
}

}  // namespace
}  // namespace prism::scenario_echo_test
