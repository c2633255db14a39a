// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulation/lanes.h"

namespace prism {

/// What each replica does alone after its last backward. `strikes`: those of the chunks are through.
void end_alone(const Compiled& compiled, Lanes& lanes, StrikeQueue& strikes, Recording<float>* recording);

}  // namespace prism
