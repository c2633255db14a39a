// SPDX-License-Identifier: Apache-2.0
// The short way to the deterministic step against the long one.
#include <gtest/gtest.h>

#include "prism/simulation.h"
#include "scenario_files.h"

namespace prism::simulation_median_step_test {
namespace {

TEST(MedianStep, IsTheDeterministicStepOfEveryScenario) {
  for (const std::string& path : test::good_scenarios()) {
    const auto scenario = read_scenario(test::read_file(path));
    ASSERT_TRUE(scenario) << path;
    auto workload = build_workload(*scenario);
    ASSERT_TRUE(workload) << path;
    const auto simulation = prepare_simulation(*workload, {});
    ASSERT_TRUE(simulation) << path;
    const double known = deterministic(**simulation).step_s;
    EXPECT_NEAR(*median_step_s(*workload), known, 1e-12 * known) << path;
    // What a forgotten share of the backward passes would look like.
    if (!scenario->what_if.empty()) continue;
    bool longer = false;
    for (StageProgram& stage : workload->stages)
      for (Segment& segment : stage.backward)
        for (Operator& op : segment.compute) {
          longer |= op.scale_s > 0;
          op.scale_s *= 1.001;
        }
    EXPECT_EQ(*median_step_s(*workload) > known * (1 + 1e-9), longer) << path;
  }
}

TEST(MedianStep, RefusesWhatTheScheduleRefuses) {
  Workload w;
  w.pp = 2;
  w.schedule = "1f1b";
  w.virtual_stages = 2;
  EXPECT_FALSE(median_step_s(w));
}

}  // namespace
}  // namespace prism::simulation_median_step_test
