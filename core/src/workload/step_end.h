// SPDX-License-Identifier: Apache-2.0
// What a pipeline rank does after its last backward pass.
#pragma once

#include <vector>

#include "prism/scenario.h"
#include "prism/workload.h"
#include "workload/network.h"
#include "workload/parameters.h"

namespace prism::workload {

/// Programs of all pipeline ranks, in the order: layer-norm gradients, tied-embedding gradients, gradients
/// over the replicas, clipping, optimizer, parameters. Adds to `notes` what was chosen.
std::vector<std::vector<Segment>> step_end_programs(const Scenario& scenario, const Network& network,
                                                    std::vector<Workload::Note>& notes);

/// Appends what reduces these gradients beside the backward pass.
void append_reductions(StageProgram& stage, const Scenario& scenario, const Network& network,
                       const Parameters& held);

}  // namespace prism::workload
