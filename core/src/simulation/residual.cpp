// SPDX-License-Identifier: Apache-2.0
#include "simulation/residual.h"

#include <algorithm>
#include <cmath>

#include "distribution/standard_normal.h"

namespace prism {

double makespan(const Compiled& c, const float* ends, std::size_t lane) {
  double latest = 0;
  const auto lines = static_cast<std::size_t>(c.lines);
  for (std::size_t row = 0; row < static_cast<std::size_t>(c.workload.pp) * lines; ++row)
    latest = std::max(
        latest, static_cast<double>(ends[row * lane_count + lane]) + c.sections[0].rank[row / lines].mean_s);
  return latest;
}

Residual::Residual(std::span<const double> pilot) {
  const auto n = static_cast<double>(pilot.size());
  mean_ = sum_compensated(pilot) / n;
  double square = 0, cube = 0;
  for (double x : pilot) {
    const double d = x - mean_;
    square += d * d;
    cube += d * d * d;
  }
  sd_ = std::sqrt(square / n);
  skewness_ = sd_ > 0 ? cube / n / (sd_ * sd_ * sd_) : 0;
}

SampleTable Residual::largest_of(std::int64_t n) const {
  if (!(sd_ > 1e-9 * mean_)) return make_sample_table(QuantileTable([this](Mass) { return mean_; }));
  // Beyond this point, far in the thin tail, the expansion would bend back: there the law is flat.
  const double turn = skewness_ == 0 ? 0 : -3 / skewness_;
  const QuantileTable one([&](Mass m) {
    double u = detail::normal_quantile(m);
    if (skewness_ > 0) u = std::max(u, turn);
    if (skewness_ < 0) u = std::min(u, turn);
    return mean_ + sd_ * (u + skewness_ / 6 * (u * u - 1));
  });
  return make_sample_table(maximum_of(one, static_cast<std::uint64_t>(n)));
}

}  // namespace prism
