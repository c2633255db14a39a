// SPDX-License-Identifier: Apache-2.0
// The preset tables: each entry can be used, has its sources, and is listed.
#include <gtest/gtest.h>

#include "prism/graph.h"
#include "scenario/presets/presets.h"
#include "scenario_files.h"

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

TEST(Presets, EveryModelAndGpuGivesAScenario) {
  for (const auto& model : scenario::model_presets()) {
    for (const auto& gpu : scenario::gpu_presets()) {
      Json s = test::job();
      s["model"] = model.name;
      s["parallel"]["pp"] = 2;
      s["cluster"]["gpu"] = gpu.name;
      const auto read = read_scenario(s.dump());
      ASSERT_TRUE(read) << model.name << " " << gpu.name;
      EXPECT_EQ(read->model->name, model.name);
      EXPECT_EQ(read->cluster.gpu.name, gpu.name);
      EXPECT_EQ(read->model->hidden, read->model->heads * read->model->head_dim)
          << "true of every model listed";
      EXPECT_GT(read->cost_model.gemm_efficiency, 0);
    }
  }
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
    for (const auto& f : preset.factors) EXPECT_FALSE(f.source.empty());
  }
}

TEST(Presets, EveryFigureHasASource) {
  const Json all = Json::parse(presets_json());
  int figures = 0;
  const std::function<void(const Json&)> visit = [&](const Json& value) {
    if (value.is_object() && value.contains("value")) {
      EXPECT_GE(value["source"].get<std::string>().size(), 10u) << value.dump();
      ++figures;
    } else if (value.is_structured()) {
      for (const auto& member : value) visit(member);
    }
  };
  visit(all["gpu"]);
  visit(all["cost_model"]);
  EXPECT_EQ(figures, static_cast<int>(scenario::gpu_presets().size() * 8 +
                                      scenario::cost_model_presets().size() * 11));
  for (const auto& model : all["model"]) EXPECT_GE(model["source"].get<std::string>().size(), 10u);
}

TEST(Presets, EveryCostModelBelongsToAGpuOrStandsForTheOthers) {
  int others = 0;
  for (const auto& preset : scenario::cost_model_presets()) {
    if (preset.gpu == "other")
      ++others;
    else
      EXPECT_TRUE(scenario::find_preset(scenario::gpu_presets(), preset.gpu)) << preset.gpu;
  }
  EXPECT_EQ(others, 1);
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

}  // namespace
}  // namespace prism
