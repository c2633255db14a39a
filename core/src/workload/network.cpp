// SPDX-License-Identifier: Apache-2.0
#include "workload/network.h"

#include <algorithm>
#include <cmath>

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

Placement spread(std::int64_t size, std::int64_t stride, std::int64_t world, std::int64_t gpus_per_node) {
  Placement worst{size, 1, size};
  if (world <= gpus_per_node) return worst;
  // A group starts at every rank whose own coordinate is 0. Only that rank's place in its node matters, and
  // it repeats after gpus_per_node blocks of size * stride ranks.
  const std::int64_t span = size * stride;
  const std::int64_t blocks = std::min(world / span, gpus_per_node), firsts = std::min(stride, gpus_per_node);
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (std::int64_t i = 0; i < firsts; ++i) {
      const std::int64_t first = (block * span + i) % gpus_per_node, last = first + span - stride;
      const std::int64_t nodes = last / gpus_per_node + 1;
      if (nodes == 1) continue;
      // Members in the first node, in the last, and the fewest that one between them may have.
      const std::int64_t in_first = (gpus_per_node - first + stride - 1) / stride;
      const std::int64_t in_last = last % gpus_per_node / stride + 1;
      std::int64_t per_node = std::min(in_first, in_last);
      if (nodes > 2) per_node = std::min(per_node, std::max<std::int64_t>(1, gpus_per_node / stride));
      // A stride beyond the node size skips nodes.
      const Placement here{size, std::min(nodes, size), per_node};
      if (here.nodes > worst.nodes || (here.nodes == worst.nodes && here.per_node < worst.per_node))
        worst = here;
    }
  }
  return worst;
}

Placement spread(std::int64_t size, std::int64_t stride, std::int64_t outer, std::int64_t outer_stride,
                 std::int64_t world, std::int64_t gpus_per_node) {
  if (size == 1) return spread(outer, outer_stride, world, gpus_per_node);
  if (outer == 1) return spread(size, stride, world, gpus_per_node);
  if (outer_stride == size * stride) return spread(size * outer, stride, world, gpus_per_node);
  const Placement inner = spread(size, stride, world, gpus_per_node),
                  apart = spread(outer, outer_stride, world, gpus_per_node);
  return {size * outer, inner.nodes * apart.nodes, inner.per_node * apart.per_node};
}

