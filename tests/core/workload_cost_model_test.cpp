// SPDX-License-Identifier: Apache-2.0
// Operators of the job door counted by hand. The tiny job has T = 4 tokens, h = 8, f = 32, V = 256, s = 4 and
// 2 heads of 4, on a machine of 1 FLOP/s and 1 byte/s: seconds are counts. Where products are looked at, a
// fast memory takes the memory-bound operators out, and the other way round.
#include <gtest/gtest.h>

#include "workload_scenarios.h"

namespace prism::test::workload_cost_model_test {
namespace {

constexpr double projection = 2 * 4 * 8 * 8, head = 2 * 4 * 256 * 8;
constexpr double qkv = 2 * 4 * 24 * 8, ffn = 2 * 2 * 4 * 32 * 8;
constexpr double attention = 2 * (2 * 2 * 4 * 4 * 4);  // two products, both heads

TEST(CostModel, CountsTheFlopsOfATinyLayer) {
  Scenario s = tiny_job();
  s.model->layers = 1;
  s.cluster.gpu.memory_bytes_per_s = 1e9;
  const Workload w = build(s);
  const auto &forward = w.stages[0].forward, &backward = w.stages[0].backward;
  EXPECT_NEAR(seconds(forward, Kind::gemm), qkv + projection + ffn + head, 1e-3);
  EXPECT_NEAR(seconds(forward, Kind::attention), attention, 1e-3);
  EXPECT_NEAR(seconds(backward, Kind::gemm), 2 * (qkv + projection + ffn + head), 1e-3);
  EXPECT_NEAR(seconds(backward, Kind::attention), 2 * attention, 1e-3);
}

TEST(CostModel, CountsTheBytesOfATinyLayer) {
  Scenario s = tiny_job();
  s.model->layers = 1;
  s.cluster.gpu.peak_flops = 1e12;
  const Workload w = build(s);
  const auto &forward = w.stages[0].forward, &backward = w.stages[0].backward;
  const double x = 32, f = 128, scores = 2 * 4 * 4, logits = 4 * 256;
  // Two norms of the layer and the head's.
  EXPECT_NEAR(seconds(forward, Kind::elementwise), (22 + 11 + 16) * x + 4 * f, 1e-6);
  EXPECT_NEAR(seconds(backward, Kind::elementwise), (28 + 14 + 16) * x + 6 * f, 1e-6);
  EXPECT_NEAR(seconds(forward, Kind::attention), 9 * scores, 1e-6);
  EXPECT_NEAR(seconds(backward, Kind::attention), 11 * scores, 1e-6);
  EXPECT_NEAR(seconds(forward, Kind::embedding), 4 * x, 1e-6);
  EXPECT_NEAR(seconds(backward, Kind::embedding), (2 + 8) * x, 1e-6);
  EXPECT_NEAR(seconds(forward, Kind::loss) + seconds(backward, Kind::loss), 20 * logits, 1e-6);
  // A product never takes less than reading and writing its matrices, 2 bytes an entry.
  const double entries = (4 * 8 + 8 * 24 + 4 * 24) + (4 * 8 + 8 * 8 + 4 * 8) + 2 * (4 * 8 + 8 * 32 + 4 * 32) +
                         (4 * 8 + 8 * 256 + 4 * 256);
  EXPECT_NEAR(seconds(forward, Kind::gemm), 2 * entries, 1e-6);
}

TEST(CostModel, EveryProductPaysTheOverhead) {
  Scenario s = tiny_job();
  s.model->layers = 1;
  const double without = seconds(build(s), Kind::gemm);
  s.cost_model.gemm_overhead_s = 1000;
  // Forward: q/k/v, projection, FFN in and out, head; backward twice as many.
  EXPECT_NEAR(seconds(build(s), Kind::gemm), without + 15 * 1000, 1e-6);
}

TEST(CostModel, GatedFfnHasThreeMatricesAndGroupedKeysAreNarrow) {
  Scenario s = tiny_job();
  s.model->layers = 1;
  s.model->gated_ffn = true;
  s.model->kv_heads = 1;
  s.cluster.gpu.memory_bytes_per_s = 1e9;
  EXPECT_NEAR(seconds(build(s).stages[0].forward, Kind::gemm), qkv * 2 / 3 + projection + ffn * 3 / 2 + head,
              1e-3);
}

TEST(CostModel, FlashAttentionDoesHalfTheScores) {
  Scenario s = tiny_job();
  s.model->layers = 1;
  s.cost_model.flash_attention = true;
  s.cost_model.attention_efficiency = 0.5;
  const Workload w = build(s);
  EXPECT_DOUBLE_EQ(seconds(w.stages[0].forward, Kind::attention), attention / 2 / 0.5);
  EXPECT_DOUBLE_EQ(seconds(w.stages[0].backward, Kind::attention), 2.75 * attention / 2 / 0.5);
}

TEST(CostModel, CountsModelAndHardwareFlops) {
  Scenario s = tiny_job();  // 2 layers, one sequence
  const double products = 2 * (qkv + projection + ffn), scores = 2 * attention;
  Workload w = build(s);
  EXPECT_DOUBLE_EQ(w.model_flops, 3 * (products + head + scores / 2));
  EXPECT_DOUBLE_EQ(w.hardware_flops, 3 * (products + head + scores));
  EXPECT_DOUBLE_EQ(w.tokens, 4);
  EXPECT_DOUBLE_EQ(w.peak_flops, 1);

  s.parallel.recompute = Recompute::full;
  w = build(s);
  EXPECT_DOUBLE_EQ(w.model_flops, 3 * (products + head + scores / 2));
  EXPECT_DOUBLE_EQ(w.hardware_flops, 4 * (products + scores) + 3 * head);

  s.parallel.recompute = Recompute::selective;
  EXPECT_DOUBLE_EQ(build(s).hardware_flops, 3 * (products + head) + 4 * scores);

  s.parallel.recompute = Recompute::none;
  s.cost_model.flash_attention = true;
  EXPECT_DOUBLE_EQ(build(s).hardware_flops, 3 * (products + head) + 3.5 * scores / 2);
}

TEST(CostModel, SixFlopsAParameterAndToken) {
  Scenario s = real_job();
  s.model = llama_405b();
  s.parallel = {};
  s.parallel.schedule = "1f1b";
  s.batch = {1, 1, 1, 8192};
  // 405.85 billion parameters, of which the embedding is looked up only; causal attention adds
  // sequence * hidden * layers / parameters = 4.19 %.
  const double parameters = 405.85e9 - 128256.0 * 16384;
  EXPECT_NEAR(build(s).model_flops / (6 * parameters * 8192), 1.0419, 0.0005);
}

}  // namespace
}  // namespace prism::test::workload_cost_model_test
