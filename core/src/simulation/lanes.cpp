// SPDX-License-Identifier: Apache-2.0
#include "simulation/lanes.h"

#include <algorithm>

#include "simulation/multipliers.h"

namespace prism {
namespace {

template <class Generator>
void seed(std::vector<Generator>& generators, const Lanes& lanes, const std::vector<std::uint64_t>& cause) {
  for (std::size_t s = 0; s < cause.size(); ++s) seed_row(&generators[s * lane_count], lanes.key, cause[s]);
}

/// A line's compute where ranks are held at a quantile: the quantile, or with one line for all ranks the
/// larger. `micro_batch`: -1 for none.
void hold(const Compiled& c, const Lanes& lanes, const Draw& d, std::size_t rank, std::size_t line,
          std::int32_t micro_batch, float* row) {
  if (d.held_s.empty() || d.held_s[line] == 0) return;
  float held[lane_count];
  std::fill_n(held, lane_count, d.held_s[line]);
  scale_if(held, multiplier(c, lanes, d.held_mix, rank, line));
  if (micro_batch >= 0) scale_if(held, micro_multiplier(c, lanes, d.held_mix, micro_batch));
  if (c.lines > 1)
    std::copy_n(held, lane_count, row);
  else
    raise_float_row(row, held);
}

/// What a draw comes to with what its rank and micro-batch share. Never inlined: it would be most of what
/// calls it.
void draw_shared(const Compiled& c, const Lanes& lanes, const Draw& d, std::size_t rank, std::size_t line,
                 std::int32_t micro_batch, pcg32_oneseq* generator, float* row) {
  draw_row(generator, c.bucket(d.whole == LawBook::none ? d.law : d.whole), row);
  scale_if(row, multiplier(c, lanes, d.mix, rank, line));
  scale_if(row, micro_multiplier(c, lanes, d.mix, micro_batch));
  if (d.whole == LawBook::none) return hold(c, lanes, d, rank, line, micro_batch, row);
  float hidden[lane_count], earlier[lane_count];
  std::fill_n(hidden, lane_count, d.hidden_s);
  scale_if(hidden, multiplier(c, lanes, d.hidden_mix, rank, line));
  scale_if(hidden, micro_multiplier(c, lanes, d.hidden_mix, micro_batch));
  std::fill_n(earlier, lane_count, d.earlier_s);
  scale_if(earlier, multiplier(c, lanes, d.mix, rank, line));
  scale_if(earlier, micro_multiplier(c, lanes, d.mix, micro_batch));
  for (std::size_t k = 0; k < lane_count; ++k)
    row[k] = std::max(0.0f, row[k] - std::max(0.0f, hidden[k] - earlier[k]));
}

/// A transfer or exchange that takes at least so long on a line.
void hold_above(const std::vector<float>& at_least_s, std::size_t line, float* row) {
  if (at_least_s.empty() || at_least_s[line] == 0) return;
  float least[lane_count];
  std::fill_n(least, lane_count, at_least_s[line]);
  raise_float_row(row, least);
}

/// Goes through a batch's strikes in the order of places.
class StrikeQueue {
 public:
  explicit StrikeQueue(const std::vector<Strike>& strikes) : strikes_(strikes) {}
  /// Calls use(strike) for those at this place.
  template <class Use>
  void at(std::size_t place, Use use) {
    while (next_ < strikes_.size() && static_cast<std::size_t>(strikes_[next_].place) == place)
      use(strikes_[next_++]);
  }

 private:
  const std::vector<Strike>& strikes_;
  std::size_t next_ = 0;
};

void record(const double* row, float* out) {
  for (std::size_t k = 0; k < lane_count; ++k) out[k] = static_cast<float>(row[k]);
}

/// What one replica does alone after its last backward.
class Ending {
 public:
  Ending(const Compiled& c, Lanes& lanes, Recording<float>* rec)
      : c_(c), replica_(*lanes.replica), lanes_(lanes), rec_(rec) {
    if (!rec_) return;
    std::fill(rec_->final_kind.begin(), rec_->final_kind.end(), 0.0f);
    for (std::size_t row = 0; row * lane_count < rec_->final_origin.size(); ++row)
      std::fill_n(&rec_->final_origin[row * lane_count], lane_count, static_cast<std::uint32_t>(row));
  }

