// SPDX-License-Identifier: Apache-2.0
// The preset tables: each entry can be used, has its sources, and is listed.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "prism/graph.h"
#include "scenario/presets/presets.h"
#include "scenario_files.h"

namespace prism::scenario_presets_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(Presets, EveryModelAndGpuGivesAScenario) {
  for (const auto& model : scenario::model_presets()) {
    for (const auto& gpu : scenario::gpu_presets()) {
      Json s = test::job();
      s["model"] = model.name;
      s["parallel"]["pp"] = 2;
      s["parallel"]["layers_per_virtual_stage"] = "front";  // some have an odd number
      s["cluster"]["gpu"] = gpu.name;
      const auto read = read_scenario(s.dump());
      ASSERT_TRUE(read) << model.name << " " << gpu.name;
      EXPECT_EQ(read->model->name, model.name);
      EXPECT_EQ(read->cluster.gpu.name, gpu.name);
      EXPECT_GT(read->cost_model.gemm_efficiency, 0);
    }
  }
}

TEST(Presets, PrecisionChoosesThePeakOfProductsAlone) {
  Json s = test::job();
  const auto half = read_scenario(s.dump());
  s["precision"] = "fp8";
  const auto fp8 = read_scenario(s.dump());
  ASSERT_TRUE(half && fp8);
  EXPECT_EQ(half->cluster.gpu.peak_flops, 989e12);
  EXPECT_EQ(fp8->cluster.gpu.peak_flops, 1979e12);
  EXPECT_EQ(fp8->cluster.gpu.attention_peak_flops, 989e12);
  EXPECT_GT(fp8->cost_model.tp_overlap, half->cost_model.tp_overlap);
  s["cluster"]["gpu"] = "a100-80gb-sxm";
  const auto none = read_scenario(s.dump());
  ASSERT_EQ(none.diagnostics.size(), 1u);
  EXPECT_EQ(none.diagnostics[0].pointer, "/precision");
  s["cluster"]["gpu"] = {{"preset", "a100-80gb-sxm"}, {"fp8_tflops", 600}};
  EXPECT_TRUE(read_scenario(s.dump()));
}

TEST(Presets, EveryVariabilityGivesFactorsOfMedianOne) {
  for (const auto& preset : scenario::variability_presets()) {
    Json s = test::job();
    s["variability"] = preset.name;
    const auto read = read_scenario(s.dump());
    ASSERT_TRUE(read) << preset.name;
    EXPECT_EQ(read->factors.size(), preset.factors.size());
    for (const Factor& f : read->factors) EXPECT_NEAR(f.factor.median(), 1, 1e-4);
    EXPECT_FALSE(preset.summary.empty());
    for (const auto& f : preset.factors) EXPECT_GE(f.source.size(), 10u);
    EXPECT_EQ(read->stalls.size(), preset.stalls.size());
    for (const auto& stall : preset.stalls) EXPECT_GE(stall.source.size(), 10u);
  }
}

TEST(Presets, EveryFigureHasASource) {
  const Json all = Json::parse(presets_json());
  int figures = 0;
  const std::function<void(const Json&)> visit = [&](const Json& value) {
    if (value.is_object() && value.contains("value")) {
      EXPECT_GE(value["source"].get<std::string>().size(), 10u) << value.dump();
      EXPECT_GE(value["value"].is_boolean() ? 1.0 : value["value"].get<double>(), 0.0) << value.dump();
      ++figures;
    } else if (value.is_structured()) {
      for (const auto& member : value) visit(member);
    }
  };
  visit(all["gpu"]);
  visit(all["cost_model"]);
  EXPECT_EQ(figures, static_cast<int>(scenario::gpu_presets().size() * 11 +
                                      scenario::cost_model_presets().size() * 12));
  for (const auto& model : all["model"]) EXPECT_GE(model["source"].get<std::string>().size(), 10u);
}

TEST(Presets, EveryCostModelBelongsToAGpuOrStandsForTheOthers) {
  std::set<std::string_view> others;
  for (const auto& preset : scenario::cost_model_presets()) {
    if (preset.gpu == "other")
      EXPECT_TRUE(others.insert(preset.precision).second) << preset.precision;
    else
      EXPECT_TRUE(scenario::find_preset(scenario::gpu_presets(), preset.gpu)) << preset.gpu;
  }
  EXPECT_EQ(others, (std::set<std::string_view>{"bf16", "fp8", "fp4"}));
}

TEST(Presets, ListNamesSchedulesFamiliesKindsAndRules) {
  const Json all = Json::parse(presets_json());
  EXPECT_EQ(all["schedule"].size(), schedules().size());
  EXPECT_EQ(all["distribution"].size(), families().size());
  EXPECT_EQ(all["kind"].size(), static_cast<std::size_t>(kind_count));
  EXPECT_EQ(all["layers_per_virtual_stage"].size(), 4u);
}

