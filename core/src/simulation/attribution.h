// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/trials.h"

namespace prism {

/// Trials of one unit of Phase::attribution.
inline constexpr std::int64_t attribution_unit = 64;

/// One trial of the segment path: what its critical path and its ranks spent. Of the ranks' replicas, the one
/// that decided the step.
struct AttributedTrial {
  double step_s = 0;
  BySeconds critical_path{};
  std::vector<double> compute, communication;  ///< [pp]
  std::int32_t replica = 0;                    ///< that decided the step
  std::size_t row = 0;                         ///< its (rank, line) that did
};

/// These steps (at most attribution_unit), over the replicas that `effort` lists for each. `recording` is
/// overwritten.
std::vector<AttributedTrial> attribute(Player& player, std::span<const Step> steps, const Effort& effort,
                                       Recording<float>& recording);

/// Whether the record of one batch fits; beyond, a run goes without attribution.
bool can_attribute(const Compiled& compiled);

}  // namespace prism