  void run(StrikeQueue* strikes) {
    if (strikes)
      for (std::size_t r = 0; r < replica_.before.size(); ++r)
        strikes->at(c_.graph.tasks.size() + r, [&](const Strike& s) { strike(r, s); });
    for (std::size_t r = 0; r < replica_.before.size(); ++r) program(r, replica_.before[r], c_.before_key[r]);
    if (c_.embedding_exchange) exchange();
    for (std::size_t r = 0; r < replica_.after.size(); ++r) program(r, replica_.after[r], c_.after_key[r]);
    for (std::size_t at = 0; at < lanes_.reduced.size(); at += lane_count) wait(at / lane_count);
  }

 private:
  double* row(std::size_t rank, std::size_t line) {
    return &lanes_.ends[(rank * static_cast<std::size_t>(c_.lines) + line) * lane_count];
  }

  /// For the last of the gradients that are reduced beside compute: what is left of that counts.
  void wait(std::size_t at) {
    double* end = &lanes_.ends[at * lane_count];
    const double* reduced = &lanes_.reduced[at * lane_count];
    if (rec_) {
      const std::size_t rank = at / rec_->lines;
      for (std::size_t k = 0; k < lane_count; ++k) {
        const auto left = static_cast<float>(std::max(0.0, reduced[k] - end[k]));
        for (std::size_t i = 0; i < rec_->kinds; ++i)
          rec_->final_kind[rec_->at(at, i, k)] +=
              static_cast<float>(c_.reduction_share[static_cast<int>(c_.kinds[i])]) * left;
        if (at % rec_->lines == 0) rec_->communication[rec_->at(rank, k)] += left;
      }
    }
    raise_row(end, reduced);
  }

  void program(std::size_t rank, const Program& p, std::uint64_t cause) {
    if (p.draws.empty()) return;
    seed_row(generator_, lanes_.key, cause);
    const auto lines = static_cast<std::size_t>(c_.lines);
    for (const Draw& d : p.draws) {
      if (d.collective) {
        for (std::size_t l = 1; l < lines; ++l) join(rank, 0, rank, l);
        draw_row(generator_, c_.bucket(d.law), duration_);
        scale_if(duration_, multiplier(c_, lanes_, d.mix, rank, 0));
        for (std::size_t l = lines; l-- > 0;) {
          if (l > 0) follow(rank, l, rank, 0);
          spend(rank, l, d);
        }
      } else {
        for (std::size_t l = 0; l < lines; ++l) {
          draw_row(generator_, c_.bucket(d.law), duration_);
          scale_if(duration_, multiplier(c_, lanes_, d.mix, rank, l));
          hold(c_, lanes_, d, rank, l, -1, duration_);
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
      draw_row(same_word, c_.bucket(replica_.embedding_last), duration_);
      hold_above(replica_.embedding_at_least_s, l, duration_);
      if (replica_.embedding.mix != 0) scale_row(duration_, lanes_.embedding.data());
      spend(last, l, replica_.embedding);
      draw_row(generator_, c_.bucket(replica_.embedding.law), duration_);
      hold_above(replica_.embedding_at_least_s, l, duration_);
      if (replica_.embedding.mix != 0) scale_row(duration_, lanes_.embedding.data());
      spend(0, l, replica_.embedding);
    }
  }

  void strike(std::size_t rank, const Strike& s) {
    row(rank, static_cast<std::size_t>(s.line))[s.lane] += static_cast<double>(s.seconds);
    if (!rec_) return;
    const std::size_t to =
        rec_->at(rank * rec_->lines + static_cast<std::size_t>(s.line), rec_->index(s.kind), s.lane);
    rec_->final_kind[to] += s.seconds;
    if (s.line == 0)
      (class_of(s.kind) == Class::compute ? rec_->compute : rec_->communication)[rec_->at(rank, s.lane)] +=
          s.seconds;
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
  const Compiled::Replica& replica_;
  Lanes& lanes_;
  Recording<float>* rec_;
  pcg32_oneseq generator_[lane_count];
  float duration_[lane_count];
};

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
  Ending(c, lanes, nullptr).run(&strikes);
}

void simulate_segments(const Compiled& c, Lanes& lanes, Recording<float>* rec) {
  clear(lanes);
  seed(lanes.segment_generator, lanes, c.segment_key);
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
  Ending(c, lanes, rec).run(&strikes);
}

}  // namespace prism
