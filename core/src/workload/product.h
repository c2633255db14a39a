// SPDX-License-Identifier: Apache-2.0
// The distribution of a product of two independent, non-negative variables.
#pragma once

#include "prism/distribution.h"

namespace prism::workload {

/// Distribution of x * y, x and y independent. Closed form if either is constant or both are log-normal;
/// otherwise its distribution function is integrated over x on a fine grid (see the tests for its accuracy).
Distribution product_of(const Distribution& x, const Distribution& y);

}  // namespace prism::workload
