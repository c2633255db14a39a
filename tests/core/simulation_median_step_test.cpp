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

TEST(SlowNode, StretchesTheStepAsTheWhatIfsDoOnAverage) {
  for (const char* order : {"tp-cp-dp-pp", "tp-cp-pp-dp"})
    for (const auto& [tp, schedule] : {std::pair{8, "1f1b"}, std::pair{2, "1f1b"}, std::pair{4, "zb-h1"}}) {
      auto s = test::job();
      s["parallel"].update({{"tp", tp},
                            {"pp", 4},
                            {"dp", 4},
                            {"rank_order", order},
                            {"schedule", schedule},
                            {"sequence_parallel", tp > 2}});
      const auto scenario = read_scenario(s.dump());
      ASSERT_TRUE(scenario);
      auto workload = build_workload(*scenario);
      ASSERT_TRUE(workload);
      const double healthy = *median_step_s(*workload);
      for (const double factor : {1.1, 2.0}) {
        const double inflation = *slow_node_inflation(*workload, factor);
        EXPECT_GT(inflation, 1);
        EXPECT_LT(inflation, factor);
        // One what-if a rank of the first replica; ranks that share a node say the same, and then each node
        // counts as often.
        double sum = 0;
        for (int rank = 0; rank < 4; ++rank) {
          Workload slow = *workload;
          slow.what_if = {{.pp = rank, .unit = WhatIf::Unit::node, .what = "compute", .value = factor}};
          sum += *median_step_s(slow);
        }
        EXPECT_NEAR(inflation, sum / 4 / healthy, 1e-9)
            << order << " " << tp << " " << schedule << " " << factor;
      }
      EXPECT_NEAR(*slow_node_inflation(*workload, 1), 1, 1e-12);
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
