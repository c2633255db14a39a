// SPDX-License-Identifier: Apache-2.0
// Stage programs of the job door: order, synchronisation, and how they change with the layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "workload_scenarios.h"

namespace prism::test::workload_program_test {
namespace {

using List = std::vector<std::string>;

/// Operators by name, collectives by kind.
List names(const std::vector<Segment>& program) {
  List list;
  for (const Segment& segment : program) {
    for (const Operator& op : segment.compute) list.push_back(op.name);
    if (segment.has_collective) list.push_back("[" + std::string(kind_name(segment.collective.kind)) + "]");
  }
  return list;
}

/// real_job with one layer on each virtual stage.
Scenario one_layer_each() {
  Scenario s = real_job();
  s.cost_model.layer_floor_s = 0;
  s.parallel.virtual_stages = 4;
  s.parallel.schedule = "interleaved-1f1b";
  return s;
}

double embedding_forward(const Workload& w) {
  EXPECT_EQ(w.stages[0].forward[0].compute[0].kind, Kind::embedding);
  return w.stages[0].forward[0].compute[0].scale_s + w.stages[0].forward[0].collective.scale_s;
}

TEST(Program, WithoutTensorParallelismAChunkIsOneSegment) {
  const Workload w = build(tiny_job());
  ASSERT_EQ(w.stages.size(), 1u);
  EXPECT_EQ(w.stages[0].forward.size(), 1u);
  EXPECT_EQ(w.stages[0].backward.size(), 1u);
  EXPECT_FALSE(w.stages[0].forward[0].has_collective);
  EXPECT_FALSE(w.transfers.present);
  // Embedding; nine operators a layer; norm, head and loss.
  EXPECT_EQ(w.stages[0].forward[0].compute.size(), 1u + 2 * 9 + 3);
}

TEST(Program, LayerUnderSequenceParallelismGathersAndScattersTwice) {
  Scenario s = one_layer_each();
  s.parallel.sequence_parallel = true;
  const Workload w = build(s);
  EXPECT_EQ(names(w.stages[1].forward),
            (List{"residual, dropout and norm", "[all_gather]", "query, key and value product",
                  "bias and transpose of query, key and value", "attention", "projection product",
                  "[reduce_scatter]", "residual, dropout and norm", "[all_gather]", "FFN input product",
                  "activation", "FFN output product", "[reduce_scatter]"}));
  EXPECT_EQ(names(w.stages[1].backward),
            (List{"residual, dropout and norm", "[all_gather]", "FFN output product", "activation",
                  "FFN input product", "[reduce_scatter]", "residual, dropout and norm", "[all_gather]",
                  "projection product", "attention", "bias and transpose of query, key and value",
                  "query, key and value product", "[reduce_scatter]"}));
}

TEST(Program, LayerWithoutSequenceParallelismReducesTwice) {
  const Workload w = build(one_layer_each());
  for (const auto* program : {&w.stages[1].forward, &w.stages[1].backward}) {
    ASSERT_EQ(program->size(), 2u);
    for (const Segment& segment : *program) EXPECT_EQ(segment.collective.kind, Kind::all_reduce);
  }
}

TEST(Program, SequenceParallelismMovesTheSameBytesAndDividesTheNorms) {
  Scenario s = one_layer_each();
  s.cluster.intra_node.latency_s = 0;
  const Workload whole = build(s);
  s.parallel.sequence_parallel = true;
  const Workload shared = build(s);
  const auto &a = whole.stages[1].forward, &b = shared.stages[1].forward;
  EXPECT_NEAR(seconds(b, Kind::all_gather) + seconds(b, Kind::reduce_scatter), seconds(a, Kind::all_reduce),
              1e-12);
  EXPECT_DOUBLE_EQ(b[0].compute[0].scale_s, a[0].compute[0].scale_s / 4);
}

TEST(Program, EveryChunkWithLayersEndsInATensorCollective) {
  for (const bool sequence_parallel : {false, true})
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      Scenario s = real_job();
      s.parallel.sequence_parallel = sequence_parallel;
      s.parallel.recompute = recompute;
      for (const StageProgram& stage : build(s).stages)
        for (const auto* program : {&stage.forward, &stage.backward}) {
          ASSERT_FALSE(program->empty());
          for (const Segment& segment : *program) EXPECT_EQ(segment.group, Group::tensor);
          EXPECT_TRUE(program->back().has_collective);
        }
    }
}

TEST(Program, AStageMayHoldNoLayers) {
  Scenario s = real_job();
  s.model->layers = 6;
  s.parallel.pp = 4;
  s.parallel.layers_per_virtual_stage = {0, 3, 3, 0};
  s.parallel.sequence_parallel = true;
  const Workload w = build(s);
  EXPECT_EQ(names(w.stages[0].forward), (List{"embedding lookup", "[reduce_scatter]"}));
  EXPECT_EQ(w.stages[0].layers, 0);
  EXPECT_EQ(w.stages[1].layers, 3);
  EXPECT_EQ(names(w.stages[3].forward),
            (List{"residual, dropout and norm", "[all_gather]", "head product", "loss", "[all_reduce]"}));
  EXPECT_EQ(names(w.stages[3].backward), (List{"loss", "head product", "[reduce_scatter]"}));
}

TEST(Program, SlowHostAddsLaunchGapsUpToTheFloor) {
  Scenario s = real_job();
  s.model->layers = 2;
  s.cost_model.layer_floor_s = 0.5;
  const Workload w = build(s);
  EXPECT_NEAR(seconds(w.stages[0].forward), 0.5 + embedding_forward(w), 1e-12);
  EXPECT_GT(seconds(w.stages[0].forward, Kind::compute_other), 0.4);
  EXPECT_NEAR(seconds(w.stages[0].backward, Kind::compute_other) + seconds(w.stages[0].backward, Kind::gemm) +
                  seconds(w.stages[0].backward, Kind::attention) +
                  seconds(w.stages[0].backward, Kind::all_reduce),
              1.0, 0.01);
  s.cost_model.layer_floor_s = 1e-4;
  EXPECT_EQ(seconds(build(s), Kind::compute_other), 0);
}

TEST(Program, TensorParallelismDividesTheProducts) {
  Scenario s = real_job();
  s.cost_model.gemm_overhead_s = 0;
  const double four = seconds(build(s), Kind::gemm);
  s.parallel.tp = 8;
  EXPECT_NEAR(seconds(build(s), Kind::gemm), four / 2, 1e-3 * four);
}

TEST(Program, TwiceTheMicroBatchIsTwiceTheWork) {
  Scenario s = real_job();
  s.cost_model.gemm_overhead_s = s.cost_model.layer_floor_s = 0;
  s.cluster.intra_node.latency_s = 0;
  const Workload once = build(s);
  s.batch.micro *= 2;
  s.batch.global *= 2;
  const Workload twice = build(s);
  for (const Kind kind :
       {Kind::gemm, Kind::attention, Kind::elementwise, Kind::embedding, Kind::loss, Kind::all_reduce})
    EXPECT_NEAR(seconds(twice, kind), 2 * seconds(once, kind), 1e-9 * seconds(once, kind)) << kind_name(kind);
  EXPECT_DOUBLE_EQ(twice.model_flops, 2 * once.model_flops);
}

TEST(Program, FullRecomputationAddsTheLayersForward) {
  Scenario s = real_job();
  const Workload none = build(s);
  s.parallel.recompute = Recompute::full;
  const Workload full = build(s);
  EXPECT_NEAR(seconds(full.stages[0].backward),
              seconds(none.stages[0].backward) + seconds(none.stages[0].forward) - embedding_forward(none),
              1e-12);
  EXPECT_EQ(seconds(full.stages[0].forward), seconds(none.stages[0].forward));
}

TEST(Program, SelectiveRecomputationAddsAttentionOnly) {
  Scenario s = real_job();
  const Workload none = build(s);
  s.parallel.recompute = Recompute::selective;
  const Workload selective = build(s);
  EXPECT_NEAR(seconds(selective.stages[0].backward),
              seconds(none.stages[0].backward) + seconds(none.stages[0].forward, Kind::attention), 1e-12);
}

TEST(Program, OverlapHidesItsShare) {
  Scenario s = real_job();
  s.parallel.sequence_parallel = true;
  const Workload exposed = build(s);
  s.cost_model.tp_overlap = 0.25;
  s.cost_model.dp_overlap = 0.5;
  const Workload hidden = build(s);
  for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter})
    EXPECT_NEAR(seconds(hidden.stages[1].forward, kind), 0.75 * seconds(exposed.stages[1].forward, kind),
                2e-4);
  const auto reduction = [](const Workload& w) {
    for (const Segment& segment : w.end.rank[0])
      if (segment.group == Group::data) return segment.collective.scale_s;
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(reduction(hidden), 0.5 * reduction(exposed));
  for (const char* about : {"tensor-parallel overlap", "data-parallel overlap"})
    EXPECT_TRUE(std::any_of(hidden.notes.begin(), hidden.notes.end(), [&](const Workload::Note& note) {
      return note.about == about;
    })) << about;
}

TEST(Program, TensorRanksShareATransfer) {
  Scenario s = real_job();
  s.cluster.inter_node.latency_s = 0;
  const Workload w = build(s);
  ASSERT_TRUE(w.transfers.present);
  // 2 bytes * 2 sequences * 2,048 tokens * 4,096 / 4; 16 ranks are two nodes, so the hop leaves the node.
  EXPECT_DOUBLE_EQ(w.transfers.forward.scale_s, 2.0 * 2 * 2048 * 4096 / 4 / (25e9 * 0.8));
  EXPECT_DOUBLE_EQ(w.transfers.backward.scale_s, w.transfers.forward.scale_s);
}

TEST(Program, SameInputSameWorkload) {
  const Workload a = build(real_job()), b = build(real_job());
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t i = 0; i < a.stages.size(); ++i) {
    EXPECT_EQ(seconds(a.stages[i].forward), seconds(b.stages[i].forward));
    EXPECT_EQ(names(a.stages[i].backward), names(b.stages[i].backward));
  }
}

}  // namespace
}  // namespace prism::test::workload_program_test
