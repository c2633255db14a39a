// SPDX-License-Identifier: Apache-2.0
// The deterministic step straight from the stage programs.
#include <algorithm>
#include <set>

#include "prism/graph.h"
#include "prism/simulation.h"
#include "simulation/causes.h"
#include "simulation/step_end.h"

namespace prism {
namespace {

double median_s(const Workload& w, const Operator& op) {
  return op.scale_s * w.shape_medians[static_cast<std::size_t>(op.shape)];
}

/// `slow`: how many times longer compute takes there.
double median_s(const Workload& w, const std::vector<Segment>& segments, double slow) {
  double total = 0;
  for (const Segment& s : segments) {
    for (const Operator& op : s.compute) total += slow * median_s(w, op);
    if (s.has_collective) total += median_s(w, s.collective);
  }
  return total;
}

/// By pipeline rank, how many times longer compute takes there.
using Slow = std::vector<double>;

/// When each pipeline rank has ended its last chunk; by rank after those, the reductions beside its chunks.
std::vector<double> play(const Workload& w, const Graph& graph, const Slow& slow) {
  std::vector<double> chunk;
  for (std::size_t s = 0; s < w.stages.size(); ++s)
    for (const auto* pass : {&w.stages[s].forward, &w.stages[s].backward, &w.stages[s].weight})
      chunk.push_back(median_s(w, *pass, slow[s % slow.size()]));
  const double hop[] = {w.transfers.present ? median_s(w, w.transfers.forward) : 0,
                        w.transfers.present ? median_s(w, w.transfers.backward) : 0};
  const auto ranks = static_cast<std::size_t>(w.pp);
  std::vector<double> end(2 * ranks, 0), link(2 * ranks, 0),
      arrival(static_cast<std::size_t>(graph.slots), 0);
  const std::vector<std::int32_t> completing = completing_tasks(w, graph);
  for (const Graph::Task& t : graph.tasks) {
    double& now = end[static_cast<std::size_t>(t.rank)];
    if (t.receive_slot >= 0) now = std::max(now, arrival[static_cast<std::size_t>(t.receive_slot)]);
    const double begin = now;
    now += chunk[static_cast<std::size_t>(t.stage) * pass_count + static_cast<std::size_t>(t.pass)];
    if (completing[static_cast<std::size_t>(t.stage)] == &t - graph.tasks.data()) {
      const StageProgram& stage = w.stages[static_cast<std::size_t>(t.stage)];
      const std::vector<double> shares = completion(w, stage);
      double& reduced = end[ranks + static_cast<std::size_t>(t.rank)];
      for (std::size_t k = 0; k < shares.size(); ++k)
        reduced = std::max(reduced, begin + shares[k] * (now - begin)) +
                  median_s(w, stage.reductions[k].collective);
    }
    if (t.send_slot < 0) continue;
    double& free = link[static_cast<std::size_t>(t.link)];
    free = std::max(now, free) + hop[t.pass == Pass::backward];
    arrival[static_cast<std::size_t>(t.send_slot)] = free;
  }
  return end;
}

/// After the last backward pass. At their medians replicas are alike, so pipeline ranks wait only for one
/// another.
double finish(const Workload& w, std::vector<double> end, const Slow& slow) {
  const std::size_t ranks = end.size() / 2;
  std::vector<std::size_t> next(ranks, 0);
  std::vector<const Segment*> meeting(ranks);
  const auto advance = [&](std::size_t r) {
    const std::vector<Segment>& program = w.end.rank[r];
    meeting[r] = nullptr;
    while (!meeting[r] && next[r] < program.size()) {
      const Segment& s = program[next[r]++];
      for (const Operator& op : s.compute) end[r] += slow[r] * median_s(w, op);
      if (!s.has_collective) continue;
      if (s.group == Group::data || s.group == Group::world) end[r] = std::max(end[r], end[ranks + r]);
      if (s.group == Group::embedding || s.group == Group::world)
        meeting[r] = &s;
      else
        end[r] += median_s(w, s.collective);
    }
  };
  for (std::size_t r = 0; r < ranks; ++r) advance(r);
  while (meeting.front()) {
    std::vector<std::size_t> members{0};
    const bool all = meeting.front()->group == Group::world;
    for (std::size_t r = 1; r < ranks; ++r)
      if (all || r + 1 == ranks) members.push_back(r);
    double latest = 0;
    for (const std::size_t r : members) latest = std::max(latest, end[r]);
    latest += median_s(w, meeting.front()->collective);
    for (const std::size_t r : members) {
      end[r] = latest;
      advance(r);
    }
  }
  return *std::max_element(end.begin(), end.end());
}

}  // namespace

Result<double> median_step_s(const Workload& w) {
  const auto slows = [](const WhatIf& f) { return f.change == WhatIf::Change::factor; };
  if (std::any_of(w.what_if.begin(), w.what_if.end(), slows)) {
    const auto simulation = prepare_simulation(w, {});
    if (!simulation) return Result<double>::faults(simulation.diagnostics);
    return Result<double>::of(deterministic(**simulation).step_s);
  }
  const auto graph = compile_graph({w.pp, w.virtual_stages, w.micro_batches}, w.schedule);
  if (!graph) return Result<double>::faults(graph.diagnostics);
  const Slow none(static_cast<std::size_t>(w.pp), 1);
  return Result<double>::of(finish(w, play(w, *graph, none), none));
}

Result<double> slow_node_inflation(const Workload& w, double factor) {
  const auto graph = compile_graph({w.pp, w.virtual_stages, w.micro_batches}, w.schedule);
  if (!graph) return Result<double>::faults(graph.diagnostics);
  const Places places(w);
  const Slow none(static_cast<std::size_t>(w.pp), 1);
  const std::vector<double> healthy = play(w, *graph, none);
  // Every node holds ranks as one of those of the first replica does.
  std::set<std::int32_t> nodes;
  for (std::int64_t r = 0; r < w.pp; ++r)
    for (std::int64_t j = 0; j < places.nodes_a_group; ++j)
      nodes.insert(
          places.node_of_group[static_cast<std::size_t>(places.group(0, r) * places.nodes_a_group + j)]);
  double sum = 0;
  for (const std::int32_t node : nodes) {
    // The ranks it slows in each replica, and by when the latest replica is there.
    std::vector<double> end = healthy;
    Slow at_end = none;
    for (std::int64_t d = 0; d < w.dp; ++d) {
      Slow slow = none;
      for (std::int64_t r = 0; r < w.pp; ++r)
        for (std::int64_t j = 0; j < places.nodes_a_group; ++j)
          if (places.node_of_group[static_cast<std::size_t>(places.group(d, r) * places.nodes_a_group + j)] ==
              node)
            slow[static_cast<std::size_t>(r)] = at_end[static_cast<std::size_t>(r)] = factor;
      if (slow == none) continue;
      const std::vector<double> late = play(w, *graph, slow);
      for (std::size_t r = 0; r < end.size(); ++r) end[r] = std::max(end[r], late[r]);
    }
    sum += finish(w, std::move(end), at_end);
  }
  return Result<double>::of(sum / static_cast<double>(nodes.size()) / finish(w, healthy, none));
}

}  // namespace prism
