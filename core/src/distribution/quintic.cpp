// SPDX-License-Identifier: Apache-2.0
#include "distribution/quintic.h"

#include <cstddef>

namespace prism::detail {

PiecewiseQuintic::PiecewiseQuintic(const std::vector<Knot>& knots)
    : first_(knots.front()), last_(knots.back()) {
  start_.reserve(knots.size() - 1);
  piece_.reserve(knots.size() - 1);
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const Knot& a = knots[i];
    const Knot& b = knots[i + 1];
    const double h = b.x - a.x;
    const double rise = b.value - a.value;
    const double da = a.slope * h, db = b.slope * h;
    const double sa = a.curvature * h * h, sb = b.curvature * h * h;
    start_.push_back(a.x);
    piece_.push_back(
        {1.0 / h,
         {a.value, da, 0.5 * sa, 10 * rise - 6 * da - 4 * db - 1.5 * sa + 0.5 * sb,
          -15 * rise + 8 * da + 7 * db + 1.5 * sa - sb, 6 * rise - 3 * (da + db) - 0.5 * (sa - sb)}});
  }
}

double PiecewiseQuintic::operator()(double x) const {
  if (!(x > first_.x)) return first_.value + (x - first_.x) * first_.slope;
  if (x >= last_.x) return last_.value + (x - last_.x) * last_.slope;
  std::size_t low = 0, size = start_.size();
  while (size > 1) {  // the last piece that starts at or before x
    const std::size_t half = size / 2;
    low = start_[low + half] <= x ? low + half : low;
    size -= half;
  }
  const Piece& p = piece_[low];
  const double u = (x - start_[low]) * p.inverse_width;
  return p.c[0] + u * (p.c[1] + u * (p.c[2] + u * (p.c[3] + u * (p.c[4] + u * p.c[5]))));
}

}  // namespace prism::detail
