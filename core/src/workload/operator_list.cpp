// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "workload/doors.h"
#include "workload/program.h"
#include "workload/shapes.h"

namespace prism::workload {
namespace {

using Scope = OperatorSpec::Scope;
using ListPhase = OperatorSpec::Phase;

bool is_on(const OperatorSpec& spec, std::int64_t place) {
  return spec.stages.empty() || std::find(spec.stages.begin(), spec.stages.end(), place) != spec.stages.end();
}

std::int64_t group_size(OperatorSpec::Group group, const Parallel& parallel) {
  switch (group) {
    case OperatorSpec::Group::tp:
      return parallel.tp;
    case OperatorSpec::Group::cp:
      return parallel.cp;
    case OperatorSpec::Group::dp:
      return parallel.dp;
    case OperatorSpec::Group::world:
      return parallel.world();
    case OperatorSpec::Group::none:
      break;
  }
  return 1;
}

Group group_of(OperatorSpec::Group group) {
  switch (group) {
    case OperatorSpec::Group::tp:
      return Group::tensor;
    case OperatorSpec::Group::cp:
      return Group::context;
    case OperatorSpec::Group::dp:
      return Group::data;
    case OperatorSpec::Group::world:
      return Group::world;
    case OperatorSpec::Group::none:
      break;
  }
  return Group::none;
}

/// One entry of the list with its operator, in the user's order.
struct Entry {
  const OperatorSpec* spec;
  Operator op;
};

void add(Program& program, const Entry& entry) {
  if (class_of(entry.spec->kind) == Class::compute)
    program.compute(entry.op);
  else
    program.collective(entry.op, group_of(entry.spec->group));
}

/// The list in its order; all layer operators together stand where the first of them stands, once a layer.
std::vector<Segment> chunk(const std::vector<Entry>& entries, ListPhase phase, std::int64_t stage,
                           std::int64_t layers) {
  Program program;
  bool layers_done = false;
  for (const Entry& entry : entries) {
    if (entry.spec->phase != phase) continue;
    if (entry.spec->scope == Scope::stage && is_on(*entry.spec, stage)) add(program, entry);
    if (entry.spec->scope != Scope::layer || layers_done) continue;
    layers_done = true;
    for (std::int64_t layer = 0; layer < layers; ++layer)
      for (const Entry& inner : entries)
        if (inner.spec->phase == phase && inner.spec->scope == Scope::layer) add(program, inner);
  }
  return std::move(program).take();
}

/// What is in the list but not in the workload.
std::vector<Diagnostic> left_out(const Scenario& scenario) {
  std::vector<Diagnostic> warnings;
  for (std::size_t i = 0; i < scenario.operators.size(); ++i) {
    const OperatorSpec& spec = scenario.operators[i];
    if (class_of(spec.kind) == Class::compute) continue;
    const bool transfer = spec.kind == Kind::send_recv;
    if (transfer ? scenario.parallel.pp > 1 : group_size(spec.group, scenario.parallel) > 1) continue;
    warnings.push_back({Code::inconsistent, "/operators/" + std::to_string(i),
                        "operator \"" + spec.name + "\" is left out: " +
                            (transfer ? "with pp 1 there are no transfers" : "its group has one rank"),
                        "", Severity::warning});
  }
  return warnings;
}

}  // namespace

Result<Workload> from_operator_list(const Scenario& scenario) {
  const Parallel& parallel = scenario.parallel;
  const std::vector<std::int64_t>& layers = parallel.layers_per_virtual_stage;
  ShapeBook shapes;
  Workload workload;
  std::vector<Entry> entries;
  for (const OperatorSpec& spec : scenario.operators) {
    Distribution latency = spec.latency;
    for (const Multiple& m : scenario.spread)
      if (acts_on(m.what, spec.kind, false)) latency = stretched(latency, m.by);
    const bool constant = latency.is_constant();
    const Operator op = constant ? Operator{spec.name, spec.kind, latency.median(), 0}
                                 : Operator{spec.name, spec.kind, 1, shapes.of(latency)};
    if (spec.kind == Kind::send_recv) {
      if (parallel.pp == 1) continue;
      workload.transfers.present = true;
      (spec.phase == ListPhase::forward ? workload.transfers.forward : workload.transfers.backward) = op;
    } else if (class_of(spec.kind) == Class::compute || group_size(spec.group, parallel) > 1) {
      entries.push_back({&spec, op});
    }
  }
  for (auto [op, name] : {std::pair{&workload.transfers.forward, "forward transfer"},
                          std::pair{&workload.transfers.backward, "backward transfer"}})
    if (op->name.empty()) *op = {name, Kind::send_recv, 0, 0};  // a direction not listed takes no time

  for (std::size_t stage = 0; stage < layers.size(); ++stage) {
    const auto place = static_cast<std::int64_t>(stage);
    workload.stages.push_back({chunk(entries, ListPhase::forward, place, layers[stage]),
                               chunk(entries, ListPhase::backward, place, layers[stage]),
                               {},
                               layers[stage]});
  }
  for (std::int64_t rank = 0; rank < parallel.pp; ++rank) {
    Program program;
    for (const Entry& entry : entries)
      if (entry.spec->scope == Scope::step && is_on(*entry.spec, rank)) add(program, entry);
    workload.end.rank.push_back(std::move(program).take());
  }
  workload.shapes = std::move(shapes).take();
  Result<Workload> result = Result<Workload>::of(std::move(workload));
  result.diagnostics = left_out(scenario);
  return result;
}

}  // namespace prism::workload
