// SPDX-License-Identifier: Apache-2.0
// What the GPUs of each pipeline rank hold at most, and whether it fits.
#pragma once

#include <optional>
#include <vector>

#include "prism/workload.h"

namespace prism {

struct MemoryAccount {
  struct Rank {
    RankMemory held;
    double activations = 0;         ///< of all micro-batches in flight, at most, bytes
    std::int64_t in_flight = 0;     ///< chunks whose activations are kept at that moment
    double total() const {
      return held.parameters + held.gradients + held.optimizer + held.working + activations;
    }
  };
  std::vector<Rank> rank;  ///< [pp]
  std::size_t largest = 0;
};

/// Empty without a model.
std::optional<MemoryAccount> memory_account(const Workload& workload);
/// A warning if the fullest rank does not fit.
std::optional<Diagnostic> check_memory(const Workload& workload);

}  // namespace prism
