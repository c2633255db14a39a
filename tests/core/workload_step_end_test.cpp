// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "workload_scenarios.h"

namespace prism::test::workload_step_end_test {
namespace {

constexpr double layer = 8 * 24 + 8 * 8 + 2 * 8 * 32 + 2 * 8,
                 embedding = 256 * 8;  // parameters of the tiny model

TEST(StepEnd, ComesInOrder) {
  Scenario s = real_job();
  s.parallel.sequence_parallel = true;
  s.parallel.zero = 1;
  const Workload w = build(s);
  ASSERT_EQ(w.end.rank.size(), 2u);
  const std::vector<Group> groups = {Group::tensor, Group::embedding, Group::data, Group::world, Group::data};
  for (const auto& program : w.end.rank) {
    ASSERT_EQ(program.size(), groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) EXPECT_EQ(program[i].group, groups[i]);
    EXPECT_EQ(program[2].collective.kind, Kind::reduce_scatter);
    ASSERT_EQ(program[4].compute.size(), 1u);
    EXPECT_EQ(program[4].compute[0].kind, Kind::optimizer);
    EXPECT_EQ(program[4].collective.kind, Kind::all_gather);
  }
  EXPECT_EQ(w.end.rank[0][1].collective.scale_s, w.end.rank[1][1].collective.scale_s);
  EXPECT_EQ(w.end.rank[0][3].collective.scale_s, w.end.rank[1][3].collective.scale_s);
}

TEST(StepEnd, TiedEmbeddingsAreExchangedBetweenFirstAndLastRankOnly) {
  Scenario s = tiny_job();
  s.model->layers = 3;
  s.model->tied_embeddings = true;
  s.parallel.pp = 3;
  const Workload w = build(s);
  const auto exchanges = [](const std::vector<Segment>& program) {
    double sum = 0;
    for (const Segment& segment : program)
      if (segment.group == Group::embedding) sum += segment.collective.scale_s;
    return sum;
  };
  EXPECT_DOUBLE_EQ(exchanges(w.end.rank[0]), 4 * embedding);  // all-reduce of two: every byte once
  EXPECT_DOUBLE_EQ(exchanges(w.end.rank[1]), 0);
  EXPECT_DOUBLE_EQ(exchanges(w.end.rank[2]), 4 * embedding);
}

TEST(StepEnd, CountsTheParametersOfARank) {
  Scenario s = tiny_job();
  s.parallel.dp = 2;
  s.batch = {2, 1, 1, 4};
  const Workload w = build(s);
  const double all = 2 * layer + 2 * embedding + 8;
  ASSERT_EQ(w.end.rank[0].size(), 3u);  // gradients, clipping, optimizer
  EXPECT_DOUBLE_EQ(w.end.rank[0][0].collective.scale_s, 4 * all);
  EXPECT_DOUBLE_EQ(w.end.rank[0][2].compute[0].scale_s, 30 * all);

  s.model->tied_embeddings = true;  // one matrix on one rank: nothing to exchange
  const Workload tied = build(s);
  ASSERT_EQ(tied.end.rank[0].size(), 3u);
  EXPECT_DOUBLE_EQ(tied.end.rank[0][0].collective.scale_s, 4 * (all - embedding));
}

TEST(StepEnd, RankHoldsAllItsVirtualStages) {
  Scenario s = tiny_job();
  s.model->layers = 4;
  s.parallel.pp = 2;
  s.parallel.virtual_stages = 2;
  s.parallel.schedule = "interleaved-1f1b";
  s.parallel.layers_per_virtual_stage = {1, 0, 2, 1};
  s.batch = {2, 1, 2, 4};
  const Workload w = build(s);
  EXPECT_DOUBLE_EQ(w.end.rank[0].back().compute[0].scale_s, 30 * (3 * layer + embedding));
  EXPECT_DOUBLE_EQ(w.end.rank[1].back().compute[0].scale_s, 30 * (1 * layer + embedding + 8));
}

TEST(StepEnd, ZeroOneSharesTheOptimizerAndGathersParameters) {
  Scenario s = real_job();
  const Workload zero0 = build(s);
  s.parallel.zero = 1;
  const Workload zero1 = build(s);
  EXPECT_DOUBLE_EQ(seconds(zero1.end.rank[0], Kind::optimizer),
                   seconds(zero0.end.rank[0], Kind::optimizer) / 2);
  // Gradients travel in 4 bytes, parameters in 2.
  EXPECT_NEAR(seconds(zero1.end.rank[0], Kind::all_gather),
              seconds(zero1.end.rank[0], Kind::reduce_scatter) / 2, 1e-4);
}

TEST(StepEnd, OneGpuOnlyOptimizes) {
  const Workload w = build(tiny_job());
  ASSERT_EQ(w.end.rank.size(), 1u);
  ASSERT_EQ(w.end.rank[0].size(), 1u);
  EXPECT_FALSE(w.end.rank[0][0].has_collective);
  EXPECT_EQ(w.end.rank[0][0].compute[0].kind, Kind::optimizer);
}

}  // namespace
}  // namespace prism::test::workload_step_end_test
