// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simulation/compiled.h"

namespace prism {

/// Where a reduction leaves the range it was measured in, and what-ifs that change nothing.
std::vector<Diagnostic> warnings(const Compiled& c);

}  // namespace prism
