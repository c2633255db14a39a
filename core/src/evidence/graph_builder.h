// SPDX-License-Identifier: Apache-2.0
// What both graphs of an operator trace share: who is where, who starts together, and how a graph is ordered.
#pragma once

#include <utility>
#include <vector>

#include "evidence/op_type.h"

namespace prism {

/// Operations by worker and type. Operations of one worker and type stand one after the other in the trace.
class OpIndex {
 public:
  explicit OpIndex(const OperatorTrace& trace);
  int count(int worker, OpType type) const { return slot(worker, type).count; }
  /// The k-th, or -1.
  int at(int worker, OpType type, int k) const {
    const Slot& s = slot(worker, type);
    return k >= 0 && k < s.count ? s.first + k : -1;
  }

 private:
  struct Slot {
    int first = 0, count = 0;
  };
  const Slot& slot(int worker, OpType type) const {
    return slots_[static_cast<std::size_t>(worker) * op_types + static_cast<std::size_t>(type)];
  }
  std::vector<Slot> slots_;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(const OperatorTrace& trace);
  const OpIndex& index() const { return index_; }
  /// `before` and `after` are operations; nothing happens if either is -1.
  void edge(int before, int after) {
    if (before >= 0 && after >= 0) edges_.push_back({after, before});
  }
  /// Fault: the dependencies run in a circle.
  Result<ReplayGraph> finish();

 private:
  void group_pairs();
  void group_collectives();
  void join(int a, int b);
  int root(int op);

  const OperatorTrace& trace_;
  OpIndex index_;
  std::vector<std::pair<std::int32_t, std::int32_t>> edges_;  ///< (after, before)
  std::vector<int> parent_;                                   ///< of the union-find over operations
};

/// The operations of a worker in the order of their starts, taken from the first replica and the first step
/// of the trace and used for every replica of the stage.
std::vector<int> order_of_stage(const OperatorTrace& trace, int stage);

}  // namespace prism
