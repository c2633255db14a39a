// SPDX-License-Identifier: Apache-2.0
// One measured step time, and the efficiency with which the simulated step meets it.
#pragma once

#include "prism/report.h"

namespace prism {

/// Solves for CostModel::compute_scale and sets it. Solved on simulated steps with the run's own random
/// numbers: scaling the deterministic step would count the variability twice.
Result<CalibrationAccount> calibrate(Scenario& scenario);

}  // namespace prism
