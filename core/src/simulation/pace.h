// SPDX-License-Identifier: Apache-2.0
// How fast a stage whose groups cross gets through a chunk. Where every collective synchronises the same
// ranks, a chunk is the sum of its segments, each the slowest of those ranks. Where groups cross, or a
// collective runs beside compute, ranks are late in one group and early in the next: the ranks are played one
// by one when the scenario is prepared, and the chunk's draws are given the mean and the deviation that were
// found.
#pragma once

#include <vector>

#include "simulation/groups.h"
#include "simulation/laws.h"

namespace prism {

struct PaceLeg {
  LawBook::Law compute;     ///< on one rank
  Group group;              ///< of the collective that ends it; none: nothing does
  LawBook::Law collective;  ///< in all, if it runs beside compute
  bool beside;
};

/// A stage plays forward and backward in turn, from the moment when all its ranks may begin to when the last
/// one has ended: `mean` seconds more with each pair of chunks, and `last` once.
struct Pace {
  double mean = 0, last = 0;
  double sd = 0;  ///< of a pair of chunks; none if too few could be played
};
Pace play_pace(const LawBook& book, const Groups& groups, const std::vector<PaceLeg>& forward,
               const std::vector<PaceLeg>& backward, std::int64_t micro_batches);

}  // namespace prism
