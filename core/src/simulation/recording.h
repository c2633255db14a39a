// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulation/compiled.h"

namespace prism {

/// Everything needed to walk a replica's critical path backwards, for `width` lanes side by side.
/// A row is one line of one task, or one line of one rank; entry [row * width + lane].
template <class Real>
struct Recording {
  Recording(const Compiled& c, std::size_t lanes, std::size_t line_count)
      : width(lanes),
        kinds(c.kinds.size()),
        lines(line_count),
        end(c.graph.tasks.size() * lines * width),
        arrival(end.size()),
        hop(end.size()),
        origin(end.size()),
        kind(end.size() * c.kinds.size()),
        final_origin(static_cast<std::size_t>(c.workload.pp) * lines * width),
        final_kind(final_origin.size() * c.kinds.size()),
        compute(static_cast<std::size_t>(c.workload.pp) * width),
        communication(compute.size()),
        present(c.kinds) {}

  std::size_t width, kinds, lines;
  // By task and line.
  std::vector<Real> end;              ///< of the chunk
  std::vector<Real> arrival;          ///< of what it sends, at the receiver
  std::vector<Real> hop;              ///< duration of that transfer
  std::vector<std::uint16_t> origin;  ///< line whose start decided this line's end
  std::vector<Real> kind;             ///< seconds of the chunk on that way, by Compiled::kinds
  // By rank and line, after the last backward until replicas meet.
  std::vector<std::uint32_t> final_origin;  ///< row (rank, line) that decided
  std::vector<Real> final_kind;
  // By rank: first line's seconds in all.
  std::vector<Real> compute, communication;

  std::size_t index(Kind of) const {
    return static_cast<std::size_t>(std::find(present.begin(), present.end(), of) - present.begin());
  }
  std::vector<Kind> present;  ///< Compiled::kinds
  std::size_t at(std::size_t row, std::size_t lane) const { return row * width + lane; }
  std::size_t at(std::size_t row, std::size_t kind_index, std::size_t lane) const {
    return (row * kinds + kind_index) * width + lane;
  }
};

/// Seconds of the critical path that ends at (rank, line) of `lane`, by kind: from the start of the step to
/// the end of what the replica does alone. `visit(task)` sees its chunks, last first.
template <class Real, class Visit>
BySeconds walk(const Compiled& c, const Recording<Real>& rec, std::size_t lane, std::size_t rank,
               std::size_t line, Visit visit) {
  BySeconds path{};
  const std::size_t n = rec.lines;
  auto add = [&](const std::vector<Real>& kind, std::size_t row) {
    for (std::size_t i = 0; i < rec.kinds; ++i)
      path[static_cast<int>(c.kinds[i])] += static_cast<double>(kind[rec.at(row, i, lane)]);
  };
  std::size_t row = rank * n + line;
  add(rec.final_kind, row);
  row = rec.final_origin[rec.at(row, lane)];
  line = row % n;
  std::int32_t task = c.graph.last_on_rank[row / n];
  while (task >= 0) {
    const Graph::Task& t = c.graph.tasks[task];
    const std::size_t self = rec.at(task * n + line, lane);
    add(rec.kind, task * n + line);
    line = rec.origin[self];
    const Real free = t.previous < 0 ? Real(0) : rec.end[rec.at(t.previous * n + line, lane)];
    visit(task);
    if (t.source >= 0 && rec.arrival[rec.at(t.source * n + line, lane)] > free) {
      // Along the transfers that queued on the link, to the chunk that the first of them waited for.
      std::int32_t sender = t.source;
      for (;;) {
        path[static_cast<int>(Kind::send_recv)] +=
            static_cast<double>(rec.hop[rec.at(sender * n + line, lane)]);
        const std::int32_t ahead = c.graph.tasks[sender].link_previous;
        if (ahead < 0 ||
            !(rec.arrival[rec.at(ahead * n + line, lane)] > rec.end[rec.at(sender * n + line, lane)]))
          break;
        sender = ahead;
      }
      task = sender;
    } else {
      task = t.previous;
    }
  }
  return path;
}
template <class Real>
BySeconds walk(const Compiled& c, const Recording<Real>& rec, std::size_t lane, std::size_t rank,
               std::size_t line) {
  return walk(c, rec, lane, rank, line, [](std::int32_t) {});
}

}  // namespace prism
