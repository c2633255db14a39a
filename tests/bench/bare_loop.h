// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "prism/distribution.h"

namespace prism::bench {

/// The least that any engine of this kind must do: 1F1B on `ranks` ranks and `micro_batches` micro-batches,
/// forward and backward, a compute and a send/receive draw for each; one table, 64 lanes, PCG, 16 operations
/// drawn at a time. No schedule, no keys, no end of step. Returns a number that depends on all of it.
double bare_loop(const SampleTable& table, int ranks, int micro_batches, std::uint64_t seed);
inline std::int64_t bare_loop_draws(int ranks, int micro_batches) {
  return std::int64_t{4} * ranks * micro_batches * 64;
}

}  // namespace prism::bench
