// SPDX-License-Identifier: Apache-2.0
// What the operations of a measured job share: parts of their spread that do not average out.
#pragma once

#include <string_view>
#include <vector>

#include "evidence/graph_builder.h"
#include "prism/evidence_job.h"

namespace prism {

/// A relative level of each unit that shares it, median 1.
using Levels = std::vector<double>;

/// The common level of rows that vary together, by column: the mean over the rows, shrunk by what their noise
/// about one another explains; median 1. All ones where noise explains everything.
Levels common_level(const std::vector<std::vector<double>>& rows);

/// Compute taken apart into step level x micro-batch content x worker x what is left, all but the last
/// relative.
struct SharedCompute {
  Levels step;                             ///< by step, of all compute
  Levels micro_batch;                      ///< [(replica * micro-batches + micro-batch) * steps + step]
  std::vector<std::vector<double>> usual;  ///< [direction][stage]: mean compute of healthy workers, seconds
  double worker_cv;                        ///< lasting differences between healthy workers
  double worker_step_cv;  ///< of one worker from step to step, beyond what its operations explain
  int micro_batches;
};
SharedCompute shared_compute(const OperatorTrace& trace, const OperatorEvidence& evidence);

}  // namespace prism
