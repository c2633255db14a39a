// SPDX-License-Identifier: Apache-2.0
// The segment path, and its recording.
#include <algorithm>

#include "simulation/ending.h"
#include "simulation/lanes.h"
#include "simulation/multipliers.h"
#include "simulation/row_draws.h"

namespace prism {
namespace {

void record(const double* row, float* out) {
  for (std::size_t k = 0; k < lane_count; ++k) out[k] = static_cast<float>(row[k]);
}

/// One chunk of the segment path: from the lines' starts, in `now`, to their ends.
/// Recording keeps for each line the line it last waited for and what it spent since the chunk's start.
class Chunk {
 public:
  Chunk(const Compiled& c, const Lanes& lanes, Recording<float>* rec)
      : c_(c),
        lanes_(lanes),
        rec_(rec),
        lines_(static_cast<std::size_t>(c.lines)),
        now_(lines_ * lane_count) {}

  double* line(std::size_t l) { return &now_[l * lane_count]; }

  void run(std::size_t task, const Program& p, pcg32_oneseq* generator, StrikeQueue& strikes, float* hop) {
    if (rec_) open(task);
    strikes.at(task, [&](const Strike& s) { strike(task, s, hop); });
    const Graph::Task& t = c_.graph.tasks[task];
    const auto rank = static_cast<std::size_t>(t.rank);
    for (const Draw& d : p.draws) {
      if (d.collective) {
        for (std::size_t l = 1; l < lines_; ++l) {
          if (rec_)
            for (std::size_t k = 0; k < lane_count; ++k)
              if (line(l)[k] > line(0)[k]) copy_path(task, 0, l, k);
          raise_row(line(0), line(l));
        }
        draw_shared(c_, lanes_, d, rank, 0, t.micro_batch, generator, duration_);
        for (std::size_t l = lines_; l-- > 0;) {
          if (l > 0) {
            std::copy_n(line(0), lane_count, line(l));
            if (rec_)
              for (std::size_t k = 0; k < lane_count; ++k) copy_path(task, l, 0, k);
          }
          add_row(line(l), duration_);
          if (rec_) spend(task, l, d);
        }
      } else {
        for (std::size_t l = 0; l < lines_; ++l) {
          draw_shared(c_, lanes_, d, rank, l, t.micro_batch, generator, duration_);
          add_row(line(l), duration_);
          if (rec_) spend(task, l, d);
        }
      }
    }
    if (rec_) close(task);
  }

 private:
  void open(std::size_t task) {
    for (std::size_t l = 0; l < lines_; ++l) {
      std::fill_n(&rec_->origin[rec_->at(task * lines_ + l, 0)], lane_count, static_cast<std::uint16_t>(l));
      std::fill_n(&rec_->kind[rec_->at(task * lines_ + l, 0, 0)], rec_->kinds * lane_count, 0.0f);
    }
  }
  /// `hop`: [lines][lane_count], delays of the transfer that follows.
  void strike(std::size_t task, const Strike& s, float* hop) {
    const auto l = static_cast<std::size_t>(s.line);
    if (s.hop) {
      hop[l * lane_count + s.lane] += s.seconds;
      return;
    }
    line(l)[s.lane] += static_cast<double>(s.seconds);
    if (rec_) rec_->kind[rec_->at(task * lines_ + l, rec_->index(s.kind), s.lane)] += s.seconds;
  }
  void copy_path(std::size_t task, std::size_t to_line, std::size_t from_line, std::size_t k) {
    const auto to = rec_->at(task * lines_ + to_line, k), from = rec_->at(task * lines_ + from_line, k);
    rec_->origin[to] = rec_->origin[from];
    for (std::size_t i = 0; i < rec_->kinds; ++i)
      rec_->kind[rec_->at(task * lines_ + to_line, i, k)] =
          rec_->kind[rec_->at(task * lines_ + from_line, i, k)];
  }
  void spend(std::size_t task, std::size_t l, const Draw& d) {
    for (std::size_t i = 0; i < rec_->kinds; ++i) {
      const auto share = static_cast<float>(d.share[static_cast<int>(c_.kinds[i])]);
      if (share == 0) continue;
      float* kind = &rec_->kind[rec_->at(task * lines_ + l, i, 0)];
      for (std::size_t k = 0; k < lane_count; ++k) kind[k] += share * duration_[k];
    }
  }
  void close(std::size_t task) {
    const auto rank = static_cast<std::size_t>(c_.graph.tasks[task].rank);
    for (std::size_t l = 0; l < lines_; ++l) record(line(l), &rec_->end[rec_->at(task * lines_ + l, 0)]);
    for (std::size_t i = 0; i < rec_->kinds; ++i) {
      auto& total = class_of(c_.kinds[i]) == Class::compute ? rec_->compute : rec_->communication;
      const float* kind = &rec_->kind[rec_->at(task * lines_, i, 0)];
      for (std::size_t k = 0; k < lane_count; ++k) total[rec_->at(rank, k)] += kind[k];
    }
  }

