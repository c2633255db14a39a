// SPDX-License-Identifier: Apache-2.0
// Largest of independent variables.
#include <algorithm>
#include <cstddef>

#include "prism/distribution.h"

namespace prism {

QuantileTable maximum_of(const QuantileTable& one, std::uint64_t n) {
  if (n <= 1 || one.is_constant()) return one;
  const double share = 1.0 / static_cast<double>(n);
  // F^n = p, so one variable sits at lower mass p^(1/n); written from the smaller side so that neither tail
  // is lost.
  return QuantileTable([&](Mass m) {
    const double log_lower = m.lower < m.upper ? log_exact(m.lower) : log1p_exact(-m.upper);
    const double upper = -expm1_exact(log_lower * share);
    return one.quantile({1.0 - upper, upper});
  });
}

namespace {

/// A distribution function by points (x, mass) in ascending order; a jump is two points with one x.
struct Point {
  double x;
  Mass m;
};

/// Reads a table's distribution function at ascending x.
class Reader {
 public:
  explicit Reader(const QuantileTable& t) {
    const auto lower = t.lower_knots(), upper = t.upper_knots();
    points_.reserve(lower.size() + upper.size() + 1);
    points_.push_back({lower.back(), {0, 1}});
    for (int i = QuantileTable::half; i > 0; --i) {
      points_.push_back({lower[static_cast<std::size_t>(i)], Mass::below(QuantileTable::knot_mass(i))});
    }
    for (int i = 0; i <= QuantileTable::half; ++i) {
      points_.push_back({upper[static_cast<std::size_t>(i)], Mass::above(QuantileTable::knot_mass(i))});
    }
    points_.push_back({upper.back(), {1, 0}});
  }

  double next() const { return points_[at_].x; }
  bool done() const { return at_ == points_.size(); }

  /// P(X < x), then P(X <= x). x must not fall from call to call.
  void read(double x, Mass& before, Mass& at) {
    while (at_ < points_.size() && points_[at_].x < x) ++at_;
    before = between(x);
    while (at_ < points_.size() && points_[at_].x == x) ++at_;
    at = at_ > 0 && points_[at_ - 1].x == x ? points_[at_ - 1].m : before;
  }

 private:
  Mass between(double x) const {
    if (at_ == 0) return {0, 1};
    if (at_ == points_.size()) return {1, 0};
    const Point& a = points_[at_ - 1];
    const Point& b = points_[at_];
    const double part = (x - a.x) / (b.x - a.x);
    return {a.m.lower + part * (b.m.lower - a.m.lower), a.m.upper + part * (b.m.upper - a.m.upper)};
  }
  std::vector<Point> points_;
  std::size_t at_ = 0;
};

/// Mass of the larger of two: lower masses multiply; the upper mass is u + v - u v, a sum of positive terms
/// as written.
Mass both(Mass a, Mass b) { return {a.lower * b.lower, a.upper + a.lower * b.upper}; }

/// Largest of two, through the product of their distribution functions at the knots of both.
QuantileTable larger_of(const QuantileTable& a, const QuantileTable& b) {
  if (a.lowest() >= b.highest()) return a;
  if (b.lowest() >= a.highest()) return b;
  Reader ra(a), rb(b);
  std::vector<Point> product;
  product.reserve(4 * (2 * QuantileTable::half + 3));
  while (!ra.done() || !rb.done()) {
    const double x = rb.done() || (!ra.done() && ra.next() <= rb.next()) ? ra.next() : rb.next();
    Mass before_a, at_a, before_b, at_b;
    ra.read(x, before_a, at_a);
    rb.read(x, before_b, at_b);
    product.push_back({x, both(before_a, before_b)});
    product.push_back({x, both(at_a, at_b)});
  }
  return QuantileTable([&](Mass m) {
    // The first point whose mass reaches m, compared on the smaller side.
    const bool in_lower = m.lower < m.upper;
    const auto it = std::partition_point(product.begin(), product.end(), [&](const Point& p) {
      return in_lower ? p.m.lower < m.lower : p.m.upper > m.upper;
    });
    if (it == product.begin()) return it->x;
    if (it == product.end()) return product.back().x;
    const Point& p = it[-1];
    const double rise = in_lower ? it->m.lower - p.m.lower : p.m.upper - it->m.upper;
    const double need = in_lower ? m.lower - p.m.lower : p.m.upper - m.upper;
    return rise > 0 ? p.x + (it->x - p.x) * (need / rise) : it->x;
  });
}

}  // namespace

QuantileTable maximum_of(std::span<const QuantileTable> parts) {
  if (parts.empty()) return QuantileTable([](Mass) { return 0.0; });
  // In pairs, then pairs of pairs: work grows linearly and errors with the logarithm of the number of parts.
  std::vector<QuantileTable> round(parts.begin(), parts.end());
  while (round.size() > 1) {
    std::vector<QuantileTable> next;
    for (std::size_t i = 0; i + 1 < round.size(); i += 2) next.push_back(larger_of(round[i], round[i + 1]));
    if (round.size() % 2 == 1) next.push_back(std::move(round.back()));
    round = std::move(next);
  }
  return std::move(round.front());
}

}  // namespace prism
