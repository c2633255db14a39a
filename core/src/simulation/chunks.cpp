// SPDX-License-Identifier: Apache-2.0
// The chunk path, which most of a run's time goes to, and its draws.
#include <algorithm>

#include "simulation/ending.h"
#include "simulation/lanes.h"
#include "simulation/multipliers.h"
#include "simulation/row_draws.h"

namespace prism {

void PairedDraws::start(const std::uint64_t* key, const std::vector<std::uint64_t>& cause) {
  for (std::size_t s = 0; s < second_.size(); ++s) seed_row(&generator_[s * lane_count], key, cause[s]);
  std::fill(second_.begin(), second_.end(), char{0});
}

float* PairedDraws::next(std::size_t stream, const SampleTable::Bucket* bucket) {
  float* first = &rows_[2 * stream * lane_count];
  float* second = first + lane_count;
  if (!second_[stream]) draw_pair_row(&generator_[stream * lane_count], bucket, first, second);
  second_[stream] ^= 1;
  return second_[stream] ? first : second;
}

namespace {

/// Adds up what a chunk draws segment by segment. The larger of a constant and what the others of a group
/// draw cannot be summed in advance: what lasts scales only the draws.
void draw_segments(const Compiled& c, Lanes& lanes, std::size_t task, float* out) {
  const Graph::Task& t = c.graph.tasks[task];
  const auto rank = static_cast<std::size_t>(t.rank);
  const std::size_t s = c.stream(task);
  float part[lane_count];
  for (const Draw& d : c.program(*lanes.replica, task).draws) {
    if (!lanes.replica->by_segments[d.collective][s]) continue;
    draw_shared(c, lanes, d, rank, 0, t.micro_batch, &lanes.segment_generator[s * lane_count], part);
    add_float_row(out, part);
  }
}

}  // namespace

void simulate_chunks(const Compiled& c, Lanes& lanes) {
  clear(lanes);
  for (std::size_t k = 0; k < 2; ++k) lanes.chunks[k].start(lanes.key, c.chunk_key[k]);
  lanes.transfers.start(lanes.key, c.hop_key);
  StrikeQueue strikes(lanes.strikes);
  float instant[lane_count] = {}, constant[3][lane_count];
  const double at_once[lane_count] = {};
  double begin[lane_count];
  std::size_t reduction = 0;  // next
  const bool hops = c.workload.transfers.present;
  const Compiled::Replica& replica = *lanes.replica;
  const auto by_segments = [&](std::size_t s) {
    return replica.by_segments[0][s] || replica.by_segments[1][s];
  };
  for (std::size_t s = 0; s < c.streams.size(); ++s)
    if (by_segments(s)) seed_row(&lanes.segment_generator[s * lane_count], lanes.key, c.segment_key[s]);
  const auto draws = [&](std::size_t k, std::size_t s, const Graph::Task& t) {
    const Compiled::Source& source = replica.chunk_source[k][s];
    float* row = constant[k];
    if (source.bucket)
      row = lanes.chunks[k].next(s, source.bucket);
    else
      std::fill_n(row, lane_count, source.constant);
    scale_if(row, multiplier(c, lanes, replica.chunk_mix[k][s], static_cast<std::size_t>(t.rank), 0));
    scale_if(row, micro_multiplier(c, lanes, replica.chunk_mix[k][s], t.micro_batch));
    return row;
  };
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    const std::size_t s = c.stream(i);
    double* free = &lanes.ends[static_cast<std::size_t>(t.rank) * lane_count];
    float* compute = draws(0, s, t);
    if (by_segments(s)) draw_segments(c, lanes, i, compute);
    const float* communication = replica.chunk_source[1][s].is_zero() ? nullptr : draws(1, s, t);
    float* hop = instant;
    if (t.send_slot >= 0 && hops) {
      if (replica.hop_source[s].bucket)
        hop = lanes.transfers.next(s, replica.hop_source[s].bucket);
      else
        std::fill_n(hop = constant[2], lane_count, replica.hop_source[s].constant);
      scale_if(hop, micro_multiplier(c, lanes, c.hop_mix, t.micro_batch));
      if (c.hop_mix != 0) scale_row(hop, &lanes.hop[Compiled::send(t) * lane_count]);
    }
    strikes.at(i, [&](const Strike& strike) { (strike.hop ? hop : compute)[strike.lane] += strike.seconds; });
    const double* arrival = t.receive_slot >= 0 ? &lanes.arrival[t.receive_slot * lane_count] : at_once;
    const bool completes = c.completes(i, reduction);
    if (completes) {
      std::copy_n(free, lane_count, begin);
      raise_row(begin, arrival);
    }
    if (communication)
      advance_row(free, arrival, compute, communication);
    else
      advance_row(free, arrival, compute);
    if (completes) reduction = reduce_gradients(c, lanes, reduction, 0, begin);
    if (t.send_slot >= 0)
      send_row(&lanes.link[t.link * lane_count], free, hop, &lanes.arrival[t.send_slot * lane_count]);
  }
  end_alone(c, lanes, strikes, nullptr);
}

}  // namespace prism