  const Compiled& c_;
  const Lanes& lanes_;
  Recording<float>* rec_;
  std::size_t lines_;
  std::vector<double> now_;
  float duration_[lane_count];
};

}  // namespace

void simulate_segments(const Compiled& c, Lanes& lanes, Recording<float>* rec) {
  clear(lanes);
  for (std::size_t s = 0; s < c.streams.size(); ++s)
    seed_row(&lanes.segment_generator[s * lane_count], lanes.key, c.segment_key[s]);
  lanes.transfers.start(lanes.key, c.hop_key);
  const auto lines = static_cast<std::size_t>(c.lines);
  const Compiled::Replica& replica = *lanes.replica;
  const bool hops = c.workload.transfers.present;
  float instant[lane_count] = {};
  std::vector<float> struck(lines * lane_count);
  std::vector<double> begin(lines * lane_count);
  std::size_t reduction = 0, next = 0;
  if (rec) {
    std::fill(rec->compute.begin(), rec->compute.end(), 0.0f);
    std::fill(rec->communication.begin(), rec->communication.end(), 0.0f);
  }
  StrikeQueue strikes(lanes.strikes);
  Chunk chunk(c, lanes, rec);
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    const std::size_t s = c.stream(i);
    for (std::size_t l = 0; l < lines; ++l) {
      std::copy_n(&lanes.ends[(t.rank * lines + l) * lane_count], lane_count, chunk.line(l));
      if (t.receive_slot >= 0)
        raise_row(chunk.line(l), &lanes.arrival[(t.receive_slot * lines + l) * lane_count]);
    }
    const bool completes = c.completes(i, reduction);
    if (completes) std::copy_n(chunk.line(0), begin.size(), begin.data());
    if (!lanes.strikes.empty()) std::fill(struck.begin(), struck.end(), 0.0f);
    chunk.run(i, c.program(replica, i), &lanes.segment_generator[s * lane_count], strikes, struck.data());
    for (std::size_t l = 0; l < lines; ++l) {
      std::copy_n(chunk.line(l), lane_count, &lanes.ends[(t.rank * lines + l) * lane_count]);
      if (completes) next = reduce_gradients(c, lanes, reduction, l, &begin[l * lane_count]);
      if (t.send_slot < 0) continue;
      double* arrival = &lanes.arrival[(t.send_slot * lines + l) * lane_count];
      float* hop = instant;
      if (hops) {
        hop = lanes.transfers.next(s, c.bucket(replica.hop_law[s]));
        if (!replica.hop_at_least_s.empty()) hold_above(replica.hop_at_least_s[s], l, hop);
        scale_if(hop, micro_multiplier(c, lanes, c.hop_mix, t.micro_batch));
        if (c.hop_mix != 0) scale_row(hop, &lanes.hop[Compiled::send(t) * lane_count]);
        add_float_row(hop, &struck[l * lane_count]);
      }
      send_row(&lanes.link[(t.link * lines + l) * lane_count], chunk.line(l), hop, arrival);
      if (rec) {
        record(arrival, &rec->arrival[rec->at(i * lines + l, 0)]);
        std::copy_n(hop, lane_count, &rec->hop[rec->at(i * lines + l, 0)]);
      }
    }
    reduction = next;
  }
  end_alone(c, lanes, strikes, rec);
}

}  // namespace prism
