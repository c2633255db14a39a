// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "statistics/statistics.h"
#include "study/paired.h"

namespace prism {

using study::Blocked;
using study::Statistic;

std::vector<double> study_masses() {
  std::vector<double> masses{0.001, 0.005, 0.01, 0.02, 0.03};
  for (int i = 1; i < 20; ++i) masses.push_back(0.05 * i);
  for (double p : {0.96, 0.97, 0.98, 0.99, 0.995, 0.999}) masses.push_back(p);
  return masses;
}

StudyResult reduce_study(const StudyPlan& plan, std::span<const VariantRun> runs) {
  StudyResult result;
  result.variants.resize(runs.size());
  std::vector<std::optional<Blocked>> samples(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    VariantResult& v = result.variants[i];
    v.played = runs[i].fault.empty();
    v.fault = runs[i].fault;
    if (!v.played) continue;
    samples[i].emplace(runs[i].step_s);
    const Blocked& sample = *samples[i];
    result.trials = static_cast<std::int64_t>(runs[i].step_s.size());
    result.blocks = static_cast<std::int64_t>(sample.without.size());
    v.deterministic_s = runs[i].deterministic_s;
    v.mean = interval_of(sample, Statistic::mean);
    v.sd = interval_of(sample, Statistic::sd);
    v.p50 = interval_of(sample, Statistic::p50);
    v.p95 = interval_of(sample, Statistic::p95);
    v.p99 = interval_of(sample, Statistic::p99);
    for (double p : study_masses()) v.quantiles.push_back(quantile(sample.sorted, p));
    if (plan.question.kind == StudyKind::scaling)
      for (double x : plan.question.slow_down)
        v.beyond.push_back(1 - static_cast<double>(count_within(sample.sorted, x * v.deterministic_s)) /
                                   static_cast<double>(sample.sorted.size()));
    const auto less = [&](int best, Interval VariantResult::*of) {
      return best < 0 || (v.*of).value < (result.variants[static_cast<std::size_t>(best)].*of).value;
    };
    if (less(result.best_mean, &VariantResult::mean)) result.best_mean = static_cast<int>(i);
    if (less(result.best_p95, &VariantResult::p95)) result.best_p95 = static_cast<int>(i);
  }
  if (result.best_p95 < 0) return result;
  if (!runs.empty()) result.critical_path = runs[0].critical_path;
  const Blocked& best = *samples[static_cast<std::size_t>(result.best_p95)];
  const auto comparisons = static_cast<std::size_t>(std::count_if(
                               samples.begin(), samples.end(), [](const auto& s) { return s.has_value(); })) -
                           1;
  result.tied.push_back(result.best_p95);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!samples[i]) continue;
    VariantResult& v = result.variants[i];
    if (samples[0]) {
      v.mean_difference = difference_of(*samples[i], *samples[0], Statistic::mean, comparisons);
      v.sd_difference = difference_of(*samples[i], *samples[0], Statistic::sd, comparisons);
      v.p50_difference = difference_of(*samples[i], *samples[0], Statistic::p50, comparisons);
      v.p99_difference = difference_of(*samples[i], *samples[0], Statistic::p99, comparisons);
      v.p95_difference = difference_of(*samples[i], *samples[0], Statistic::p95, comparisons);
    }
    v.from_best = difference_of(*samples[i], best, Statistic::p95, comparisons);
    if (!v.from_best.differs && static_cast<int>(i) != result.best_p95)
      result.tied.push_back(static_cast<int>(i));
  }
  return result;
}

}  // namespace prism
