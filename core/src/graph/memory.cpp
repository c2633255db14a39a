// SPDX-License-Identifier: Apache-2.0
#include "graph/memory.h"

#include <cstdio>

#include "prism/graph.h"

namespace prism {
namespace {

std::string gib(double bytes) {
  char text[32];
  const double n = bytes / 1073741824.0;
  std::snprintf(text, sizeof text, n > 0 && n < 0.1 ? "%.2g GiB" : "%.1f GiB", n);
  return text;
}

}  // namespace

Fit fit(double bytes, double gpu_bytes) {
  if (bytes > gpu_bytes * (1 + memory_uncertainty)) return Fit::no;
  return bytes > gpu_bytes / (1 + memory_uncertainty) ? Fit::uncertain : Fit::yes;
}

std::optional<MemoryAccount> memory_account(const Workload& w) {
  if (w.memory.empty()) return std::nullopt;
  // The schedule's own order says how many forward passes a rank is ahead of their backward passes.
  const Schedule* schedule = find_schedule(w.schedule);
  if (!schedule) return std::nullopt;
  // Inputs of the products are needed until the gradients of their weights are done.
  const Pass release = splits_weight_gradients(w.schedule) ? Pass::weight : Pass::backward;
  MemoryAccount account;
  for (std::int64_t r = 0; r < w.pp; ++r) {
    MemoryAccount::Rank rank;
    rank.held = w.memory[static_cast<std::size_t>(r)];
    double now = 0;
    std::int64_t chunks = 0;
    for (const ScheduledTask& t : schedule->order({w.pp, w.virtual_stages, w.micro_batches}, r)) {
      const double bytes = w.stage_activations[static_cast<std::size_t>(t.stage)];
      if (t.pass == Pass::forward) {
        now += bytes;
        ++chunks;
        if (now > rank.activations) rank.activations = now, rank.in_flight = chunks;
      } else if (t.pass == release) {
        now -= bytes;
        --chunks;
      }
    }
    account.rank.push_back(rank);
    if (rank.total() > account.rank[account.largest].total()) account.largest = static_cast<std::size_t>(r);
  }
  return account;
}

std::optional<Diagnostic> check_memory(const Workload& w) {
  const auto account = memory_account(w);
  if (!account) return std::nullopt;
  const MemoryAccount::Rank& r = account->rank[account->largest];
  if (fit(r.total(), w.gpu_memory_bytes) != Fit::no) return std::nullopt;
  return Diagnostic{Code::too_large, "/cluster/gpu",
                    "this does not fit: pipeline rank " + std::to_string(account->largest) + " holds about " +
                        gib(r.total()) + " a GPU (parameters " + gib(r.held.parameters) + ", gradients " +
                        gib(r.held.gradients) + ", optimizer " + gib(r.held.optimizer) + ", activations " +
                        gib(r.activations + r.held.working) + "), the GPU has " + gib(w.gpu_memory_bytes),
                    "recompute more, shard more (zero, dp_shard), or split further (tp, cp, pp); times are "
                    "computed all the same",
                    Severity::warning};
}

}  // namespace prism
