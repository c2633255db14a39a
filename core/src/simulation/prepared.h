// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "simulation/attribution.h"
#include "simulation/reference.h"
#include "simulation/trials.h"

namespace prism {

struct Simulation;

/// What a unit works with: large, filled anew by whatever uses it, and so handed from one unit to the next.
struct Bench {
  Player player;
  std::unique_ptr<Recording<float>> recording;
};
class Benches {
 public:
  std::unique_ptr<Bench> take(const Simulation& s);
  void give_back(std::unique_ptr<Bench> bench) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(bench));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Bench>> idle_;
};

/// See prism/simulation.h.
struct Simulation {
  std::unique_ptr<Compiled> compiled;
  std::unique_ptr<Reference> reference;
  Run run;
  Deterministic deterministic;
  std::unique_ptr<Stalls> stalls;
  std::int64_t replicas = 1;
  bool lasts_a_run = false;  ///< some cause does
  bool approximate = false;  ///< the fast path leaves replicas out
  Screened screened;         ///< which replicas it looks at, where they differ
  Effort effort;             ///< what it spends
  std::int64_t attribution_trials = 0;
  Effort attribution_effort;
  /// When a replica that is not simulated is done, by row, as Player::play takes it.
  std::vector<SampleTable> rest;
  mutable Benches benches;
};

}  // namespace prism
