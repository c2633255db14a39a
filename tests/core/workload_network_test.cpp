// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "workload/network.h"
#include "workload_scenarios.h"

namespace prism::workload::workload_network_test {
namespace {

/// Every group counted rank by rank.
Placement spread_by_counting(std::int64_t size, std::int64_t stride, std::int64_t world,
                             std::int64_t gpus_per_node) {
  Placement worst{size, 1, size};
  for (std::int64_t first = 0; first < world; ++first) {
    if (first / stride % size != 0) continue;
    std::map<std::int64_t, std::int64_t> members;
    for (std::int64_t k = 0; k < size; ++k) ++members[(first + k * stride) / gpus_per_node];
    Placement here{size, static_cast<std::int64_t>(members.size()), size};
    for (const auto& node : members) here.per_node = std::min(here.per_node, node.second);
    if (here.nodes > worst.nodes || (here.nodes == worst.nodes && here.per_node < worst.per_node))
      worst = here;
  }
  return worst;
}

TEST(Spread, AgreesWithCountingEveryGroup) {
  int crossing = 0;
  for (const std::int64_t node : {1, 2, 4, 6, 8, 72})
    for (const std::int64_t size : {1, 2, 3, 4, 6, 8, 16, 17})
      for (const std::int64_t stride : {1, 2, 3, 4, 8, 12, 16})
        for (const std::int64_t outer : {1, 2, 5}) {
          const std::int64_t world = size * stride * outer;
          const Placement fast = spread(size, stride, world, node),
                          counted = spread_by_counting(size, stride, world, node);
          SCOPED_TRACE(testing::Message()
                       << size << " ranks, stride " << stride << ", world " << world << ", node " << node);
          EXPECT_EQ(fast.size, size);
          EXPECT_EQ(fast.nodes, counted.nodes);
          if (node % stride == 0 || stride % node == 0)
            EXPECT_EQ(fast.per_node, counted.per_node);
          else
            EXPECT_LE(fast.per_node, counted.per_node);  // nodes in between are not looked at one by one
          crossing += counted.nodes > 1;
        }
  EXPECT_GT(crossing, 300);
}

TEST(Spread, OfAWholeClusterTakesNoTime) {
  const Placement all = spread(std::int64_t{1} << 40, 1, std::int64_t{1} << 40, 8);
  EXPECT_EQ(all.nodes, std::int64_t{1} << 37);
  EXPECT_EQ(all.per_node, 8);
}

class NetworkTest : public testing::Test {
 protected:
  NetworkTest() {
    cluster.gpus_per_node = 8;
    cluster.intra_node = {100, 0.5};
    cluster.inter_node = {10, 2};
    parallel.tp = 8;
    parallel.pp = 4;
    parallel.dp = 16;
  }
  Network network(double efficiency = 1) const { return Network(cluster, parallel, efficiency); }
  Cluster cluster;
  Parallel parallel;
};

TEST_F(NetworkTest, RingInsideANode) {
  const Network net = network();
  // 7/8 of 80,000 bytes at 100 bytes/s and 7 steps; twice that for an all-reduce.
  const double large = 1.31 * 3.5 + 700 + std::sqrt(0.388 * 3.5 * 700);
  EXPECT_DOUBLE_EQ(net.gather_or_scatter(net.tensor, 80000).seconds, large);
  EXPECT_DOUBLE_EQ(net.all_reduce(net.tensor, 80000).seconds, 2 * large);
  // A small message goes by the protocol of low latency; one between the two waits for the floor.
  EXPECT_DOUBLE_EQ(net.gather_or_scatter(net.tensor, 8).seconds, 3.5 + 6 * 0.07);
  EXPECT_DOUBLE_EQ(net.gather_or_scatter(net.tensor, 200).seconds, 2.57 * 3.5);
  EXPECT_EQ(net.all_reduce(net.tensor, 80000).how.substr(0, 27), "ring, 8 ranks inside a node");
}

TEST_F(NetworkTest, TreeOverNodesWinsForSmallMessages) {
  const Network net = network();
  // A chain of 8 in each node, 6 rounds over 64 nodes, up and down; 8 interfaces of 10 bytes/s serve a node.
  EXPECT_DOUBLE_EQ(net.all_reduce(net.world, 8).seconds, 2 * (8.0 / 80 + 7 * 0.5 + 6 * 2));
  EXPECT_EQ(net.all_reduce(net.world, 8).how.substr(0, 4), "tree");
  EXPECT_EQ(net.all_reduce(net.world, 1e9).how.substr(0, 4), "ring");
  EXPECT_EQ(net.all_reduce(net.tensor, 8).how.substr(0, 4), "ring");
}

TEST_F(NetworkTest, TokensCrossToANodeOnce) {
  const Network net = network();
  // Two experts a token over 4 nodes of 8: each of the 3 others is missed by (3/4)^2 of the tokens. Inside,
  // 7/8 of the copies at 100 bytes/s take less.
  const Placement experts{32, 4, 8};
  EXPECT_DOUBLE_EQ(net.all_to_all(experts, 800, 2).seconds, 3 * ((1 - 0.5625) * 80 + 2));
  // With a hundred copies they take more.
  EXPECT_DOUBLE_EQ(net.all_to_all(experts, 800, 100).seconds, 0.875 * 800 + 7 * 0.5);
  // One copy a token: as any all-to-all.
  EXPECT_DOUBLE_EQ(net.all_to_all(experts, 800, 1).seconds, 0.75 * 80 + 3 * 2);
  EXPECT_DOUBLE_EQ(net.all_to_all({8, 1, 8}, 800, 2).seconds, 0.875 * 16 + 7 * 0.5);
}

TEST_F(NetworkTest, GroupOfOneRankTakesNoTime) {
  parallel.dp = 1;
  const Network net = network();
  EXPECT_EQ(net.all_reduce(net.data, 1e9).seconds, 0);
  EXPECT_EQ(net.gather_or_scatter(net.data, 1e9).seconds, 0);
}

TEST_F(NetworkTest, OneRankANodeHasOneInterface) {
  const Network net = network();
  EXPECT_EQ(net.data.nodes, 16);
  EXPECT_EQ(net.data.per_node, 1);
  EXPECT_DOUBLE_EQ(net.gather_or_scatter(net.data, 16000).seconds, 15.0 / 16 * 16000 / 10 + 15 * 2);
}

TEST_F(NetworkTest, RanksOfOneNodeShareItsInterfaces) {
  parallel.tp = 2;  // four data-parallel ranks in a node, two such groups
  const Network net = network();
  EXPECT_EQ(net.data.nodes, 4);
  EXPECT_EQ(net.data.per_node, 4);
  // 12 edges inside nodes, 3 between; 4 interfaces.
  EXPECT_DOUBLE_EQ(net.gather_or_scatter(net.data, 16000).seconds, 15.0 / 16 * 16000 / 40 + 12 * 0.5 + 3 * 2);
}

TEST_F(NetworkTest, NeverFasterBetweenNodesThanInside) {
  cluster.inter_node.bytes_per_s = 60;
  parallel.tp = 2;
  const Network net = network();
  EXPECT_DOUBLE_EQ(net.gather_or_scatter(net.data, 16000).seconds,
                   15.0 / 16 * 16000 / 100 + 12 * 0.5 + 3 * 2);
}

TEST_F(NetworkTest, RankOrderDecidesWhichLinkAHopUses) {
  parallel.tp = 2;
  EXPECT_DOUBLE_EQ(network().transfer(100).seconds, 2 + 100 / 10.0);
  parallel.rank_order = RankOrder::tp_cp_pp_dp;  // the four stages of a replica fill one node
  EXPECT_DOUBLE_EQ(network().transfer(100).seconds, 0.5 + 100 / 100.0);
  EXPECT_EQ(network().first_and_last.nodes, 1);
}

TEST_F(NetworkTest, EfficiencyScalesBandwidthNotLatency) {
  const Network net = network(0.5);
  EXPECT_DOUBLE_EQ(net.gather_or_scatter(net.tensor, 80000).seconds,
                   1.31 * 3.5 + 1400 + std::sqrt(0.388 * 3.5 * 1400));
  EXPECT_DOUBLE_EQ(net.transfer(100).seconds, 2 + 100 / 5.0);
}

// All-reduce on 8 A100 with NVLink, from the sweep published with vTrain (arXiv 2312.12391,
// github.com/VIA-Research/vTrain, trace/a100/AR_GPU8_1M_1024M_LUT), with the preset's link and default
// efficiency.
TEST(Network, AllReduceOnEightA100) {
  Scenario job;
  test::on_a100(job);
  job.parallel.tp = 8;
  const Network net(job.cluster, job.parallel, job.cost_model.network_efficiency);
  for (const auto& [bytes, measured_us] : {std::pair{1048576.0, 92.79},
                                           {4194304.0, 95.80},
                                           {16777216.0, 232.4},
                                           {67108864.0, 579.9},
                                           {268435456.0, 2162.3},
                                           {1073741824.0, 8193.0}}) {
    const double error = net.all_reduce(net.tensor, bytes).seconds * 1e6 / measured_us - 1;
    EXPECT_LE(std::abs(error), 0.15) << bytes << " bytes: " << 100 * error << " %";
  }
}

}  // namespace
}  // namespace prism::workload::workload_network_test
