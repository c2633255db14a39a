// SPDX-License-Identifier: Apache-2.0
#include "simulation/prepared.h"

namespace prism {

const Graph& graph_of(const Simulation& s) { return s.compiled->graph; }

StepTimeline step_timeline(const Simulation& s, std::int64_t trial) {
  const Compiled& c = *s.compiled;
  const auto lines = static_cast<std::size_t>(c.lines);
  const auto pp = static_cast<std::size_t>(c.workload.pp);
  Player player(c, *s.stalls, s.run.seed, s.screened.guess);
  Recording<float> recording(c, lane_count, lines);
  const Step step{trial, trial};
  const AttributedTrial decided = attribute(player, {&step, 1}, s.attribution_effort, recording).front();

  StepTimeline timeline{decided.step_s,
                        decided.replica * c.workload.folded,
                        static_cast<std::int64_t>(decided.row / lines),
                        {},
                        {}};
  const auto of = [&](const std::vector<float>& rows, std::int32_t task) {
    return static_cast<double>(rows[recording.at(static_cast<std::size_t>(task) * lines, 0)]);
  };
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    StepTimeline::Chunk chunk{};
    chunk.end_s = of(recording.end, static_cast<std::int32_t>(i));
    chunk.arrival_s = t.source < 0 ? 0 : of(recording.arrival, t.source);
    chunk.start_s = std::max(t.previous < 0 ? 0 : of(recording.end, t.previous), chunk.arrival_s);
    chunk.transfer_s = t.send_slot < 0 ? 0 : of(recording.hop, static_cast<std::int32_t>(i));
    for (std::size_t k = 0; k < recording.kinds; ++k)
      if (class_of(c.kinds[k]) == Class::communication)
        chunk.communication_s += static_cast<double>(recording.kind[recording.at(i * lines, k, 0)]);
    timeline.chunk.push_back(chunk);
  }
  walk(c, recording, 0, decided.row / lines, decided.row % lines,
       [&](std::int32_t task) { timeline.chunk[static_cast<std::size_t>(task)].critical = true; });
  // Lanes still hold the replica's ends. Rounded as the record is, so that a rank that ends with its chunks
  // does.
  for (std::size_t r = 0; r < pp; ++r)
    timeline.alone_s.push_back(
        static_cast<double>(static_cast<float>(player.lanes().ends[r * lines * lane_count])));
  return timeline;
}

}  // namespace prism
