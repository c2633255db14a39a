// SPDX-License-Identifier: Apache-2.0
// The time that k consecutive steps take, without drawing them one by one.
#pragma once

#include <cstdint>

#include "training_run/prepared.h"
#include "training_run/words.h"

namespace prism::training {

/// Steps of one run, in order. A sum has exactly the mean and the variance of k steps of the step model
/// (regimes, rare delays and the run's own factor included). Its shape is normal, which holds for large k
/// (central limit theorem: the skewness of a sum is that of a step over sqrt(k)); where the deviation of a
/// sum exceeds an eighth of its mean, a log-normal of the same mean and variance, which cannot be negative.
/// What the run is asked for does not need more: its wall-clock time adds hundreds of such sums, and a
/// failure meets a sum only by its length.
class StepSums {
 public:
  StepSums(const Training& t, std::int64_t run);
  /// Seconds of the next `steps` steps.
  double next(std::int64_t steps);
  /// This run's own mean over the mean of all runs.
  double factor() const { return factor_; }

 private:
  void start_spell();
  void leave_state();
  double pick(double total);

  const StepModel& model_;
  const SampleTable& normal_;
  Words noise_, spells_;
  double factor_ = 1;
  std::size_t state_ = 0;
  std::int64_t spell_left_ = 0;
  struct Tail {
    double steps_left;  ///< until the next delay
    Words words;
    double mean, square;
  };
  std::vector<Tail> tails_;
};

}  // namespace prism::training
