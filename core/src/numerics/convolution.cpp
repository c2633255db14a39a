// SPDX-License-Identifier: Apache-2.0
// Linear convolution by its definition. Not by Fourier transform: that has an absolute error of 1e-16 of the
// largest weight, which drowns tails of mass 1e-12 and less; sums of non-negative products keep every
// weight's relative accuracy.
#include <utility>

#include "prism/numerics.h"

namespace prism {

std::vector<double> convolve(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return {};
  if (a.size() > b.size()) std::swap(a, b);
  const std::size_t n = a.size(), m = b.size();
  std::vector<double> sum(n + m - 1, 0.0);
  // Four rows at a time, so that a result is loaded and stored once for four products. Every result still
  // adds its products in ascending order of `a`, whatever the vector width, so the bits do not depend on the
  // target.
  std::size_t i = 0;
  for (; i + 4 <= n && m >= 4; i += 4) {
    const double a0 = a[i], a1 = a[i + 1], a2 = a[i + 2], a3 = a[i + 3];
    double* out = sum.data() + i;
    const double* in = b.data();
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
  for (; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

}  // namespace prism
