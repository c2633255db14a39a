// SPDX-License-Identifier: Apache-2.0
// A mixture draws one of its parts by weight, then a value from that part. Its distribution function is the
// weighted sum of the parts'; its quantile function has no closed form and is found on that sum, between
// prepared points.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "distribution/family.h"
#include "distribution/roots.h"

namespace prism {
namespace {

struct Part {
  double weight;
  Distribution law;
};

/// A place where the distribution function is known, and P(X < x), P(X >= x) there.
struct Point {
  double x;
  Mass before;
};

class MixtureLaw {
 public:
  explicit MixtureLaw(std::vector<Part> parts);
  Mass mass(double x) const;
  double quantile(Mass m) const;

 private:
  std::vector<Part> parts_;
  std::vector<Point> points_;          ///< ascending
  std::vector<double> lower_, upper_;  ///< P(X <= x), P(X > x) at the points: what a quantile is searched in
};

Mass MixtureLaw::mass(double x) const {
  Mass sum{0, 0};
  for (const Part& p : parts_) {
    const Mass m = p.law.mass(x);
    sum.lower += p.weight * m.lower;
    sum.upper += p.weight * m.upper;
  }
  return sum;
}

MixtureLaw::MixtureLaw(std::vector<Part> parts) : parts_(std::move(parts)) {
  // Four points an octave of mass of every part, on both sides, somewhat beyond what tables ask for.
  constexpr int per_octave = 4, octaves = 56;
  struct Place {
    double x;
    bool atom;
  };
  std::vector<Place> places;
  for (const Part& p : parts_) {
    const std::size_t first = places.size();
    for (const bool upper : {false, true}) {
      double start = 0.5;
      for (int octave = 0; octave < octaves; ++octave, start *= 0.5) {
        for (int step = 0; step < per_octave; ++step) {
          const double v = start * (1.0 - 0.5 * step / per_octave);
          places.push_back({p.law.quantile(upper ? Mass::above(v) : Mass::below(v)), false});
        }
      }
    }
    // An atom shows as a value that neighbouring masses share.
    std::sort(places.begin() + static_cast<std::ptrdiff_t>(first), places.end(),
              [](const Place& a, const Place& b) { return a.x < b.x; });
    const bool never_varies = p.law.is_constant();
    for (std::size_t i = first + 2; i < places.size(); ++i) {
      if (never_varies || (places[i].x == places[i - 1].x && places[i].x == places[i - 2].x))
        places[i].atom = true;
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.x < b.x || (a.x == b.x && a.atom > b.atom); });
  for (const Place& place : places) {
    if (!points_.empty() && points_.back().x == place.x) continue;
    const Mass at = mass(place.x);
    Mass before = at;
    if (place.atom) before = place.x > 0 ? mass(place.x * (1 - 0x1p-40)) : Mass{0, 1};
    points_.push_back({place.x, before});
    lower_.push_back(at.lower);
    upper_.push_back(at.upper);
  }
}

double MixtureLaw::quantile(Mass m) const {
  const bool in_lower = m.lower < m.upper;
  const double target = in_lower ? m.lower : m.upper;
  const std::size_t to = static_cast<std::size_t>(
      in_lower ? std::partition_point(lower_.begin(), lower_.end(), [&](double p) { return p < target; }) -
                     lower_.begin()
               : std::partition_point(upper_.begin(), upper_.end(), [&](double q) { return q > target; }) -
                     upper_.begin());
  if (to == points_.size()) return points_.back().x;
  if (to == 0) return points_.front().x;
  const Point& low = points_[to - 1];
  const Point& high = points_[to];
  // Increasing in x on either side; logarithms, because between points mass changes by a factor.
  const auto miss = [&](const Mass& at) {
    return in_lower ? log_exact(at.lower / target) : log_exact(target / at.upper);
  };
  const double miss_high = miss(high.before);
  if (miss_high <= 0) return high.x;  // the jump of an atom, or exactly this point
  const double miss_low = miss(in_lower ? Mass{lower_[to - 1], 0} : Mass{0, upper_[to - 1]});
  const auto search = [&](double a, double miss_a, double b, double miss_b) {
    return detail::bracketed_root([&](double v) { return miss(mass(v)); }, a, miss_a, b, miss_b, 1e-8, 1e-8);
  };
  constexpr double exact = 1e-10;
  if (miss_low > -exact) return low.x;
  if (miss_high < exact) return high.x;
  if (!(miss_low > -1)) return search(low.x, miss_low, high.x, miss_high);  // from no mass at all
  // Where the straight line is nearly right, the parabola through its miss and both ends is right to 1e-6.
  const double x = low.x - miss_low / (miss_high - miss_low) * (high.x - low.x);
  const double y = miss(mass(x));
  if (std::fabs(y) < 0.01 * (miss_high - miss_low)) {
    const double before = (x - low.x) / (y - miss_low), after = (high.x - x) / (miss_high - y);
    return x - y * (before - miss_low * (after - before) / (miss_high - miss_low));
  }
  return y < 0 ? search(x, y, high.x, miss_high) : search(low.x, miss_low, x, y);
}

}  // namespace

std::variant<Distribution, ParameterFault> make_mixture(std::span<const double> weights,
                                                        std::span<const Distribution> parts) {
  if (parts.empty()) return ParameterFault{"parts", "a mixture needs at least one part"};
  if (weights.size() != parts.size()) {
    return ParameterFault{"weights", "there are " + std::to_string(weights.size()) + " weights for " +
                                         std::to_string(parts.size()) + " parts"};
  }
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0 && weights[i] <= detail::largest)) {
      return ParameterFault{"weights", "weight " + std::to_string(i + 1) +
                                           " must be positive and at most 1e+25, not " +
                                           detail::number(weights[i])};
    }
    total += weights[i];
  }
  std::vector<Part> owned;
  // About the first part's mean, so that equal constants give an sd of exactly 0.
  const double origin = parts[0].mean();
  double offset = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    owned.push_back({weights[i] / total, parts[i]});
    offset += owned[i].weight * (parts[i].mean() - origin);
  }
  double variance = 0;
  for (const Part& p : owned) {
    const double d = (p.law.mean() - origin) - offset;
    variance += p.weight * (p.law.sd() * p.law.sd() + d * d);
  }
  auto law = std::make_shared<const MixtureLaw>(std::move(owned));
  return Distribution({"mixture", [law](Mass m) { return law->quantile(m); }, origin + offset,
                       std::sqrt(variance), [law](double x) { return law->mass(x); }});
}

}  // namespace prism
