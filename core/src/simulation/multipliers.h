// SPDX-License-Identifier: Apache-2.0
// What shared causes make of a row of lanes.
#pragma once

#include <algorithm>

#include "simulation/lanes.h"

namespace prism {

/// Starts a step.
inline void clear(Lanes& lanes) {
  std::fill(lanes.ends.begin(), lanes.ends.end(), 0.0);
  std::fill(lanes.link.begin(), lanes.link.end(), 0.0);
  std::fill(lanes.reduced.begin(), lanes.reduced.end(), 0.0);
}

/// Multipliers of a mix at a rank and line; null where nothing acts.
inline const float* multiplier(const Compiled& c, const Lanes& lanes, Causes::Mix mix, std::size_t rank,
                               std::size_t line) {
  if (mix == 0) return nullptr;
  const auto row = (static_cast<std::size_t>(mix) * static_cast<std::size_t>(c.workload.pp) + rank) *
                       static_cast<std::size_t>(c.lines) +
                   line;
  return &lanes.mix[row * lane_count];
}
inline const float* micro_multiplier(const Compiled& c, const Lanes& lanes, Causes::Mix mix,
                                     std::int32_t micro_batch) {
  if (lanes.micro.empty() || !lanes.mix_micro[mix]) return nullptr;
  return &lanes.micro[(static_cast<std::size_t>(mix) * static_cast<std::size_t>(c.workload.micro_batches) +
                       static_cast<std::size_t>(micro_batch)) *
                      lane_count];
}
inline void scale_if(float* row, const float* by) {
  if (by) scale_row(row, by);
}

}  // namespace prism
