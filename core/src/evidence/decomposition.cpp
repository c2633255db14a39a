// SPDX-License-Identifier: Apache-2.0
// Which part of the spread of compute belongs to whom. Ties matter more than shapes: drawn independently, the
// same durations give steps that are a third too short where one worker is slow.
#include <algorithm>
#include <cmath>

#include "evidence/graph_builder.h"
#include "evidence/moments.h"
#include "prism/evidence_prediction.h"

namespace prism {
namespace {

constexpr OpType directions[] = {OpType::forward_compute, OpType::backward_compute};

/// Means over the micro-batches of one worker, by step.
std::vector<double> means_by_step(const OperatorTrace& trace, const OpIndex& of, int worker, OpType type) {
  const auto steps = static_cast<std::size_t>(trace.steps());
  std::vector<double> mean(steps, 0);
  const int count = of.count(worker, type);
  for (int k = 0; k < count; ++k)
    for (std::size_t s = 0; s < steps; ++s)
      mean[s] += trace.duration[static_cast<std::size_t>(of.at(worker, type, k)) * steps + s];
  for (double& m : mean) m /= count;
  return mean;
}

using ByReplica = std::vector<std::vector<double>>;  ///< [replica][step]

/// A deviation of a worker from its stage that the spread from step to step explains is no deviation.
std::vector<double> kept_worker_means(const ByReplica& means) {
  const std::size_t replicas = means.size(), steps = means[0].size();
  std::vector<double> own(replicas);
  for (std::size_t r = 0; r < replicas; ++r) own[r] = mean_of(means[r]);
  const double usual = median_of(own);
  std::vector<double> kept(replicas, usual);
  if (steps < 2) return kept;
  std::vector<std::vector<double>> relative(replicas, std::vector<double>(steps));
  for (std::size_t s = 0; s < steps; ++s) {
    std::vector<double> here(replicas);
    for (std::size_t r = 0; r < replicas; ++r) here[r] = means[r][s];
    const double middle = median_of(here);
    for (std::size_t r = 0; r < replicas; ++r) relative[r][s] = means[r][s] / middle;
  }
  for (std::size_t r = 0; r < replicas; ++r) {
    const double deviation = own[r] / usual - 1;
    const double error2 = variance_of(relative[r]) / static_cast<double>(steps);
    if (deviation * deviation > 4 * error2)
      kept[r] = usual * (1 + deviation * (1 - error2 / (deviation * deviation)));
  }
  return kept;
}

struct Level {
  std::vector<double> by_step;
  double noise2, step2;  ///< variance of one worker in a step about the level; of the level itself
};
/// Shared by all replicas; the noise of single workers leaves some spread in their mean, and that is taken
/// off.
Level step_level(const ByReplica& means, const std::vector<double>& worker_mean) {
  const std::size_t replicas = means.size(), steps = means[0].size();
  std::vector<double> raw(steps, 0);
  double noise = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    std::vector<double> here(replicas);
    for (std::size_t r = 0; r < replicas; ++r) here[r] = means[r][s] / worker_mean[r];
    raw[s] = mean_of(here);
    if (replicas > 1) noise += variance_of(here) / static_cast<double>(steps);
  }
  const double all = mean_of(raw), seen = steps > 1 ? variance_of(raw) : 0;
  const double explained = noise / static_cast<double>(replicas);
  const double shrink = seen > 0 ? std::sqrt(std::max(0.0, 1 - explained / seen)) : 0;
  for (double& level : raw) level = all + shrink * (level - all);
  return {raw, noise, std::max(0.0, seen - explained)};
}

}  // namespace

Decomposition decompose(const OperatorTrace& trace, const ReplayGraph& serial) {
  const OpIndex of(trace);
  const auto steps = static_cast<std::size_t>(trace.steps());
  const auto stages = static_cast<std::size_t>(trace.stages);
  Decomposition d;
  d.transfer = transfer_times(trace, serial);
  d.gap = launch_gaps(trace, serial, true);
  d.content.assign(trace.duration.size(), 1);
  d.worker_mean.assign(2, std::vector<std::vector<double>>(stages));
  d.step_level = d.worker_mean;
  double fresh = 0, noise = 0, level = 0, worker = 0, content = 0;
  int parts = 0;
  for (std::size_t way = 0; way < 2; ++way)
    for (std::size_t stage = 0; stage < stages; ++stage) {
      const OpType type = directions[way];
      const int first = static_cast<int>(stage);
      const int count = of.count(first, type);
      if (count == 0) continue;
      ByReplica means;
      for (int r = 0; r < trace.replicas; ++r)
        means.push_back(means_by_step(trace, of, r * trace.stages + first, type));
      d.worker_mean[way][stage] = kept_worker_means(means);
      const Level l = step_level(means, d.worker_mean[way][stage]);
      d.step_level[way][stage] = l.by_step;

      std::vector<double> residual;
      for (int r = 0; r < trace.replicas; ++r)
        for (int k = 0; k < count; ++k)
          for (std::size_t s = 0; s < steps; ++s) {
            const std::size_t i =
                static_cast<std::size_t>(of.at(r * trace.stages + first, type, k)) * steps + s;
            d.content[i] =
                trace.duration[i] / (d.worker_mean[way][stage][static_cast<std::size_t>(r)] * l.by_step[s]);
            residual.push_back(d.content[i]);
          }
      content += variance_of(residual);
      fresh += std::max(0.0, variance_of(residual) - l.noise2);
      noise += l.noise2;
      level += l.step2;
      if (trace.replicas > 1) {
        const double m = mean_of(d.worker_mean[way][stage]);
        worker += variance_of(d.worker_mean[way][stage]) / (m * m);
      }
      ++parts;
    }
  const auto root = [&](double sum) { return parts ? std::sqrt(sum / parts) : 0; };
  d.spread = {root(fresh), root(content), root(noise), root(level), root(worker)};
  return d;
}

}  // namespace prism
