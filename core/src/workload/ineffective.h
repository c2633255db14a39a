// SPDX-License-Identifier: Apache-2.0
// Warnings: what a scenario says without any effect, or with another one than it seems to.
#pragma once

#include <array>
#include <vector>

#include "prism/workload.h"

namespace prism::workload {

using Kinds = std::array<bool, kind_count>;  ///< those that the step has

std::vector<Diagnostic> ineffective(const Scenario& scenario, const Kinds& used);

}  // namespace prism::workload
