// SPDX-License-Identifier: Apache-2.0
// One step of an operator trace as a trace for Perfetto and other viewers of the Chrome format.
#pragma once

#include <string>

#include "prism/evidence_operators.h"

namespace prism {

/// Three processes: the step as measured, replayed without launch gaps, and ideal; a row a worker, and an
/// event an operation with args {critical}: whether it is on the longest path. `step` is a position. Empty if
/// the graph cannot be built.
std::string timeline_json(const OperatorTrace& trace, int step);

}  // namespace prism
