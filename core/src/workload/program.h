// SPDX-License-Identifier: Apache-2.0
// Writing a program segment by segment: compute operators gather in the open segment, a collective closes it.
#pragma once

#include <utility>
#include <vector>

#include "prism/workload.h"

namespace prism::workload {

class Program {
 public:
  /// Adds a compute operator. One that takes no time is left out: it could only cost draws.
  void compute(const Operator& op) {
    if (op.scale_s == 0) return;
    if (!open_) segments_.emplace_back();
    open_ = true;
    segments_.back().compute.push_back(op);
  }

  /// Operators so far, collectives included.
  std::int32_t size() const {
    std::size_t count = 0;
    for (const Segment& s : segments_) count += s.compute.size() + s.has_collective;
    return static_cast<std::int32_t>(count);
  }

  /// Adds a compute operator in front of the last collective, so that the program still ends in one: a chunk
  /// that ends in a collective composes exactly. It is the same work in the same chunk, only its place is
  /// moved. Collectives beside compute that are waited for together stay together.
  void compute_before_last_collective(const Operator& op) {
    if (segments_.empty() || open_) return compute(op);
    auto last = segments_.rbegin();
    while (last + 1 != segments_.rend() && last->compute.empty() && last->beside.scale_s > 0) ++last;
    if (op.scale_s != 0) last->compute.push_back(op);
  }

  /// Ends the open segment by a collective. One that is wholly hidden (no seconds) still synchronises.
  /// `beside`: what it takes in all on a stream of its own, if it has one.
  void collective(const Operator& op, Group group, const Operator& beside = {}) {
    if (!open_) segments_.emplace_back();
    open_ = false;
    Segment& last = segments_.back();
    last.has_collective = true;
    last.collective = op;
    last.group = group;
    last.beside = beside;
  }

  std::vector<Segment> take() && { return std::move(segments_); }

 private:
  std::vector<Segment> segments_;
  bool open_ = false;
};

}  // namespace prism::workload
