// SPDX-License-Identifier: Apache-2.0
// Rules that the parallel forms impose on a layout.
#pragma once

#include <vector>

#include "prism/scenario.h"

namespace prism::workload {

/// Layers of every virtual stage, in model order; as given, or evenly.
Result<std::vector<std::int64_t>> layers_per_stage(const Scenario& scenario);

/// Faults of a job's layout; empty if it can be computed.
std::vector<Diagnostic> check_layout(const Scenario& scenario);

}  // namespace prism::workload
