// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/compiled.h"

namespace prism {

/// Trials of one unit of Phase::attribution.
inline constexpr std::int64_t attribution_unit = 64;

/// One trial of the segment path: what its critical path and its ranks spent. Of the ranks' replicas, the one
/// that decided the step.
struct AttributedTrial {
  double step_s = 0;
  BySeconds critical_path{};
  std::vector<double> compute, communication;  ///< [pp]
};

/// Trials first ... first + count - 1 (count <= attribution_unit), simulating replicas 0 ... replicas - 1.
std::vector<AttributedTrial> attribute(const Compiled& compiled, std::uint64_t seed, std::int64_t first,
                                       std::int64_t count, std::int64_t replicas);

/// Whether the record of one batch fits; beyond, a run goes without attribution.
bool can_attribute(const Compiled& compiled);

}  // namespace prism
