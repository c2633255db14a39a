// SPDX-License-Identifier: Apache-2.0
#include "simulation/lanes.h"

#include <algorithm>

namespace prism {
namespace {

void seed_streams(const Compiled& c, Lanes& lanes, const std::vector<std::uint64_t>& cause) {
  for (std::size_t s = 0; s < cause.size(); ++s)
    seed_row(&lanes.generator[s * lane_count], lanes.key, cause[s]);
  if (c.workload.transfers.present)
    for (std::size_t s = 0; s < cause.size(); ++s)
      seed_row(&lanes.hop_generator[s * lane_count], lanes.key, c.hop_key[s]);
  std::fill(lanes.ends.begin(), lanes.ends.end(), 0.0);
  std::fill(lanes.link.begin(), lanes.link.end(), 0.0);
}

void record(const double* row, float* out) {
  for (std::size_t k = 0; k < lane_count; ++k) out[k] = static_cast<float>(row[k]);
}

/// What one replica does alone after its last backward.
class Ending {
 public:
  Ending(const Compiled& c, Lanes& lanes, Recording<float>* rec) : c_(c), lanes_(lanes), rec_(rec) {
    if (!rec_) return;
    std::fill(rec_->final_kind.begin(), rec_->final_kind.end(), 0.0f);
    for (std::size_t row = 0; row * lane_count < rec_->final_origin.size(); ++row)
      std::fill_n(&rec_->final_origin[row * lane_count], lane_count, static_cast<std::uint32_t>(row));
  }

  void run() {
    for (std::size_t r = 0; r < c_.before.size(); ++r) program(r, c_.before[r], c_.before_key[r]);
    if (c_.embedding_exchange) exchange();
    for (std::size_t r = 0; r < c_.after.size(); ++r) program(r, c_.after[r], c_.after_key[r]);
  }

 private:
  double* row(std::size_t rank, std::size_t line) {
    return &lanes_.ends[(rank * static_cast<std::size_t>(c_.lines) + line) * lane_count];
  }

  void program(std::size_t rank, const Program& p, std::uint64_t cause) {
    if (p.draws.empty()) return;
    seed_row(generator_, lanes_.key, cause);
    const auto lines = static_cast<std::size_t>(c_.lines);
    for (const Draw& d : p.draws) {
      if (d.collective) {
        for (std::size_t l = 1; l < lines; ++l) join(rank, 0, rank, l);
        draw_row(generator_, c_.bucket(d.law), duration_);
        for (std::size_t l = lines; l-- > 0;) {
          if (l > 0) follow(rank, l, rank, 0);
          spend(rank, l, d);
        }
      } else {
        for (std::size_t l = 0; l < lines; ++l) {
          draw_row(generator_, c_.bucket(d.law), duration_);
          spend(rank, l, d);
        }
      }
    }
  }

  void exchange() {
    seed_row(generator_, lanes_.key, c_.embedding_key);
    const std::size_t last = static_cast<std::size_t>(c_.workload.pp) - 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(c_.lines); ++l) {
      join(0, l, last, l);
      follow(last, l, 0, l);
      // One exchange, one word; what the two groups feel of it may differ.
      pcg32_oneseq same_word[lane_count];
      std::copy_n(generator_, lane_count, same_word);
      draw_row(same_word, c_.bucket(c_.embedding_last), duration_);
      spend(last, l, c_.embedding);
      draw_row(generator_, c_.bucket(c_.embedding.law), duration_);
      spend(0, l, c_.embedding);
    }
  }

  /// (rank, line) waits for (other, other_line).
  void join(std::size_t rank, std::size_t line, std::size_t other, std::size_t other_line) {
    double *a = row(rank, line), *b = row(other, other_line);
    if (rec_)
      for (std::size_t k = 0; k < lane_count; ++k)
        if (b[k] > a[k]) copy_path(rank, line, other, other_line, k);
    raise_row(a, b);
  }
  /// (rank, line) takes the time of (other, other_line).
  void follow(std::size_t rank, std::size_t line, std::size_t other, std::size_t other_line) {
    std::copy_n(row(other, other_line), lane_count, row(rank, line));
    if (rec_)
      for (std::size_t k = 0; k < lane_count; ++k) copy_path(rank, line, other, other_line, k);
  }
  void copy_path(std::size_t rank, std::size_t line, std::size_t other, std::size_t other_line,
                 std::size_t k) {
    const auto to = rec_->at(rank * rec_->lines + line, k),
               from = rec_->at(other * rec_->lines + other_line, k);
    rec_->final_origin[to] = rec_->final_origin[from];
    for (std::size_t i = 0; i < rec_->kinds; ++i)
      rec_->final_kind[rec_->at(rank * rec_->lines + line, i, k)] =
          rec_->final_kind[rec_->at(other * rec_->lines + other_line, i, k)];
  }
  void spend(std::size_t rank, std::size_t line, const Draw& d) {
    add_row(row(rank, line), duration_);
    if (!rec_) return;
    for (std::size_t i = 0; i < rec_->kinds; ++i) {
      const auto share = static_cast<float>(d.share[static_cast<int>(c_.kinds[i])]);
      if (share == 0) continue;
      auto& total = class_of(c_.kinds[i]) == Class::compute ? rec_->compute : rec_->communication;
      for (std::size_t k = 0; k < lane_count; ++k) {
        rec_->final_kind[rec_->at(rank * rec_->lines + line, i, k)] += share * duration_[k];
        if (line == 0) total[rec_->at(rank, k)] += share * duration_[k];
      }
    }
  }

