// SPDX-License-Identifier: Apache-2.0
// The measured runs that are most like a job, and how far the cost model was off there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/scenario.h"

namespace prism {

/// One row of docs/validation.md. The table is written by tests/validation/cost_model, never by hand.
struct Measurement {
  std::string_view run, gpu, precision;
  double parameters;  ///< of the model
  std::int64_t gpus;
  std::int64_t tp, pp, cp;        ///< 0: several layouts
  double measured_s, modelled_s;  ///< 0 for several layouts
  double error;                   ///< modelled / measured - 1; of several layouts the mean |error|
  bool fitted;                    ///< a number of the cost model was fitted on this row
};
std::span<const Measurement> measurements();

/// At most three, nearest first. Near: the same GPU and precision, a model within four times the parameters
/// and a job within eight times the GPUs.
std::vector<const Measurement*> nearest_measurements(const Scenario& scenario);

/// Why no measured run is like this job, however near its size and GPU: what it changes about the base times.
std::string incomparable(const Scenario& scenario);

}  // namespace prism
