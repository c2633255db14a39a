// SPDX-License-Identifier: Apache-2.0
#include "graph/schedules/schedules.h"

#include <array>
#include <string>

namespace prism {

std::span<const Schedule> schedules() {
  static const std::array all = {gpipe, one_f_one_b, interleaved_one_f_one_b, interleaved_one_f_one_b_relaxed,
                                 zb_h1};
  return all;
}

const Schedule* find_schedule(std::string_view name) {
  for (const Schedule& s : schedules())
    if (s.name == name) return &s;
  return nullptr;
}

std::vector<Diagnostic> require_one_chunk(const PipelineShape& shape, std::string_view schedule) {
  if (shape.virtual_stages == 1) return {};
  return {{Code::inconsistent, "/parallel/virtual_stages",
           std::string(schedule) + " runs one virtual stage a rank, found " +
               std::to_string(shape.virtual_stages),
           "set virtual_stages to 1, or use the schedule interleaved-1f1b"}};
}

}  // namespace prism
