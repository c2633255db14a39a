// SPDX-License-Identifier: Apache-2.0
// Root of a monotone function.
#pragma once

namespace prism::detail {

/// x in [low, high] with f(x) = 0 for an increasing f; the nearer end if f does not change sign. Inverse
/// quadratic interpolation where it is safe, else bisection (T. R. Chandrupatla, "A new hybrid
/// quadratic/bisection algorithm for finding the zero of a nonlinear function", Advances in Engineering
/// Software 28, 1997). Ends when the bracket is below `tolerance` times |x|, or |f| is at most `close`.
template <class F>
double increasing_root(F f, double low, double high, double tolerance, double close = 0) {
  const auto magnitude = [](double v) { return v < 0 ? -v : v; };
  double a = high, b = low;  // b is the newest point of the bracket, a the other end, c the one given up last
  double fa = f(a), fb = f(b);
  if (fb >= 0) return b;
  if (fa <= 0) return a;
  double c = a, fc = fa;
  double t = 0.5;  // the next point's place between a (0) and b (1)
  for (int step = 0; step < 200; ++step) {
    const double x = a + t * (b - a);
    const double fx = f(x);
    if ((fx > 0) == (fa > 0)) {
      c = a;
      fc = fa;
    } else {
      c = b;
      fc = fb;
      b = a;
      fb = fa;
    }
    a = x;
    fa = fx;
    const double best = magnitude(fb) < magnitude(fa) ? b : a;
    if (magnitude(fa) <= close || fa == 0) return a;
    const double room = tolerance * magnitude(best) / magnitude(b - a);
    if (room > 0.5 || a == b) return best;
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

}  // namespace prism::detail
