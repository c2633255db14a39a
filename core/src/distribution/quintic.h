// SPDX-License-Identifier: Apache-2.0
// A smooth monotone function as piecewise quintic Hermite polynomials.
#pragma once

#include <vector>

namespace prism::detail {

/// Matches value, slope and second derivative at every knot; a straight line beyond the ends.
class PiecewiseQuintic {
 public:
  struct Knot {
    double x, value, slope, curvature;
  };
  /// At least 2 knots, strictly increasing in x.
  explicit PiecewiseQuintic(const std::vector<Knot>& knots);
  double operator()(double x) const;

 private:
  struct Piece {
    double inverse_width;
    double c[6];  ///< coefficients in (x - start) / width
  };
  std::vector<double> start_;  ///< left end of each piece
  std::vector<Piece> piece_;
  Knot first_, last_;
};

}  // namespace prism::detail
