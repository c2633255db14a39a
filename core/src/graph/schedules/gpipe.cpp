// SPDX-License-Identifier: Apache-2.0
// GPipe (Huang et al., arXiv 1811.06965): all forwards, then all backwards.
#include "graph/schedules/schedules.h"

namespace prism {
namespace {

std::vector<Diagnostic> check(const PipelineShape& shape) { return require_one_chunk(shape, "gpipe"); }

std::vector<ScheduledTask> order(const PipelineShape& shape, std::int64_t rank) {
  std::vector<ScheduledTask> tasks;
  for (Pass pass : {Pass::forward, Pass::backward})
    for (std::int64_t i = 0; i < shape.micro_batches; ++i)
      tasks.push_back({static_cast<std::int32_t>(rank), pass, static_cast<std::int32_t>(i)});
  return tasks;
}

}  // namespace

const Schedule gpipe = {"gpipe", "virtual_stages = 1", false, check, order};

}  // namespace prism
