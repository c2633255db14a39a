// SPDX-License-Identifier: Apache-2.0
// The standard exponential distribution: upper mass e^-x.
#pragma once

#include "prism/distribution.h"

namespace prism::detail {

inline constexpr double log_2 = 0.69314718055994530942;
inline constexpr double log_10 = 2.3025850929940456840;
inline constexpr double log_20 = 2.9957322735539909934;

/// Minus the logarithm of the upper mass, from whichever mass is exact.
inline double exponential_quantile(Mass m) {
  return m.lower < m.upper ? -log1p_exact(-m.lower) : -log_exact(m.upper);
}

inline Mass exponential_mass(double x) {
  if (!(x > 0)) return {0, 1};
  return {-expm1_exact(-x), exp_exact(-x)};
}

}  // namespace prism::detail
