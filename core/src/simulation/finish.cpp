// SPDX-License-Identifier: Apache-2.0
#include "simulation/finish.h"

#include <algorithm>
#include <pcg_random.hpp>

namespace prism {

double finish_step(const Compiled& c, std::uint64_t seed, std::int64_t trial, std::span<double> ends,
                   FinishPath* path, std::size_t* decided) {
  const auto lines = static_cast<std::size_t>(c.lines);
  if (path) {
    path->seconds = {};
    path->compute.assign(c.workload.pp, 0);
    path->communication.assign(c.workload.pp, 0);
  }
  std::vector<double> spent(path ? ends.size() : 0);
  double end = 0;
  for (std::size_t k = 0; k < c.sections.size(); ++k) {
    const Section& section = c.sections[k];
    pcg32_oneseq generator(stream_state(seed, static_cast<std::uint64_t>(trial), c.section_key[k]));
    std::size_t latest = 0;
    for (std::size_t row = 0; row < ends.size(); ++row) {
      const auto draw = static_cast<double>(sample(c.bucket(section.rank[row / lines].law), generator()));
      ends[row] += draw;
      if (path) spent[row] = draw;
      if (ends[row] > ends[latest]) latest = row;
    }
    const double world =
        section.world ? static_cast<double>(sample(c.bucket(section.world_law), generator())) : 0;
    end = ends[latest] + world;
    if (decided && k == 0) *decided = latest;
    if (path) {
      if (k == 0) path->row = latest;
      for (int i = 0; i < kind_count; ++i)
        path->seconds[i] += section.rank[latest / lines].share[i] * spent[latest];
      path->seconds[static_cast<int>(section.world_kind)] += world;
      for (std::size_t r = 0; r < section.rank.size(); ++r) {
        path->compute[r] += section.rank[r].compute_share * spent[r * lines];
        path->communication[r] += (1 - section.rank[r].compute_share) * spent[r * lines] + world;
      }
    }
    if (section.world) std::fill(ends.begin(), ends.end(), end);
  }
  return end;
}

}  // namespace prism
