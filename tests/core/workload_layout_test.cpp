// SPDX-License-Identifier: Apache-2.0
// Layouts that cannot be: each gives one error, at its place, with its numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "workload_scenarios.h"

namespace prism::test::workload_layout_test {
namespace {

struct Fault {
  std::string name;
  void (*change)(Scenario&);
  Code code;
  std::string pointer, says;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class LayoutFault : public testing::TestWithParam<Fault> {};

TEST_P(LayoutFault, IsOneErrorAtItsPlace) {
  Scenario s = real_job();
  s.parallel.layers_per_virtual_stage = {4, 4};
  GetParam().change(s);
  const auto w = build_workload(s);
  EXPECT_FALSE(w);
  ASSERT_EQ(w.diagnostics.size(), 1u);
  EXPECT_EQ(w.diagnostics[0].code, GetParam().code);
  EXPECT_EQ(w.diagnostics[0].pointer, GetParam().pointer);
  EXPECT_NE(w.diagnostics[0].message.find(GetParam().says), std::string::npos) << w.diagnostics[0].message;
  EXPECT_EQ(w.diagnostics[0].severity, Severity::error);
}

const Fault faults[] = {
    {"heads", [](Scenario& s) { s.model->heads = 36, s.model->kv_heads = 36, s.parallel.tp = 8; },
     Code::not_divisible, "/parallel/tp", "heads 36 is not divisible by tp 8"},
    {"kv_heads", [](Scenario& s) { s.model->kv_heads = 6; }, Code::not_divisible, "/parallel/tp",
     "kv_heads 6 is not divisible by tp 4"},
    {"ffn", [](Scenario& s) { s.model->ffn_hidden = 10922; }, Code::not_divisible, "/parallel/tp",
     "ffn_hidden 10922 is not divisible by tp 4"},
    {"sequence", [](Scenario& s) { s.parallel.sequence_parallel = true, s.batch.sequence = 2049; },
     Code::not_divisible, "/batch/sequence", "sequence 2049 is not divisible by tp 4"},
    {"layers_sum",
     [](Scenario& s) {
       s.parallel.layers_per_virtual_stage = {4, 3};
     },
     Code::inconsistent, "/parallel/layers_per_virtual_stage", "sums to 7; the model has 8 layers"},
    {"layers_count",
     [](Scenario& s) {
       s.parallel.layers_per_virtual_stage = {3, 3, 2};
     },
     Code::inconsistent, "/parallel/layers_per_virtual_stage", "has 3 entries; pp 2 x virtual_stages 1 is 2"},
};
INSTANTIATE_TEST_SUITE_P(, LayoutFault, testing::ValuesIn(faults),
                         [](const auto& fault) { return fault.param.name; });

TEST(Layout, VocabularyIsPaddedAndSaysSo) {
  Scenario s = real_job();
  s.model->vocabulary = 50257;  // to 50,688 = 99 * 128 * 4
  const Workload w = build(s);
  const auto note =
      std::find_if(w.notes.begin(), w.notes.end(), [](const auto& n) { return n.about == "vocabulary"; });
  ASSERT_NE(note, w.notes.end());
  EXPECT_EQ(note->text, "50257 entries are padded to 50688, a multiple of 128 * tp");
}

TEST(Layout, RanksShareAKeyValueHead) {
  Scenario s = real_job();
  s.model->kv_heads = 2;  // two ranks hold each
  s.cost_model.gemm_overhead_s = 0;
  const double shared = seconds(build(s).stages[0].forward, Kind::gemm);
  s.model->kv_heads = 4;  // one each
  EXPECT_DOUBLE_EQ(shared, seconds(build(s).stages[0].forward, Kind::gemm));
  s.model->kv_heads = 8;
  EXPECT_LT(shared, seconds(build(s).stages[0].forward, Kind::gemm));
}

TEST(Layout, SequenceParallelismWithoutTensorParallelismSaysThatItDoesNothing) {
  Scenario s = tiny_job();
  const double without = seconds(build(s).stages[0].forward);
  s.parallel.sequence_parallel = true;
  const Workload w = build(s);
  EXPECT_EQ(seconds(w.stages[0].forward), without);
  EXPECT_TRUE(std::any_of(w.notes.begin(), w.notes.end(),
                          [](const auto& n) { return n.about == "sequence parallelism"; }));
}

struct Idle {
  std::string name;
  void (*change)(Scenario&);
  std::string pointer, says;
};
void PrintTo(const Idle& idle, std::ostream* out) { *out << idle.name; }

class WithoutEffect : public testing::TestWithParam<Idle> {};

TEST_P(WithoutEffect, IsOneWarningAtItsPlace) {
  Scenario s = real_job();
  s.parallel.layers_per_virtual_stage = {4, 4};
  ASSERT_TRUE(build_workload(s).diagnostics.empty());
  GetParam().change(s);
  const auto w = build_workload(s);
  ASSERT_TRUE(w) << w.diagnostics[0].message;
  ASSERT_EQ(w.diagnostics.size(), 1u);
  EXPECT_EQ(w.diagnostics[0].pointer, GetParam().pointer);
  EXPECT_NE(w.diagnostics[0].message.find(GetParam().says), std::string::npos) << w.diagnostics[0].message;
  EXPECT_EQ(w.diagnostics[0].severity, Severity::warning);
}

const Idle idle[] = {
    {"factor",
     [](Scenario& s) {
       s.factors = {jitter("all_to_all", family("lognormal", {{"median", 1}, {"cv", 0.1}}))};
       s.factors[0].pointer = "/variability/factors/0";
     },
     "/variability/factors/0", "a factor on all_to_all has no effect"},
    {"what_if",
     [](Scenario& s) {
       s.what_if = {{0, 0, 0, WhatIf::Unit::node, "all_to_all"}};
     },
     "/what_if/0", "all_to_all has no effect"},
    {"silenced",
     [](Scenario& s) {
       s.silenced = {"gemm", "all_to_all"};
     },
     "/variability/silenced/1", "silencing all_to_all has no effect"},
    {"silenced_twice",
     [](Scenario& s) {
       s.silenced = {"gemm", "compute", "gemm"};
     },
     "/variability/silenced/2", "gemm is silenced twice"},
    {"spread_twice",
     [](Scenario& s) {
       s.spread = {{"compute", 2}, {"compute", 0.5}};
     },
     "/variability/spread/1", "spread names compute more than once"},
    {"exchange", [](Scenario& s) { s.parallel.cp_exchange = ContextExchange::ring; }, "/parallel/cp_exchange",
     "cp 1"},
    {"gather", [](Scenario& s) { s.parallel.zero = 0, s.parallel.gather = Gather::per_step; },
     "/parallel/gather", "zero 0"},
    {"small_domain", [](Scenario& s) { s.cluster.gpus_per_node = 8, s.cluster.nvlink_domain = 4; },
     "/cluster/nvlink_domain", "nvlink_domain 4 is smaller than gpus_per_node 8"},
    {"odd_domain", [](Scenario& s) { s.cluster.gpus_per_node = 8, s.cluster.nvlink_domain = 12; },
     "/cluster/nvlink_domain", "nvlink_domain 12 is no whole number of nodes"},
    {"straddling", [](Scenario& s) { s.cluster.gpus_per_node = 3, s.parallel.dp = 2; },
     "/cluster/gpus_per_node", "tp 4 and nodes of 3 GPUs do not divide"},
    {"elastic",
     [](Scenario& s) {
       s.parallel.dp = 1;
       s.training_run.emplace();
       s.training_run->elastic.emplace();
     },
     "/training_run/elastic", "dp 1"},
};
INSTANTIATE_TEST_SUITE_P(, WithoutEffect, testing::ValuesIn(idle),
                         [](const auto& idle) { return idle.param.name; });

}  // namespace
}  // namespace prism::test::workload_layout_test
