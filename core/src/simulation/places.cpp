// SPDX-License-Identifier: Apache-2.0
#include "simulation/places.h"

#include <algorithm>
#include <map>

namespace prism {

Places::Places(const Workload& w)
    : ranks(w.tp),
      pipeline(w.pp),
      replicas(w.dp),
      a_replica_(w.tp / w.folded),
      gpus_per_node_(w.gpus_per_node) {
  const bool data_first = w.rank_order == RankOrder::tp_cp_dp_pp;
  stride_of_replica_ = data_first ? a_replica_ : a_replica_ * pipeline;
  stride_of_rank_ = data_first ? a_replica_ * w.folded * replicas : a_replica_;
  std::map<std::int64_t, std::int32_t> number;
  std::vector<std::vector<std::int32_t>> list(static_cast<std::size_t>(groups()));
  for (std::int64_t d = 0; d < replicas; ++d)
    for (std::int64_t one = 0; one < ranks; one += a_replica_)
      for (std::int64_t r = 0; r < pipeline; ++r) {
        auto& here = list[static_cast<std::size_t>(group(d, r))];
        const std::int64_t first = node_of_rank(d, r, one), last = node_of_rank(d, r, one + a_replica_ - 1);
        for (std::int64_t node = first; node <= last; ++node) {
          const auto n = number.try_emplace(node, static_cast<std::int32_t>(number.size())).first->second;
          if (here.empty() || here.back() != n) here.push_back(n);
        }
      }
  for (const auto& here : list)
    nodes_a_group = std::max(nodes_a_group, static_cast<std::int64_t>(here.size()));
  nodes = static_cast<std::int64_t>(number.size());
  for (auto& nodes_of_one : list) {
    nodes_of_one.resize(static_cast<std::size_t>(nodes_a_group), nodes_of_one.back());
    node_of_group.insert(node_of_group.end(), nodes_of_one.begin(), nodes_of_one.end());
  }
}

std::int64_t Places::node_of_rank(std::int64_t replica, std::int64_t rank, std::int64_t in_group) const {
  const std::int64_t of_all = replica * (ranks / a_replica_) + in_group / a_replica_;
  return (of_all * stride_of_replica_ + rank * stride_of_rank_ + in_group % a_replica_) / gpus_per_node_;
}

std::vector<GroupRanks> ranks_of_unit(const Places& places, const WhatIf& w) {
  std::vector<GroupRanks> list;
  if (w.unit == WhatIf::Unit::gpu) {
    list.push_back({places.group(w.dp, w.pp), {static_cast<std::int32_t>(w.tp)}});
    return list;
  }
  const std::int64_t node = places.node_of_rank(w.dp, w.pp, w.tp);
  for (std::int64_t d = 0; d < places.replicas; ++d)
    for (std::int64_t r = 0; r < places.pipeline; ++r) {
      if (places.node_of_rank(d, r, 0) > node || places.node_of_rank(d, r, places.ranks - 1) < node) continue;
      GroupRanks here{places.group(d, r), {}};
      for (std::int64_t t = 0; t < places.ranks; ++t)
        if (places.node_of_rank(d, r, t) == node) here.ranks.push_back(static_cast<std::int32_t>(t));
      if (!here.ranks.empty()) list.push_back(std::move(here));
    }
  return list;
}

}  // namespace prism
