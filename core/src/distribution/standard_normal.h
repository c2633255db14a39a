// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution, from quadrature of exp(-z^2/2).
#pragma once

#include "prism/distribution.h"

namespace prism::detail {

/// 0.95 quantile.
inline constexpr double normal_p95 = 1.6448536269514722;

double normal_quantile(Mass m);
Mass normal_mass(double z);

}  // namespace prism::detail
