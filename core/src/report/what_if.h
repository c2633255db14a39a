// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "prism/scenario.h"

namespace prism {

/// What times at the place are multiplied by: the factor, or the quantile of the product of what lasts there.
double multiplier(const Scenario& s, const WhatIf& w);
/// One for each what-if that changes nothing worth the name.
std::vector<Diagnostic> warnings_of_what_ifs(const Scenario& s);

}  // namespace prism
