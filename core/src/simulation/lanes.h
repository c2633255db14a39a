// SPDX-License-Identifier: Apache-2.0
// The engine's inner loops: 64 replicas (of any trials) side by side, structure of arrays, draws in 32-bit
// floats, times in double.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "simulation/compiled.h"
#include "simulation/recording.h"
#include "simulation/rows.h"
#include "simulation/shared_draws.h"
#include "simulation/stalls.h"

namespace prism {

/// Identity of a replica's random streams, and of those in one trial.
std::uint64_t replica_name(std::int64_t replica);
std::uint64_t replica_key(std::uint64_t seed, std::int64_t trial, std::int64_t replica);

/// Draws of many streams, two rows of a stream at a time: one from each half of the lanes' words.
class PairedDraws {
 public:
  explicit PairedDraws(std::size_t streams)
      : generator_(streams * lane_count), rows_(2 * generator_.size()), second_(streams, 0) {}

  /// Starts each stream from its cause.
  void start(const std::uint64_t* key, const std::vector<std::uint64_t>& cause);
  /// The stream's next draws, the caller's to change. A stream keeps to its bucket.
  float* next(std::size_t stream, const SampleTable::Bucket* bucket);

 private:
  std::vector<PairGenerator> generator_;  ///< [stream][lane_count]
  std::vector<float> rows_;               ///< [stream][2][lane_count]
  std::vector<char> second_;              ///< whether the stream's second row is still to come
};

/// Reused from batch to batch.
struct Lanes {
  explicit Lanes(const Compiled& compiled);
  const Compiled::Replica* replica = nullptr;  ///< in: what the lanes draw
  std::uint64_t key[lane_count];               ///< in: who each lane is
  std::vector<double> ends;  ///< out: [pp * lines][lane_count], when what the replica does alone ends

  // Of gradients that are reduced beside compute; empty without any.
  std::vector<double> tail;     ///< in: [reductions * lines][lane_count], as in SharedDraws
  std::vector<double> reduced;  ///< [pp * lines][lane_count], when the last of them is done

  std::array<PairedDraws, 2> chunks;  ///< by stream: compute and communication of a chunk
  std::vector<pcg32_oneseq> segment_generator;
  PairedDraws transfers;
  std::vector<double> link, arrival;

  // What shared causes make of each lane; empty without any.
  std::vector<float> mix;        ///< [(mix * pp + rank) * lines + line][lane_count]
  std::vector<float> micro;      ///< [mix * micro-batches + micro-batch][lane_count]; empty: none
  std::vector<char> mix_micro;   ///< [mix]
  std::vector<float> hop;        ///< [2 * pp][lane_count]; of what a rank sends forward and backward
  std::vector<float> embedding;  ///< [lane_count]
  std::vector<Strike> strikes;   ///< by place
};

/// One lane's replica: which of the steps in the shared draws, and the replica.
struct Pair {
  std::int32_t step, replica;
};

/// In batches of at most lane_count that draw from the same laws; pairs are ordered by these.
std::vector<std::span<const Pair>> batches(const Compiled& compiled, std::vector<Pair>& pairs);

/// Makes the lanes these pairs' (at most lane_count, the last one fills the rest), with no place held at a
/// quantile. `steps` are those of `shared`. Without `stalls` none strike.
void load(const Compiled& compiled, const SharedDraws& shared, const Stalls* stalls, std::uint64_t seed,
          std::span<const Step> steps, std::span<const Pair> pairs, Lanes& lanes);

/// Once a line's chunk has run: when the gradients that it completes are reduced, from its first reduction
/// on. No chunk waits for that. `begin`: when it began, by lane. Where in the chunk a layer's are complete is
/// taken as its share of the medians. Returns the next chunk's first reduction.
std::size_t reduce_gradients(const Compiled& compiled, Lanes& lanes, std::size_t first, std::size_t line,
                             const double* begin);

/// Every draw at its mean: what the lasting causes alone make of a replica. Without stalls.
void simulate_means(const Compiled& compiled, Lanes& lanes);
/// One draw a chunk and class from its convolved table (Sampling::chunk).
void simulate_chunks(const Compiled& compiled, Lanes& lanes);
/// One draw a segment and line. Records for `walk` if asked.
void simulate_segments(const Compiled& compiled, Lanes& lanes, Recording<float>* recording = nullptr);

}  // namespace prism
