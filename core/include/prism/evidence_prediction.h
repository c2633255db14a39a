// SPDX-License-Identifier: Apache-2.0
// Steps not seen, predicted from steps seen: the measured job taken apart, put together again by Monte Carlo
// on its rebuilt graph, and judged against steps held out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prism/evidence_operators.h"

namespace prism {

/// The trace with only some of its steps; `which` are positions, ascending.
OperatorTrace with_steps(const OperatorTrace& trace, std::span<const int> which);

/// duration(direction, stage, replica, micro-batch) = worker mean x step level(direction, stage) x content.
/// Indices: direction 0 is forward, 1 backward; [direction][stage][replica or step].
struct Decomposition {
  /// A worker's own mean is kept only where it differs from the median of its stage by more than twice its
  /// standard error, and shrunk; seconds.
  std::vector<std::vector<std::vector<double>>> worker_mean;
  /// Relative, shared by all workers of a step; shrunk by what the noise of single workers explains.
  std::vector<std::vector<std::vector<double>>> step_level;
  std::vector<double> content;  ///< [op * steps + step], relative; 1 for other than compute
  std::vector<double> transfer,
      gap;  ///< [op * steps + step], seconds; gap as in launch_gaps, known waiting left out

  /// Coefficients of variation, over both directions and all stages: root of the mean square.
  struct Spread {
    double fresh, content, worker_step, step, worker;
  } spread;
};
Decomposition decompose(const OperatorTrace& trace, const ReplayGraph& serial);

/// How steps are put together from the parts.
enum class Resampling {
  /// Level, transfers and gaps of one step; for each replica the content of a random step and replica.
  step_level_and_rows,
  independent_by_type,  ///< every operation on its own from all of its type: what ignoring every tie costs
  independent_by_type_and_stage,  ///< from all of its type and stage
};
/// Step times of `trials` steps, seconds. The same on every system.
std::vector<double> predict_steps(const OperatorTrace& trace, const ReplayGraph& serial,
                                  const Decomposition& parts, Resampling how, int trials, std::uint64_t seed);

/// The recorded step (a position) whose level, transfers and gaps trial `trial` of a prediction takes.
int source_step(const OperatorTrace& trace, int trial, std::uint64_t seed);

/// Central 95 % of the predicted p50 and p95 over refits to steps drawn with replacement, relative to the
/// prediction. A trial counts as often as its step was drawn; the content of micro-batches, of which there
/// are many more, stays. With so few steps the p95 of a refit hardly leaves the largest ones: its range is on
/// the narrow side.
struct PredictionError {
  int steps, refits;
  double p50_low, p50_high, p95_low, p95_high;
};
PredictionError prediction_error(const OperatorTrace& trace, const ReplayGraph& serial,
                                 const Decomposition& parts, int refits, std::uint64_t seed);
/// The same from trials and the steps they come from.
PredictionError error_of_few_steps(const std::vector<double>& seconds, const std::vector<int>& step,
                                   int steps, int refits, std::uint64_t seed);

/// Largest vertical distance between two empirical distribution functions; both ascending.
double ks_distance(const std::vector<double>& a, const std::vector<double>& b);

/// A predicted sample against observed values.
struct Judgement {
  struct Quantile {
    double p, predicted, observed;
  };
  std::vector<Quantile> quantiles;  ///< 5, 50, 95, 99 %
  double ks;
  double ks_p;  ///< chance that a right prediction shows a larger distance with so few observations
  double ks_mean, ks_critical;  ///< of a right prediction: mean, and what is exceeded in 5 of 100
  /// p95 of samples of the observed number of steps drawn from the prediction: like is compared with like.
  double p95_of_samples, p95_low, p95_high;  ///< median and central 95 %
  double error(double p) const;              ///< predicted / observed - 1
};
Judgement judge(std::vector<double> predicted, std::vector<double> observed, std::uint64_t seed);

/// What a run shows beside its spread.
struct Episode {
  enum class Kind { cold_or_stalled, drift } kind;
  std::vector<std::int64_t> steps;  ///< step numbers; of a drift, those before the change
  std::string what;                 ///< operation type
  double usual, there;              ///< seconds; of a drift, mean compute after and before
  double lengthens;  ///< share of the step time that it costs; 0 if hidden behind something else
};
std::vector<Episode> find_episodes(const OperatorTrace& trace, const ReplayGraph& serial);

enum class Split { odd_even, halves };
struct ValidationOptions {
  Split split = Split::odd_even;
  int trials = 2000;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> without;  ///< step numbers left out on both sides
};
struct Validation {
  std::vector<std::int64_t> training, held_out;
  std::vector<double> predicted, observed, trained_on;  ///< step times, seconds
  Judgement prediction, resampled;              ///< resampled: baseline, the training steps as they are
  Judgement independent, independent_by_stage;  ///< what ignoring the ties would give
  double constant_s, constant_p50_error, constant_p95_error, constant_ks;  ///< baseline: the training median
  std::vector<Episode> episodes;                                           ///< of the whole trace
};
/// Refused: fewer than 4 steps.
Result<Validation> validate(const OperatorTrace& trace, const ValidationOptions& options);
std::string validation_json(const Validation& validation);

}  // namespace prism
