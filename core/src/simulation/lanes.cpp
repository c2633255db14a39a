// SPDX-License-Identifier: Apache-2.0
#include "simulation/lanes.h"

#include <algorithm>

namespace prism {

Lanes::Lanes(const Compiled& c)
    : ends(static_cast<std::size_t>(c.workload.pp * c.lines) * lane_count),
      tail(c.reductions.size() * static_cast<std::size_t>(c.lines) * lane_count),
      reduced(tail.empty() ? 0 : ends.size()),
      chunks{PairedDraws(c.usual.chunk_law[0].size()), PairedDraws(c.usual.chunk_law[1].size())},
      segment_generator(c.streams.size() * lane_count),
      transfers(c.workload.transfers.present ? c.streams.size() : 0),
      link(static_cast<std::size_t>(2 * c.workload.pp * c.lines) * lane_count),
      arrival(static_cast<std::size_t>(c.graph.slots * c.lines) * lane_count) {
  if (!c.causes.any()) return;
  const auto mixes = c.causes.mixes.size();
  mix.resize(mixes * ends.size());
  hop.resize(static_cast<std::size_t>(2 * c.workload.pp) * lane_count);
  embedding.resize(lane_count);
  mix_micro.assign(mixes, 0);
  for (std::size_t m = 0; m < mixes; ++m)
    for (const auto& [slot, share] : c.causes.mixes[m])
      mix_micro[m] = mix_micro[m] || c.causes.slots[static_cast<std::size_t>(slot)].micro_batch;
  if (c.causes.micro_batch())
    micro.resize(mixes * static_cast<std::size_t>(c.workload.micro_batches) * lane_count);
}

}  // namespace prism
