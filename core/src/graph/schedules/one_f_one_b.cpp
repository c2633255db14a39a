// SPDX-License-Identifier: Apache-2.0
// 1F1B, the non-interleaved schedule of Narayanan et al. (arXiv 2104.04473, section 2.2): rank r runs p-1-r
// forwards, then alternates, then drains.
#include <algorithm>

#include "graph/schedules/schedules.h"

namespace prism {
namespace {

std::vector<Diagnostic> check(const PipelineShape& shape) { return require_one_chunk(shape, "1f1b"); }

std::vector<ScheduledTask> order(const PipelineShape& shape, std::int64_t rank) {
  const std::int64_t m = shape.micro_batches;
  const std::int64_t warm_up = std::min(shape.ranks - 1 - rank, m);
  std::vector<ScheduledTask> tasks;
  auto add = [&](Pass pass, std::int64_t micro_batch) {
    tasks.push_back({static_cast<std::int32_t>(rank), pass, static_cast<std::int32_t>(micro_batch)});
  };
  for (std::int64_t i = 0; i < warm_up; ++i) add(Pass::forward, i);
  for (std::int64_t i = warm_up; i < m; ++i) {
    add(Pass::forward, i);
    add(Pass::backward, i - warm_up);
  }
  for (std::int64_t i = m - warm_up; i < m; ++i) add(Pass::backward, i);
  return tasks;
}

}  // namespace

const Schedule one_f_one_b = {"1f1b", "virtual_stages = 1", false, check, order};

}  // namespace prism
