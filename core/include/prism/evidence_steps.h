// SPDX-License-Identifier: Apache-2.0
// Step-time logs: what a whole run says without a trace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prism/distribution.h"
#include "prism/evidence.h"
#include "prism/evidence_prediction.h"

namespace prism {

struct StepLog {
  struct Run {
    std::string name;             ///< as the file names it; empty if it does not
    std::vector<double> seconds;  ///< in the order of the file
  };
  std::vector<Run> runs;
};

/// Reads CSV with a header line (a column of step times: seconds, step_time, ..., with _ms or _us for other
/// units, and perhaps run, step and worker: a step then takes as long as its slowest worker), lines of
/// Megatron-LM ("elapsed time per iteration (ms): ..."), of NeMo
/// ("train_step_timing in s: ...", in progress bars too), MLPerf result lines, or plain numbers, one a line,
/// taken as seconds.
class StepLogReader {
 public:
  StepLogReader();
  ~StepLogReader();
  StepLogReader(StepLogReader&&) noexcept;
  void feed(std::string_view piece);
  /// Call once. Refused: no step time found.
  Result<StepLog> finish();
  const Account& account() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Steps of all runs together, without the first `warm_up` of each, which load caches and communicators; runs
/// of 20 steps or fewer beyond that are left out.
std::vector<double> settled_steps(const StepLog& log, std::size_t warm_up);

/// A step-time distribution of at most six parameters: a narrow body, a second mode below it (steps that do
/// less), and stalls above it. All relative to the median.
struct StepFit {
  double median = 0;  ///< seconds
  double body_sd = 0;
  double second_weight = 0, second_at = 1;  ///< weight 0: no second mode
  double stall_rate = 0, stall_size = 0;    ///< size: mean excess over where stalls begin
  // Following from these and the samples' order, not fitted to the distribution:
  double body_at = 1;      ///< so that the median of the whole is 1
  double stall_from = 0;   ///< excess over 1 from which a step counts as stalled: 3.5 body_sd
  double correlation = 0;  ///< of one step with the next; well above 0: the run wanders between regimes
  int parameters() const { return 2 + (second_weight > 0 ? 2 : 0) + (stall_rate > 0 ? 2 : 0); }
};
/// Refused: fewer than 20 steps, a step that is not above 0.
Result<StepFit> fit_steps(const std::vector<double>& seconds);
Distribution distribution_of(const StepFit& fit);
/// As the value of a scenario's distribution, in seconds.
std::string distribution_json(const StepFit& fit);
/// Account, parameters, quantiles beside those of the steps it was fitted to, and the distribution.
/// With `judgement`, how a prediction compares with those steps.
std::string step_evidence_json(const StepFit& fit, const std::vector<double>& seconds, const Account& account,
                               const Judgement* judgement = nullptr);

}  // namespace prism
