// SPDX-License-Identifier: Apache-2.0
// A setup made ready: intervals in whole steps, times in nanoseconds, rates per nanosecond.
#pragma once

#include <vector>

#include "prism/distribution.h"
#include "prism/training_run.h"

namespace prism {

struct Training {
  TrainingSetup setup;
  TrainingBasics basics;
  struct Tier {
    std::int64_t steps;
    Nanoseconds write, background;
    double survives;
  };
  std::vector<Tier> tiers;  ///< the one that survives everything last
  struct Cause {
    std::string name;
    double mean_gap_ns;
    Nanoseconds detection, restart;
    double replacement;
  };
  std::vector<Cause> causes;       ///< those that can occur
  std::vector<int> stop_of_cause;  ///< index into RunRecord::stops
  double slow_gap_ns = 0;          ///< 0: never
  double slow_inflation = 1;
  SampleTable normal;  ///< standard normal
  Nanoseconds give_up = 0;
};

namespace training {

/// Whole nanoseconds, at most 100 years.
Nanoseconds nanoseconds(double seconds);

/// How much longer a step takes while one node takes `severity` times as long.
double slow_inflation(const StepModel& model, double severity);

RunRecord play(const Training& t, std::int64_t run, std::vector<Stretch>* timeline,
               std::size_t most_stretches);

}  // namespace training
}  // namespace prism
