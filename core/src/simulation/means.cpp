// SPDX-License-Identifier: Apache-2.0
// Replicas with every draw at its mean.
#include <algorithm>

#include "simulation/multipliers.h"

namespace prism {
namespace {

/// The end of a replica's own work with every draw at its mean; the first line stands for all.
void finish_means(const Compiled& c, Lanes& lanes) {
  const auto lines = static_cast<std::size_t>(c.lines), last = static_cast<std::size_t>(c.workload.pp) - 1;
  const auto row = [&](std::size_t rank) { return &lanes.ends[rank * lines * lane_count]; };
  float part[lane_count];
  const auto spend = [&](std::size_t rank, float seconds, const float* by) {
    std::fill_n(part, lane_count, seconds);
    scale_if(part, by);
    add_row(row(rank), part);
  };
  const auto program = [&](std::size_t rank, const Program& p) {
    for (const Draw& d : p.draws)
      spend(rank, static_cast<float>(c.book.table(d.law).mean()), multiplier(c, lanes, d.mix, rank, 0));
  };
  for (std::size_t r = 0; r <= last; ++r) program(r, c.usual.before[r]);
  if (c.embedding_exchange) {
    raise_row(row(0), row(last));
    std::copy_n(row(0), lane_count, row(last));
    for (std::size_t r : {std::size_t{0}, last})
      spend(r, static_cast<float>(c.book.table(c.usual.embedding.law).mean()),
            c.usual.embedding.mix != 0 ? lanes.embedding.data() : nullptr);
  }
  for (std::size_t r = 0; r <= last; ++r) program(r, c.usual.after[r]);
  for (std::size_t r = 0; r <= last; ++r)
    if (!lanes.reduced.empty()) raise_row(row(r), &lanes.reduced[r * lines * lane_count]);
  for (std::size_t r = 0; r <= last; ++r)
    for (std::size_t l = 1; l < lines; ++l) std::copy_n(row(r), lane_count, row(r) + l * lane_count);
}

}  // namespace

void simulate_means(const Compiled& c, Lanes& lanes) {
  clear(lanes);
  float duration[lane_count], transfer[lane_count];
  double begin[lane_count];
  std::size_t reduction = 0;  // next
  // Without micro-batch causes a stream's chunks are alike, and so are its transfers.
  std::vector<float> known(lanes.micro.empty() ? 2 * c.streams.size() * lane_count : 0);
  const auto chunk = [&](std::size_t s, const Graph::Task& t, float* out) {
    std::fill_n(out, lane_count, 0.0f);
    float part[lane_count];
    for (const Compiled::MeanPart& mean : c.chunk_means[static_cast<std::size_t>(c.usual.program_of[s])]) {
      std::fill_n(part, lane_count, mean.seconds);
      scale_if(part, multiplier(c, lanes, mean.mix, static_cast<std::size_t>(t.rank), 0));
      scale_if(part, micro_multiplier(c, lanes, mean.mix, t.micro_batch));
      add_float_row(out, part);
    }
  };
  const auto hop = [&](std::size_t s, const Graph::Task& t, float* out) {
    std::fill_n(out, lane_count, c.hop_mean[s]);
    scale_if(out, micro_multiplier(c, lanes, c.hop_mix, t.micro_batch));
    if (c.hop_mix != 0) scale_row(out, &lanes.hop[Compiled::send(t) * lane_count]);
  };
  std::vector<char> made(c.streams.size(), 0);
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    const auto s = static_cast<std::size_t>(c.same_means[c.stream(i)]);
    double* free = &lanes.ends[static_cast<std::size_t>(t.rank * c.lines) * lane_count];
    const float *row = duration, *sent = transfer;
    if (known.empty()) {
      chunk(s, t, duration);
      hop(s, t, transfer);
    } else {
      float* both = &known[2 * s * lane_count];
      if (!made[s]) chunk(s, t, both), hop(s, t, both + lane_count);
      made[s] = 1;
      row = both;
      sent = both + lane_count;
    }
    const bool completes = c.completes(i, reduction);
    if (completes) {
      std::copy_n(free, lane_count, begin);
      if (t.receive_slot >= 0)
        raise_row(begin, &lanes.arrival[static_cast<std::size_t>(t.receive_slot) * lane_count]);
    }
    if (t.receive_slot >= 0)
      advance_row(free, &lanes.arrival[static_cast<std::size_t>(t.receive_slot) * lane_count], row);
    else
      add_row(free, row);
    if (completes) reduction = reduce_gradients(c, lanes, reduction, 0, begin);
    if (t.send_slot < 0) continue;
    send_row(&lanes.link[static_cast<std::size_t>(t.link) * lane_count], free, sent,
             &lanes.arrival[static_cast<std::size_t>(t.send_slot) * lane_count]);
  }
  finish_means(c, lanes);
}

}  // namespace prism
