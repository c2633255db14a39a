// SPDX-License-Identifier: Apache-2.0
#include "prism/simulation.h"
#include "prism/table_store.h"
#include "study/bytes.h"
#include "study/variants.h"

namespace prism {
namespace {

using Parts = std::vector<std::vector<std::byte>>;

Parts play(const Simulation& s, Phase phase) {
  Parts parts;
  for (std::int64_t unit = 0; unit < unit_count(s, phase); ++unit) parts.push_back(run_unit(s, phase, unit));
  return parts;
}

Result<SimulationPtr> prepared(const std::string& text, TableStore& store) {
  auto scenario = read_scenario(text);
  if (!scenario) return Result<SimulationPtr>::faults(std::move(scenario.diagnostics));
  auto workload = build_workload(*scenario);
  if (!workload) return Result<SimulationPtr>::faults(std::move(workload.diagnostics));
  return prepare_simulation(*workload, scenario->run, &store);
}

}  // namespace

std::vector<std::byte> run_variant(const StudyPlan& plan, std::int64_t variant) {
  study::Writer out;
  const auto simulation = prepared(plan.variants[static_cast<std::size_t>(variant)].scenario, *plan.tables);
  if (!simulation) {
    out.put(study::first_error(simulation.diagnostics));
    return std::move(out.bytes);
  }
  Simulation& s = **simulation;
  learn(s, play(s, Phase::pilot));
  const bool attributed = variant == 0 && plan.question.kind == StudyKind::sensitivity;
  const Outcome outcome =
      merge(s, play(s, Phase::trials), attributed ? play(s, Phase::attribution) : Parts{}, {});
  std::vector<double> path = outcome.critical_path_s;
  double total = 0;
  for (double x : path) total += x;
  for (double& x : path) x = total > 0 ? x / total : 0;
  out.put(std::string());
  out.put(deterministic(s).step_s);
  out.put(std::span<const double>(outcome.step_s));
  out.put(std::span<const double>(path));
  return std::move(out.bytes);
}

VariantRun variant_run(std::span<const std::byte> bytes) {
  study::Reader in(bytes);
  VariantRun run;
  run.fault = in.text();
  if (!run.fault.empty()) return run;
  run.deterministic_s = in.number();
  run.step_s = in.list();
  run.critical_path = in.list();
  if (run.step_s.empty()) run.fault = "it was not played";
  return run;
}

}  // namespace prism
