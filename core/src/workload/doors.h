// SPDX-License-Identifier: Apache-2.0
// The two doors into a workload, for a scenario whose layout is checked.
#pragma once

#include "prism/workload.h"

namespace prism::workload {

/// A job description, through the cost model.
Result<Workload> from_job(const Scenario& scenario);
/// The user's own operators, as given.
Result<Workload> from_operator_list(const Scenario& scenario);

}  // namespace prism::workload
