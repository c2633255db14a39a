// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "graph/memory.h"
#include "prism/report.h"
#include "report/calibrate.h"
#include "report/diagnostics.h"
#include "report/training_section.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

void move_to(std::vector<Diagnostic>& to, std::vector<Diagnostic>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

Diagnostic odd_factor(double factor) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", factor);
  return {Code::out_of_range, "/cost_model/calibrate",
          std::string("the measured step needs ") + text +
              " times the efficiency that the cost model assumes; outside 0.5 to 2 something else is likely "
              "different",
          "compare layout, recomputation, precision, hardware and overlap with the measured run",
          Severity::warning};
}

}  // namespace

Result<Job> prepare_job(std::string_view scenario_text, TableStore* store) {
  std::vector<Diagnostic> seen;
  const auto refused = [&] {
    // Rooms behind the scenario know what is wrong, not where it stands in the text.
    place(scenario_text, seen);
    return Result<Job>::faults(std::move(seen));
  };

  auto scenario = read_scenario(scenario_text);
  move_to(seen, scenario.diagnostics);
  if (!scenario) return refused();
  std::optional<CalibrationAccount> calibration;
  if (scenario->cost_model.calibration != Calibration::none) {
    auto found = calibrate(*scenario);
    if (!found) {
      move_to(seen, found.diagnostics);
      return refused();
    }
    calibration = *found;
    if (found->factor < 0.5 || found->factor > 2) seen.push_back(odd_factor(found->factor));
  }
  auto workload = build_workload(*scenario);
  move_to(seen, workload.diagnostics);
  if (!workload) return refused();
  auto simulation = prepare_simulation(*workload, scenario->run, store);
  move_to(seen, simulation.diagnostics);
  if (!simulation) return refused();

  if (auto warning = check_memory(*workload)) seen.push_back(std::move(*warning));

  if (scenario->training_run) {
    // Judged by the step without variability; the run itself uses the simulated steps.
    Outcome one_step;
    one_step.step_s = {deterministic(**simulation).step_s};
    auto training = prepare_training(training_of(*scenario, *workload, one_step));
    move_to(seen, training.diagnostics);
    if (training && training_work(**training) > max_training_work)
      seen.push_back({Code::too_large, "/training_run/runs",
                      "these runs have about " +
                          std::to_string(std::llround(training_work(**training) / 1e6)) +
                          " million checkpoints and failures together, at most " +
                          std::to_string(std::llround(max_training_work / 1e6)) + " million are simulated",
                      "ask for fewer runs or a longer checkpoint interval"});
    if (std::any_of(seen.begin(), seen.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::error; }))
      return refused();
  }

  place(scenario_text, seen);
  return Result<Job>::of(
      {std::move(*scenario), std::move(*workload), std::move(*simulation), std::move(seen), calibration});
}

std::string plan_json(const Job& job) {
  ordered_json plan;
  plan["phases"] = ordered_json::array();
  for (int i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    plan["phases"].push_back({{"name", phase_names[static_cast<std::size_t>(i)]},
                              {"units", unit_count(*job.simulation, phase)},
                              {"draws_per_unit", unit_draws(*job.simulation, phase)}});
  }
  plan["trials"] = job.scenario.run.trials;
  plan["seed"] = std::to_string(job.scenario.run.seed);
  plan["engine"] = job.scenario.run.engine;
  plan["title"] = job.scenario.title;
  plan["gpus"] = job.scenario.parallel.world();
  return plan.dump();
}

ordered_json to_json(const std::vector<Diagnostic>& diagnostics) {
  ordered_json list = ordered_json::array();
  for (const Diagnostic& d : diagnostics)
    list.push_back({{"code", code_name(d.code)},
                    {"pointer", d.pointer},
                    {"message", d.message},
                    {"hint", d.hint},
                    {"severity", d.severity == Severity::error ? "error" : "warning"},
                    {"line", d.line},
                    {"column", d.column}});
  return list;
}

std::string diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
  // Text at fault may be quoted in a message, and it need not be UTF-8.
  return to_json(diagnostics).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace prism
