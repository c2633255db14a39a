// SPDX-License-Identifier: Apache-2.0
// Seconds that collectives and transfers take: where the ranks of a group stand, which links they share, and
// the faster of ring and tree. Formulas: docs/cost-model.md.
#pragma once

#include <cstdint>
#include <string>

#include "prism/scenario.h"

namespace prism::workload {

/// How the ranks of a group are spread over nodes. Of all groups of one sort, the most spread one.
struct Placement {
  std::int64_t size = 1;
  std::int64_t nodes = 1;     ///< nodes that the group touches
  std::int64_t per_node = 1;  ///< fewest members in a node that it touches
};

/// Placement of groups of `size` ranks, `stride` apart, when `gpus_per_node` consecutive ranks share a node
/// and the world has `world` ranks.
Placement spread(std::int64_t size, std::int64_t stride, std::int64_t world, std::int64_t gpus_per_node);

/// The same when a group is `outer` times such a group, `outer_stride` apart.
Placement spread(std::int64_t size, std::int64_t stride, std::int64_t outer, std::int64_t outer_stride,
                 std::int64_t world, std::int64_t gpus_per_node);

struct CommunicationTime {
  double seconds = 0;
  std::string how;  ///< e.g. "ring of 8 inside a node at 240 GB/s"
};

class Network {
 public:
  Network(const Cluster& cluster, const Parallel& parallel, double efficiency);

  Placement tensor, context, pipeline, world;
  Placement data;                        ///< ranks that reduce one gradient: replicas times context ranks
  Placement shard;                       ///< of them, those that ZeRO shards over
  Placement replicas;                    ///< of them, those that hold the same shard
  Placement expert;                      ///< ranks that exchange tokens between their experts
  Placement expert_tensor, expert_data;  ///< those that share one expert; those that hold the same experts
  Placement first_and_last;              ///< the two ranks that hold tied embeddings

  /// All-reduce of a buffer of `bytes` on every rank.
  CommunicationTime all_reduce(const Placement& group, double bytes) const;
  /// All-gather to, or reduce-scatter from, `bytes` in full.
  CommunicationTime gather_or_scatter(const Placement& group, double bytes) const;
  /// All-to-all of tokens to their experts, which are spread evenly over the group, or back: `bytes` of every
  /// rank's own tokens, `copies` of each.
  CommunicationTime all_to_all(const Placement& group, double bytes, std::int64_t copies) const;
  /// A ring passes pieces of `bytes` in full around, each once, one neighbour at a time.
  CommunicationTime ring_pass(const Placement& group, double bytes) const {
    return gather_or_scatter(group, bytes);
  }
  /// One transfer between pipeline neighbours.
  CommunicationTime transfer(double bytes) const;

 private:
  double bandwidth(const Placement& group) const;
  std::string where(const Placement& group) const;
  double ring_latency(const Placement& group) const;
  double ring_inside(double steps, double bytes) const;

  Cluster::Link intra_, inter_;  ///< rates are what collectives reach: link rate times efficiency
};

}  // namespace prism::workload
