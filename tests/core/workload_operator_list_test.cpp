// SPDX-License-Identifier: Apache-2.0
// The operator-list door: the user's operators as given.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "workload_scenarios.h"

namespace prism::test::workload_operator_list_test {
namespace {

using Scope = OperatorSpec::Scope;
using ListPhase = OperatorSpec::Phase;
using In = OperatorSpec::Group;
using List = std::vector<std::string>;

OperatorSpec compute(std::string name, Scope scope, ListPhase phase, double s,
                     std::vector<std::int64_t> stages = {}) {
  return {std::move(name), scope, phase, Kind::gemm, In::none, std::move(stages), constant(s)};
}
OperatorSpec collective(std::string name, Scope scope, ListPhase phase, In group, double s) {
  return {std::move(name), scope, phase, Kind::all_reduce, group, {}, constant(s)};
}
OperatorSpec transfer(std::string name, ListPhase phase, double s) {
  return {std::move(name), Scope::stage, phase, Kind::send_recv, In::none, {}, constant(s)};
}

/// Two stages of two layers on TP 2, DP 2.
Scenario list(std::vector<OperatorSpec> operators) {
  Scenario s;
  s.operators = std::move(operators);
  s.parallel.tp = 2;
  s.parallel.pp = 2;
  s.parallel.dp = 2;
  s.parallel.schedule = "1f1b";
  s.parallel.layers_per_virtual_stage = {2, 2};
  s.batch = {8, 1, 4, 0};
  return s;
}

List names(const std::vector<Segment>& program) {
  List list;
  for (const Segment& segment : program) {
    for (const Operator& op : segment.compute) list.push_back(op.name);
    if (segment.has_collective) list.push_back("[" + segment.collective.name + "]");
  }
  return list;
}

const ListPhase F = ListPhase::forward, B = ListPhase::backward;

TEST(OperatorList, LayersStandWhereTheFirstLayerOperatorStands) {
  const Workload w = build(list({
      compute("embed", Scope::stage, F, 1, {0}),
      compute("attention", Scope::layer, F, 2),
      collective("reduce", Scope::layer, F, In::tp, 3),
      compute("head", Scope::stage, F, 4, {1}),
      compute("ffn", Scope::layer, F, 5),
      compute("back", Scope::layer, B, 6),
  }));
  EXPECT_EQ(names(w.stages[0].forward),
            (List{"embed", "attention", "[reduce]", "ffn", "attention", "[reduce]", "ffn"}));
  EXPECT_EQ(names(w.stages[1].forward),
            (List{"attention", "[reduce]", "ffn", "attention", "[reduce]", "ffn", "head"}));
  EXPECT_EQ(names(w.stages[0].backward), (List{"back", "back"}));
  EXPECT_EQ(seconds(w.stages[0].forward), 1 + 2 * (2 + 3 + 5));
  EXPECT_EQ(w.stages[0].forward[0].group, Group::tensor);
  EXPECT_EQ(w.model_flops, 0);
  EXPECT_EQ(w.micro_batches, 4);
}

TEST(OperatorList, TransfersComeFromSendRecv) {
  const OperatorSpec work = compute("f", Scope::layer, F, 1);
  EXPECT_FALSE(build(list({work})).transfers.present);
  Workload w = build(list({work, transfer("send", F, 0.25), transfer("return", B, 0.5)}));
  EXPECT_TRUE(w.transfers.present);
  EXPECT_EQ(w.transfers.forward.scale_s, 0.25);
  EXPECT_EQ(w.transfers.backward.scale_s, 0.5);
  EXPECT_EQ(names(w.stages[0].forward), (List{"f", "f"}));

  w = build(list({work, transfer("send", F, 0.25)}));
  EXPECT_TRUE(w.transfers.present);
  EXPECT_EQ(w.transfers.backward.scale_s, 0);
  EXPECT_EQ(w.transfers.backward.kind, Kind::send_recv);
}

TEST(OperatorList, StepOperatorsStandOnTheirPipelineRanks) {
  const Workload w = build(list({
      compute("f", Scope::layer, F, 1),
      compute("last rank only", Scope::step, F, 1, {1}),
      collective("gradients", Scope::step, F, In::dp, 2),
      collective("norm", Scope::step, F, In::world, 3),
      compute("optimizer", Scope::step, F, 4),
  }));
  ASSERT_EQ(w.end.rank.size(), 2u);
  EXPECT_EQ(names(w.end.rank[0]), (List{"[gradients]", "[norm]", "optimizer"}));
  EXPECT_EQ(names(w.end.rank[1]), (List{"last rank only", "[gradients]", "[norm]", "optimizer"}));
  EXPECT_EQ(w.end.rank[0][0].group, Group::data);
  EXPECT_EQ(w.end.rank[0][1].group, Group::world);
}

TEST(OperatorList, AnOperatorKeepsItsDistributionOnEveryLayer) {
  Scenario s = list({compute("f", Scope::layer, F, 1), compute("g", Scope::layer, F, 1)});
  s.operators[0].latency = family("gamma", {{"mean", 0.02}, {"cv", 0.1}});
  const Workload w = build(s);
  ASSERT_EQ(w.shapes.size(), 2u);  // the constant, and f's
  EXPECT_TRUE(w.shapes[0].is_constant());
  EXPECT_EQ(w.shapes[0].median(), 1);
  EXPECT_DOUBLE_EQ(w.shapes[1].mean(), 0.02);
  const auto& operators = w.stages[0].forward[0].compute;
  ASSERT_EQ(operators.size(), 4u);
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_EQ(operators[i].shape, 1);
    EXPECT_EQ(operators[i].scale_s, 1);
    EXPECT_EQ(operators[i + 1].shape, 0);
  }
}

TEST(OperatorList, FactorsComeOnTopByKindAndClass) {
  Scenario s = list({
      compute("f", Scope::layer, F, 2),
      collective("reduce", Scope::layer, F, In::tp, 3),
      compute("g", Scope::layer, F, 1),
  });
  s.operators[2].latency = family("lognormal", {{"mean", 0.5}, {"cv", 0.2}});
  s.factors = {jitter("compute", family("lognormal", {{"median", 1}, {"cv", 0.1}})),
               jitter("all_reduce", family("lognormal", {{"median", 1}, {"cv", 0.3}})),
               jitter("all_gather", family("lognormal", {{"median", 1}, {"cv", 9}}))};
  const Workload w = build(s);
  const auto cv = [&](const Operator& op) { return w.shapes[op.shape].sd() / w.shapes[op.shape].mean(); };
  const Segment &first = w.stages[0].forward[0], &second = w.stages[0].forward[1];
  EXPECT_EQ(first.compute[0].scale_s, 2);
  EXPECT_NEAR(cv(first.compute[0]), 0.1, 1e-9);
  EXPECT_NEAR(cv(first.collective), 0.3, 1e-9);
  EXPECT_EQ(second.compute[0].scale_s, 1);
  // 1 + cv^2 multiplies; the medians multiply.
  EXPECT_NEAR(cv(second.compute[0]), std::sqrt(1.04 * 1.01 - 1), 1e-9);
  EXPECT_NEAR(w.shapes[second.compute[0].shape].median(), 0.5 / std::sqrt(1.04), 1e-9);
}

TEST(OperatorList, CollectivesOfOneRankAreLeftOutWithAWarning) {
  Scenario s = list({compute("f", Scope::layer, F, 1), collective("reduce", Scope::layer, F, In::tp, 3),
                     transfer("send", F, 0.25)});
  s.parallel.tp = s.parallel.pp = 1;
  s.parallel.layers_per_virtual_stage = {2};
  const auto w = build_workload(s);
  ASSERT_TRUE(w);
  EXPECT_EQ(seconds(w->stages[0].forward), 2);
  EXPECT_FALSE(w->transfers.present);
  ASSERT_EQ(w.diagnostics.size(), 2u);
  for (const Diagnostic& d : w.diagnostics) EXPECT_EQ(d.severity, Severity::warning);
  EXPECT_EQ(w.diagnostics[0].pointer, "/operators/1");
  EXPECT_EQ(w.diagnostics[1].pointer, "/operators/2");
}

}  // namespace
}  // namespace prism::test::workload_operator_list_test
