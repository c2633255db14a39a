// SPDX-License-Identifier: Apache-2.0
#include "simulation/ending.h"

#include <algorithm>

#include "simulation/multipliers.h"
#include "simulation/row_draws.h"

namespace prism {
namespace {

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

  void run(StrikeQueue& strikes) {
    for (std::size_t r = 0; r < replica_.before.size(); ++r)
      strikes.at(c_.graph.tasks.size() + r, [&](const Strike& s) { strike(r, s); });
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

}  // namespace

void end_alone(const Compiled& compiled, Lanes& lanes, StrikeQueue& strikes, Recording<float>* recording) {
  Ending(compiled, lanes, recording).run(strikes);
}

}  // namespace prism
