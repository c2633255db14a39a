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
    double activations = 0;      ///< of all micro-batches in flight, at most, bytes
    std::int64_t in_flight = 0;  ///< chunks whose activations are kept at that moment
    double total() const {
      return held.parameters + held.gradients + held.optimizer + held.working + activations;
    }
  };
  std::vector<Rank> rank;  ///< [pp]
  std::size_t largest = 0;
};

/// The estimate may be off by as much: it is 5 to 10 % above another model's, and a run on 80 GiB that did
/// fit is estimated at 88 (docs/cost-model.md).
inline constexpr double memory_uncertainty = 0.15;
enum class Fit { yes, uncertain, no };
Fit fit(double bytes, double gpu_bytes);

/// Empty without a model.
std::optional<MemoryAccount> memory_account(const Workload& workload);
/// A warning if the fullest rank does not fit, beyond doubt.
std::optional<Diagnostic> check_memory(const Workload& workload);

}  // namespace prism
