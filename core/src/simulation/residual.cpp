// SPDX-License-Identifier: Apache-2.0
#include "simulation/residual.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "distribution/standard_normal.h"

namespace prism {

namespace {

/// Hermite polynomials: nearly orthogonal over normal scores, so the equations are well conditioned.
std::array<double, 4> basis(double z) { return {1, z, z * z - 1, z * (z * z - 3)}; }

/// Solves a x = b for a symmetric positive definite a.
std::array<double, 4> solve(std::array<std::array<double, 4>, 4> a, std::array<double, 4> b) {
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < 4; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  for (std::size_t i = 4; i-- > 0;) {
    for (std::size_t k = i + 1; k < 4; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

std::vector<double> normal_scores(std::size_t n) {
  std::vector<double> scores;
  const double cells = static_cast<double>(n) + 0.25;
  for (std::size_t i = 0; i < n; ++i) {
    const double lower = static_cast<double>(i) + 0.625;
    scores.push_back(detail::normal_quantile({lower / cells, (cells - lower) / cells}));
  }
  return scores;
}

Residual::Residual(std::vector<double> pilot, std::span<const double> scores) {
  std::sort(pilot.begin(), pilot.end());
  std::array<std::array<double, 4>, 4> normal{};
  std::array<double, 4> right{};
  const double centre = pilot[pilot.size() / 2];  // differences from it keep digits
  for (std::size_t i = 0; i < pilot.size(); ++i) {
    const auto h = basis(scores[i]);
    const double x = pilot[i] - centre;
    for (std::size_t j = 0; j < 4; ++j) {
      right[j] += h[j] * x;
      for (std::size_t k = 0; k < 4; ++k) normal[j][k] += h[j] * h[k];
    }
  }
  const auto c = solve(normal, right);
  std::copy(c.begin(), c.end(), coefficient_);
  coefficient_[0] += centre;
  // Its slope is (b - 3d) + 2cz + 3d z^2, positive around 0.
  lowest_ = -40;
  highest_ = 40;
  const double q0 = c[1] - 3 * c[3], q1 = 2 * c[2], q2 = 3 * c[3];
  const auto turn = [&](double z) {
    if (z < 0) lowest_ = std::max(lowest_, z);
    if (z > 0) highest_ = std::min(highest_, z);
  };
  const double inside = q1 * q1 - 4 * q0 * q2;
  if (q2 == 0 && q1 != 0) turn(-q0 / q1);
  if (q2 != 0 && inside >= 0) {
    turn((-q1 + std::sqrt(inside)) / (2 * q2));
    turn((-q1 - std::sqrt(inside)) / (2 * q2));
  }
}

double Residual::at(double z) const {
  const auto h = basis(std::clamp(z, lowest_, highest_));
  return coefficient_[0] * h[0] + coefficient_[1] * h[1] + coefficient_[2] * h[2] + coefficient_[3] * h[3];
}

SampleTable Residual::latest_of(std::int64_t n) const {
  // Without spread the fit is rounding noise.
  if (!(coefficient_[1] > 1e-9)) {
    const double always = coefficient_[0];
    return make_sample_table(QuantileTable([always](Mass) { return always; }));
  }
  static const QuantileTable normal([](Mass m) { return detail::normal_quantile(m); });
  const auto side = [this](std::span<const double> scores, double sign) {
    std::vector<double> values;
    for (const double z : scores) {
      values.push_back(at(z));
      // Rounding must not make it fall.
      if (values.size() > 1 && sign * (values.back() - values[values.size() - 2]) < 0)
        values.back() = values[values.size() - 2];
    }
    return values;
  };
  const QuantileTable one(side(normal.lower_knots(), -1), side(normal.upper_knots(), 1));
  return make_sample_table(maximum_of(one, static_cast<std::uint64_t>(n)));
}

}  // namespace prism
