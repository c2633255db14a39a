// SPDX-License-Identifier: Apache-2.0
#include "prism/evidence_prediction.h"

namespace prism {

OperatorTrace with_steps(const OperatorTrace& trace, std::span<const int> which) {
  OperatorTrace out;
  out.replicas = trace.replicas;
  out.stages = trace.stages;
  out.ops = trace.ops;
  out.ranks = trace.ranks;
  for (const int s : which) out.step_numbers.push_back(trace.step_numbers[static_cast<std::size_t>(s)]);
  const auto steps = static_cast<std::size_t>(trace.steps());
  for (std::size_t op = 0; op < trace.ops.size(); ++op)
    for (const int s : which) {
      out.start.push_back(trace.start[op * steps + static_cast<std::size_t>(s)]);
      out.duration.push_back(trace.duration[op * steps + static_cast<std::size_t>(s)]);
    }
  return out;
}

}  // namespace prism
