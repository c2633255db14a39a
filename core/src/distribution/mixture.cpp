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

/// A place where the distribution function is known. `before` differs from `at` where a part has an atom.
struct Point {
  double x;
  Mass before, at;
};

class MixtureLaw {
 public:
  explicit MixtureLaw(std::vector<Part> parts);
  Mass mass(double x) const;
  double quantile(Mass m) const;

 private:
  std::vector<Part> parts_;
  std::vector<Point> points_;  ///< ascending
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
    Point point{place.x, {0, 1}, mass(place.x)};
    if (!place.atom) {
      point.before = point.at;
    } else if (place.x > 0) {
      point.before = mass(place.x * (1 - 0x1p-40));
    }
    points_.push_back(point);
  }
}

double MixtureLaw::quantile(Mass m) const {
  const bool in_lower = m.lower < m.upper;
  const auto reached = [&](const Mass& at) { return in_lower ? at.lower >= m.lower : at.upper <= m.upper; };
  const auto to =
      std::partition_point(points_.begin(), points_.end(), [&](const Point& p) { return !reached(p.at); });
  if (to == points_.end()) return points_.back().x;
  if (to == points_.begin() || !reached(to->before)) return to->x;
  const double target = in_lower ? m.lower : m.upper;
  // Increasing in x on either side; logarithms, because between points mass changes by a factor.
  const auto miss = [&](const Mass& at) {
    return in_lower ? log_exact(at.lower / target) : log_exact(target / at.upper);
  };
  const Point& from = to[-1];
  const double high = miss(to->before);
  if (high <= 0) return to->x;
  return detail::bracketed_root([&](double x) { return miss(mass(x)); }, from.x, miss(from.at), to->x, high,
                                1e-8, 1e-9);
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
    if (!(weights[i] > 0 && weights[i] <= 1e300)) {
      return ParameterFault{"weights", "weight " + std::to_string(i + 1) +
                                           " must be a positive number, not " + detail::number(weights[i])};
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
