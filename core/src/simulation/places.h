// SPDX-License-Identifier: Apache-2.0
// Where ranks stand: a group is the ranks of one pipeline rank of one replica, or of replicas taken together.
#pragma once

#include <cstdint>
#include <vector>

#include "prism/workload.h"

namespace prism {

class Places {
 public:
  explicit Places(const Workload& w);

  std::int64_t ranks, pipeline, replicas;  ///< in a group; groups in a replica; replicas
  std::int64_t groups() const { return pipeline * replicas; }
  std::int64_t group(std::int64_t replica, std::int64_t rank) const { return replica * pipeline + rank; }

  /// Nodes are numbered as they first appear, replica by replica.
  std::int64_t nodes = 0;
  std::int64_t nodes_a_group = 1;           ///< of the most spread group
  std::vector<std::int32_t> node_of_group;  ///< [group * nodes_a_group]; the last is repeated
  /// Node of one rank, numbered as ranks are.
  std::int64_t node_of_rank(std::int64_t replica, std::int64_t rank, std::int64_t in_group) const;

 private:
  std::int64_t a_replica_;  ///< of a group's ranks, those of one replica
  std::int64_t gpus_per_node_, stride_of_replica_, stride_of_rank_;
};

/// Ranks of one group, ascending.
struct GroupRanks {
  std::int64_t group;
  std::vector<std::int32_t> ranks;
};
/// The unit that holds the rank of a what-if, group by group.
std::vector<GroupRanks> ranks_of_unit(const Places& places, const WhatIf& what_if);

}  // namespace prism
