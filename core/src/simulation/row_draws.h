// SPDX-License-Identifier: Apache-2.0
// What is drawn for a row of lanes.
#pragma once

#include "simulation/lanes.h"

namespace prism {

/// A line's compute where ranks are held at a quantile: the quantile, or with one line for all ranks the
/// larger. `micro_batch`: -1 for none.
void hold(const Compiled& compiled, const Lanes& lanes, const Draw& draw, std::size_t rank, std::size_t line,
          std::int32_t micro_batch, float* row);
/// A transfer or exchange that takes at least so long on a line.
void hold_above(const std::vector<float>& at_least_s, std::size_t line, float* row);
/// What a draw comes to with what its rank and micro-batch share.
void draw_shared(const Compiled& compiled, const Lanes& lanes, const Draw& draw, std::size_t rank,
                 std::size_t line, std::int32_t micro_batch, pcg32_oneseq* generator, float* row);

}  // namespace prism
