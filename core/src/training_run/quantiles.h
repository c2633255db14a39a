// SPDX-License-Identifier: Apache-2.0
// A law given by its quantiles at equal distances of probability, linear between.
#pragma once

#include <span>

namespace prism::training {

inline double at(std::span<const double> quantiles, double p) {
  const double position = p * static_cast<double>(quantiles.size() - 1);
  auto i = static_cast<std::size_t>(position);
  if (i + 1 >= quantiles.size()) i = quantiles.size() - 2;
  return quantiles[i] + (position - static_cast<double>(i)) * (quantiles[i + 1] - quantiles[i]);
}

struct RawMoments {
  double mean, square;  ///< E X and E X^2
};
/// Of the piecewise linear law: each cell is uniform between its ends.
inline RawMoments moments_of(std::span<const double> quantiles) {
  RawMoments m{0, 0};
  const auto cells = static_cast<double>(quantiles.size() - 1);
  for (std::size_t i = 0; i + 1 < quantiles.size(); ++i) {
    const double a = quantiles[i], b = quantiles[i + 1];
    m.mean += (a + b) / 2 / cells;
    m.square += (a * a + a * b + b * b) / 3 / cells;
  }
  return m;
}

}  // namespace prism::training
