// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

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

namespace {

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments_of_sample(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = sum_compensated(values) / n;
  double square = 0;
  for (double x : values) square += (x - mean) * (x - mean);
  return {mean, n > 1 ? square / (n - 1) : 0};
}

/// The runs' means drawn together, so that their variance is `between`, over the mean of the law that the
/// quantiles make when read linearly.
std::vector<double> quantiles_between(std::vector<double> means, const Moments& all, double between) {
  std::sort(means.begin(), means.end());
  const double shrink = std::sqrt(between / all.variance);
  for (double& x : means) x = all.mean + shrink * (x - all.mean);
  const double centre = training::moments_of(means).mean;
  for (double& x : means) x /= centre;
  return means;
}

}  // namespace

StepModel step_model_of(std::span<const double> step_s, std::span<const double> run_step_s,
                        std::size_t steps_a_run) {
  StepModel model;
  const Moments all = moments_of_sample(step_s);
  model.states.push_back({all.mean, all.variance, 0, 1});
  std::vector<double> means;
  double within = 0;
  for (std::size_t at = 0; steps_a_run > 1 && at + steps_a_run <= run_step_s.size(); at += steps_a_run) {
    const Moments run = moments_of_sample(run_step_s.subspan(at, steps_a_run));
    means.push_back(run.mean);
    within += run.variance;
  }
  if (means.size() < 2) return model;
  within /= static_cast<double>(means.size());
  const Moments runs = moments_of_sample(means);
  const double between = runs.variance - within / static_cast<double>(steps_a_run);
  if (between <= 0) return model;
  model.states[0].variance_s2 = within;
  model.between_runs = quantiles_between(std::move(means), runs, between);
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