Network::Network(const Cluster& cluster, const Parallel& parallel, double efficiency)
    : intra_(cluster.intra_node), inter_(cluster.inter_node) {
  intra_.bytes_per_s *= efficiency;
  inter_.bytes_per_s *= efficiency;
  const std::int64_t inner = parallel.tp * parallel.cp, node = cluster.domain(), all = parallel.world();
  const bool data_first = parallel.rank_order == RankOrder::tp_cp_dp_pp;
  const std::int64_t data_stride = data_first ? inner : inner * parallel.pp;
  const std::int64_t pipeline_stride = data_first ? inner * parallel.dp : inner;
  tensor = spread(parallel.tp, 1, all, node);
  const std::int64_t tp = parallel.tp, cp = parallel.cp, dp = parallel.dp,
                     shards = parallel.dp_shard > 0 ? parallel.dp_shard : dp;
  context = spread(cp, tp, all, node);
  data = spread(cp, tp, dp, data_stride, all, node);
  shard = spread(cp, tp, shards, data_stride, all, node);
  replicas = spread(dp / shards, data_stride * shards, all, node);
  // The ranks of a stage in their order, tensor and context ranks first; experts count through them.
  const auto in_stage = [&](std::int64_t size, std::int64_t stride) {
    const std::int64_t within = stride >= inner ? 1 : std::min(size, inner / stride);
    return spread(within, stride, size / within, std::max(stride, inner) / inner * data_stride, all, node);
  };
  expert_tensor = in_stage(parallel.etp, 1);
  expert = in_stage(parallel.ep, parallel.etp);
  expert_data = in_stage(tp * cp * dp / (parallel.etp * parallel.ep), parallel.etp * parallel.ep);
  pipeline = spread(parallel.pp, pipeline_stride, all, node);
  world = spread(all, 1, all, node);
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

// What a ring inside a node takes, for the steps' latency and the time of the bytes, as measured on eight
// A100 (sweep of vTrain, arXiv 2312.12391, 1 MB to 1 GB; nccl-tests log of microsoft/superbenchmark): small
// messages in a protocol of low latency at a sixth of the rate; larger ones start later, reach the full rate
// slowly and never come below a floor. The four numbers are shares, so that they follow latency and rate.
double Network::ring_inside(double steps, double bytes) const {
  constexpr double slower = 6, start = 1.31, least = 2.57, ramp = 0.388;
  const double latency = steps * intra_.latency_s, once = bytes / intra_.bytes_per_s;
  return std::min(latency + slower * once,
                  std::max(least * latency, start * latency + once + std::sqrt(ramp * latency * once)));
}

CommunicationTime Network::all_reduce(const Placement& group, double bytes) const {
  if (group.size < 2) return {};
  const double n = static_cast<double>(group.size), once = bytes / bandwidth(group);
  if (group.nodes == 1) return {ring_inside(2 * (n - 1), 2 * (n - 1) / n * bytes), "ring, " + where(group)};
  const double ring = 2 * ((n - 1) / n * once + ring_latency(group));
  // A tree joins nodes; inside a node the ranks form a chain, as in NCCL.
  const std::int64_t in_node = (group.size + group.nodes - 1) / group.nodes;
  const double tree = 2 * (once + static_cast<double>(in_node - 1) * intra_.latency_s +
                           depth(group.nodes) * inter_.latency_s);
  if (tree < ring) return {tree, "tree, " + where(group)};
  return {ring, "ring, " + where(group)};
}

CommunicationTime Network::gather_or_scatter(const Placement& group, double bytes) const {
  if (group.size < 2) return {};
  const double n = static_cast<double>(group.size);
  if (group.nodes == 1) return {ring_inside(n - 1, (n - 1) / n * bytes), "ring, " + where(group)};
  return {(n - 1) / n * bytes / bandwidth(group) + ring_latency(group), "ring, " + where(group)};
}

// A token goes once to each other node that has one of its experts, to the rank at its own place there, and
// from that rank to each of them by the links inside; both go on at once, and the same way back with sums
// taken inside a node first (DeepSeek-V3, arXiv 2412.19437, section 3.2.2). Copies are taken to fall on nodes
// independently.
CommunicationTime Network::all_to_all(const Placement& group, double bytes, std::int64_t copies) const {
  if (group.size < 2) return {};
  const auto inside = [&](double ranks) {
    return (ranks - 1) / ranks * bytes * static_cast<double>(copies) / intra_.bytes_per_s +
           (ranks - 1) * intra_.latency_s;
  };
  if (group.nodes == 1) return {inside(static_cast<double>(group.size)), "all-to-all, " + where(group)};
  const double nodes = static_cast<double>(group.nodes);
  double missed = 1;  // share of the tokens that have no copy on a given node
  for (std::int64_t i = 0; i < copies; ++i) missed *= 1 - 1 / nodes;
  const double between = (nodes - 1) * ((1 - missed) * bytes / inter_.bytes_per_s + inter_.latency_s);
  return {std::max(inside(static_cast<double>(group.per_node)), between),
          "all-to-all, " + std::to_string(group.size) + " ranks over " + std::to_string(group.nodes) +
              " nodes at " + rate_text(inter_.bytes_per_s) + " each, tokens sent once to a node"};
}

CommunicationTime Network::transfer(double bytes) const {
  const bool crosses = pipeline.nodes > 1;
  const Cluster::Link& link = crosses ? inter_ : intra_;
  return {link.latency_s + bytes / link.bytes_per_s,
          std::string(crosses ? "between nodes" : "inside a node") + " at " + rate_text(link.bytes_per_s)};
}

}  // namespace prism::workload
