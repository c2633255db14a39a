// SPDX-License-Identifier: Apache-2.0
// Healing and hurting a worker: the slow-worker experiments of arXiv 2505.05713 section 4 on a measured
// trace.
#include <algorithm>

#include "evidence/graph_builder.h"
#include "prism/numerics.h"

namespace prism {

OperatorTrace with_compute_of(const OperatorTrace& trace, int worker, int source, double forward_factor,
                              double backward_factor) {
  OperatorTrace out = trace;
  const OpIndex of(trace);
  const auto steps = static_cast<std::size_t>(trace.steps());
  for (const OpType type : {OpType::forward_compute, OpType::backward_compute}) {
    const double factor = type == OpType::forward_compute ? forward_factor : backward_factor;
    for (int k = 0; k < of.count(worker, type); ++k) {
      const auto to = static_cast<std::size_t>(of.at(worker, type, k));
      if (of.at(source, type, k) < 0) continue;
      const auto from = static_cast<std::size_t>(of.at(source, type, k));
      for (std::size_t s = 0; s < steps; ++s)
        out.duration[to * steps + s] = factor * trace.duration[from * steps + s];
    }
  }
  return out;
}

ComputeFactors compute_factors(const OperatorTrace& trace, int worker) {
  const OpIndex of(trace);
  const auto steps = static_cast<std::size_t>(trace.steps());
  const auto mean = [&](int w, OpType type) {
    std::vector<double> all;
    for (int k = 0; k < of.count(w, type); ++k) {
      const double* row = trace.duration.data() + static_cast<std::size_t>(of.at(w, type, k)) * steps;
      all.insert(all.end(), row, row + steps);
    }
    return all.empty() ? 0 : sum_compensated(all) / static_cast<double>(all.size());
  };
  const auto factor = [&](OpType type) {
    std::vector<double> others;
    for (int r = 0; r < trace.replicas; ++r) {
      const int w = r * trace.stages + worker % trace.stages;
      if (w != worker) others.push_back(mean(w, type));
    }
    if (others.empty()) return 1.0;
    std::sort(others.begin(), others.end());
    return mean(worker, type) / quantile_of_sorted(others, 0.5);
  };
  return {factor(OpType::forward_compute), factor(OpType::backward_compute)};
}

}  // namespace prism
