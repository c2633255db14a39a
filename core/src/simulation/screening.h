// SPDX-License-Identifier: Apache-2.0
// A guess of which replicas are the latest, from what lasts on their GPUs alone: so cheap that every replica
// of every trial is guessed, and good enough that only the first few need to be looked at more closely.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/compiled.h"
#include "simulation/rows.h"
#include "simulation/shared_draws.h"

namespace prism {

/// When a replica is done, as a weighted sum of its ranks' busy times and of the busiest one's.
struct Guess {
  float busiest = 0;
  std::vector<float> rank;  ///< [pp]
  double miss = 0;  ///< deviation of what the guess leaves over, as a share of that of what it guesses
};

class Screening {
 public:
  Screening(const Compiled& compiled, Guess guess);

  /// Guesses every replica of the steps that `shared` has drawn.
  void score(const SharedDraws& shared);
  /// The latest `count` replicas of a step by their guesses, latest first.
  void select(std::size_t step, std::int64_t count, std::vector<std::int32_t>& to) const;
  /// A replica's guess, seconds; only differences within a step mean anything.
  double guess(std::size_t step, std::int32_t replica) const {
    return static_cast<double>(score_[static_cast<std::size_t>(replica) * lane_count + step]);
  }

 private:
  const Compiled& c_;
  Guess guess_;
  struct Term {
    Causes::Slot slot;
    float seconds;
  };
  std::vector<std::vector<Term>> differing_, common_;  ///< by rank: between replicas, and for all of them
  std::vector<float> fixed_;                           ///< by rank, seconds that nothing shared multiplies
  std::vector<float> score_;                           ///< [replicas][lane_count]
};

/// What is known from one rank's work and the way of one micro-batch through all ranks.
Guess closed_form_guess(const Compiled& compiled);

/// One replica whose means have been played: its ranks' busy times and when it was done, seconds. The same
/// step's replicas follow one another.
struct Observed {
  std::int32_t step;
  std::vector<double> busy;
  double done;
};
/// The weights that fit observed replicas best, held to the closed form where they say little.
Guess fitted_guess(const Compiled& compiled, std::span<const Observed> observed);

}  // namespace prism
