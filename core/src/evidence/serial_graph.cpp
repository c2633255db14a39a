// SPDX-License-Identifier: Apache-2.0
// The graph that predicts measured times. In the traces every worker runs serially: apart from a few gaps,
// each operation starts within 0.2 ms of the end of everything started earlier on its worker, sends included.
#include <algorithm>
#include <cmath>

#include "evidence/graph_builder.h"

namespace prism {
namespace {

/// Sends and receives posted in one batch are recorded with the same start and the same end; the latter is
/// the batch's.
constexpr double same_time_s = 1e-6;

bool posted_together(const OperatorTrace& trace, int a, int b) {
  const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
  return is_p2p(trace.ops[x].type) && is_p2p(trace.ops[y].type) &&
         std::fabs(trace.start_at(x, 0) - trace.start_at(y, 0)) < same_time_s &&
         std::fabs(trace.end_at(x, 0) - trace.end_at(y, 0)) < same_time_s;
}

}  // namespace

Result<ReplayGraph> serial_graph(const OperatorTrace& trace) {
  GraphBuilder b(trace);
  for (int s = 0; s < trace.stages; ++s) {
    const std::vector<int> order = order_of_stage(trace, s);
    std::vector<std::vector<int>> batches;
    for (const int op : order) {
      if (!batches.empty() && posted_together(trace, batches.back().back(), op))
        batches.back().push_back(op);
      else
        batches.push_back({op});
    }
    for (int r = 0; r < trace.replicas; ++r) {
      const auto here = [&](int op) {
        const TraceOp& o = trace.ops[static_cast<std::size_t>(op)];
        return b.index().at(r * trace.stages + s, o.type, o.index);
      };
      for (std::size_t i = 1; i < batches.size(); ++i)
        for (const int op : batches[i])
          for (const int before : batches[i - 1]) b.edge(here(before), here(op));
    }
  }
  return b.finish();
}

}  // namespace prism
