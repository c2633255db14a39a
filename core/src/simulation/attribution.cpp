// SPDX-License-Identifier: Apache-2.0
#include "simulation/attribution.h"

#include <algorithm>

namespace prism {

static_assert(attribution_unit == lane_count, "a lane of a batch is a trial of the unit");

bool can_attribute(const Compiled& c) {
  const double rows = static_cast<double>(c.graph.tasks.size()) * static_cast<double>(c.lines) * lane_count;
  return rows * static_cast<double>((c.kinds.size() + 4) * sizeof(float)) <= 512e6;
}

std::vector<AttributedTrial> attribute(Player& player, std::span<const Step> steps, const Effort& effort,
                                       Recording<float>& recording) {
  const Compiled& c = player.compiled();
  const Stalls& stalls = player.stalls();
  const std::uint64_t seed = player.seed();
  const auto rows = static_cast<std::size_t>(c.workload.pp * c.lines);
  const auto lists = player.lists(steps, effort);
  const SharedDraws& shared = player.shared();
  Lanes& lanes = player.lanes();

  // First who decides each trial, then the deciders once more, recorded: their draws are the same.
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (std::int32_t replica : lists[i]) pairs.push_back({static_cast<std::int32_t>(i), replica});
  std::vector<double> ends(rows * steps.size(), 0);
  std::vector<std::int32_t> latest(ends.size(), 0);
  for (const auto batch : batches(c, pairs)) {
    load(c, shared, &stalls, seed, steps, batch, lanes);
    lanes.replica = &c.replica(batch[0].replica);
    simulate_segments(c, lanes);
    for (std::size_t k = 0; k < batch.size(); ++k)
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t to = static_cast<std::size_t>(batch[k].step) * rows + row;
        if (lanes.ends[row * lane_count + k] <= ends[to]) continue;
        ends[to] = lanes.ends[row * lane_count + k];
        latest[to] = batch[k].replica;
      }
  }
  std::vector<AttributedTrial> result(steps.size());
  std::vector<FinishPath> paths(steps.size());
  std::vector<Pair> deciders;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const EndCauses causes = end_causes(c, shared, i, &stalls, seed, steps[i].trial);
    result[i].step_s =
        finish_step(c, seed, steps[i].trial, causes, std::span(ends).subspan(i * rows, rows), &paths[i]);
    deciders.push_back({static_cast<std::int32_t>(i), latest[i * rows + paths[i].row]});
  }

  load(c, shared, &stalls, seed, steps, deciders, lanes);
  const auto lines = static_cast<std::size_t>(c.lines);
  // Lanes that draw from the same laws are played together, and the others once more.
  std::vector<char> told(result.size(), 0);
  for (std::size_t first = 0; first < result.size(); ++first) {
    if (told[first]) continue;
    lanes.replica = &c.replica(deciders[first].replica);
    simulate_segments(c, lanes, &recording);
    for (std::size_t i = first; i < result.size(); ++i) {
      if (&c.replica(deciders[i].replica) != lanes.replica) continue;
      told[i] = 1;
      AttributedTrial& trial = result[i];
      trial.replica = deciders[i].replica;
      trial.row = paths[i].row;
      trial.critical_path = walk(c, recording, i, paths[i].row / lines, paths[i].row % lines);
      for (int k = 0; k < kind_count; ++k) trial.critical_path[k] += paths[i].seconds[k];
      trial.compute = paths[i].compute;
      trial.communication = paths[i].communication;
      for (std::size_t r = 0; r < trial.compute.size(); ++r) {
        trial.compute[r] += static_cast<double>(recording.compute[recording.at(r, i)]);
        trial.communication[r] += static_cast<double>(recording.communication[recording.at(r, i)]);
      }
    }
  }
  return result;
}

}  // namespace prism
