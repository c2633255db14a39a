// SPDX-License-Identifier: Apache-2.0
// Rare interruptions: how many strike a replica in a step, and where. They are events of their own, never
// part of a table: a convolved tail could not hold them.
#pragma once

#include <cstdint>
#include <pcg_random.hpp>
#include <vector>

#include "simulation/compiled.h"

namespace prism {

/// One delay in a replica. Tasks from 0; what a pipeline rank r does alone after them is `tasks + r`.
struct Strike {
  std::int32_t place;
  bool hop;  ///< the transfer that the chunk sends, else the chunk
  std::uint8_t lane;
  std::int32_t line;  ///< which of the lines, among those that are propagated
  Kind kind;
  float seconds;
};

/// Goes through a batch's strikes in the order of places.
class StrikeQueue {
 public:
  explicit StrikeQueue(const std::vector<Strike>& strikes) : strikes_(strikes) {}
  /// Calls use(strike) for those at this place.
  template <class Use>
  void at(std::size_t place, Use use) {
    while (next_ < strikes_.size() && static_cast<std::size_t>(strikes_[next_].place) == place)
      use(strikes_[next_++]);
  }

 private:
  const std::vector<Strike>& strikes_;
  std::size_t next_ = 0;
};

class Stalls {
 public:
  explicit Stalls(const Compiled& compiled);
  bool any() const { return !causes_.empty(); }
  /// The largest mean number of strikes a step, of one replica.
  double mean_count() const;

  /// Whether the replica with this key is struck at all.
  bool strikes(std::uint64_t replica_key) const {
    for (const Cause& cause : causes_)
      if (!cause.places.empty() && uniform(pcg32_oneseq(mix64(replica_key ^ cause.key))()) >= cause.count[0])
        return true;
    return false;
  }
  /// Its strikes, in no particular order.
  void append(std::uint64_t replica_key, std::uint8_t lane, std::vector<Strike>& to) const;
  /// Delays at the end of the step, when replicas have met: added to [section][pp * lines], and the whole
  /// job's collective to [section].
  void at_end(std::uint64_t seed, std::int64_t trial, std::vector<std::vector<double>>& rows,
              std::vector<double>& world) const;

  /// Delays of the reductions beside compute, added to [reductions * data groups].
  void beside_backward(std::uint64_t seed, std::int64_t trial, std::vector<double>& delay) const;

 private:
  static double uniform(std::uint32_t word) { return (static_cast<double>(word) + 0.5) / 4294967296.0; }
  struct Place {
    std::int32_t place;
    bool hop;
    Kind kind;
    float hidden_s;  ///< of the delay, what compute beside the collective still hides
  };
  struct Cause {
    std::uint64_t key, end_key, reduction_key;
    LawBook::Law duration;
    std::vector<double> count;  ///< P(N <= n)
    std::vector<Place> places;
    std::vector<double> weight;                     ///< cumulative, over places
    std::vector<std::vector<double>> section_mean;  ///< [section][pp]
    std::vector<double> world_mean;                 ///< [section]
    std::vector<double> reduction_mean;             ///< [reductions]
  };
  static std::int64_t count_of(double mean, std::uint32_t word);
  std::int64_t draw_count(const Cause& cause, std::uint32_t word) const;
  const Compiled& c_;
  std::vector<Cause> causes_;
};

}  // namespace prism
