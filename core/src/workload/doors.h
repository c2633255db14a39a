// SPDX-License-Identifier: Apache-2.0
// The two doors into a workload. Layout and factors are already checked.
#pragma once

#include <vector>

#include "prism/workload.h"

namespace prism::workload {

/// A job description, through the cost model.
Result<Workload> from_job(const Scenario& scenario, const std::vector<std::int64_t>& layers_per_stage);
/// The user's own operators, as given.
Result<Workload> from_operator_list(const Scenario& scenario,
                                    const std::vector<std::int64_t>& layers_per_stage);

}  // namespace prism::workload
