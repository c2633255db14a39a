// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

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

std::vector<Diagnostic> check(const Scenario& scenario) {
  const Parallel& parallel = scenario.parallel;
  std::vector<Diagnostic> findings;
  const OperatorSpec* transfer[2] = {nullptr, nullptr};
  for (std::size_t i = 0; i < scenario.operators.size(); ++i) {
    const OperatorSpec& spec = scenario.operators[i];
    const std::string at = "/operators/" + std::to_string(i), named = "operator \"" + spec.name + "\"";
    const bool synchronises = class_of(spec.kind) == Class::communication && spec.kind != Kind::send_recv;
    if (synchronises == (spec.group == OperatorSpec::Group::none)) {
      findings.push_back(
          {Code::inconsistent, at + "/group",
           named + " of kind " + std::string(kind_name(spec.kind)) +
               (synchronises ? " synchronises nobody" : " synchronises a group"),
           synchronises ? "give \"group\": \"tp\", \"dp\" or \"world\"" : "leave \"group\" out"});
      continue;
    }
    if (spec.kind == Kind::send_recv) {
      if (spec.scope == Scope::step) {
        findings.push_back({Code::inconsistent, at + "/scope",
                            named + " is a transfer between stages and cannot have step scope",
                            "use stage scope"});
        continue;
      }
      const OperatorSpec*& first = transfer[spec.phase == ListPhase::forward ? 0 : 1];
      if (first)
        findings.push_back({Code::inconsistent, at,
                            named + " is a second transfer of the " +
                                (spec.phase == ListPhase::forward ? "forward" : "backward") +
                                " phase, after \"" + first->name + "\"",
                            "a hop is one transfer"});
      first = &spec;
      if (parallel.pp == 1)
        findings.push_back({Code::inconsistent, at,
                            named + " is left out: with pp = 1 there are no transfers", "",
                            Severity::warning});
      continue;
    }
    if (!synchronises) continue;
    if (group_size(spec.group, parallel) == 1)
      findings.push_back({Code::inconsistent, at + "/group", named + " is left out: its group has one rank",
                          "", Severity::warning});
    if (spec.scope != Scope::step && spec.group != OperatorSpec::Group::tp)
      findings.push_back(
          {Code::unsupported, at + "/group",
           named + " synchronises replicas inside a stage, which this version does not compute",
           "use group \"tp\", or step scope"});
    if (spec.scope == Scope::step && spec.group == OperatorSpec::Group::world) {
      std::vector<std::int64_t> on = spec.stages;
      std::sort(on.begin(), on.end());
      on.erase(std::unique(on.begin(), on.end()), on.end());
      if (!on.empty() && static_cast<std::int64_t>(on.size()) != parallel.pp)
        findings.push_back({Code::inconsistent, at + "/stages",
                            named + " synchronises all ranks but is on " + std::to_string(on.size()) +
                                " of " + std::to_string(parallel.pp) + " pipeline ranks",
                            "leave \"stages\" out"});
    }
  }
  return findings;
}

}  // namespace

Result<Workload> from_operator_list(const Scenario& scenario, const std::vector<std::int64_t>& layers) {
  const Parallel& parallel = scenario.parallel;
  std::vector<Diagnostic> findings = check(scenario);
  for (const Diagnostic& d : findings)
    if (d.severity == Severity::error) return Result<Workload>::faults(std::move(findings));

  ShapeBook shapes(scenario.factors);
  Workload workload;
  std::vector<Entry> entries;
  for (const OperatorSpec& spec : scenario.operators) {
    const bool constant = spec.latency.is_constant();
    const Operator op = constant ? Operator{spec.name, spec.kind, spec.latency.median(), shapes.of(spec.kind)}
                                 : Operator{spec.name, spec.kind, 1, shapes.of(spec.kind, spec.latency)};
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
                               chunk(entries, ListPhase::backward, place, layers[stage]), layers[stage]});
  }
  for (std::int64_t rank = 0; rank < parallel.pp; ++rank) {
    Program program;
    for (const Entry& entry : entries)
      if (entry.spec->scope == Scope::step && is_on(*entry.spec, rank)) add(program, entry);
    workload.end.rank.push_back(std::move(program).take());
  }
  workload.shapes = std::move(shapes).take();
  Result<Workload> result = Result<Workload>::of(std::move(workload));
  result.diagnostics = std::move(findings);
  return result;
}

}  // namespace prism::workload