// The names are read here, the rules live with the schedules: both lists must be one.
TEST(Presets, ScheduleNamesAreThoseOfTheScheduleRegistry) {
  std::vector<std::string_view> registered;
  for (const Schedule& s : schedules()) registered.push_back(s.name);
  EXPECT_EQ(std::vector<std::string_view>(schedule_names().begin(), schedule_names().end()), registered);
}

// The schema is written by hand; the names and families in it are those of the core.
TEST(Presets, AreWhatTheJsonSchemaNames) {
  const Json schema = Json::parse(test::read_file(test::source_dir + "/docs/scenario.schema.json"));
  const Json all = Json::parse(presets_json());
  const Json& defs = schema["$defs"];
  const auto names = [&](const char* group) {
    Json list = Json::array();
    for (const auto& entry : all[group]) list.push_back(entry.is_object() ? entry["name"] : entry);
    return list;
  };
  EXPECT_EQ(defs["model"]["oneOf"][0]["enum"], names("model"));
  EXPECT_EQ(defs["gpu"]["oneOf"][0]["enum"], names("gpu"));
  EXPECT_EQ(defs["variability"]["oneOf"][0]["enum"], names("variability"));
  EXPECT_EQ(defs["operator"]["properties"]["kind"]["enum"], names("kind"));
  for (const char* cause : {"factor", "stall", "what_if"})
    EXPECT_EQ(defs[cause]["properties"]["what"]["enum"], names("cause_target")) << cause;
  EXPECT_EQ(defs["factor"]["properties"]["scope"]["enum"], names("scope"));
  EXPECT_EQ(defs["factor"]["properties"]["period"]["enum"], names("period"));
  for (const char* door : {"parallel_of_job", "parallel_of_operators"})
    EXPECT_EQ(defs[door]["properties"]["schedule"]["enum"], names("schedule"));
  EXPECT_EQ(defs["parallel_of_job"]["properties"]["layers_per_virtual_stage"]["anyOf"][0]["enum"],
            names("layers_per_virtual_stage"));
  const Json cost_model_keys = [&] {
    Json keys = Json::array();
    for (const auto& member : all["cost_model"][0].items())
      if (member.key() != "gpu" && member.key() != "precision") keys.push_back(member.key());
    return keys;
  }();
  for (const auto& key : cost_model_keys) EXPECT_TRUE(defs["cost_model"]["properties"].contains(key)) << key;
  EXPECT_EQ(defs["cost_model"]["properties"].size(), cost_model_keys.size() + 1) << "and calibrate";

  for (const Family& family : families()) {
    const std::string name(family.name);
    for (const char* quantity : {"time", "factor"}) {
      ASSERT_TRUE(defs[quantity]["properties"].contains(name)) << name;
      EXPECT_TRUE(defs[std::string(quantity) + "_part"]["properties"].contains(name)) << name;
      const Json& shape = defs[quantity]["properties"][name];
      EXPECT_EQ(shape.contains("anyOf") ? shape["anyOf"].size() : 1, family.sets.size()) << name;
    }
    for (std::size_t i = 0; i < family.sets.size(); ++i) {
      const Json& factor = defs["factor"]["properties"][name];
      const Json& factor_set = factor.contains("anyOf") ? factor["anyOf"][i] : factor;
      const Json& time = defs["time"]["properties"][name];
      const Json& time_set = time.contains("anyOf") ? time["anyOf"][i] : time;
      EXPECT_EQ(time_set["patternProperties"].size(), family.sets[i].parameters.size()) << name;
      for (const Parameter& p : family.sets[i].parameters) {
        EXPECT_TRUE(factor_set["properties"].contains(std::string(p.name))) << name << " " << p.name;
        const std::string pattern = "^" + std::string(p.name) + (p.dimensional ? "_(us|ms|s)$" : "$");
        EXPECT_TRUE(time_set["patternProperties"].contains(pattern)) << name << " " << pattern;
      }
    }
  }
}

// docs/scenario.md is the user's reference: it names every key of the schema and every preset.
TEST(Presets, AndKeysAreAllInTheReference) {
  const std::string reference = test::read_file(test::source_dir + "/docs/scenario.md");
  const Json schema = Json::parse(test::read_file(test::source_dir + "/docs/scenario.schema.json"));
  const auto expect_named = [&](const std::string& word) {
    EXPECT_NE(reference.find("`" + word + "`"), std::string::npos) << word;
  };
  const std::function<void(const Json&)> visit = [&](const Json& value) {
    if (value.is_object() && value.contains("properties") && value.contains("type") &&
        value["type"] == "object")
      for (const auto& member : value["properties"].items())
        if (member.key() != "weight") expect_named(member.key());
    if (value.is_structured())
      for (const auto& member : value) visit(member);
  };
  visit(schema);
  for (const auto& p : scenario::model_presets()) expect_named(std::string(p.name));
  for (const auto& p : scenario::gpu_presets()) expect_named(std::string(p.name));
  for (const auto& p : scenario::variability_presets()) expect_named(std::string(p.name));
}

}  // namespace
}  // namespace prism::scenario_presets_test
