// SPDX-License-Identifier: Apache-2.0
#include "simulation/finish.h"

#include <algorithm>
#include <pcg_random.hpp>

namespace prism {

EndCauses end_causes(const Compiled& c, const SharedDraws& shared, std::size_t lane, const Stalls* stalls,
                     std::uint64_t seed, std::int64_t trial) {
  EndCauses end;
  const auto pp = c.workload.pp;
  if (c.causes.any())
    for (const Section& section : c.sections) {
      // All replicas meet: the slowest place counts.
      const auto worst = [&](Causes::Mix mix, std::int64_t rank) { return shared.worst(mix, rank, lane); };
      end.multiplier.emplace_back();
      float world = 1;
      for (std::int64_t r = 0; r < pp; ++r) {
        end.multiplier.back().push_back(worst(section.rank[static_cast<std::size_t>(r)].mix, r));
        const float here = worst(section.world_mix, r);
        world = r == 0 ? here : std::max(world, here);
      }
      end.world.push_back(world);
    }
  if (stalls && stalls->any()) {
    end.delay.assign(c.sections.size(), std::vector<double>(static_cast<std::size_t>(pp * c.lines), 0));
    end.world_delay.assign(c.sections.size(), 0);
    stalls->at_end(seed, trial, end.delay, end.world_delay);
  }
  return end;
}

double finish_step(const Compiled& c, std::uint64_t seed, std::int64_t trial, const EndCauses& causes,
                   std::span<double> ends, FinishPath* path, std::size_t* decided) {
  const auto lines = static_cast<std::size_t>(c.lines);
  if (path) {
    path->seconds = {};
    path->compute.assign(c.workload.pp, 0);
    path->communication.assign(c.workload.pp, 0);
  }
  std::vector<double> spent(path ? ends.size() : 0);
  // Lines that reduce one gradient go on together: the first of them stands for all.
  const std::size_t apart = std::min(lines, static_cast<std::size_t>(data_groups(c.workload)));
  for (std::size_t row = 0; row < ends.size(); ++row)
    if (const std::size_t line = row % lines; line >= apart)
      ends[row - line + line % apart] = std::max(ends[row - line + line % apart], ends[row]);
  double end = 0;
  for (std::size_t k = 0; k < c.sections.size(); ++k) {
    const Section& section = c.sections[k];
    pcg32_oneseq generator(stream_state(seed, static_cast<std::uint64_t>(trial), c.section_key[k]));
    std::size_t latest = 0;
    for (std::size_t row = 0; row < ends.size(); ++row) {
      if (row % lines >= apart) continue;
      auto draw =
          static_cast<double>(sample(c.bucket(section.rank[row / lines].law[row % lines]), generator()));
      if (!causes.multiplier.empty()) draw *= static_cast<double>(causes.multiplier[k][row / lines]);
      if (!causes.delay.empty()) draw += causes.delay[k][row];
      ends[row] += draw;
      if (path) spent[row] = draw;
      if (ends[row] > ends[latest]) latest = row;
    }
    double world = section.world ? static_cast<double>(sample(c.bucket(section.world_law), generator())) : 0;
    if (!causes.world.empty()) world *= static_cast<double>(causes.world[k]);
    if (!causes.world_delay.empty()) world += causes.world_delay[k];
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
