// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "simulation/lanes.h"

namespace prism {

/// What a replica that is not simulated may do to the step: its makespan, as a law estimated from a pilot.
/// Makespan = latest over the ranks of (end of what the replica does alone + mean of the first section).
double makespan(const Compiled& compiled, const float* ends, std::size_t lane);

/// Pilot simulations a residual is estimated from. 16,384 put the maximum over many replicas within about
/// 0.02 of a makespan's standard deviation.
inline constexpr std::int64_t pilot_size = 16384;

/// Mean, standard deviation and skewness of a replica's makespan, turned into quantiles by the Cornish-Fisher
/// expansion. A table of the raw samples would be cut at their maximum, which is where the slowest of many
/// replicas lies. Condition: a makespan is a sum over hundreds of chunks, so nearly normal; the check phase
/// measures what is left.
class Residual {
 public:
  explicit Residual(std::span<const double> pilot);
  /// Law of the largest of n makespans.
  SampleTable largest_of(std::int64_t n) const;

 private:
  double mean_, sd_, skewness_;
};

}  // namespace prism
