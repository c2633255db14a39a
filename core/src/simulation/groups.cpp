// SPDX-License-Identifier: Apache-2.0
#include "simulation/groups.h"

#include <algorithm>
#include <numeric>

namespace prism {

Groups::Groups(const Workload& w)
    : tensor_(w.tp / w.context),
      context_(w.context),
      a_replica_(w.tp),
      expert_(w.expert_ranks),
      shard_(w.shard_replicas) {
  const auto tie = [&](const std::vector<Segment>& segments) {
    for (const Segment& s : segments) {
      if (!s.has_collective) continue;
      if (s.group == Group::expert)
        replicas_ = std::lcm(replicas_, std::lcm(expert_, a_replica_) / a_replica_);
      if (s.group == Group::shard) replicas_ = std::lcm(replicas_, shard_);
    }
  };
  for (const StageProgram& stage : w.stages) {
    tie(stage.forward);
    tie(stage.backward);
  }
}

std::int64_t Groups::of(Group kind, std::int64_t rank) const {
  const std::int64_t replica = rank / a_replica_, tensor = rank % tensor_;
  switch (kind) {
    case Group::tensor:
      return rank / tensor_;
    case Group::context:
      return replica * tensor_ + tensor;
    case Group::expert:
      return rank / expert_;
    case Group::shard:
      return replica / shard_ * tensor_ + tensor;
    default:
      return 0;
  }
}

std::int64_t Groups::size(Group kind) const {
  switch (kind) {
    case Group::tensor:
      return tensor_;
    case Group::context:
      return context_;
    case Group::expert:
      return expert_;
    case Group::shard:
      return shard_ * context_;
    default:
      return ranks();
  }
}

bool Groups::cross(const std::vector<Segment>& segments) const {
  if (replicas_ > 1 && (segments.empty() || !segments.back().has_collective)) return true;
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& s) {
    return s.has_collective && (size(s.group) < ranks() || s.beside.scale_s > 0);
  });
}

Workload folded(const Workload& workload, std::int64_t replicas) {
  Workload w = workload;
  for (WhatIf& what_if : w.what_if) {
    what_if.tp += what_if.dp % replicas * workload.tp;
    what_if.dp /= replicas;
  }
  w.tp *= replicas;
  w.dp /= replicas;
  w.folded = replicas;
  return w;
}

}  // namespace prism
