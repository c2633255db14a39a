// SPDX-License-Identifier: Apache-2.0
#include "evidence/shared_levels.h"

#include <algorithm>
#include <cmath>

#include "evidence/moments.h"

namespace prism {
namespace {

constexpr OpType directions[] = {OpType::forward_compute, OpType::backward_compute};

Levels of_median_one(Levels level) {
  const double median = median_of(level);
  if (!(median > 0)) return Levels(level.size(), 1);
  for (double& x : level) x /= median;
  return level;
}

/// Mean compute of the healthy workers of each stage.
std::vector<std::vector<double>> usual_compute(const OperatorTrace& trace, const OperatorEvidence& e) {
  std::vector<std::vector<double>> usual(2);
  for (std::size_t way = 0; way < 2; ++way)
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(trace.stages); ++stage) {
      std::vector<double> healthy;
      const auto& means = e.parts.worker_mean[way][stage];
      for (std::size_t r = 0; r < means.size(); ++r)
        if (!e.workers[r * static_cast<std::size_t>(trace.stages) + stage].slow) healthy.push_back(means[r]);
      usual[way].push_back(healthy.empty() ? 0 : mean_of(healthy));
    }
  return usual;
}

/// Pooled over stages; a worker counts by the time of both its directions.
double lasting_spread(const OperatorTrace& trace, const OperatorEvidence& e,
                      const std::vector<std::vector<double>>& usual) {
  double sum = 0, freedom = 0;
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(trace.stages); ++stage) {
    std::vector<double> relative;
    for (std::size_t r = 0; r < static_cast<std::size_t>(trace.replicas); ++r) {
      if (e.workers[r * static_cast<std::size_t>(trace.stages) + stage].slow) continue;
      double own = 0, all = 0;
      for (std::size_t way = 0; way < 2; ++way) {
        if (usual[way][stage] == 0) continue;
        own += e.parts.worker_mean[way][stage][r];
        all += usual[way][stage];
      }
      if (all > 0) relative.push_back(own / all);
    }
    if (relative.size() < 2) continue;
    const auto n = static_cast<double>(relative.size() - 1);
    sum += n * variance_of(relative);
    freedom += n;
  }
  return freedom > 0 ? std::sqrt(sum / freedom) : 0;
}

}  // namespace

Levels common_level(const std::vector<std::vector<double>>& rows) {
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  Levels level(columns, 1);
  if (columns < 2) return level;
  std::vector<double> here(rows.size());
  double noise = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows.size(); ++r) here[r] = rows[r][c];
    level[c] = mean_of(here);
    noise += variance_of(here) / static_cast<double>(columns);
  }
  const double middle = mean_of(level), seen = variance_of(level);
  const double explained = noise / static_cast<double>(rows.size());
  const double shrink = seen > explained ? std::sqrt(1 - explained / seen) : 0;
  for (double& x : level) x = middle + shrink * (x - middle);
  return of_median_one(std::move(level));
}

SharedCompute shared_compute(const OperatorTrace& trace, const OperatorEvidence& e) {
  const OpIndex of(trace);
  const auto steps = static_cast<std::size_t>(trace.steps());
  SharedCompute out;
  out.usual = usual_compute(trace, e);
  out.micro_batches = of.count(0, OpType::forward_compute);
  const auto micro_batches = static_cast<std::size_t>(out.micro_batches);
  std::vector<std::vector<double>> levels, contents;
  for (std::size_t way = 0; way < 2; ++way)
    for (int stage = 0; stage < trace.stages; ++stage) {
      if (of.count(stage, directions[way]) != out.micro_batches) continue;
      levels.push_back(e.parts.step_level[way][static_cast<std::size_t>(stage)]);
      auto& content = contents.emplace_back();
      for (int r = 0; r < trace.replicas; ++r)
        for (int k = 0; k < out.micro_batches; ++k) {
          const auto op = static_cast<std::size_t>(of.at(r * trace.stages + stage, directions[way], k));
          const auto row = e.parts.content.begin() + static_cast<std::ptrdiff_t>(op * steps);
          content.insert(content.end(), row, row + static_cast<std::ptrdiff_t>(steps));
        }
    }
  out.step = levels.empty() ? Levels(steps, 1) : common_level(levels);
  out.micro_batch = contents.empty()
                        ? Levels(static_cast<std::size_t>(trace.replicas) * micro_batches * steps, 1)
                        : common_level(contents);
  out.worker_cv = lasting_spread(trace, e, out.usual);
  const auto& spread = e.parts.spread;
  const double averaged =
      spread.fresh * spread.fresh / static_cast<double>(std::max<std::size_t>(micro_batches, 1));
  out.worker_step_cv = std::sqrt(std::max(0.0, spread.worker_step * spread.worker_step - averaged));
  return out;
}

}  // namespace prism
