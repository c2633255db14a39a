// SPDX-License-Identifier: Apache-2.0
// Gradients that are reduced bucket by bucket beside the last backward pass. A reduction starts when every
// replica has completed its gradients and the one before it is done, and no compute waits for it: so the last
// one ends at the largest, over the buckets, of when the latest replica is ready plus the durations from this
// bucket on. The largest over replicas and that over buckets can change places: each replica takes its own,
// and replicas still meet only at the end of the step.
#include <algorithm>
#include <pcg_random.hpp>

#include "simulation/lanes.h"

namespace prism {

void SharedDraws::draw_tails(std::uint64_t seed, std::span<const Step> steps) {
  static const std::uint64_t key = stream_key("reduced beside backward");
  const auto lines = static_cast<std::size_t>(c_.lines),
             groups = static_cast<std::size_t>(data_groups(c_.workload));
  std::vector<double> seconds(c_.reductions.size() * groups),
      tails(static_cast<std::size_t>(c_.workload.pp) * groups);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    std::fill(seconds.begin(), seconds.end(), 0.0);
    if (stalls_.any()) stalls_.beside_backward(seed, steps[k].trial, seconds);
    pcg32_oneseq generator;
    for (std::size_t i = 0; i < c_.reductions.size(); ++i) {
      const std::int32_t task = c_.completing[i];
      if (i == 0 || task != c_.completing[i - 1])
        generator = pcg32_oneseq(
            stream_state(seed, static_cast<std::uint64_t>(steps[k].trial),
                         stream_key(key, static_cast<std::uint64_t>(c_.graph.tasks[task].stage))));
      // All replicas meet: the slowest place counts.
      const auto by =
          static_cast<double>(worst(c_.reductions[i].mix, static_cast<std::int64_t>(c_.rank_of(i)), k));
      for (std::size_t g = i * groups; g < (i + 1) * groups; ++g)
        seconds[g] += by * static_cast<double>(sample(c_.bucket(c_.reduction_law[g]), generator()));
    }
    std::fill(tails.begin(), tails.end(), 0.0);
    for (std::size_t i = c_.reductions.size(); i-- > 0;) {
      double* tail = &tails[c_.rank_of(i) * groups];
      double* to = &tails_[i * lines * lane_count + k];
      for (std::size_t l = 0; l < lines; ++l) to[l * lane_count] = 0;
      for (std::size_t g = 0; g < groups; ++g) {
        tail[g] += seconds[i * groups + g];
        for (std::size_t l = g % lines; l < lines; l += groups)
          to[l * lane_count] = std::max(to[l * lane_count], tail[g]);
      }
    }
  }
}

std::size_t reduce_gradients(const Compiled& c, Lanes& lanes, std::size_t first, std::size_t line,
                             const double* begin) {
  const auto lines = static_cast<std::size_t>(c.lines);
  const std::size_t row = (c.rank_of(first) * lines + line) * lane_count;
  const double* end = &lanes.ends[row];
  double* reduced = &lanes.reduced[row];
  std::size_t i = first;
  for (; c.completes(static_cast<std::size_t>(c.completing[first]), i); ++i) {
    const double* tail = &lanes.tail[(i * lines + line) * lane_count];
    for (std::size_t k = 0; k < lane_count; ++k)
      reduced[k] = std::max(reduced[k], begin[k] + c.complete_at[i] * (end[k] - begin[k]) + tail[k]);
  }
  return i;
}

}  // namespace prism
