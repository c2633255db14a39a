// SPDX-License-Identifier: Apache-2.0
// Gradients that are reduced bucket by bucket beside the last backward pass. A reduction starts when every
// replica has completed its gradients and the one before it is done, and no compute waits for it: so the last
// one ends at the largest, over the buckets, of when the latest replica is ready plus the durations from this
// bucket on. The largest over replicas and that over buckets can change places: each replica takes its own,
// and replicas still meet only at the end of the step.
#include <algorithm>
#include <pcg_random.hpp>
#include <utility>

#include "simulation/lanes.h"

namespace prism {

void SharedDraws::draw_tails(std::uint64_t seed, std::span<const Step> steps) {
  const auto& reductions = c_.reductions;
  const auto lines = static_cast<std::size_t>(c_.lines),
             groups = static_cast<std::size_t>(data_groups(c_.workload));
  std::vector<double> seconds(reductions.size() * groups);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    std::fill(seconds.begin(), seconds.end(), 0.0);
    if (stalls_.any()) stalls_.beside_backward(seed, steps[k].trial, seconds);
    pcg32_oneseq generator;
    std::int32_t rank = -1;
    for (std::size_t i = 0; i < reductions.size(); ++i) {
      const std::int32_t own = c_.graph.tasks[static_cast<std::size_t>(reductions[i].task)].rank;
      if (std::exchange(rank, own) != own)
        generator = pcg32_oneseq(stream_state(seed, static_cast<std::uint64_t>(steps[k].trial),
                                              c_.reduction_key[static_cast<std::size_t>(own)]));
      // All replicas meet: the slowest place counts.
      const auto by = static_cast<double>(worst(reductions[i].mix, own, k));
      for (std::size_t g = 0; g < groups; ++g)
        seconds[i * groups + g] +=
            by * static_cast<double>(sample(c_.bucket(reductions[i].law[g]), generator()));
    }
    std::vector<double> tail(groups);
    for (std::size_t i = reductions.size(); i-- > 0;) {
      const std::int32_t own = c_.graph.tasks[static_cast<std::size_t>(reductions[i].task)].rank;
      if (std::exchange(rank, own) != own) std::fill(tail.begin(), tail.end(), 0.0);
      for (std::size_t g = 0; g < groups; ++g) tail[g] += seconds[i * groups + g];
      for (std::size_t l = 0; l < lines; ++l)
        tails_[(i * lines + l) * lane_count + k] =
            lines > 1 ? tail[l % groups] : *std::max_element(tail.begin(), tail.end());
    }
  }
}

void reduce_gradients(const Compiled& c, Lanes& lanes, std::size_t task, std::size_t line,
                      const double* begin) {
  const auto lines = static_cast<std::size_t>(c.lines);
  const std::size_t row = static_cast<std::size_t>(c.graph.tasks[task].rank) * lines + line;
  const double* end = &lanes.ends[row * lane_count];
  double* reduced = &lanes.reduced[row * lane_count];
  auto at = static_cast<std::size_t>(c.first_reduction[task]);
  for (const Compiled::Reduction& r : c.reductions_of(task)) {
    const double* tail = &lanes.tail[(at++ * lines + line) * lane_count];
    for (std::size_t k = 0; k < lane_count; ++k)
      reduced[k] = std::max(reduced[k], begin[k] + r.share * (end[k] - begin[k]) + tail[k]);
  }
}

}  // namespace prism
