// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of a step, for MFU and HFU.
#pragma once

#include "prism/scenario.h"

namespace prism::workload {

struct Flops {
  double model = 0;  ///< three times forward; no recomputation; causal attention counted half
  double hardware =
      0;  ///< what the kernels do: recomputation, whole score matrices without flash, padded vocabulary
};

/// Of one step of the whole job. Matrix products only, 2 a multiply-add.
Flops step_flops(const Scenario& scenario);

}  // namespace prism::workload
