// SPDX-License-Identifier: Apache-2.0
#include "evidence/special.h"

#include "distribution/standard_normal.h"
#include "prism/numerics.h"

namespace prism {
namespace {

constexpr double half_log_two_pi = 0.91893853320467274;
constexpr double far = 12;

}  // namespace

double log_gamma(double x) {
  double product = 1, shift = 0;
  for (; x < far; x += 1) {
    product *= x;
    if (product > 1e200) shift += log_exact(product), product = 1;
  }
  const double r = 1 / (x * x);
  const double tail =
      (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188))))) / x;
  return (x - 0.5) * log_exact(x) - x + half_log_two_pi + tail - log_exact(product) - shift;
}

double digamma(double x) {
  double below = 0;
  for (; x < far; x += 1) below += 1 / x;
  const double r = 1 / (x * x);
  return log_exact(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132))))) - below;
}

double trigamma(double x) {
  double below = 0;
  for (; x < far; x += 1) below += 1 / (x * x);
  const double r = 1 / (x * x);
  return below + 1 / x + 0.5 * r + r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30))));
}

double normal_hazard(double a) {
  if (a < 4) {
    const double density = exp_exact(-0.5 * a * a - half_log_two_pi);
    return density / detail::normal_mass(a).upper;
  }
  // Laplace's continued fraction a + 1/(a + 2/(a + 3/(a + ...))).
  double tail = a;
  for (int k = 60; k >= 1; --k) tail = a + k / tail;
  return tail;
}

}  // namespace prism
