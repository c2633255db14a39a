// SPDX-License-Identifier: Apache-2.0
// From merged trials to the result document, and the handful of coarse calls that the command line and the
// WebAssembly module share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "prism/simulation.h"
#include "prism/training_run.h"

namespace prism {

/// What calibration by one measured step time found.
struct CalibrationAccount {
  bool median = true;  ///< else the mean
  double measured_s = 0;
  double factor = 1;        ///< on the efficiency of all compute
  std::int64_t trials = 0;  ///< that the solution was judged by: the first of the run's own
};

/// A scenario made ready to run.
struct Job {
  Scenario scenario;
  Workload workload;
  SimulationPtr simulation;
  std::vector<Diagnostic> warnings;
  std::optional<CalibrationAccount> calibration;
};
/// `store` as for prepare_simulation.
Result<Job> prepare_job(std::string_view scenario_text, TableStore* store = nullptr);

/// {"phases": [{"name","units","draws_per_unit"}...], "trials", "seed", "engine", "title", "gpus", ...} as
/// JSON text.
std::string plan_json(const Job& job);
/// The diagnostics as a JSON array [{code, pointer, message, hint, severity, line, column}].
std::string diagnostics_json(const std::vector<Diagnostic>& diagnostics);

using Parts = std::vector<std::vector<std::byte>>;
/// The result document (docs/result.schema.json). Any prefix of the trial parts gives a partial result,
/// marked so. A whole result of a scenario with a training run needs its units too; left out, they are run
/// here.
std::string result_json(const Job& job, const Parts& trials, const Parts& attribution, const Parts& check,
                        const Parts& training = {});

/// A Hugging Face config.json for the page: {"ok": true, "model": {...}, "account": [{field, value, from}],
/// "left_out": [...], "layers": [{rule, condition, layers_per_virtual_stage}]} over so many virtual stages,
/// or {"ok": false, "errors": [...]}.
std::string model_import_json(std::string_view config, std::int64_t virtual_stages);

/// The training run on the steps that have been simulated. The scenario must have one.
TrainingSetup training_setup(const Job& job, const Parts& trials, const Parts& check);

}  // namespace prism
