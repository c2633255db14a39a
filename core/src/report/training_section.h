// SPDX-License-Identifier: Apache-2.0
// The training run in the result document.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "prism/report.h"

namespace prism {

/// The scenario's training run on steps that took so long.
TrainingSetup training_of(const Scenario& scenario, const Workload& workload, const Outcome& outcome);

/// `parts`: of all units, or none: then they are run here. `wall_clock_s` receives every run's time, for the
/// digest.
nlohmann::ordered_json training_section(const Job& job, const Outcome& outcome, const Parts& parts,
                                        std::vector<double>& wall_clock_s);

}  // namespace prism
