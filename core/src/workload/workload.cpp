// SPDX-License-Identifier: Apache-2.0
#include "prism/workload.h"

#include <algorithm>
#include <utility>

#include "workload/doors.h"
#include "workload/ineffective.h"
#include "workload/layout_rules.h"
#include "workload/network.h"
#include "workload/parameters.h"
#include "workload/shapes.h"
#include "workload/text.h"

namespace prism {
namespace {

constexpr double longest_s = 1e9;

/// Every operator of a workload, in no special order.
template <class Visit>
void visit_operators(const Workload& w, const Visit& visit) {
  const auto segments = [&](const std::vector<Segment>& list) {
    for (const Segment& s : list) {
      for (const Operator& op : s.compute) visit(op);
      if (s.has_collective) visit(s.collective);
      if (s.beside.scale_s > 0) visit(s.beside);
    }
  };
  for (const StageProgram& stage : w.stages) {
    segments(stage.forward);
    segments(stage.backward);
    segments(stage.weight);
    segments(stage.reductions);
  }
  for (const auto& rank : w.end.rank) segments(rank);
  if (w.transfers.present) {
    visit(w.transfers.forward);
    visit(w.transfers.backward);
  }
}

/// Faults: nothing to do, or a time that no cluster and no patience has.
std::vector<Diagnostic> check_times(const Scenario& scenario, const Workload& w) {
  const char* where = scenario.model ? "/cluster" : "/operators";
  const Operator* longest = nullptr;
  double total = 0;
  visit_operators(w, [&](const Operator& op) {
    total += op.scale_s;
    if (!longest || op.scale_s > longest->scale_s) longest = &op;
  });
  if (!(total > 0))
    return {{Code::inconsistent, where, "the step has no work: no operator takes any time", ""}};
  if (longest->scale_s <= longest_s) return {};
  return {{Code::out_of_range, where,
           "operator \"" + longest->name + "\" takes " + workload::number_text(longest->scale_s) +
               " s; at most " + workload::number_text(longest_s) + " s are computed",
           "check the rates of GPU and links and the efficiencies of the cost model"}};
}

workload::Kinds kinds_of(const Workload& w) {
  workload::Kinds used{};
  visit_operators(w, [&](const Operator& op) { used[static_cast<std::size_t>(op.kind)] = true; });
  return used;
}

/// Half of every matrix product of a backward pass is the gradient of its weights: the same multiplication
/// count as the gradient of its input.
void split_weight_gradients(Workload& w) {
  for (StageProgram& stage : w.stages) {
    Segment weights;
    std::vector<std::int32_t> of_weights{0};  // by operators of the backward pass
    for (Segment& s : stage.backward) {
      for (Operator& op : s.compute) {
        if (op.kind == Kind::gemm) {
          op.scale_s /= 2;
          weights.compute.push_back(op);
        }
        of_weights.push_back(static_cast<std::int32_t>(weights.compute.size()));
      }
      if (s.has_collective) of_weights.push_back(static_cast<std::int32_t>(weights.compute.size()));
    }
    if (weights.compute.empty()) continue;
    stage.weight.push_back(std::move(weights));
    for (std::int32_t& after : stage.complete_after) after = of_weights[static_cast<std::size_t>(after)];
  }
}

/// What the medians leave of collectives beside compute: a stage plays forward and backward, and each of them
/// starts when the one before has been waited for.
void expose(Workload& w) {
  for (StageProgram& stage : w.stages) {
    double window_s = 0, earlier_s = 0;  // since the last wait: what runs, and what already runs beside it
    bool waited = false;
    for (auto* pass : {&stage.forward, &stage.backward})
      for (Segment& s : *pass) {
        const bool beside = s.beside.scale_s > 0;
        double compute_s = 0;
        for (const Operator& op : s.compute) compute_s += op.scale_s;
        if (std::exchange(waited, beside) && !(beside && compute_s == 0)) window_s = earlier_s = 0;
        window_s += compute_s;
        if (beside) {
          s.collective.scale_s = std::max(0.0, s.beside.scale_s - std::max(0.0, window_s - earlier_s));
          earlier_s += s.beside.scale_s;
        } else if (s.has_collective && s.group == Group::shard) {
          window_s = earlier_s = 0;
        } else if (s.has_collective) {
          window_s += s.collective.scale_s;
        }
      }
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
  set(Group::context, network.context);
  set(Group::expert, network.expert);
  set(Group::shard, network.shard);
  set(Group::data, network.data);
  set(Group::embedding, network.first_and_last);
  set(Group::world, network.world);
  w.transfers_leave_node = network.pipeline.nodes > 1;
}

/// How much the variability of what a cause acts on is stretched.
double spread_of(const Scenario& scenario, std::string_view what) {
  bool compute = what == "compute";
  for (int k = 0; k < kind_count; ++k)
    if (what == kind_name(static_cast<Kind>(k))) compute = class_of(static_cast<Kind>(k)) == Class::compute;
  double by = 1;
  for (const Multiple& m : scenario.spread)
    if ((m.what == "compute") == compute) by *= m.by;
  return by;
}

std::vector<Factor> spread_out(const Scenario& scenario) {
  std::vector<Factor> factors = scenario.factors;
  for (Factor& f : factors) f.factor = stretched(f.factor, spread_of(scenario, f.what));
  return factors;
}

}  // namespace

double parameter_count(const Model& model) { return workload::model_parameters(model); }

Result<Workload> build_workload(const Scenario& scenario) {
  auto faults = workload::check_layout(scenario);
  if (!faults.empty()) return Result<Workload>::faults(std::move(faults));

  auto result = scenario.model ? workload::from_job(scenario) : workload::from_operator_list(scenario);
  if (!result) return result;
  result->tp = scenario.parallel.tp * scenario.parallel.cp;
  result->pp = scenario.parallel.pp;
  result->dp = scenario.parallel.dp;
  result->virtual_stages = scenario.parallel.virtual_stages;
  result->context = scenario.parallel.cp;
  result->expert_ranks = scenario.parallel.etp * scenario.parallel.ep;
  result->shard_replicas = scenario.parallel.dp_shard > 0 ? scenario.parallel.dp_shard : scenario.parallel.dp;
  result->micro_batches = scenario.batch.micro_batches;
  result->schedule = scenario.parallel.schedule;
  if (auto faults_found = check_times(scenario, *result); !faults_found.empty())
    return Result<Workload>::faults(std::move(faults_found));
  for (Diagnostic& warning : workload::ineffective(scenario, kinds_of(*result)))
    result.diagnostics.push_back(std::move(warning));
  result->tokens = static_cast<double>(scenario.batch.global) * static_cast<double>(scenario.batch.sequence);
  if (splits_weight_gradients(result->schedule)) split_weight_gradients(*result);
  place_groups(*result, scenario);
  const std::vector<Factor> factors = spread_out(scenario);
  workload::apply_scale(*result, scenario.scale);
  expose(*result);
  workload::apply_operation_factors(*result, factors);
  for (const Factor& f : factors)
    if (f.scope != Factor::Scope::operation) result->causes.push_back(f);
  result->stalls = scenario.stalls;
  for (Stall& s : result->stalls) s.per_node_s *= spread_of(scenario, s.what);
  result->what_if = scenario.what_if;
  workload::silence(*result, scenario.silenced);
  return result;
}

}  // namespace prism
