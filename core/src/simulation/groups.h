// SPDX-License-Identifier: Apache-2.0
// Who meets whom inside a chunk: groups that cross within a stage, and replicas that meet before the step
// ends.
#pragma once

#include <cstdint>

#include "prism/workload.h"

namespace prism {

/// The ranks of one stage that collectives inside its chunks tie together: those of `replicas` consecutive
/// replicas, counted replica by replica, context rank by context rank, tensor rank by tensor rank.
class Groups {
 public:
  /// Of a workload whose replicas are not taken together yet.
  explicit Groups(const Workload& workload);

  std::int64_t replicas() const { return replicas_; }
  std::int64_t ranks() const { return replicas_ * a_replica_; }
  /// Number of the group, of its kind, that a rank is in.
  std::int64_t of(Group kind, std::int64_t rank) const;
  std::int64_t size(Group kind) const;

  /// Whether some collective of these segments leaves ranks out or runs beside compute, or replicas that meet
  /// end apart: then a chunk is more than a sum over its segments.
  bool cross(const std::vector<Segment>& segments) const;

 private:
  std::int64_t tensor_, context_, a_replica_, expert_, shard_, replicas_ = 1;
};

/// The same job with replicas taken together: their ranks are ranks of one stage.
Workload folded(const Workload& workload, std::int64_t replicas);
/// Of one replica, folded or not: ranks of a stage that reduce different gradients.
inline std::int64_t data_groups(const Workload& w) { return w.tp / w.folded / w.context; }
/// And how many ranks reduce one gradient together.
inline std::int64_t data_ranks(const Workload& w) { return w.dp * w.folded * w.context; }

}  // namespace prism
