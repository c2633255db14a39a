// SPDX-License-Identifier: Apache-2.0
// Largest of independent variables.
#include <cstddef>
#include <utility>

#include "prism/distribution.h"

namespace prism {
namespace {

/// A distribution function by points (x, mass) in ascending order, straight between; a jump is two points
/// with one x.
struct Point {
  double x;
  Mass m;
};

std::vector<Point> points_of(const QuantileTable& t) {
  const auto lower = t.lower_knots(), upper = t.upper_knots();
  std::vector<Point> points;
  points.reserve(lower.size() + upper.size() + 1);
  points.push_back({lower.back(), {0, 1}});
  for (int i = QuantileTable::half; i > 0; --i)
    points.push_back({lower[i], Mass::below(QuantileTable::knot_mass(i))});
  for (int i = 0; i <= QuantileTable::half; ++i)
    points.push_back({upper[i], Mass::above(QuantileTable::knot_mass(i))});
  points.push_back({upper.back(), {1, 0}});
  return points;
}

/// Reads a distribution function at ascending x.
class Reader {
 public:
  explicit Reader(const QuantileTable& t) : points_(points_of(t)) {}

  bool done() const { return at_ == points_.size(); }
  double next() const { return points_[at_].x; }

  struct Reading {
    Mass before, at;  ///< P(X < x) and P(X <= x)
  };
  /// x must not fall from call to call, nor be above next().
  Reading read(double x) {
    Reading r;
    if (at_ == points_.size()) {
      r.before = {1, 0};
    } else if (at_ == 0) {
      r.before = {0, 1};
    } else {
      const Point& a = points_[at_ - 1];
      const Point& b = points_[at_];
      const double part = x == b.x ? 1 : (x - a.x) / (b.x - a.x);
      r.before = {a.m.lower + part * (b.m.lower - a.m.lower), a.m.upper + part * (b.m.upper - a.m.upper)};
    }
    r.at = r.before;
    for (; at_ < points_.size() && points_[at_].x == x; ++at_) r.at = points_[at_].m;
    return r;
  }

 private:
  std::vector<Point> points_;
  std::size_t at_ = 0;
};

/// Mass of the larger of two: lower masses multiply; the upper mass, u + v - u v, is written as a sum of
/// positive terms.
Mass both(Mass a, Mass b) { return {a.lower * b.lower, a.upper + a.lower * b.upper}; }

/// Largest of two, through the product of their distribution functions at the knots of both. Inside a piece
/// the product is a parabola; taking it as straight adds about as much error as the tables have themselves.
QuantileTable larger_of(const QuantileTable& a, const QuantileTable& b) {
  if (a.lowest() >= b.highest()) return a;
  if (b.lowest() >= a.highest()) return b;
  std::vector<Point> product;
  product.reserve(4 * (QuantileTable::half + 2));
  Reader ra(a), rb(b);
  while (!ra.done() || !rb.done()) {
    const double x = rb.done() || (!ra.done() && ra.next() <= rb.next()) ? ra.next() : rb.next();
    const Reader::Reading in_a = ra.read(x), in_b = rb.read(x);
    const Mass before = both(in_a.before, in_b.before), at = both(in_a.at, in_b.at);
    product.push_back({x, before});
    if (at.upper != before.upper || at.lower != before.lower) product.push_back({x, at});
  }

  // Both sides' knots in ascending order of mass, along the points.
  std::vector<double> lower(QuantileTable::half + 1), upper(QuantileTable::half + 1);
  std::size_t to = 0;
  const auto between = [&](double rise, double need) {
    if (to == 0) return product.front().x;
    const Point& p = product[to - 1];
    return rise > 0 ? p.x + (product[to].x - p.x) * (need / rise) : product[to].x;
  };
  for (int i = QuantileTable::half; i >= 0; --i) {
    const double p = QuantileTable::knot_mass(i);
    while (to + 1 < product.size() && product[to].m.lower < p) ++to;
    const double from = to == 0 ? 0 : product[to - 1].m.lower;
    lower[i] = between(product[to].m.lower - from, p - from);
  }
  upper[0] = lower[0];
  for (int i = 1; i <= QuantileTable::half; ++i) {
    const double q = QuantileTable::knot_mass(i);
    while (to + 1 < product.size() && product[to].m.upper > q) ++to;
    const double from = to == 0 ? 1 : product[to - 1].m.upper;
    upper[i] = between(from - product[to].m.upper, from - q);
  }
  return QuantileTable(std::move(lower), std::move(upper));
}

/// Logarithms of a knot's mass and of the rest.
struct LogMasses {
  double mass, rest;
};

std::vector<LogMasses> log_masses() {
  std::vector<LogMasses> logs;
  for (int i = 0; i <= QuantileTable::half; ++i) {
    const double p = QuantileTable::knot_mass(i);
    logs.push_back({log_exact(p), log1p_exact(-p)});
  }
  return logs;
}

}  // namespace

QuantileTable maximum_of(const QuantileTable& one, std::uint64_t n) {
  if (n <= 1 || one.is_constant()) return one;
  static const std::vector<LogMasses> logs = log_masses();
  const double share = 1.0 / static_cast<double>(n);
  std::vector<double> lower(QuantileTable::half + 1), upper(QuantileTable::half + 1);
  for (int i = 0; i <= QuantileTable::half; ++i) {
    // F^n = p puts one variable at lower mass p^(1/n): log p is the same number on either side of the median,
    // but each side is written from its smaller mass, so that neither tail is lost.
    const double below = -expm1_exact(logs[i].mass * share), above = -expm1_exact(logs[i].rest * share);
    lower[i] = one.quantile({1.0 - below, below});
    upper[i] = one.quantile({1.0 - above, above});
  }
  upper[0] = lower[0];
  return QuantileTable(std::move(lower), std::move(upper));
}

QuantileTable maximum_of(std::span<const QuantileTable> parts) {
  if (parts.empty()) return QuantileTable([](Mass) { return 0.0; });
  // In pairs, then pairs of pairs: work grows linearly, errors with the logarithm of the number of parts.
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
