// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "prism/numerics.h"
#include "prism/training_run.h"

namespace prism {

double young_interval(double w, double M) { return std::sqrt(2 * w * M); }

double daly_first_interval(double w, double M) { return std::max(0.0, std::sqrt(2 * w * M) - w); }

double daly_interval(double w, double M) {
  if (w >= 2 * M) return M;
  const double ratio = w / (2 * M), root = std::sqrt(ratio);
  return std::sqrt(2 * w * M) * (1 + root / 3 + ratio / 9) - w;
}

double best_interval(double w, double M) {
  // With y = dt / M: e^(y + w/M) (1 - y) falls from e^(w/M) >= 1 at 0 to 0 at 1, so it meets 1 once.
  const double shift = w / M;
  double low = 0, high = 1;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double y = low + (high - low) / 2;
    if (y == low || y == high) break;
    // In logarithms, so that a shift of thousands does not overflow.
    (y + shift + log1p_exact(-y) > 0 ? low : high) = y;
  }
  return (low + high) / 2 * M;
}

double daly_wall(double work, double dt, double w, double u, double M) {
  return M * exp_exact(u / M) * expm1_exact((dt + w) / M) * (work / dt);
}

double exact_goodput(double dt, double w, double u, double M) {
  return dt / (M * exp_exact(u / M) * expm1_exact((dt + w) / M));
}

double linear_goodput(double dt, double w, double u, double M) {
  return std::max(0.0, (1 - (u + dt / 2) / M) / (1 + w / dt));
}

}  // namespace prism
