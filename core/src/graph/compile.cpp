// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "prism/graph.h"

namespace prism {
namespace {

/// The chunk that must end, and its activations arrive, before this one may start.
struct Need {
  bool exists;
  std::int64_t stage;
  Pass pass;
};

Need need_of(const ScheduledTask& t, std::int64_t stages) {
  if (t.pass == Pass::weight) return {false, 0, t.pass};  // after its backward pass, by the order on the rank
  if (t.pass == Pass::forward) return {t.stage > 0, t.stage - 1, Pass::forward};
  if (t.stage == stages - 1) return {true, t.stage, Pass::forward};
  return {true, t.stage + 1, Pass::backward};
}

}  // namespace

std::int64_t activations_in_flight(const Schedule& schedule, const PipelineShape& shape, std::int64_t rank) {
  std::int64_t held = 0, most = 0;
  for (const ScheduledTask& t : schedule.order(shape, rank)) {
    if (t.pass == Pass::forward) most = std::max(most, ++held);
    if (t.pass == (schedule.splits_weights ? Pass::weight : Pass::backward)) --held;
  }
  return most;
}

Result<Graph> compile_graph(const PipelineShape& shape, std::string_view schedule_name) {
  const Schedule* schedule = find_schedule(schedule_name);
  if (!schedule) {
    std::string known;
    for (const Schedule& s : schedules()) known += (known.empty() ? "" : ", ") + std::string(s.name);
    return Result<Graph>::fault({Code::unknown_name, "/parallel/schedule",
                                 "unknown schedule \"" + std::string(schedule_name) + "\"",
                                 "known: " + known});
  }
  if (auto faults = schedule->check(shape); !faults.empty()) return Result<Graph>::faults(std::move(faults));
  // Compared by division: the product of absurd sizes would overflow.
  const std::int64_t passes = schedule->splits_weights ? 3 : 2;
  if (shape.micro_batches > max_tasks / passes / shape.stages())
    return Result<Graph>::fault({Code::too_large, "/parallel",
                                 "a replica has " + std::to_string(passes) +
                                     " * pp * virtual_stages * micro-batches = " + std::to_string(passes) +
                                     " * " + std::to_string(shape.stages()) + " * " +
                                     std::to_string(shape.micro_batches) + " chunks; at most " +
                                     std::to_string(max_tasks) + " are possible",
                                 "use fewer micro-batches a replica"});

  const std::int64_t ranks = shape.ranks, stages = shape.stages(), m = shape.micro_batches;
  auto id = [&](std::int64_t stage, Pass pass, std::int64_t micro_batch) {
    return (static_cast<std::size_t>(stage) * pass_count + static_cast<std::size_t>(pass)) *
               static_cast<std::size_t>(m) +
           static_cast<std::size_t>(micro_batch);
  };

  Graph graph;
  graph.shape = shape;
  graph.tasks.reserve(static_cast<std::size_t>(passes * stages * m));
  graph.last_on_rank.assign(ranks, -1);
  std::vector<std::int32_t> index(pass_count * static_cast<std::size_t>(stages * m), -1);
  std::vector<std::vector<ScheduledTask>> orders;
  for (std::int64_t r = 0; r < ranks; ++r) orders.push_back(schedule->order(shape, r));

  // Ranks take turns, one chunk each when it can run: a topological order in which an arrival is read soon
  // after it is written, so few slots are live.
  std::vector<std::size_t> next(ranks, 0);
  std::vector<std::int32_t> last_on_link(2 * ranks, -1), free_slots;
  const std::size_t total = static_cast<std::size_t>(passes * stages * m);
  while (graph.tasks.size() < total) {
    const std::size_t before = graph.tasks.size();
    for (std::int64_t r = 0; r < ranks; ++r) {
      if (next[r] == orders[r].size()) continue;
      const ScheduledTask& t = orders[r][next[r]];
      const Need need = need_of(t, stages);
      std::int32_t source = -1;
      if (need.exists) {
        source = index[id(need.stage, need.pass, t.micro_batch)];
        if (source < 0) continue;
        if (graph.tasks[source].rank == r) source = -1;  // implied by the order on the rank
      }
      Graph::Task task{};
      task.rank = static_cast<std::int32_t>(r);
      task.stage = t.stage;
      task.pass = t.pass;
      task.micro_batch = t.micro_batch;
      task.previous = graph.last_on_rank[r];
      task.source = source;
      task.receive_slot = source < 0 ? -1 : graph.tasks[source].send_slot;
      const bool sends = ranks > 1 && t.pass != Pass::weight &&
                         (t.pass == Pass::forward ? t.stage + 1 < stages : t.stage > 0);
      task.send_slot = task.link = task.link_previous = -1;
      const auto self = static_cast<std::int32_t>(graph.tasks.size());
      if (sends) {
        if (free_slots.empty()) {
          task.send_slot = graph.slots++;
        } else {
          task.send_slot = free_slots.back();
          free_slots.pop_back();
        }
        task.link = static_cast<std::int32_t>(2 * r + (t.pass == Pass::backward));
        task.link_previous = last_on_link[task.link];
        last_on_link[task.link] = self;
      }
      // Only now: a chunk must not write its own arrival over the one it reads.
      if (source >= 0) free_slots.push_back(task.receive_slot);
      graph.last_on_rank[r] = self;
      index[id(t.stage, t.pass, t.micro_batch)] = self;
      graph.tasks.push_back(task);
      ++next[r];
    }
    if (graph.tasks.size() == before)
      return Result<Graph>::fault({Code::inconsistent, "/parallel/schedule",
                                   "the order of " + std::string(schedule_name) + " cannot run with pp " +
                                       std::to_string(ranks) + ", virtual_stages " +
                                       std::to_string(shape.virtual_stages) + " and " + std::to_string(m) +
                                       " micro-batches: ranks would wait for one another",
                                   "use a number of micro-batches that is a multiple of pp"});
  }
  return Result<Graph>::of(std::move(graph));
}

}  // namespace prism
