// SPDX-License-Identifier: Apache-2.0
#include "distribution/density_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace prism::detail {
namespace {

/// 8-point Gauss-Legendre rule on [-1, 1] (Abramowitz & Stegun, table 25.4); symmetric.
constexpr double gauss_node[4] = {0.183434642495649804939, 0.525532409916328985818, 0.796666477413626739592,
                                  0.960289856497536231684};
constexpr double gauss_weight[4] = {0.362683783378361982965, 0.313706645877887287338, 0.222381034453374470544,
                                    0.101228536290376259153};

/// The density falls by this many e-folds from its mode before the table ends: mass about 1e-27.
constexpr double depth = 62;

double magnitude(double x) { return x < 0 ? -x : x; }

/// A cell end: position relative to the peak height.
struct End {
  double t;
  LogDensity g;
};

/// Cell ends from the mode outwards (direction +1 or -1). A cell may be as wide as these allow:
/// the density changes by e^2 at most, the log density bends by 0.003, and its cubic through both ends
/// (values and slopes) misses the middle by 2e-7 at most.
std::vector<End> walk(const std::function<LogDensity(double)>& g, const End& mode, double step,
                      int direction) {
  std::vector<End> ends{mode};
  double h = step;
  while (mode.g.value - ends.back().g.value < depth) {
    const End& from = ends.back();
    End to{};
    for (;; h *= 0.7) {
      to.t = from.t + direction * h;
      to.g = g(to.t);
      const double middle = g(from.t + direction * 0.5 * h).value;
      const double chord = 0.5 * (from.g.value + to.g.value);
      const double cubic = chord + direction * h * 0.125 * (from.g.slope - to.g.slope);
      if (magnitude(to.g.value - from.g.value) <= 2 && magnitude(middle - chord) <= 0.003 &&
          magnitude(middle - cubic) <= 2e-7) {
        break;
      }
    }
    ends.push_back(to);
    h *= 1.6;
  }
  return ends;
}

/// Knots t -> log mass on one side, and the same read backwards. `slope` is that of the log mass: density /
/// mass, with the sign of the side. Second derivatives follow from the slope of the log density.
struct Side {
  std::vector<PiecewiseQuintic::Knot> forward, inverse;
  void add(double t, double log_mass, double slope, double density_slope) {
    const double bend = density_slope - slope;
    forward.push_back({t, log_mass, slope, slope * bend});
    inverse.push_back({log_mass, t, 1 / slope, -bend / (slope * slope)});
  }
};

}  // namespace

DensityTable::DensityTable(const std::function<LogDensity(double)>& log_density, double mode, double step) {
  const End peak{mode, log_density(mode)};
  std::vector<End> ends = walk(log_density, peak, step, -1);
  std::reverse(ends.begin(), ends.end());
  const std::vector<End> right = walk(log_density, peak, step, +1);
  ends.insert(ends.end(), right.begin() + 1, right.end());

  const std::size_t cells = ends.size() - 1;
  nodes_.reserve(cells * 8);
  std::vector<double> cell(cells, 0.0);
  for (std::size_t i = 0; i < cells; ++i) {
    const double middle = 0.5 * (ends[i].t + ends[i + 1].t);
    const double radius = 0.5 * (ends[i + 1].t - ends[i].t);
    for (int j = 0; j < 4; ++j) {
      for (const int sign : {-1, 1}) {
        const double t = middle + sign * radius * gauss_node[j];
        const double weight = radius * gauss_weight[j] * exp_exact(log_density(t).value - peak.g.value);
        nodes_.push_back({t, weight});
        cell[i] += weight;
      }
    }
  }
  // Outside the table the density is continued as an exponential with the slope of its end.
  std::vector<double> density(ends.size()), below(ends.size()), above(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) density[i] = exp_exact(ends[i].g.value - peak.g.value);
  below[0] = density[0] / magnitude(ends[0].g.slope);
  for (std::size_t i = 0; i < cells; ++i) below[i + 1] = below[i] + cell[i];
  above[cells] = density[cells] / magnitude(ends[cells].g.slope);
  for (std::size_t i = cells; i-- > 0;) above[i] = above[i + 1] + cell[i];

  const double total = below[cells] + above[cells];
  const double log_total = log_exact(total);
  for (Node& n : nodes_) n.weight /= total;

  Side lower, upper;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const double slope = ends[i].g.slope;
    // Past mass 0.9 a side is never asked for, and its logarithm becomes too flat to invert.
    if (below[i] < 0.9 * total)
      lower.add(ends[i].t, log_exact(below[i]) - log_total, density[i] / below[i], slope);
    if (above[i] < 0.9 * total)
      upper.add(ends[i].t, log_exact(above[i]) - log_total, -density[i] / above[i], slope);
  }
  std::reverse(upper.inverse.begin(), upper.inverse.end());  // increasing in log mass
  lower_.emplace(lower.forward);
  upper_.emplace(upper.forward);
  lower_inverse_.emplace(lower.inverse);
  upper_inverse_.emplace(upper.inverse);
  median_ = quantile({0.5, 0.5});
}

double DensityTable::quantile(Mass m) const {
  // The floor keeps a mass of 0 finite: the log of the smallest double.
  const auto log_mass = [](double p) { return p > 0 ? log_exact(p) : -745.2; };
  return m.lower < m.upper ? (*lower_inverse_)(log_mass(m.lower)) : (*upper_inverse_)(log_mass(m.upper));
}

Mass DensityTable::mass(double t) const {
  if (t < median_) return Mass::below(exp_exact((*lower_)(t)));
  return Mass::above(exp_exact((*upper_)(t)));
}

DensityTable::Moments DensityTable::moments(const std::function<double(double)>& f) const {
  double mean = 0, square = 0;
  std::vector<double> value(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    value[i] = f(nodes_[i].t);
    mean += nodes_[i].weight * value[i];
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    square += nodes_[i].weight * (value[i] - mean) * (value[i] - mean);
  }
  return {mean, std::sqrt(square)};
}

}  // namespace prism::detail
