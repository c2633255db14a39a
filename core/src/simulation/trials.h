// SPDX-License-Identifier: Apache-2.0
// Plays trials: shared draws first, then the list of replicas worth simulating, then those, and for the rest
// one draw of when they are done. The exact path is the same with a list that holds every replica.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulation/finish.h"
#include "simulation/lanes.h"
#include "simulation/residual.h"
#include "simulation/screening.h"

namespace prism {

/// How many replicas are worth what. 0 rest: every replica is simulated.
struct Effort {
  std::int64_t simulated = 0;  ///< R: latest by their means
  std::int64_t played = 0;     ///< of which the means are played
  std::int64_t shortlist = 0;  ///< W: the latest by the guess; the others are never the latest
};

struct Trial {
  double step_s;
  bool by_residual;  ///< a replica that was not simulated decided
};

/// What looking at some replicas' means has taught.
struct Screened {
  Guess guess;
  double spread;  ///< deviation over replicas of what lasts, over the deviation of what does not
};

class Player {
 public:
  /// Replicas that the pilot plays in each of its steps.
  static constexpr std::int64_t pilot_replicas = 8;

  /// `guess` of which replicas are the latest; used only where they differ.
  Player(const Compiled& compiled, const Stalls& stalls, std::uint64_t seed, const Guess& guess);

  /// `rest`: by row, the law of a replica that is not simulated, in deviations off its means; empty where the
  /// row never decides. Laws of one replica where places differ, of the latest of all the rest where they do
  /// not.
  std::vector<Trial> play(std::span<const Step> steps, const Effort& effort,
                          std::span<const SampleTable> rest);

  /// The replicas of the list that play simulates, trial by trial, latest first.
  std::vector<std::vector<std::int32_t>> lists(std::span<const Step> steps, const Effort& effort);

  /// Replica by replica: how far off its means each row (pipeline rank and line) ended, in deviations; then,
  /// row by row, a margin: below 0 the row cannot have decided.
  std::vector<double> pilot(std::span<const Step> steps);

  /// Plays means of some replicas of these steps, at most lane_count, fits the guess to them and goes on with
  /// it. Only where replicas differ.
  Screened screen(std::span<const Step> steps);

  const Compiled& compiled() const { return c_; }
  const SharedDraws& shared() const { return shared_; }
  const Stalls& stalls() const { return stalls_; }
  std::uint64_t seed() const { return seed_; }
  Lanes& lanes() { return lanes_; }

 private:
  /// Which replicas of each step are simulated, and what is known of the rest that may decide.
  struct Listing {
    std::vector<Pair> simulated;
    struct Rest {
      Pair pair;
      std::size_t ends;  ///< where its open rows stand in `mean` and `deviation`
      double latest;     ///< with the first section at its mean
    };
    std::vector<Rest> rest;
    std::vector<double> mean, deviation;
  };
  Listing list(std::span<const Step> steps, const Effort& effort, const std::vector<std::size_t>& open);
  std::vector<Listing::Rest> play_means(std::span<const Step> steps, const std::vector<Pair>& pairs,
                                        const std::vector<std::size_t>& open, Listing& to);
  /// Means of those that are not played: their guess, and what the played ones of their step have beyond
  /// theirs.
  std::vector<Listing::Rest> guess_means(const std::vector<Pair>& pairs,
                                         const std::vector<Listing::Rest>& played, std::size_t open,
                                         Listing& to);
  double busy(std::size_t rank, std::size_t lane) const;  ///< mean of all that the rank does, seconds
  double deviation(std::size_t rank, std::size_t line, std::size_t lane) const;
  void play_batch(std::span<const Step> steps, const Effort& effort, std::span<const SampleTable> rest,
                  std::vector<Trial>& to);

  const Compiled& c_;
  const Stalls& stalls_;
  std::uint64_t seed_;
  SharedDraws shared_;
  Lanes lanes_;
  bool alike_;  ///< all replicas have the same means in a trial
  std::optional<Screening> screening_;
  std::vector<std::uint64_t> replica_names_;
};

}  // namespace prism
