// SPDX-License-Identifier: Apache-2.0
// Interleaved 1F1B of Narayanan et al. (arXiv 2104.04473, section 2.2) in Megatron-LM's order: micro-batches
// go through a rank's chunks in groups of p, rank r runs 2(p-1-r) + (v-1)p forwards before it alternates.
#include <algorithm>
#include <string>

#include "graph/schedules/schedules.h"

namespace prism {
namespace {

std::vector<Diagnostic> check_virtual_stages(const PipelineShape& shape) {
  std::vector<Diagnostic> faults;
  if (shape.ranks < 2)
    faults.push_back(
        {Code::inconsistent, "/parallel/pp",
         "an interleaved schedule needs at least 2 pipeline ranks, found " + std::to_string(shape.ranks),
         "use the schedule 1f1b"});
  else if (shape.virtual_stages < 2)
    faults.push_back({Code::inconsistent, "/parallel/virtual_stages",
                      "an interleaved schedule needs at least 2 virtual stages a rank, found " +
                          std::to_string(shape.virtual_stages),
                      "use the schedule 1f1b"});
  return faults;
}

std::vector<Diagnostic> check_relaxed(const PipelineShape& shape) {
  std::vector<Diagnostic> faults = check_virtual_stages(shape);
  if (faults.empty() && shape.micro_batches < shape.ranks)
    faults.push_back({Code::out_of_range, "/parallel/schedule",
                      "interleaved-1f1b-relaxed needs at least pp micro-batches a replica: found " +
                          std::to_string(shape.micro_batches) + " with pp " + std::to_string(shape.ranks),
                      "change the global batch, dp or pp"});
  return faults;
}

std::vector<Diagnostic> check(const PipelineShape& shape) {
  std::vector<Diagnostic> faults = check_virtual_stages(shape);
  if (faults.empty() && shape.micro_batches % shape.ranks != 0)
    faults.push_back(
        {Code::not_divisible, "/parallel/schedule",
         "interleaved-1f1b needs a number of micro-batches a replica that is a multiple of pp: " +
             std::to_string(shape.micro_batches) + " mod " + std::to_string(shape.ranks) + " = " +
             std::to_string(shape.micro_batches % shape.ranks),
         "change the global batch, dp or pp, or use the schedule interleaved-1f1b-relaxed"});
  return faults;
}

/// Sizes of the groups in which micro-batches go through the chunks: as many of p or more as there can be,
/// the larger ones first; all of p where p divides the micro-batches.
std::vector<std::int64_t> groups(const PipelineShape& shape) {
  const std::int64_t count = shape.micro_batches / shape.ranks, size = shape.micro_batches / count;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), size);
  for (std::int64_t i = 0; i < shape.micro_batches % count; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

std::vector<ScheduledTask> order(const PipelineShape& shape, std::int64_t rank) {
  const std::int64_t p = shape.ranks, v = shape.virtual_stages;
  const std::vector<std::int64_t> sizes = groups(shape);
  // A group goes through a rank's first chunk, then through its second, ...; backward the other way round.
  std::vector<ScheduledTask> forward, backward;
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    for (std::int64_t nth = 0; nth < v; ++nth)
      for (std::int64_t i = first; i < first + size; ++i) {
        const auto micro_batch = static_cast<std::int32_t>(i);
        forward.push_back({static_cast<std::int32_t>(nth * p + rank), Pass::forward, micro_batch});
        backward.push_back(
            {static_cast<std::int32_t>((v - 1 - nth) * p + rank), Pass::backward, micro_batch});
      }
    first += size;
  }
  const auto total = forward.size();
  const auto warm_up =
      std::min(static_cast<std::size_t>(2 * (p - 1 - rank) + (v - 1) * sizes.front()), total);
  std::vector<ScheduledTask> tasks(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(warm_up));
  for (std::size_t k = warm_up; k < total; ++k) {
    tasks.push_back(forward[k]);
    tasks.push_back(backward[k - warm_up]);
  }
  tasks.insert(tasks.end(), backward.end() - static_cast<std::ptrdiff_t>(warm_up), backward.end());
  return tasks;
}

}  // namespace

const Schedule interleaved_one_f_one_b = {
    "interleaved-1f1b", "pp >= 2, virtual_stages >= 2, micro-batches a replica a multiple of pp", false,
    check, order};

const Schedule interleaved_one_f_one_b_relaxed = {
    "interleaved-1f1b-relaxed", "pp >= 2, virtual_stages >= 2, at least pp micro-batches a replica", false,
    check_relaxed, order};

}  // namespace prism
