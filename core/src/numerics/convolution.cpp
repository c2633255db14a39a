// SPDX-License-Identifier: Apache-2.0
// Linear convolution by its definition. Not by Fourier transform: that has an absolute error of 1e-16 of the
// largest weight, which drowns tails of mass 1e-12 and less; sums of non-negative products keep every
// weight's relative accuracy.
#include <utility>

#include "prism/numerics.h"

namespace prism {
namespace {

/// Four rows at a time, so that a result is loaded and stored once for four products. Every result still adds
/// its products in ascending order of `a`, whatever the vector width, so the bits do not depend on the
/// target. A function of its own: V8 leaves a long loop in its baseline tier to its end, but optimises what
/// is called often.
__attribute__((noinline)) void add_four_rows(double* __restrict out, const double* a,
                                             const double* __restrict in, std::size_t m) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  out[0] += a0 * in[0];
  out[1] = (out[1] + a0 * in[1]) + a1 * in[0];
  out[2] = ((out[2] + a0 * in[2]) + a1 * in[1]) + a2 * in[0];
  for (std::size_t j = 3; j < m; ++j) {
    out[j] = (((out[j] + a0 * in[j]) + a1 * in[j - 1]) + a2 * in[j - 2]) + a3 * in[j - 3];
  }
  out[m] = ((out[m] + a1 * in[m - 1]) + a2 * in[m - 2]) + a3 * in[m - 3];
  out[m + 1] = (out[m + 1] + a2 * in[m - 1]) + a3 * in[m - 2];
  out[m + 2] += a3 * in[m - 1];
}

}  // namespace

std::vector<double> convolve(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return {};
  if (a.size() > b.size()) std::swap(a, b);
  const std::size_t n = a.size(), m = b.size();
  std::vector<double> sum(n + m - 1, 0.0);
  std::size_t i = 0;
  if (m >= 4)
    for (; i + 4 <= n; i += 4) add_four_rows(sum.data() + i, &a[i], b.data(), m);
  for (; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

}  // namespace prism
