// SPDX-License-Identifier: Apache-2.0
#include "simulation/places.h"

#include <algorithm>

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
  const std::int64_t last_node = (groups() * ranks - 1) / gpus_per_node_;
  std::vector<std::int32_t> number(static_cast<std::size_t>(last_node + 1), -1);
  for (std::int64_t d = 0; d < replicas; ++d)
    for (std::int64_t one = 0; one < ranks; one += a_replica_)
      for (std::int64_t r = 0; r < pipeline; ++r)
        for (std::int64_t node = node_of_rank(d, r, one); node <= node_of_rank(d, r, one + a_replica_ - 1);
             ++node)
          if (std::int32_t& n = number[static_cast<std::size_t>(node)]; n < 0)
            n = static_cast<std::int32_t>(nodes++);

  std::vector<std::int32_t> here;  // nodes of a group, in the order of its ranks
  const auto list = [&](std::int64_t d, std::int64_t r) {
    here.clear();
    for (std::int64_t one = 0; one < ranks; one += a_replica_)
      for (std::int64_t node = node_of_rank(d, r, one); node <= node_of_rank(d, r, one + a_replica_ - 1);
           ++node)
        if (const std::int32_t n = number[static_cast<std::size_t>(node)]; here.empty() || here.back() != n)
          here.push_back(n);
  };
  for (std::int64_t d = 0; d < replicas; ++d)
    for (std::int64_t r = 0; r < pipeline; ++r) {
      list(d, r);
      nodes_a_group = std::max(nodes_a_group, static_cast<std::int64_t>(here.size()));
    }
  node_of_group.reserve(static_cast<std::size_t>(groups() * nodes_a_group));
  for (std::int64_t d = 0; d < replicas; ++d)
    for (std::int64_t r = 0; r < pipeline; ++r) {
      list(d, r);
      here.resize(static_cast<std::size_t>(nodes_a_group), here.back());
      node_of_group.insert(node_of_group.end(), here.begin(), here.end());
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
