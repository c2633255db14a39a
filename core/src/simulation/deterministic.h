// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulation/compiled.h"

namespace prism {

/// The step with every random quantity at its median.
Deterministic deterministic_step(const Compiled& compiled);

}  // namespace prism
