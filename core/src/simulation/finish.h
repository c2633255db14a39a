// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "simulation/compiled.h"
#include "simulation/shared_draws.h"
#include "simulation/stalls.h"

namespace prism {

/// Which rank decided, and what it spent, after replicas have met.
struct FinishPath {
  std::size_t row =
      0;  ///< (rank, line) that decided the first section: where the replicas' part of the path ends
  BySeconds seconds{};                         ///< of the path from there to the end of the step
  std::vector<double> compute, communication;  ///< [pp], seconds of each rank's first line
};

/// What shared causes and stalls make of the end of one trial. Empty without any.
struct EndCauses {
  std::vector<std::vector<float>> multiplier;  ///< [section][pp]
  std::vector<float> world;                    ///< [section]
  std::vector<std::vector<double>> delay;      ///< [section][pp * lines]
  std::vector<double> world_delay;             ///< [section]
};
/// `lane`: the trial's among the shared draws.
EndCauses end_causes(const Compiled& compiled, const SharedDraws& shared, std::size_t lane,
                     const Stalls* stalls, std::uint64_t seed, std::int64_t trial);

/// Plays a trial from the replicas' meeting to the end of the step. `ends`: [pp * lines], latest over the
/// replicas of what each does alone; overwritten. `decided`: row that decided the first section. Returns the
/// step time.
double finish_step(const Compiled& compiled, std::uint64_t seed, std::int64_t trial, const EndCauses& causes,
                   std::span<double> ends, FinishPath* path = nullptr, std::size_t* decided = nullptr);

}  // namespace prism
