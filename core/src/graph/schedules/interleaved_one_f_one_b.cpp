// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B of Narayanan et al. (arXiv 2104.04473, section 2.2) in Megatron-LM's order: micro-batches
// go through a rank's chunks in groups of p, rank r runs 2(p-1-r) + (v-1)p forwards before it alternates.
#include <algorithm>
#include <string>

#include "graph/schedules/schedules.h"

namespace prism {
namespace {

std::vector<Diagnostic> check(const PipelineShape& shape) {
  std::vector<Diagnostic> faults;
  if (shape.ranks < 2)
    faults.push_back(
        {Code::inconsistent, "/parallel/pp",
         "interleaved-1f1b needs at least 2 pipeline ranks, found " + std::to_string(shape.ranks),
         "use the schedule 1f1b"});
  else if (shape.virtual_stages < 2)
    faults.push_back({Code::inconsistent, "/parallel/virtual_stages",
                      "interleaved-1f1b needs at least 2 virtual stages a rank, found " +
                          std::to_string(shape.virtual_stages),
                      "use the schedule 1f1b"});
  else if (shape.micro_batches % shape.ranks != 0)
    faults.push_back(
        {Code::not_divisible, "/parallel/schedule",
         "interleaved-1f1b needs a number of micro-batches a replica that is a multiple of pp: " +
             std::to_string(shape.micro_batches) + " mod " + std::to_string(shape.ranks) + " = " +
             std::to_string(shape.micro_batches % shape.ranks),
         "change the global batch, dp or pp"});
  return faults;
}

std::vector<ScheduledTask> order(const PipelineShape& shape, std::int64_t rank) {
  const std::int64_t p = shape.ranks, v = shape.virtual_stages, total = shape.micro_batches * v;
  const std::int64_t warm_up = std::min(2 * (p - 1 - rank) + (v - 1) * p, total);
  std::vector<ScheduledTask> tasks;
  // The k-th pass of a rank: p micro-batches through its first chunk, the same through its second, ...
  auto add = [&](Pass pass, std::int64_t k) {
    const std::int64_t in_group = k % (p * v), nth = in_group / p;
    const std::int64_t chunk = pass == Pass::forward ? nth : v - 1 - nth;
    const std::int64_t micro_batch = k / (p * v) * p + in_group % p;
    tasks.push_back(
        {static_cast<std::int32_t>(chunk * p + rank), pass, static_cast<std::int32_t>(micro_batch)});
  };
  for (std::int64_t k = 0; k < warm_up; ++k) add(Pass::forward, k);
  for (std::int64_t k = warm_up; k < total; ++k) {
    add(Pass::forward, k);
    add(Pass::backward, k - warm_up);
  }
  for (std::int64_t k = total - warm_up; k < total; ++k) add(Pass::backward, k);
  return tasks;
}

}  // namespace

const Schedule interleaved_one_f_one_b = {
    "interleaved-1f1b", "pp >= 2, virtual_stages >= 2, micro-batches a replica a multiple of pp", check,
    order};

}  // namespace prism
