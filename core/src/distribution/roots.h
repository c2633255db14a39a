// SPDX-License-Identifier: Apache-2.0
// Root of a monotone function.
#pragma once

namespace prism::detail {

/// x in [low, high] with f(x) = 0 for an increasing f with f(low) = f_low < 0 < f_high = f(high). The first
/// step is the secant's, then inverse quadratic interpolation where it is safe, else bisection (T. R.
/// Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function",
/// Advances in Engineering Software 28, 1997). Ends when the bracket is below `tolerance` times |x|, or |f|
/// is at most `close`.
template <class F>
double bracketed_root(F f, double low, double f_low, double high, double f_high, double tolerance,
                      double close) {
  const auto magnitude = [](double v) { return v < 0 ? -v : v; };
  double a = high, fa = f_high, b = low, fb = f_low;  // a is the newest end of the bracket
  double t = fa / (fa - fb);                          // the next point's place between a (0) and b (1)
  if (!(t > 0.01 && t < 0.99)) t = 0.5;
  for (int step = 0; step < 200; ++step) {
    const double x = a + t * (b - a);
    const double fx = f(x);
    double c = b, fc = fb;  // the end that is given up
    if ((fx > 0) == (fa > 0)) {
      c = a;
      fc = fa;
    } else {
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    if (magnitude(fa) <= close) return a;
    const double best = magnitude(fb) < magnitude(fa) ? b : a;
    const double room = tolerance * magnitude(best) / magnitude(b - a);
    if (!(room <= 0.5)) return best;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    t = 0.5;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
      t = fa / (fb - fa) * (fc / (fb - fc)) + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb));
    }
    // At least half the tolerance from either end, so that the bracket closes from both sides.
    t = t < room ? room : t > 1 - room ? 1 - room : t;
  }
  return 0.5 * (a + b);
}

/// The same from the ends alone; the nearer end if f does not change sign between them.
template <class F>
double increasing_root(F f, double low, double high, double tolerance, double close) {
  const double f_low = f(low), f_high = f(high);
  if (f_low >= 0) return low;
  if (f_high <= 0) return high;
  return bracketed_root(f, low, f_low, high, f_high, tolerance, close);
}

}  // namespace prism::detail
