// SPDX-License-Identifier: Apache-2.0
// What trials draw once for many invocations: the multipliers of every slot at every place, trials side by
// side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulation/compiled.h"
#include "simulation/rows.h"
#include "simulation/stalls.h"

namespace prism {

/// A step: which trial its fresh and step-long draws belong to, and which run its run-long ones.
struct Step {
  std::int64_t trial, run;
};

/// Where the streams of shared causes start, together with a cause's key.
std::uint64_t shared_key(std::uint64_t seed, std::int64_t step_or_run, Factor::Period period);

class SharedDraws {
 public:
  SharedDraws(const Compiled& compiled, const Stalls& stalls);

  /// Draws for at most lane_count steps, one a lane; the last one fills the lanes that are left.
  void draw(std::uint64_t seed, std::span<const Step> steps);

  /// Multipliers by lane of a slot at a group and line; without causes at places all rows are the same one.
  const float* at(Causes::Slot slot, std::int64_t group, std::int64_t line) const {
    const Rows& rows = rows_[static_cast<std::size_t>(slot)];
    return rows.wide
               ? &rows.value[static_cast<std::size_t>(group * rows.lines + (rows.lines > 1 ? line : 0)) *
                             lane_count]
               : &rows.value[0];
  }
  /// The largest over the replicas, at a pipeline rank.
  const float* worst(Causes::Slot slot, std::int64_t rank) const {
    const Rows& rows = rows_[static_cast<std::size_t>(slot)];
    return rows.wide ? &rows.worst[static_cast<std::size_t>(rank) * lane_count] : &rows.value[0];
  }

  /// The same of a mix, in one lane.
  float worst(Causes::Mix mix, std::int64_t rank, std::size_t lane) const {
    if (mix == 0) return 1;
    float sum = 0;
    for (const auto& [slot, share] : c_.causes.mixes[static_cast<std::size_t>(mix)])
      sum += share * worst(slot, rank)[lane];
    return sum;
  }

  /// By lane: from when a reduction beside compute starts until its rank's last one is done, on the slowest
  /// of the groups that a line stands for.
  const double* tail(std::size_t reduction, std::size_t line) const {
    return &tails_[(reduction * static_cast<std::size_t>(c_.lines) + line) * lane_count];
  }

 private:
  /// Megabytes that are drawn before they are read: not filled, as a vector would.
  using Buffer = std::unique_ptr<float[]>;
  static Buffer buffer(std::int64_t rows);
  struct Rows {
    bool wide = false;
    std::int64_t lines = 1;    ///< 1 where the lines of a group share the multiplier
    std::int64_t count = 1;    ///< groups * lines; not wide: the same everywhere
    Buffer value;              ///< [count][lane_count]
    std::vector<float> worst;  ///< [ranks][lane_count]
  };
  using SlotLists = std::array<std::vector<std::int32_t>, Causes::apart_count>;
  void draw_causes();
  void draw_cause(std::size_t cause);
  void multiply(const std::vector<std::int32_t>& slots, std::int64_t group, std::int64_t line,
                const float* by);
  void multiply_all(const SlotLists& slots, std::int64_t group, std::int64_t line, const float* by);
  void join_nodes(std::int64_t group, bool compute, Causes::Apart apart, float* out) const;
  void find_changes();
  void change_places();
  void draw_tails(std::uint64_t seed, std::span<const Step> steps);

  const Compiled& c_;
  const Stalls& stalls_;
  std::vector<double> tails_;  ///< [reductions * lines][lane_count]
  std::vector<Rows> rows_;
  std::vector<SlotLists> wide_slots_of_;  ///< by cause
  /// By (group, line): whether a what-if has fixed what lasts there, on every rank.
  std::vector<char> fixed_;
  struct Change {
    std::size_t slot, row;
    float by;
  };
  std::vector<Change> changes_;  ///< by what-ifs
  Buffer nodes_;                 ///< [nodes][lane_count]
  std::uint64_t step_key_[lane_count], run_key_[lane_count];
};

}  // namespace prism
