// SPDX-License-Identifier: Apache-2.0
// Root of a monotone function.
#pragma once

namespace prism::detail {

/// x in [low, high] with f(x) = 0, f increasing and f(low) <= 0 <= f(high). Regula falsi with the Illinois
/// correction (M. Dowell, P. Jarratt, BIT 11, 1971), and a bisection whenever three steps have not halved the
/// bracket. Ends when the bracket is below `tolerance` times the larger end, or f is exactly 0.
template <class F>
double increasing_root(F f, double low, double high, double tolerance) {
  double f_low = f(low), f_high = f(high);
  if (f_low >= 0) return low;
  if (f_high <= 0) return high;
  double width = high - low;
  int kept = 0;  // which end the last step left in place: -1 low, +1 high
  for (int step = 0; step < 200; ++step) {
    const double end = (high < 0 ? -high : high) > (low < 0 ? -low : low) ? high : low;
    if (high - low <= tolerance * (end < 0 ? -end : end)) break;
    double x = low - f_low * ((high - low) / (f_high - f_low));
    if (step % 3 == 2) {
      if (high - low > 0.5 * width) x = 0.5 * (low + high);
      width = high - low;
    }
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    if (!(x > low && x < high)) break;  // neighbouring numbers
    const double y = f(x);
    if (y == 0) return x;
    if (y < 0) {
      low = x;
      f_low = y;
      if (kept == 1) f_high *= 0.5;
      kept = 1;
    } else {
      high = x;
      f_high = y;
      if (kept == -1) f_low *= 0.5;
      kept = -1;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace prism::detail
