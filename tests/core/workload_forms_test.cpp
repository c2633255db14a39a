// SPDX-License-Identifier: Apache-2.0
// Context and expert parallelism and sharded parameters: what each adds to the programs, by hand.
#include <gtest/gtest.h>

#include "workload/network.h"
#include "workload/parameters.h"
#include "workload_scenarios.h"

namespace prism::test::workload_forms_test {
namespace {

double within(const std::vector<Segment>& program, Group group) {
  double sum = 0;
  for (const Segment& segment : program)
    if (segment.has_collective && segment.group == group) sum += segment.collective.scale_s;
  return sum;
}

// One layer of the tiny model: 4 tokens of width 8 in two halves.
TEST(ContextParallelism, GathersKeysAndValuesAndSharesTheScores) {
  Scenario s = tiny_job();
  s.model->layers = 1;
  const Workload whole = build(s);
  s.parallel.cp = 2;
  const Workload shared = build(s);
  EXPECT_EQ(shared.tp, 2);
  // Keys and values: 2 bytes x 4 tokens x 16 elements, of which the other rank has half, at 1 byte/s.
  EXPECT_DOUBLE_EQ(within(shared.stages[0].forward, Group::context), 64);
  EXPECT_DOUBLE_EQ(within(shared.stages[0].backward, Group::context), 128);
  EXPECT_DOUBLE_EQ(seconds(shared.stages[0].forward, Kind::attention),
                   seconds(whole.stages[0].forward, Kind::attention) / 2);
  EXPECT_DOUBLE_EQ(seconds(shared.stages[0].forward, Kind::elementwise),
                   seconds(whole.stages[0].forward, Kind::elementwise) / 2);
  // Gradients are reduced over the context ranks: 4 bytes each, by a ring of two.
  const workload::Parameters held = workload::parameters_held(*s.model, [] {
    Parallel p;
    p.layers_per_virtual_stage = {1};
    return p;
  }())[0];
  EXPECT_DOUBLE_EQ(within(shared.end.rank[0], Group::data), 4 * held.all());
}

TEST(ContextParallelism, ARingCountsWhatAttentionDoesNotHide) {
  Scenario s = tiny_job();
  s.model->layers = 1;
  s.parallel.cp = 2;
  s.parallel.cp_exchange = ContextExchange::ring;
  const Workload slow_attention = build(s);
  EXPECT_DOUBLE_EQ(within(slow_attention.stages[0].forward, Group::context), 0);
  s.cluster.intra_node.bytes_per_s = 1e-3;  // one pass of 64 bytes takes 64,000 s
  const Workload slow_links = build(s);
  const double attention = seconds(slow_links.stages[0].forward, Kind::attention);
  EXPECT_DOUBLE_EQ(within(slow_links.stages[0].forward, Group::context), 64'000 - attention);
}

Scenario with_experts() {
  Scenario s = tiny_job();
  s.model->layers = 2;
  s.model->experts = Experts{4, 2, 16, 1, 1};
  s.parallel.dp = 4;
  s.batch = {4, 1, 1, 4};
  s.cost_model.gradient_bytes = s.cost_model.optimizer_bytes = 0;
  return s;
}

TEST(ExpertParallelism, SendsEachTokenToItsExpertsAndBack) {
  Scenario s = with_experts();
  const Workload alone = build(s);
  EXPECT_DOUBLE_EQ(within(alone.stages[0].forward, Group::expert), 0);
  s.parallel.ep = 4;
  const Workload spread = build(s);
  // One layer has experts: 2 bytes x 32 activations x 2 visits, three quarters leave, there and back.
  EXPECT_DOUBLE_EQ(within(spread.stages[0].forward, Group::expert), 2 * 0.75 * 128);
  EXPECT_DOUBLE_EQ(within(spread.stages[0].backward, Group::expert), 2 * 0.75 * 128);
  // The work is the same wherever the experts are; only their weights are read by fewer ranks.
  s.cluster.gpu.memory_bytes_per_s = 1e12;
  const double there = seconds(build(s).stages[0].forward, Kind::gemm);
  s.parallel.ep = 1;
  EXPECT_DOUBLE_EQ(there, seconds(build(s).stages[0].forward, Kind::gemm));
}

TEST(ExpertParallelism, HoldsAndReducesEachExpertOnFewRanks) {
  Scenario s = with_experts();
  s.parallel.layers_per_virtual_stage = {2};
  s.parallel.ep = 2;
  const workload::Parameters held = workload::parameters_held(*s.model, s.parallel)[0];
  EXPECT_DOUBLE_EQ(held.experts, 2 * 2 * 8 * 16);  // two experts of two matrices
  // Routers are whole on each rank.
  EXPECT_DOUBLE_EQ(held.norms, 2 * 16 + 8 * 4 + 8);
  s.cost_model.gradient_bytes = 4;
  const Workload w = build(s);
  const double common = held.plain + held.norms;
  // Rings at 1 byte/s: 2 x 3/4 over four replicas, 2 x 1/2 over the two that hold the same experts.
  EXPECT_DOUBLE_EQ(within(w.end.rank[0], Group::data), 4 * (1.5 * common + held.experts));
}

TEST(ExpertParallelism, CountsActiveParametersOnly) {
  Scenario s = with_experts();
  const double all = workload::model_parameters(*s.model),
               active = workload::model_parameters(*s.model, true);
  EXPECT_DOUBLE_EQ(all - active, 2 * 2 * 8 * 16);  // two of four experts of two 8 x 16 matrices
}

TEST(Parameters, OfPublishedModels) {
  EXPECT_NEAR(workload::model_parameters(gpt(96, 12288, 96)), 174.6e9, 0.1e9);
  EXPECT_NEAR(workload::model_parameters(llama_405b()), 405.8e9, 0.1e9);
  // DeepSeek-V3 (arXiv 2412.19437, section 4.2): 671B, of which 37B are used by a token.
  Model m = llama_405b();
  m.layers = 61;
  m.hidden = 7168;
  m.ffn_hidden = 18432;
  m.heads = m.kv_heads = 128;
  m.head_dim = 128;
  m.vocabulary = 129280;
  m.experts = Experts{256, 8, 2048, 1, 3};
  m.latent_attention = LatentAttention{1536, 512, 64, 128};
  EXPECT_NEAR(workload::model_parameters(m), 671e9, 0.5e9);
  EXPECT_NEAR(workload::model_parameters(m, true), 37.5e9, 0.5e9);
}

Scenario sharded(int zero) {
  Scenario s = tiny_job();
  s.parallel.dp = 4;
  s.batch = {8, 1, 2, 4};
  s.parallel.zero = zero;
  return s;
}

TEST(ZeroThree, GathersWhatComputeDoesNotHide) {
  Scenario s = sharded(3);
  s.cost_model.layer_floor_s = 1e6;  // hides every gather but the first and every reduction but the last
  const Workload hidden = build(s);
  const workload::Parameters layer = workload::layer_parameters(*s.model, false, s.parallel);
  const double embedding = workload::embedding_parameters(*s.model, 1), first = layer.all() + embedding;
  EXPECT_DOUBLE_EQ(within(hidden.stages[0].forward, Group::shard), 0.75 * 2 * first);
  EXPECT_DOUBLE_EQ(within(hidden.stages[0].backward, Group::shard), 0.75 * 4 * first);
  EXPECT_DOUBLE_EQ(within(hidden.end.rank[0], Group::data), 0) << "nothing is left for the end";

  s.cost_model.layer_floor_s = 0;
  s.cluster.gpu.peak_flops = s.cluster.gpu.memory_bytes_per_s = 1e12;  // hides nothing
  const Workload exposed = build(s);
  EXPECT_NEAR(within(exposed.stages[0].forward, Group::shard), 0.75 * 2 * (first + 2 * layer.all()), 1e-6);
  EXPECT_NEAR(within(exposed.stages[0].backward, Group::shard),
              0.75 * (4 * first + (2 + 4) * 2 * layer.all()), 1e-6);
}

TEST(ZeroTwo, ReducesEachMicroBatchAndGathersOnce) {
  const Workload w = build(sharded(2));
  EXPECT_DOUBLE_EQ(within(w.stages[0].forward, Group::shard), 0);
  EXPECT_GT(within(w.stages[0].backward, Group::shard), 0);
  ASSERT_EQ(seconds(w.end.rank[0], Kind::reduce_scatter), 0);
  EXPECT_GT(seconds(w.end.rank[0], Kind::all_gather), 0);
}

TEST(ZeroThree, GatheringOnceAStepIsAsZeroOne) {
  Scenario s = sharded(3);
  s.parallel.gather = Gather::per_step;
  const Workload once = build(s);
  s.parallel.zero = 1;
  const Workload one = build(s);
  EXPECT_EQ(seconds(once.stages[0].backward), seconds(one.stages[0].backward));
  EXPECT_EQ(seconds(once.end.rank[0]), seconds(one.end.rank[0]));
}

TEST(ZeroOne, ShardsOverSomeReplicasAndReducesBetweenThem) {
  Scenario s = sharded(1);
  s.parallel.dp_shard = 2;
  const Workload w = build(s);
  const double all = [&] {
    s.parallel.layers_per_virtual_stage = {2};
    return workload::parameters_held(*s.model, s.parallel)[0].all();
  }();
  EXPECT_DOUBLE_EQ(seconds(w.end.rank[0], Kind::reduce_scatter), 4 * all / 2);
  EXPECT_DOUBLE_EQ(seconds(w.end.rank[0], Kind::optimizer), 30 * all / 2);
  EXPECT_DOUBLE_EQ(seconds(w.end.rank[0], Kind::all_gather), 2 * all / 2);
}

TEST(Transfers, WhatIsWaitedForStandsInTheReceivingChunk) {
  Scenario s = tiny_job();
  s.parallel.pp = 2;
  s.cost_model.pp_overlap = 0.25;
  const Workload w = build(s);
  // 2 bytes x 32 activations at 1 byte/s.
  EXPECT_DOUBLE_EQ(w.transfers.forward.scale_s, 16);
  EXPECT_DOUBLE_EQ(within(w.stages[0].forward, Group::tensor), 0);
  EXPECT_DOUBLE_EQ(within(w.stages[1].forward, Group::tensor), 48);
  EXPECT_DOUBLE_EQ(within(w.stages[0].backward, Group::tensor), 48);
  EXPECT_DOUBLE_EQ(within(w.stages[1].backward, Group::tensor), 0);
}

TEST(Placements, OfContextShardsAndExperts) {
  Cluster cluster;
  cluster.gpus_per_node = 8;
  cluster.intra_node = cluster.inter_node = {1, 0};
  Parallel p;
  p.tp = 2;
  p.cp = 2;
  p.pp = 2;
  p.dp = 8;
  p.ep = 16;
  p.etp = 1;
  p.dp_shard = 2;
  const workload::Network n(cluster, p, 1);
  EXPECT_EQ(n.context.nodes, 1);
  EXPECT_EQ(n.data.size, 16);
  EXPECT_EQ(n.data.nodes, 4);
  EXPECT_EQ(n.data.per_node, 4);
  EXPECT_EQ(n.shard.size, 4);
  EXPECT_EQ(n.shard.nodes, 1);
  EXPECT_EQ(n.replicas.size, 4);
  EXPECT_EQ(n.replicas.nodes, 4);
  EXPECT_EQ(n.expert.size, 16);
  EXPECT_EQ(n.expert.nodes, 2);
  EXPECT_EQ(n.expert_data.size, 2);
  p.rank_order = RankOrder::tp_cp_pp_dp;  // a replica is 8 ranks: every replica has its own node
  const workload::Network apart(cluster, p, 1);
  EXPECT_EQ(apart.expert.nodes, 4);
  EXPECT_EQ(apart.expert.per_node, 4);
}

}  // namespace
}  // namespace prism::test::workload_forms_test
