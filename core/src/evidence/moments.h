// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "prism/evidence.h"
#include "prism/numerics.h"

namespace prism {

inline double mean_of(const std::vector<double>& v) {
  return sum_compensated(v) / static_cast<double>(v.size());
}

/// Unbiased; at least two values.
inline double variance_of(const std::vector<double>& v) {
  const double m = mean_of(v);
  std::vector<double> squares(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) squares[i] = (v[i] - m) * (v[i] - m);
  return v.size() > 1 ? sum_compensated(squares) / static_cast<double>(v.size() - 1) : 0;
}

inline double median_of(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return quantile_of_sorted(v, 0.5);
}

}  // namespace prism
