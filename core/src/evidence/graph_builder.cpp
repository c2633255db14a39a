// SPDX-License-Identifier: Apache-2.0
#include "evidence/graph_builder.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "evidence/faults.h"

namespace prism {

OpIndex::OpIndex(const OperatorTrace& trace)
    : slots_(static_cast<std::size_t>(trace.workers()) * static_cast<std::size_t>(op_types)) {
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const TraceOp& op = trace.ops[i];
    Slot& s =
        slots_[static_cast<std::size_t>(trace.worker(op)) * op_types + static_cast<std::size_t>(op.type)];
    if (s.count++ == 0) s.first = static_cast<int>(i);
  }
}

std::vector<int> order_of_stage(const OperatorTrace& trace, int stage) {
  std::vector<int> order;
  for (std::size_t i = 0; i < trace.ops.size(); ++i)
    if (trace.ops[i].replica == 0 && trace.ops[i].stage == stage) order.push_back(static_cast<int>(i));
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto key = [&](int i) {
      const auto op = static_cast<std::size_t>(i);
      return std::tuple(trace.start_at(op, 0), trace.ops[op].index, trace.ops[op].type);
    };
    return key(a) < key(b);
  });
  return order;
}

GraphBuilder::GraphBuilder(const OperatorTrace& trace)
    : trace_(trace), index_(trace), parent_(trace.ops.size()) {
  std::iota(parent_.begin(), parent_.end(), 0);
  group_pairs();
  group_collectives();
}

int GraphBuilder::root(int op) {
  while (parent_[static_cast<std::size_t>(op)] != op) {
    int& up = parent_[static_cast<std::size_t>(op)];
    up = parent_[static_cast<std::size_t>(up)];
    op = up;
  }
  return op;
}

void GraphBuilder::join(int a, int b) {
  if (a < 0 || b < 0) return;
  a = root(a);
  b = root(b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
}

void GraphBuilder::group_pairs() {
  const auto pair = [&](int sender, OpType send, int receiver, OpType receive) {
    for (int k = 0; k < index_.count(sender, send); ++k)
      join(index_.at(sender, send, k), index_.at(receiver, receive, k));
  };
  for (int r = 0; r < trace_.replicas; ++r)
    for (int s = 0; s + 1 < trace_.stages; ++s) {
      const int here = r * trace_.stages + s;
      pair(here, OpType::forward_send, here + 1, OpType::forward_recv);
      pair(here + 1, OpType::backward_send, here, OpType::backward_recv);
    }
}

void GraphBuilder::group_collectives() {
  const auto together = [&](OpType type, const std::vector<int>& workers) {
    for (const int w : workers)
      for (int k = 0; k < index_.count(w, type); ++k)
        join(index_.at(workers[0], type, k), index_.at(w, type, k));
  };
  std::vector<int> all;
  for (int s = 0; s < trace_.stages; ++s) {
    std::vector<int> replicas;
    for (int r = 0; r < trace_.replicas; ++r) replicas.push_back(r * trace_.stages + s);
    together(OpType::params_all_gather, replicas);
    together(OpType::grads_reduce_scatter, replicas);
    all.insert(all.end(), replicas.begin(), replicas.end());
  }
  for (int r = 0; r < trace_.replicas; ++r)
    together(OpType::embedding_grads_all_reduce, {r * trace_.stages, (r + 1) * trace_.stages - 1});
  // Clipping needs the norm of the whole model.
  std::sort(all.begin(), all.end());
  together(OpType::optimizer_clip_main_grad, all);
}

Result<ReplayGraph> GraphBuilder::finish() {
  const std::size_t n = trace_.ops.size();
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());

  ReplayGraph graph;
  graph.before_begin.assign(n + 1, 0);
  for (const auto& [after, before] : edges_) {
    ++graph.before_begin[static_cast<std::size_t>(after) + 1];
    graph.before.push_back(before);
  }
  std::partial_sum(graph.before_begin.begin(), graph.before_begin.end(), graph.before_begin.begin());

  // Units in topological order: those ready earlier first, each by its first operation.
  std::vector<std::vector<int>> members(n), followers(n);
  std::vector<int> waits(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    members[static_cast<std::size_t>(root(static_cast<int>(i)))].push_back(static_cast<int>(i));
  for (const auto& [after, before] : edges_) {
    followers[static_cast<std::size_t>(root(before))].push_back(root(after));
    ++waits[static_cast<std::size_t>(root(after))];
  }
  std::vector<int> ready;
  for (std::size_t u = 0; u < n; ++u)
    if (!members[u].empty() && waits[u] == 0) ready.push_back(static_cast<int>(u));
  graph.unit_begin.push_back(0);
  for (std::size_t next = 0; next < ready.size(); ++next) {
    const auto u = static_cast<std::size_t>(ready[next]);
    graph.members.insert(graph.members.end(), members[u].begin(), members[u].end());
    graph.unit_begin.push_back(static_cast<std::int32_t>(graph.members.size()));
    for (const int f : followers[u])
      if (--waits[static_cast<std::size_t>(f)] == 0) ready.push_back(f);
  }
  if (graph.members.size() != n)
    return Result<ReplayGraph>::fault(evidence_fault(
        Code::inconsistent,
        "the operations wait for each other in a circle: the order of sends and receives in the "
        "first step fits no pipeline schedule"));
  return Result<ReplayGraph>::of(std::move(graph));
}

}  // namespace prism
