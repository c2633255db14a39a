// SPDX-License-Identifier: Apache-2.0
// What an operator trace says about its job, in one document; and the job as a scenario that can be changed.
#pragma once

#include <string>
#include <vector>

#include "prism/evidence_operators.h"
#include "prism/evidence_prediction.h"

namespace prism {

/// A worker beside the other replicas of its stage: ratios of mean compute to the (lower) median of the
/// stage.
struct WorkerView {
  int replica, stage;
  std::int64_t rank;
  double forward_s, backward_s;  ///< mean compute of a micro-batch
  double forward, backward;      ///< relative to the median over the replicas of the stage
  double slowdown;  ///< min of the slow-downs of its replica and its stage; 1 where there is none to explain
  bool slow;        ///< its compute takes more than 1.05 of the median
};
struct OperatorEvidence {
  ReplayWhatIf answers;
  Decomposition parts;
  std::vector<Episode> episodes;
  std::vector<WorkerView> workers;  ///< replica by replica
  std::vector<double> serial_s;  ///< the serial graph with all launch gaps: should be the measured step times
  PredictionError input_error{};  ///< of a prediction from these steps; 0 refits: not known
  double healthy_s = 0;  ///< mean step with the compute of slow workers replaced by a peer's; 0: none slow
};
Result<OperatorEvidence> examine(const OperatorTrace& trace);
/// The same without input_error, which takes longer than all else.
Result<OperatorEvidence> answers_of(const OperatorTrace& trace);
PredictionError input_error_of(const OperatorTrace& trace, const OperatorEvidence& evidence);
std::string input_error_json(const PredictionError& error);
std::string operator_evidence_json(const OperatorTrace& trace, const OperatorEvidence& evidence,
                                   const Account& account);

/// The measured job as an operator list: a rank stands for a tensor-parallel group, laws are those of healthy
/// workers, launch gaps are operators of their own. What micro-batches, steps and workers share is in
/// factors, slow workers (WorkerView::slow) are what-ifs.
std::string scenario_from(const OperatorTrace& trace, const OperatorEvidence& evidence,
                          const std::string& title);

}  // namespace prism
