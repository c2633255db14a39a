// SPDX-License-Identifier: Apache-2.0
// Rules that tensor parallelism and the pipeline impose on a layout.
#pragma once

#include <vector>

#include "prism/scenario.h"

namespace prism::workload {

/// Faults of a layout, each with its numbers; empty if it can be computed.
std::vector<Diagnostic> check_layout(const Scenario& scenario);

}  // namespace prism::workload
