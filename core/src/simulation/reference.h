// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "prism/workload.h"

namespace prism {

/// Most ranks the reference engine takes: it plays every operator on every rank.
inline constexpr std::int64_t max_reference_ranks = 4096;

/// The truth that every fast path is tested against: every rank, every operator, in double precision, by the
/// rules and without any reduction. Shares with the engine only the schedules' orders and the operators' own
/// laws.
class Reference {
 public:
  explicit Reference(const Workload& workload);
  ~Reference();
  double step(std::uint64_t seed, std::int64_t trial) const;
  /// Random draws of one trial.
  std::int64_t draws() const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace prism
