// SPDX-License-Identifier: Apache-2.0
// exp, log and their relatives from + - * / alone, so that every target computes the same bits.
//
// Method: argument reduction by multiples of log 2 held in two parts (W. J. Cody, W. Waite, "Software Manual
// for the Elementary Functions", 1980), then the Taylor series of e^r on |r| <= (log 2)/2, and for the
// logarithm the series of 2 atanh(s). Taylor rather than minimax coefficients: they need no fitting program,
// and one or two more terms cost a nanosecond.
#include <cstdint>
#include <cstring>
#include <limits>

#include "prism/numerics.h"

namespace prism {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log2_e = 1.4426950408889634074;
// log 2 = high + low. The high part ends in 21 zero bits, so k * high is exact for |k| < 2^21.
constexpr double log_2_high = 0x1.62e42feep-1;
constexpr double log_2_low = 0x1.a39ef35793c76p-33;

std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// 2^k for -1022 <= k <= 1023.
double power_of_two(int k) { return from_bits(static_cast<std::uint64_t>(k + 1023) << 52); }

/// x = k log 2 + value + rest, |value| <= 0.3466; rest is what rounding took from value.
struct Reduced {
  int k;
  double value, rest;
};

Reduced reduce(double x) {
  const int k = static_cast<int>(x * log2_e + (x < 0 ? -0.5 : 0.5));
  const double high = x - k * log_2_high;
  const double low = k * log_2_low;
  const double value = high - low;
  return {k, value, (high - value) - low};
}

/// e^(value + rest) - 1 for |value| <= 0.3466. The first term left out is r^14/14! < 5e-18.
/// Even and odd coefficients form two chains that a processor runs side by side.
double expm1_kernel(double r, double rest) {
  const double z = r * r;
  double even = 1.0 / 479001600.0;
  even = even * z + 1.0 / 3628800.0;
  even = even * z + 1.0 / 40320.0;
  even = even * z + 1.0 / 720.0;
  even = even * z + 1.0 / 24.0;
  even = even * z + 0.5;
  double odd = 1.0 / 6227020800.0;
  odd = odd * z + 1.0 / 39916800.0;
  odd = odd * z + 1.0 / 362880.0;
  odd = odd * z + 1.0 / 5040.0;
  odd = odd * z + 1.0 / 120.0;
  odd = odd * z + 1.0 / 6.0;
  return r + (z * (even + r * odd) + rest);
}

}  // namespace

double exp_exact(double x) {
  if (!(x < 709.8)) return x >= 709.8 ? infinity : x;  // the second arm passes NaN on
  if (x < -745.2) return 0;
  const Reduced r = reduce(x);
  const double y = 1.0 + expm1_kernel(r.value, r.rest);
  if (r.k > 1023) return y * 2.0 * power_of_two(r.k - 1);
  if (r.k < -1022) return y * power_of_two(r.k + 100) * 0x1p-100;  // subnormal: one rounding, at the end
  return y * power_of_two(r.k);
}

double expm1_exact(double x) {
  if (x > 40) return exp_exact(x) - 1.0;
  if (x < -40) return -1.0;
  if (x != x) return x;
  const Reduced r = reduce(x);
  const double p = expm1_kernel(r.value, r.rest);
  if (r.k == 0) return p;
  const double scale = power_of_two(r.k);
  // Both orders are exact in the larger operation where it matters: no cancellation for k < 0, and for k > 0
  // the product scale * p is exact.
  return scale * p + (scale - 1.0);
}

double log_exact(double x) {
  if (!(x > 0)) return x == 0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
  if (x == infinity) return x;
  int k = 0;
  if (x < 0x1p-1022) {  // subnormal
    x *= 0x1p54;
    k = -54;
  }
  const std::uint64_t bits = bits_of(x);
  // Mantissa in [sqrt(1/2), sqrt(2)): adding the distance from sqrt(1/2) to 1 carries into the exponent.
  constexpr std::uint64_t to_one = 0x3ff0000000000000u - 0x3fe6a09e667f3bcdu;
  k += static_cast<int>((bits + to_one) >> 52) - 1023;
  const std::uint64_t exponent = ((bits + to_one) >> 52) << 52;
  const double m = from_bits(bits - exponent + 0x3ff0000000000000u);
  const double f = m - 1.0;  // exact
  // log(1 + f) = 2 atanh(s), s = f / (2 + f), |s| < 0.1716; written as f - (f^2/2 - s (f^2/2 + R)) with
  // R = 2 (s^2/3 + s^4/5 + ...), so that the leading term f is exact. The first term left out is
  // 2 s^25/25 < 2e-20.
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  double even = 2.0 / 21.0;
  even = even * w + 2.0 / 17.0;
  even = even * w + 2.0 / 13.0;
  even = even * w + 2.0 / 9.0;
  even = even * w + 2.0 / 5.0;
  double odd = 2.0 / 23.0;
  odd = odd * w + 2.0 / 19.0;
  odd = odd * w + 2.0 / 15.0;
  odd = odd * w + 2.0 / 11.0;
  odd = odd * w + 2.0 / 7.0;
  odd = odd * w + 2.0 / 3.0;
  const double r = z * (odd + z * even);
  const double half_square = 0.5 * f * f;
  const double kd = k;
  return kd * log_2_high + (f - (half_square - (s * (half_square + r) + kd * log_2_low)));
}

double log1p_exact(double x) {
  if (!(x > -1)) return x == -1 ? -infinity : std::numeric_limits<double>::quiet_NaN();
  if (x == infinity) return x;
  const double u = 1.0 + x;
  // u is 1 + x rounded; the first-order correction restores what rounding took.
  const double lost = u > 2.0 ? 1.0 - (u - x) : x - (u - 1.0);
  return log_exact(u) + lost / u;
}

double pow_exact(double x, double y) {
  if (y == 0) return 1;
  if (x == 0) return y > 0 ? 0 : infinity;
  return exp_exact(y * log_exact(x));
}

}  // namespace prism
