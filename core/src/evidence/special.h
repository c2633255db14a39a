// SPDX-License-Identifier: Apache-2.0
// Special functions that maximum likelihood needs, from exp and log of numerics: libm's differ between
// systems.
#pragma once

namespace prism {

/// Of x > 0; relative error below 1e-13 (Abramowitz and Stegun 6.1.40, 6.3.18, 6.4.12, shifted to x >= 12).
double log_gamma(double x);
double digamma(double x);
double trigamma(double x);
/// phi(a) / (1 - Phi(a)): the mean of a standard normal above a.
double normal_hazard(double a);

}  // namespace prism
