// SPDX-License-Identifier: Apache-2.0
// What the finite number of recorded steps leaves open: steps drawn with replacement, the prediction again
// from those.
#include <algorithm>
#include <pcg_random.hpp>

#include "prism/evidence_prediction.h"
#include "prism/numerics.h"

namespace prism {
namespace {

constexpr int trials = 2000;

struct Trial {
  double seconds;
  int step;
};

/// Smallest time with at least a share p of the weight at or below it; trials ascend.
double weighted_quantile(const std::vector<Trial>& sorted, const std::vector<int>& weight, double p) {
  std::int64_t total = 0, below = 0;
  for (const Trial& t : sorted) total += weight[static_cast<std::size_t>(t.step)];
  for (const Trial& t : sorted) {
    below += weight[static_cast<std::size_t>(t.step)];
    if (static_cast<double>(below) >= p * static_cast<double>(total)) return t.seconds;
  }
  return sorted.back().seconds;
}

}  // namespace

PredictionError error_of_few_steps(const std::vector<double>& seconds, const std::vector<int>& step,
                                   int steps, int refits, std::uint64_t seed) {
  std::vector<Trial> sorted;
  for (std::size_t i = 0; i < seconds.size(); ++i) sorted.push_back({seconds[i], step[i]});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Trial& a, const Trial& b) { return a.seconds < b.seconds; });
  const std::vector<int> once(static_cast<std::size_t>(steps), 1);
  const double whole50 = weighted_quantile(sorted, once, 0.5),
               whole95 = weighted_quantile(sorted, once, 0.95);
  std::vector<double> p50, p95;
  for (int i = 0; i < refits; ++i) {
    pcg32_oneseq random(
        stream_state(seed, static_cast<std::uint64_t>(i), stream_key("evidence-input-error")));
    std::vector<int> weight(static_cast<std::size_t>(steps), 0);
    for (int s = 0; s < steps; ++s) ++weight[random(static_cast<std::uint32_t>(steps))];
    p50.push_back(weighted_quantile(sorted, weight, 0.5) / whole50);
    p95.push_back(weighted_quantile(sorted, weight, 0.95) / whole95);
  }
  std::sort(p50.begin(), p50.end());
  std::sort(p95.begin(), p95.end());
  return {steps,
          refits,
          quantile_of_sorted(p50, 0.025),
          quantile_of_sorted(p50, 0.975),
          quantile_of_sorted(p95, 0.025),
          quantile_of_sorted(p95, 0.975)};
}

PredictionError prediction_error(const OperatorTrace& trace, const ReplayGraph& serial,
                                 const Decomposition& parts, int refits, std::uint64_t seed) {
  const auto seconds = predict_steps(trace, serial, parts, Resampling::step_level_and_rows, trials, seed);
  std::vector<int> step(seconds.size());
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = source_step(trace, static_cast<int>(i), seed);
  return error_of_few_steps(seconds, step, trace.steps(), refits, seed);
}

}  // namespace prism
