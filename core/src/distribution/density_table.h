// SPDX-License-Identifier: Apache-2.0
// Distribution function, quantile function and moments of a variable known by its log density alone.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "distribution/quintic.h"
#include "prism/distribution.h"

namespace prism::detail {

/// A log density (up to a constant) and its derivative at a point.
struct LogDensity {
  double value, slope;
};

/// Quadrature of a smooth log-concave density on the whole line, in cells as wide as the density allows
/// (8-point Gauss-Legendre). Masses are summed from the outside inwards on both sides, so both tails keep
/// their relative accuracy; between cell ends the logarithm of the mass, which is smooth and nearly straight
/// in the tails, is interpolated by quintics. Beyond mass 1e-27 the logarithm is continued as a straight
/// line.
class DensityTable {
 public:
  /// `mode` maximises the density; `step` is a first guess of a cell: a fraction of the width of the peak.
  DensityTable(const std::function<LogDensity(double)>& log_density, double mode, double step);

  double quantile(Mass m) const;
  Mass mass(double t) const;

  struct Moments {
    double mean, sd;
  };
  /// Of f(t).
  Moments moments(const std::function<double(double)>& f) const;

 private:
  struct Node {
    double t, weight;  ///< weights sum to 1
  };
  std::vector<Node> nodes_;
  double median_;
  std::optional<PiecewiseQuintic> lower_, upper_;                  ///< t -> log mass
  std::optional<PiecewiseQuintic> lower_inverse_, upper_inverse_;  ///< log mass -> t
};

}  // namespace prism::detail
