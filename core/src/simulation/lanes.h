// SPDX-License-Identifier: Apache-2.0
// The engine's inner loops: 64 replicas (of any trials) side by side, structure of arrays, draws in 32-bit
// floats, times in double.
#pragma once

#include <vector>

#include "simulation/compiled.h"
#include "simulation/recording.h"
#include "simulation/rows.h"

namespace prism {

/// Identity of one replica's random streams in one trial.
std::uint64_t replica_key(std::uint64_t seed, std::int64_t trial, std::int64_t replica);

/// Reused from batch to batch.
struct Lanes {
  explicit Lanes(const Compiled& compiled);
  std::uint64_t key[lane_count];  ///< in: who each lane is
  std::vector<double> ends;       ///< out: [pp * lines][lane_count], when what the replica does alone ends

  std::vector<pcg32_oneseq> generator, hop_generator;  ///< [stream][lane_count]
  std::vector<double> link, arrival;
};

/// One draw a chunk from its convolved table (Sampling::chunk).
void simulate_chunks(const Compiled& compiled, Lanes& lanes);
/// One draw a segment and line. Records for `walk` if asked.
void simulate_segments(const Compiled& compiled, Lanes& lanes, Recording<float>* recording = nullptr);

}  // namespace prism
