// SPDX-License-Identifier: Apache-2.0
// Places where every operator stands at a quantile: the what-if `operator_quantile`.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "prism/workload.h"
#include "simulation/places.h"

namespace prism {

/// By rank of a group, the lower mass at which its operators stand; 0 where they are drawn. Of several
/// what-ifs at one rank the largest counts.
using HeldRanks = std::vector<double>;

class Held {
 public:
  Held(const Workload& workload, const Places& places);

  const std::map<std::int64_t, HeldRanks>& groups() const { return groups_; }
  /// Null where every operator of the group is drawn.
  const HeldRanks* at(std::int64_t group) const {
    const auto found = groups_.empty() ? groups_.end() : groups_.find(group);
    return found == groups_.end() ? nullptr : &found->second;
  }

  /// What a compute operator takes there: its operation, gpu and node factors together at this quantile.
  double seconds(const Operator& op, double lower_mass);
  /// What compute at the place of such a what-if takes, over what it takes with every factor at its median.
  double multiplier(const WhatIf& what_if, const Places& places);

 private:
  const Workload* workload_;
  std::map<std::int64_t, HeldRanks> groups_;
  std::map<std::tuple<int, std::uint64_t, double>, double> quantiles_;  ///< of a shape and causes
};

/// The largest lower mass among ranks, 0 if none is held.
double largest_mass(const HeldRanks* ranks);
/// How many are held.
std::int64_t count_held(const HeldRanks* ranks);

}  // namespace prism
