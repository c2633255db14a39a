// SPDX-License-Identifier: Apache-2.0
#include "workload/network.h"

#include <algorithm>
#include <vector>

#include "workload/text.h"

namespace prism::workload {
namespace {

/// Rounds of a binary tree over n.
double depth(std::int64_t n) {
  double rounds = 0;
  for (std::int64_t reach = 1; reach < n; reach *= 2) ++rounds;
  return rounds;
}

}  // namespace

Placement place(std::int64_t size, std::int64_t stride, std::int64_t world, std::int64_t gpus_per_node) {
  Placement worst{size, 1, size};
  // A group starts wherever its own coordinate is 0. Where it stands depends on its first rank modulo the
  // node size alone, so each remainder is looked at once.
  std::vector<bool> seen(static_cast<std::size_t>(gpus_per_node), false);
  std::int64_t unseen = gpus_per_node;
  for (std::int64_t block = 0; block < world && unseen > 0; block += size * stride) {
    for (std::int64_t first = block; first < block + stride && unseen > 0; ++first) {
      const auto remainder = static_cast<std::size_t>(first % gpus_per_node);
      if (seen[remainder]) continue;
      seen[remainder] = true;
      --unseen;
      Placement here{size, 0, size};
      std::int64_t members = 0, node = -1;
      for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t at = (first + k * stride) / gpus_per_node;
        if (at != node) {
          if (node >= 0) here.per_node = std::min(here.per_node, members);
          node = at;
          members = 0;
          ++here.nodes;
        }
        ++members;
      }
      here.per_node = std::min(here.per_node, members);
      if (here.nodes > worst.nodes || (here.nodes == worst.nodes && here.per_node < worst.per_node))
        worst = here;
    }
  }
  return worst;
}

Network::Network(const Cluster& cluster, const Parallel& parallel, double efficiency)
    : intra_(cluster.intra_node), inter_(cluster.inter_node) {
  intra_.bytes_per_s *= efficiency;
  inter_.bytes_per_s *= efficiency;
  const std::int64_t inner = parallel.tp * parallel.cp, node = cluster.gpus_per_node, all = parallel.world();
  const bool data_first = parallel.rank_order == RankOrder::tp_cp_dp_pp;
  const std::int64_t data_stride = data_first ? inner : inner * parallel.pp;
  const std::int64_t pipeline_stride = data_first ? inner * parallel.dp : inner;
  tensor = place(parallel.tp, 1, all, node);
  data = place(parallel.dp, data_stride, all, node);
  pipeline = place(parallel.pp, pipeline_stride, all, node);
  world = place(all, 1, all, node);
  first_and_last = pipeline.nodes > 1 ? Placement{2, 2, 1} : Placement{2, 1, 2};
}

// Inside a node every rank has its own links. Across nodes the g members in a node use g of its network
// interfaces at once, the other groups in the node use the others.
double Network::bandwidth(const Placement& group) const {
  if (group.nodes == 1) return intra_.bytes_per_s;
  return std::min(intra_.bytes_per_s, static_cast<double>(group.per_node) * inter_.bytes_per_s);
}

// A ring of n passes n - 1 edges, of which nodes - 1 are between nodes.
double Network::ring_latency(const Placement& group) const {
  return static_cast<double>(group.size - group.nodes) * intra_.latency_s +
         static_cast<double>(group.nodes - 1) * inter_.latency_s;
}

std::string Network::where(const Placement& group) const {
  const std::string place =
      group.nodes == 1 ? "inside a node" : "over " + std::to_string(group.nodes) + " nodes";
  return std::to_string(group.size) + " ranks " + place + " at " + rate_text(bandwidth(group));
}

CommunicationTime Network::all_reduce(const Placement& group, double bytes) const {
  if (group.size < 2) return {};
  const double n = static_cast<double>(group.size), once = bytes / bandwidth(group);
  const double ring = 2 * ((n - 1) / n * once + ring_latency(group));
  const std::int64_t in_node = (group.size + group.nodes - 1) / group.nodes;
  const double tree = 2 * (once + depth(in_node) * intra_.latency_s + depth(group.nodes) * inter_.latency_s);
  if (tree < ring) return {tree, "tree, " + where(group)};
  return {ring, "ring, " + where(group)};
}

CommunicationTime Network::gather_or_scatter(const Placement& group, double bytes) const {
  if (group.size < 2) return {};
  const double n = static_cast<double>(group.size);
  return {(n - 1) / n * bytes / bandwidth(group) + ring_latency(group), "ring, " + where(group)};
}

CommunicationTime Network::transfer(double bytes) const {
  const bool crosses = pipeline.nodes > 1;
  const Cluster::Link& link = crosses ? inter_ : intra_;
  return {link.latency_s + bytes / link.bytes_per_s,
          std::string(crosses ? "between nodes" : "inside a node") + " at " + rate_text(link.bytes_per_s)};
}

}  // namespace prism::workload
