// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "study/variants.h"

namespace prism::study {
namespace {

constexpr std::int64_t most_gpus = 131'072;

std::vector<std::int64_t> doubling(std::int64_t first) {
  std::vector<std::int64_t> list;
  for (std::int64_t n = first; n <= most_gpus; n *= 2) list.push_back(n);
  return list;
}

}  // namespace

/// Axes: GPUs, replicas.
std::vector<Diagnostic> plan_scaling(StudyPlan& plan) {
  const StudyQuestion& q = plan.question;
  const Scenario& s = plan.base;
  const std::int64_t replica = s.parallel.tp * s.parallel.cp * s.parallel.pp;
  plan.axes = {"gpus", "replicas"};
  for (std::int64_t gpus : q.gpus.empty() ? doubling(replica) : q.gpus) {
    const std::string name = std::to_string(gpus) + " GPUs";
    if (gpus < replica || gpus % replica != 0) {
      plan.left_out.push_back({name, "one replica takes " + std::to_string(replica) + " GPUs"});
      continue;
    }
    const std::int64_t dp = gpus / replica;
    std::vector<Edit> edits{{"/parallel/dp", std::to_string(dp)},
                            {"/batch/micro", std::to_string(s.batch.micro)}};
    if (q.strong) {
      edits.push_back({"/batch/micro_batches", ""});
      edits.push_back({"/batch/global", std::to_string(s.batch.global)});
    } else {
      edits.push_back({"/batch/global", ""});
      edits.push_back({"/batch/micro_batches", std::to_string(s.batch.micro_batches)});
    }
    if (s.parallel.zero > 0 && s.parallel.dp_shard < s.parallel.dp)
      edits.push_back({"/parallel/dp_shard", std::to_string(std::min(dp, s.parallel.dp_shard))});
    add(plan, name, {static_cast<double>(gpus), static_cast<double>(dp)}, std::move(edits));
  }
  plan.notes.push_back(q.strong ? "Strong scaling: the global batch is kept, so a replica's part shrinks."
                                : "Weak scaling: the batch of a replica is kept, so the global batch grows.");
  return {};
}

}  // namespace prism::study
