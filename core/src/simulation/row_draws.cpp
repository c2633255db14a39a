// SPDX-License-Identifier: Apache-2.0
#include "simulation/row_draws.h"

#include <algorithm>

#include "simulation/multipliers.h"

namespace prism {

void hold(const Compiled& c, const Lanes& lanes, const Draw& d, std::size_t rank, std::size_t line,
          std::int32_t micro_batch, float* row) {
  if (d.held_s.empty() || d.held_s[line] == 0) return;
  float held[lane_count];
  std::fill_n(held, lane_count, d.held_s[line]);
  scale_if(held, multiplier(c, lanes, d.held_mix, rank, line));
  if (micro_batch >= 0) scale_if(held, micro_multiplier(c, lanes, d.held_mix, micro_batch));
  if (c.lines > 1)
    std::copy_n(held, lane_count, row);
  else
    raise_float_row(row, held);
}

void draw_shared(const Compiled& c, const Lanes& lanes, const Draw& d, std::size_t rank, std::size_t line,
                 std::int32_t micro_batch, pcg32_oneseq* generator, float* row) {
  draw_row(generator, c.bucket(d.whole == LawBook::none ? d.law : d.whole), row);
  scale_if(row, multiplier(c, lanes, d.mix, rank, line));
  scale_if(row, micro_multiplier(c, lanes, d.mix, micro_batch));
  if (d.whole == LawBook::none) return hold(c, lanes, d, rank, line, micro_batch, row);
  float hidden[lane_count], earlier[lane_count];
  std::fill_n(hidden, lane_count, d.hidden_s);
  scale_if(hidden, multiplier(c, lanes, d.hidden_mix, rank, line));
  scale_if(hidden, micro_multiplier(c, lanes, d.hidden_mix, micro_batch));
  std::fill_n(earlier, lane_count, d.earlier_s);
  scale_if(earlier, multiplier(c, lanes, d.mix, rank, line));
  scale_if(earlier, micro_multiplier(c, lanes, d.mix, micro_batch));
  for (std::size_t k = 0; k < lane_count; ++k)
    row[k] = std::max(0.0f, row[k] - std::max(0.0f, hidden[k] - earlier[k]));
}

void hold_above(const std::vector<float>& at_least_s, std::size_t line, float* row) {
  if (at_least_s.empty() || at_least_s[line] == 0) return;
  float least[lane_count];
  std::fill_n(least, lane_count, at_least_s[line]);
  raise_float_row(row, least);
}

}  // namespace prism
