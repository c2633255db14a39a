// SPDX-License-Identifier: Apache-2.0
// ZB-H1 of Qi et al. (arXiv 2401.10241): 1F1B with the gradients of the weights played apart. Rank r puts
// those of r micro-batches off to the end, where it would wait, and so holds as many activations as 1F1B's
// first rank does.
#include <algorithm>

#include "graph/schedules/schedules.h"

namespace prism {
namespace {

std::vector<Diagnostic> check(const PipelineShape& shape) { return require_one_chunk(shape, "zb-h1"); }

std::vector<ScheduledTask> order(const PipelineShape& shape, std::int64_t rank) {
  const std::int64_t m = shape.micro_batches;
  const std::int64_t warm_up = std::min(shape.ranks - 1 - rank, m);
  std::vector<ScheduledTask> tasks;
  const auto add = [&](Pass pass, std::int64_t micro_batch) {
    tasks.push_back({static_cast<std::int32_t>(rank), pass, static_cast<std::int32_t>(micro_batch)});
  };
  // A backward pass, and the weights of the micro-batch that is `rank` before it.
  const auto back = [&](std::int64_t micro_batch) {
    add(Pass::backward, micro_batch);
    if (micro_batch >= rank) add(Pass::weight, micro_batch - rank);
  };
  for (std::int64_t i = 0; i < warm_up; ++i) add(Pass::forward, i);
  for (std::int64_t i = warm_up; i < m; ++i) {
    add(Pass::forward, i);
    back(i - warm_up);
  }
  for (std::int64_t i = m - warm_up; i < m; ++i) back(i);
  for (std::int64_t i = std::max<std::int64_t>(0, m - rank); i < m; ++i) add(Pass::weight, i);
  return tasks;
}

}  // namespace

const Schedule zb_h1 = {"zb-h1", "virtual_stages = 1", true, check, order};

}  // namespace prism
