// SPDX-License-Identifier: Apache-2.0
#include "bare_loop.h"

#include <algorithm>
#include <pcg_random.hpp>
#include <vector>

#include "simulation/rows.h"

namespace prism::bench {
namespace {

constexpr int lanes = lane_count, block = 16;

/// end = max(own previous end, neighbour's arrival) + compute; arrival = end + transfer.
[[gnu::noinline]] void advance(double* __restrict end, const double* __restrict from,
                               const float* __restrict compute, const float* __restrict transfer,
                               double* __restrict arrival) {
  for (int k = 0; k < lanes; ++k) {
    const double start = end[k] > from[k] ? end[k] : from[k];
    end[k] = start + static_cast<double>(compute[k]);
    arrival[k] = end[k] + static_cast<double>(transfer[k]);
  }
}

}  // namespace

[[gnu::noinline]] double bare_loop(const SampleTable& table, int ranks, int micro_batches,
                                   std::uint64_t seed) {
  pcg32_oneseq generator[lanes];
  for (int k = 0; k < lanes; ++k) generator[k] = pcg32_oneseq(seed + static_cast<std::uint64_t>(k));
  std::vector<double> end(ranks * lanes, 0.0), arrival((ranks + 1) * lanes, 0.0);
  float drawn[2 * block][lanes];
  int left = 0;
  // A wave over the ranks for each micro-batch and direction: the same operations on the same amount of data
  // as the schedule's order, in the simplest loop.
  for (int pass = 0; pass < 2; ++pass)
    for (int m = 0; m < micro_batches; ++m)
      for (int i = 0; i < ranks; ++i) {
        if (left == 0) {
          for (auto& row : drawn) draw_row(generator, table.bucket.data(), row);
          left = block;
        }
        --left;
        const int r = pass == 0 ? i : ranks - 1 - i;
        advance(&end[r * lanes], &arrival[(pass == 0 ? r : r + 1) * lanes], drawn[2 * left],
                drawn[2 * left + 1], &arrival[(pass == 0 ? r + 1 : r) * lanes]);
      }
  return *std::max_element(end.begin(), end.end());
}

}  // namespace prism::bench
