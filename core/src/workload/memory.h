// SPDX-License-Identifier: Apache-2.0
// Bytes that a GPU holds. Formulas and what is left out: docs/cost-model.md.
#pragma once

#include <vector>

#include "prism/scenario.h"
#include "prism/workload.h"

namespace prism::workload {

/// Of every pipeline rank, activations left out.
std::vector<RankMemory> rank_memory(const Scenario& scenario);
/// Activations of one micro-batch that each virtual stage keeps from its forward to its backward pass.
std::vector<double> stage_activations(const Scenario& scenario);

}  // namespace prism::workload
