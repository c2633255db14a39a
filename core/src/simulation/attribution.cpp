// SPDX-License-Identifier: Apache-2.0
#include "simulation/attribution.h"

#include <algorithm>

#include "simulation/finish.h"
#include "simulation/lanes.h"

namespace prism {

static_assert(attribution_unit == lane_count, "a lane of a batch is a trial of the unit");

bool can_attribute(const Compiled& c) {
  const double rows = static_cast<double>(c.graph.tasks.size()) * static_cast<double>(c.lines) * lane_count;
  return rows * static_cast<double>((c.kinds.size() + 4) * sizeof(float)) <= 512e6;
}

std::vector<AttributedTrial> attribute(const Compiled& c, std::uint64_t seed, std::int64_t first,
                                       std::int64_t count, std::int64_t replicas) {
  const auto rows = static_cast<std::size_t>(c.workload.pp * c.lines);
  Lanes lanes(c);
  auto simulate = [&](auto replica_of, Recording<float>* recording) {
    for (std::size_t k = 0; k < lane_count; ++k) {
      const std::int64_t i = std::min(static_cast<std::int64_t>(k), count - 1);
      lanes.key[k] = replica_key(seed, first + i, replica_of(i));
    }
    simulate_segments(c, lanes, recording);
  };

  // First who decides each trial, then the deciders once more, recorded: their draws are the same.
  std::vector<double> ends(rows * lane_count, 0);
  std::vector<std::int64_t> latest(rows * lane_count, 0);
  for (std::int64_t replica = 0; replica < replicas; ++replica) {
    simulate([&](std::int64_t) { return replica; }, nullptr);
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (lanes.ends[i] > ends[i]) {
        ends[i] = lanes.ends[i];
        latest[i] = replica;
      }
  }
  std::vector<AttributedTrial> result(static_cast<std::size_t>(count));
  std::vector<std::int64_t> decider(static_cast<std::size_t>(count));
  std::vector<FinishPath> paths(static_cast<std::size_t>(count));
  std::vector<double> meet(rows);
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t row = 0; row < rows; ++row) meet[row] = ends[row * lane_count + i];
    result[i].step_s = finish_step(c, seed, first + static_cast<std::int64_t>(i), meet, &paths[i]);
    decider[i] = latest[paths[i].row * lane_count + i];
  }

  Recording<float> recording(c, lane_count, static_cast<std::size_t>(c.lines));
  simulate([&](std::int64_t i) { return decider[i]; }, &recording);
  const auto lines = static_cast<std::size_t>(c.lines);
  for (std::size_t i = 0; i < result.size(); ++i) {
    AttributedTrial& trial = result[i];
    trial.critical_path = walk(c, recording, i, paths[i].row / lines, paths[i].row % lines);
    for (int k = 0; k < kind_count; ++k) trial.critical_path[k] += paths[i].seconds[k];
    trial.compute = paths[i].compute;
    trial.communication = paths[i].communication;
    for (std::size_t r = 0; r < trial.compute.size(); ++r) {
      trial.compute[r] += static_cast<double>(recording.compute[recording.at(r, i)]);
      trial.communication[r] += static_cast<double>(recording.communication[recording.at(r, i)]);
    }
  }
  return result;
}

}  // namespace prism
