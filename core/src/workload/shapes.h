// SPDX-License-Identifier: Apache-2.0
// The shapes of operator latencies: an operator's own distribution times the random factors of scope
// operation that act on it.
#pragma once

#include <utility>
#include <vector>

#include "prism/scenario.h"
#include "prism/workload.h"

namespace prism::workload {

/// Collects the operators' own shapes.
class ShapeBook {
 public:
  ShapeBook();
  /// An operator with its own latency distribution (seconds).
  int of(const Distribution& latency);
  std::vector<Distribution> take() && { return std::move(shapes_); }

 private:
  std::vector<Distribution> shapes_;
};

/// Multiplies every operator's shape by the factors of scope operation that act on it, and fills
/// Workload::shape_medians. Groups' places must be known.
void apply_operation_factors(Workload& workload, const std::vector<Factor>& factors);

/// Multiplies base times. Groups' places must be known.
void apply_scale(Workload& workload, const std::vector<Multiple>& scale);

/// Puts what is random in these operators at its mean: work stays, variability goes. Last, once causes are
/// known.
void silence(Workload& workload, const std::vector<std::string>& targets);

}  // namespace prism::workload
