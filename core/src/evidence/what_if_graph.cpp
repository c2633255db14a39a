// SPDX-License-Identifier: Apache-2.0
// The graph of the published what-if analysis (arXiv 2505.05713 section 4 and its artifact).
#include <algorithm>
#include <initializer_list>

#include "evidence/graph_builder.h"

namespace prism {
namespace {

/// The order after the last compute, as in the recorded jobs: the embedding all-reduce before the
/// reduce-scatter.
constexpr OpType tail[] = {OpType::gc,
                           OpType::layernorm_grads_all_reduce,
                           OpType::embedding_grads_all_reduce,
                           OpType::grads_reduce_scatter,
                           OpType::optimizer_clip_main_grad,
                           OpType::optimizer};

void chain(GraphBuilder& b, int worker, OpType type) {
  for (int k = 1; k < b.index().count(worker, type); ++k)
    b.edge(b.index().at(worker, type, k - 1), b.index().at(worker, type, k));
}

void tie_direction(GraphBuilder& b, int worker, OpType receive, OpType compute, OpType send) {
  const OpIndex& of = b.index();
  for (int k = 0; k < of.count(worker, compute); ++k) {
    b.edge(of.at(worker, receive, k), of.at(worker, compute, k));
    b.edge(of.at(worker, compute, k), of.at(worker, send, k));
    // Not a need of the job: the artifact posts a receive after the compute before it.
    b.edge(of.at(worker, compute, k - 1), of.at(worker, receive, k));
  }
}

/// `computes` are the worker's, in order.
void tie_worker(GraphBuilder& b, const OperatorTrace& trace, int worker, const std::vector<int>& computes) {
  const OpIndex& of = b.index();
  for (std::size_t i = 1; i < computes.size(); ++i) b.edge(computes[i - 1], computes[i]);
  for (const OpType t : {OpType::forward_send, OpType::forward_recv, OpType::backward_send,
                         OpType::backward_recv, OpType::params_all_gather})
    chain(b, worker, t);
  tie_direction(b, worker, OpType::forward_recv, OpType::forward_compute, OpType::forward_send);
  tie_direction(b, worker, OpType::backward_recv, OpType::backward_compute, OpType::backward_send);
  b.edge(of.at(worker, OpType::params_all_gather, of.count(worker, OpType::params_all_gather) - 1),
         of.at(worker, OpType::forward_compute, 0));
  const auto first_backward = std::find_if(computes.begin(), computes.end(), [&](int op) {
    return trace.ops[static_cast<std::size_t>(op)].type == OpType::backward_compute;
  });
  if (first_backward != computes.end() && first_backward - computes.begin() >= 2) {
    b.edge(*(first_backward - 2), of.at(worker, OpType::backward_recv, 0));
    b.edge(*(first_backward - 2), of.at(worker, OpType::backward_send, 0));
  }
  int before = computes.empty() ? -1 : computes.back();
  for (const OpType t : tail)
    for (int k = 0; k < of.count(worker, t); ++k) {
      b.edge(before, of.at(worker, t, k));
      before = of.at(worker, t, k);
    }
}

}  // namespace

Result<ReplayGraph> what_if_graph(const OperatorTrace& trace) {
  GraphBuilder b(trace);
  for (int s = 0; s < trace.stages; ++s) {
    const std::vector<int> order = order_of_stage(trace, s);
    for (int r = 0; r < trace.replicas; ++r) {
      const int worker = r * trace.stages + s;
      std::vector<int> computes;
      for (const int op : order) {
        const TraceOp& o = trace.ops[static_cast<std::size_t>(op)];
        if (is_compute(o.type)) computes.push_back(b.index().at(worker, o.type, o.index));
      }
      tie_worker(b, trace, worker, computes);
    }
  }
  return b.finish();
}

}  // namespace prism
