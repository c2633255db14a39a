// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "prism/numerics.h"
#include "prism/training_run.h"
#include "training_run/prepared.h"
#include "training_run/quantiles.h"

namespace prism {

double StepModel::mean_s() const {
  // The jump from i to another state goes by weight, so visits are in proportion to w_i (W - w_i): the chain
  // is reversible.
  double total = 0, visits = 0, sum = 0;
  for (const State& s : states) total += s.weight;
  for (const State& s : states) {
    const double steps = states.size() == 1 ? 1 : s.weight * (total - s.weight) * s.dwell_steps;
    visits += steps;
    sum += steps * s.mean_s;
  }
  double mean = sum / visits;
  for (const TailEvents& tail : tails) mean += tail.per_step * training::moments_of(tail.delay_s).mean;
  return mean;
}

StepModel step_model_of(std::span<const double> step_s) {
  StepModel model;
  const auto n = static_cast<double>(step_s.size());
  const double mean = sum_compensated(step_s) / n;
  double square = 0;
  for (double x : step_s) square += (x - mean) * (x - mean);
  model.states.push_back({mean, n > 1 ? square / (n - 1) : 0, 0, 1});
  return model;
}

double training::slow_inflation(const StepModel& model, double severity) {
  if (model.slow_node.empty()) return severity;
  double x = 1, y = 1;
  for (const StepModel::SlowNode& point : model.slow_node) {
    if (severity <= point.severity)
      return point.severity > x ? y + (point.inflation - y) * ((severity - x) / (point.severity - x))
                                : point.inflation;
    x = point.severity;
    y = point.inflation;
  }
  // Beyond the last point no more is known than that a step suffers no more than its slowest node.
  return y + (severity - x);
}

}  // namespace prism
