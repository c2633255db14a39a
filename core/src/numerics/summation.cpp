// SPDX-License-Identifier: Apache-2.0
// Compensated summation (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
// Summen", ZAMM 54, 1974).
#include "prism/numerics.h"

namespace prism {

double sum_compensated(std::span<const double> values) {
  double sum = 0, lost = 0;
  for (const double v : values) {
    const double next = sum + v;
    const double large = (sum < 0 ? -sum : sum) >= (v < 0 ? -v : v) ? sum : v;
    const double small = large == sum ? v : sum;
    lost += (large - next) + small;
    sum = next;
  }
  return sum + lost;
}

}  // namespace prism