  const Compiled& c_;
  Lanes& lanes_;
  Recording<float>* rec_;
  pcg32_oneseq generator_[lane_count];
  float duration_[lane_count];
};

/// One chunk of the segment path: from the lines' starts, in `now`, to their ends.
/// Recording keeps for each line the line it last waited for and what it spent since the chunk's start.
class Chunk {
 public:
  Chunk(const Compiled& c, Recording<float>* rec)
      : c_(c), rec_(rec), lines_(static_cast<std::size_t>(c.lines)), now_(lines_ * lane_count) {}

  double* line(std::size_t l) { return &now_[l * lane_count]; }

  void run(std::size_t task, const Program& p, pcg32_oneseq* generator) {
    if (rec_) open(task);
    for (const Draw& d : p.draws) {
      if (d.collective) {
        for (std::size_t l = 1; l < lines_; ++l) {
          if (rec_)
            for (std::size_t k = 0; k < lane_count; ++k)
              if (line(l)[k] > line(0)[k]) copy_path(task, 0, l, k);
          raise_row(line(0), line(l));
        }
        draw_row(generator, c_.bucket(d.law), duration_);
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
          draw_row(generator, c_.bucket(d.law), duration_);
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
  Recording<float>* rec_;
  std::size_t lines_;
  std::vector<double> now_;
  float duration_[lane_count];
};

}  // namespace

std::uint64_t replica_key(std::uint64_t seed, std::int64_t trial, std::int64_t replica) {
  static const std::uint64_t family = stream_key("replica");
  return stream_state(seed, static_cast<std::uint64_t>(trial),
                      stream_key(family, static_cast<std::uint64_t>(replica)));
}

Lanes::Lanes(const Compiled& c)
    : ends(static_cast<std::size_t>(c.workload.pp * c.lines) * lane_count),
      generator(c.program_of.size() * lane_count),
      hop_generator(c.workload.transfers.present ? generator.size() : 0),
      link(static_cast<std::size_t>(2 * c.workload.pp * c.lines) * lane_count),
      arrival(static_cast<std::size_t>(c.graph.slots * c.lines) * lane_count) {}

void simulate_chunks(const Compiled& c, Lanes& lanes) {
  seed_streams(c, lanes, c.chunk_key);
  float duration[lane_count], hop[lane_count] = {};
  const bool hops = c.workload.transfers.present;
  for (const Graph::Task& t : c.graph.tasks) {
    const std::size_t s = Compiled::stream(t);
    double* free = &lanes.ends[t.rank * lane_count];
    draw_row(&lanes.generator[s * lane_count], c.bucket(c.chunk_law[s]), duration);
    if (t.receive_slot >= 0)
      advance_row(free, &lanes.arrival[t.receive_slot * lane_count], duration);
    else
      add_row(free, duration);
    if (t.send_slot >= 0) {
      if (hops) draw_row(&lanes.hop_generator[s * lane_count], c.bucket(c.hop_law[s]), hop);
      send_row(&lanes.link[t.link * lane_count], free, hop, &lanes.arrival[t.send_slot * lane_count]);
    }
  }
  Ending(c, lanes, nullptr).run();
}

void simulate_segments(const Compiled& c, Lanes& lanes, Recording<float>* rec) {
  seed_streams(c, lanes, c.segment_key);
  const auto lines = static_cast<std::size_t>(c.lines);
  const bool hops = c.workload.transfers.present;
  float hop[lane_count] = {};
  if (rec) {
    std::fill(rec->compute.begin(), rec->compute.end(), 0.0f);
    std::fill(rec->communication.begin(), rec->communication.end(), 0.0f);
  }
  Chunk chunk(c, rec);
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    const std::size_t s = Compiled::stream(t);
    for (std::size_t l = 0; l < lines; ++l) {
      std::copy_n(&lanes.ends[(t.rank * lines + l) * lane_count], lane_count, chunk.line(l));
      if (t.receive_slot >= 0)
        raise_row(chunk.line(l), &lanes.arrival[(t.receive_slot * lines + l) * lane_count]);
    }
    chunk.run(i, c.program(t), &lanes.generator[s * lane_count]);
    for (std::size_t l = 0; l < lines; ++l) {
      std::copy_n(chunk.line(l), lane_count, &lanes.ends[(t.rank * lines + l) * lane_count]);
      if (t.send_slot < 0) continue;
      double* arrival = &lanes.arrival[(t.send_slot * lines + l) * lane_count];
      if (hops) draw_row(&lanes.hop_generator[s * lane_count], c.bucket(c.hop_law[s]), hop);
      send_row(&lanes.link[(t.link * lines + l) * lane_count], chunk.line(l), hop, arrival);
      if (rec) {
        record(arrival, &rec->arrival[rec->at(i * lines + l, 0)]);
        std::copy_n(hop, lane_count, &rec->hop[rec->at(i * lines + l, 0)]);
      }
    }
  }
  Ending(c, lanes, rec).run();
}

}  // namespace prism
