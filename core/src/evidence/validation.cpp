// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "evidence/faults.h"
#include "evidence/json_text.h"
#include "evidence/moments.h"
#include "prism/evidence_prediction.h"

namespace prism {
namespace {

struct Parts {
  std::vector<int> training, held_out;  ///< positions
};

/// By position: step numbers of a sparse recording have gaps of their own.
Parts split(const OperatorTrace& trace, const ValidationOptions& options) {
  std::vector<int> used;
  for (int s = 0; s < trace.steps(); ++s)
    if (std::find(options.without.begin(), options.without.end(),
                  trace.step_numbers[static_cast<std::size_t>(s)]) == options.without.end())
      used.push_back(s);
  Parts parts;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const bool train = options.split == Split::odd_even ? i % 2 == 0 : i < used.size() / 2;
    (train ? parts.training : parts.held_out).push_back(used[i]);
  }
  return parts;
}

}  // namespace

nlohmann::ordered_json evidence_judgement(const Judgement& j) {
  nlohmann::ordered_json quantiles = nlohmann::ordered_json::array();
  for (const auto& q : j.quantiles)
    quantiles.push_back({{"p", q.p},
                         {"predicted_s", q.predicted},
                         {"observed_s", q.observed},
                         {"error", q.predicted / q.observed - 1}});
  return {{"quantiles", quantiles},
          {"ks", j.ks},
          {"ks_null", {{"p", j.ks_p}, {"mean", j.ks_mean}, {"critical_5_percent", j.ks_critical}}},
          {"p95_of_samples_of_this_size_s",
           {{"median", j.p95_of_samples}, {"low", j.p95_low}, {"high", j.p95_high}}}};
}

Result<Validation> validate(const OperatorTrace& trace, const ValidationOptions& options) {
  const Parts parts = split(trace, options);
  if (parts.training.size() < 2 || parts.held_out.size() < 2)
    return Result<Validation>::fault(evidence_fault(
        Code::out_of_range, "at least 4 steps are needed to fit on some and judge on others; found " +
                                std::to_string(parts.training.size() + parts.held_out.size())));
  const OperatorTrace training = with_steps(trace, parts.training),
                      held_out = with_steps(trace, parts.held_out);
  const auto whole_graph = serial_graph(trace), graph = serial_graph(training);
  if (!whole_graph) return Result<Validation>::faults(whole_graph.diagnostics);
  if (!graph) return Result<Validation>::faults(graph.diagnostics);

  Validation v;
  v.training = training.step_numbers;
  v.held_out = held_out.step_numbers;
  v.trained_on = measured_step_times(training);
  v.observed = measured_step_times(held_out);
  const Decomposition d = decompose(training, *graph);
  v.predicted =
      predict_steps(training, *graph, d, Resampling::step_level_and_rows, options.trials, options.seed);
  v.prediction = judge(v.predicted, v.observed, options.seed);
  const auto loose = [&](Resampling how) {
    return judge(predict_steps(training, *graph, d, how, options.trials, options.seed), v.observed,
                 options.seed);
  };
  v.independent = loose(Resampling::independent_by_type);
  v.independent_by_stage = loose(Resampling::independent_by_type_and_stage);
  v.resampled = judge(v.trained_on, v.observed, options.seed);
  v.constant_s = median_of(v.trained_on);
  v.constant_p50_error = v.constant_s / v.prediction.quantiles[1].observed - 1;
  v.constant_p95_error = v.constant_s / v.prediction.quantiles[2].observed - 1;
  std::vector<double> observed = v.observed;
  std::sort(observed.begin(), observed.end());
  v.constant_ks = ks_distance({v.constant_s}, observed);
  v.episodes = find_episodes(trace, *whole_graph);
  return Result<Validation>::of(std::move(v));
}

std::string validation_json(const Validation& v) {
  nlohmann::ordered_json episodes = nlohmann::ordered_json::array();
  for (const Episode& e : v.episodes)
    episodes.push_back({{"kind", e.kind == Episode::Kind::drift ? "drift" : "cold_or_stalled"},
                        {"what", e.what},
                        {"steps", e.steps},
                        {"usual_s", e.usual},
                        {"there_s", e.there},
                        {"changes_the_step_by", e.lengthens}});
  return evidence_dump({{"prism_validation", 1},
                        {"training_steps", v.training},
                        {"held_out_steps", v.held_out},
                        {"observed_s", v.observed},
                        {"predicted_s", v.predicted},
                        {"prediction", evidence_judgement(v.prediction)},
                        {"independent_by_type", evidence_judgement(v.independent)},
                        {"independent_by_type_and_stage", evidence_judgement(v.independent_by_stage)},
                        {"baselines",
                         {{"constant",
                           {{"step_s", v.constant_s},
                            {"p50_error", v.constant_p50_error},
                            {"p95_error", v.constant_p95_error},
                            {"ks", v.constant_ks}}},
                          {"resampled_training_steps", evidence_judgement(v.resampled)}}},
                        {"episodes", episodes}});
}

}  // namespace prism
