// SPDX-License-Identifier: Apache-2.0
#include "prism/workload.h"

#include "workload/doors.h"
#include "workload/layout_rules.h"
#include "workload/network.h"
#include "workload/shapes.h"

namespace prism {
namespace {

/// Half of every matrix product of a backward pass is the gradient of its weights: the same multiplication count as the
/// gradient of its input.
void split_weight_gradients(Workload& w) {
  for (StageProgram& stage : w.stages) {
    Segment weights;
    for (Segment& s : stage.backward)
      for (Operator& op : s.compute) {
        if (op.kind != Kind::gemm) continue;
        op.scale_s /= 2;
        weights.compute.push_back(op);
      }
    if (!weights.compute.empty()) stage.weight.push_back(std::move(weights));
  }
}

/// Where groups stand, and which of them leave a node.
void place_groups(Workload& w, const Scenario& scenario) {
  const workload::Network network(scenario.cluster, scenario.parallel, 1);
  w.gpus_per_node = scenario.cluster.gpus_per_node;
  w.rank_order = scenario.parallel.rank_order;
  const auto set = [&](Group group, const workload::Placement& placement) {
    w.group_leaves_node[static_cast<std::size_t>(group)] = placement.nodes > 1;
  };
  set(Group::tensor, network.tensor);
  set(Group::data, network.data);
  set(Group::embedding, network.first_and_last);
  set(Group::world, network.world);
  w.transfers_leave_node = network.pipeline.nodes > 1;
}

}  // namespace

Result<Workload> build_workload(const Scenario& scenario) {
  auto faults = workload::check_layout(scenario);
  if (!faults.empty()) return Result<Workload>::faults(std::move(faults));

  auto result = scenario.model ? workload::from_job(scenario) : workload::from_operator_list(scenario);
  if (!result) return result;
  result->tp = scenario.parallel.tp * scenario.parallel.cp;
  result->pp = scenario.parallel.pp;
  result->dp = scenario.parallel.dp;
  result->virtual_stages = scenario.parallel.virtual_stages;
  result->micro_batches = scenario.batch.micro_batches;
  result->schedule = scenario.parallel.schedule;
  result->tokens = static_cast<double>(scenario.batch.global) * static_cast<double>(scenario.batch.sequence);
  if (splits_weight_gradients(result->schedule)) split_weight_gradients(*result);
  place_groups(*result, scenario);
  workload::apply_operation_factors(*result, scenario.factors);
  for (const Factor& f : scenario.factors)
    if (f.scope != Factor::Scope::operation) result->causes.push_back(f);
  result->stalls = scenario.stalls;
  result->what_if = scenario.what_if;
  return result;
}

}  // namespace prism
