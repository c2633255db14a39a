// SPDX-License-Identifier: Apache-2.0
// The what-if `operator_quantile`: known answers, the draws it leaves alone, and both engines compared on
// layouts of every schedule. Fast against reference: mean, p50 and p95 within 4 standard errors plus 0.3 % of
// the value; seeds 1 ... k (1 with 4,096 trials; 10 with 16,384 with PRISM_FULL), none skipped; three
// comparisons at 6.3e-5 a seed and layout: a false alarm in 2 % of full runs at the most. Each layout is
// compared with a reference that is wrong as well.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "pipelines.h"
#include "statistics.h"

namespace prism::simulation_held_test {
namespace {

using test::Estimate;
using test::Pipeline;
using test::Sample;
using Scope = Factor::Scope;
using Unit = WhatIf::Unit;

WhatIf at_quantile(double mass, Unit unit = Unit::node, std::int64_t pp = 0, std::int64_t dp = 0,
                   std::int64_t tp = 0) {
  return {pp, dp, tp, unit, "compute", WhatIf::Change::operator_quantile, mass};
}

void add_cause(Workload& w, const char* what, Scope scope, double cv) {
  const auto period = scope == Scope::micro_batch ? Factor::Period::operation : Factor::Period::step;
  w.causes.push_back(
      {what, scope, period, test::lognormal(1, cv), "cause " + std::to_string(w.causes.size())});
}

double log_sd(double cv) { return std::sqrt(std::log1p(cv * cv)); }

struct Layout {
  std::string schedule = "1f1b";
  std::int64_t tp = 1, pp = 1, dp = 1, m = 4, v = 1, gpus_per_node = 8;
  double fresh = 0.05, network = 0.15;
  bool meets = true;   ///< chunks end in a collective of their group
  bool tied = false;   ///< embeddings, exchanged between the first and the last rank
  bool world = false;  ///< all ranks meet before the optimizer
  bool heavy = false;  ///< an operator whose tail no table can add up
};

Pipeline layered(const Layout& l) {
  Pipeline p(l.tp, l.pp, l.dp, l.m, l.schedule, l.v);
  const Operator gemm = p.op(Kind::gemm, test::lognormal(0.010, l.fresh));
  const Operator attention = p.op(Kind::attention, test::lognormal(0.004, l.fresh));
  const Operator collective = p.op(Kind::all_reduce, test::lognormal(0.002, l.network));
  const auto segments = [&](std::vector<Operator> ops) {
    std::vector<Segment> list;
    for (int i = 0; i < 2; ++i)
      list.push_back(l.tp > 1 ? Pipeline::collective(ops, collective) : Pipeline::compute(ops));
    if (!l.meets) list.push_back(Pipeline::compute({attention}));
    return list;
  };
  p.every_stage(segments({gemm, attention}), segments({gemm, gemm, attention}));
  if (l.heavy) {
    const Operator spike =
        p.op(Kind::compute_other, test::distribution("pareto", {"minimum", "shape"}, {0.002, 2.5}));
    for (StageProgram& s : p.w.stages) s.forward[0].compute.push_back(spike);
  }
  if (l.schedule == "zb-h1")
    for (StageProgram& s : p.w.stages) s.weight = {Pipeline::compute({gemm, gemm})};
  if (l.pp > 1) {
    const Operator hop = p.op(Kind::send_recv, test::lognormal(0.002, l.network));
    p.hops(hop, hop);
  }
  std::vector<Segment> end;
  if (l.dp > 1)
    end.push_back(
        Pipeline::collective({}, p.op(Kind::reduce_scatter, test::lognormal(0.02, l.network)), Group::data));
  if (l.world)
    end.push_back(
        Pipeline::collective({}, p.op(Kind::all_reduce, test::lognormal(0.01, l.network)), Group::world));
  end.push_back(Pipeline::compute({p.op(Kind::optimizer, test::lognormal(0.005, l.fresh))}));
  p.at_end(end);
  if (l.tied) {
    const Operator exchange = p.op(Kind::all_reduce, test::lognormal(0.02, l.network));
    for (auto* rank : {&p.w.end.rank.front(), &p.w.end.rank.back()})
      rank->insert(rank->begin(), Pipeline::collective({}, exchange, Group::embedding));
  }
  p.w.gpus_per_node = l.gpus_per_node;
  return p;
}

/// Operations and what lasts vary together: the quantile of the product of log-normals has a closed form.
TEST(OperatorQuantile, HoldsComputeAtTheQuantileOfAllThreeScopesTogether) {
  for (const char* engine : {"exact", "reference"}) {
    Pipeline p(1, 1, 1, 4);
    const Operator op = p.op(Kind::gemm, test::lognormal(0.010, 0.05));
    p.every_stage({Pipeline::compute({op})}, {Pipeline::compute({op, op})});
    add_cause(p.w, "compute", Scope::gpu, 0.03);
    add_cause(p.w, "gemm", Scope::node, 0.02);
    p.w.what_if = {at_quantile(0.95)};
    const double variance = std::pow(log_sd(0.05), 2) + std::pow(log_sd(0.03), 2) + std::pow(log_sd(0.02), 2);
    const double expected = std::exp(1.6448536 * std::sqrt(variance));
    const auto run = test::run(p.w, 256, 1, engine);
    for (double step : run.outcome.step_s) ASSERT_NEAR(step, 4 * 3 * 0.010 * expected, 1e-6) << engine;
    EXPECT_NEAR(run.account.what_if.at(0), expected, 1e-6) << engine;
    EXPECT_NEAR(run.deterministic.step_s, 0.12, 1e-12) << engine;
  }
}

TEST(OperatorQuantile, LeavesWhatTheReplicaAndTheClusterShare) {
  for (const Scope scope : {Scope::replica, Scope::cluster, Scope::micro_batch})
    for (const char* engine : {"exact", "reference"}) {
      Pipeline p(1, 1, 1, 1);
      p.every_stage({Pipeline::compute({p.op(Kind::gemm, test::lognormal(0.010, 0.05))})}, {});
      const auto base = p.w;
      add_cause(p.w, "compute", scope, 0.2);
      p.w.what_if = {at_quantile(0.95)};
      const Sample steps(test::run(p.w, 16384, 1, engine).outcome.step_s);
      EXPECT_NEAR(steps.quantile(0.5).value, 0.010 * std::exp(1.6448536 * log_sd(0.05)), 1e-4) << engine;
      EXPECT_NEAR(steps.sd().value / steps.mean().value, 0.2, 0.01) << engine;
    }
}

/// A collective is the larger of its draw and its quantile: P(at the quantile) = q, and never below.
TEST(OperatorQuantile, CollectivesAndTransfersTakeTheLargerOfDrawAndQuantile) {
  for (const char* engine : {"exact", "reference"})
    for (const bool transfer : {false, true}) {
      Pipeline p(transfer ? 1 : 2, transfer ? 2 : 1, 1, 1);
      const Distribution law = test::lognormal(0.010, 0.3);
      const Operator moved = p.op(transfer ? Kind::send_recv : Kind::all_reduce, law);
      const Operator op = Pipeline::fixed(0.001, Kind::gemm);
      if (transfer) {
        p.every_stage({Pipeline::compute({op})}, {Pipeline::compute({op})});
        p.hops(moved, Pipeline::fixed(0, Kind::send_recv));
      } else {
        p.every_stage({Pipeline::collective({op}, moved)}, {Pipeline::collective({}, Pipeline::fixed(1e-9))});
      }
      // The second rank alone is slow: it only takes part.
      p.w.what_if = {at_quantile(0.8, Unit::gpu, transfer, 0, !transfer)};
      const double floor = law.quantile(Mass::below(0.8)), beside = transfer ? 0.004 : 0.001;
      const auto steps = test::run(p.w, 16384, 1, engine).outcome.step_s;
      double at_floor = 0;
      for (double step : steps) {
        ASSERT_GE(step, floor + beside - 1e-6) << engine;
        at_floor += step < floor + beside + 1e-6;
      }
      // Four standard errors of a share of 0.8 among 16,384.
      EXPECT_NEAR(at_floor / 16384, 0.8, 0.0125) << engine << (transfer ? " transfer" : " collective");
    }
}

TEST(OperatorQuantile, MovesNoOtherDraw) {
  // Replica 1 decides every step whatever replica 0 does: so its steps are the same, bit by bit.
  Layout l{.schedule = "1f1b", .tp = 2, .pp = 2, .dp = 2, .m = 4, .gpus_per_node = 1};
  Pipeline p = layered(l);
  p.at_end({});
  add_cause(p.w, "compute", Scope::gpu, 0.02);
  add_cause(p.w, "communication", Scope::node, 0.05);
  p.w.stalls.push_back({"compute", 0.05, test::distribution("exponential", {"mean"}, {0.05}), "stall"});
  for (std::int64_t pp : {0, 1})
    for (std::int64_t tp : {0, 1})
      p.w.what_if.push_back({pp, 1, tp, Unit::gpu, "compute", WhatIf::Change::factor, 3});
  const auto before = test::run(p.w, 512, 1, "exact").outcome.step_s;
  p.w.what_if.push_back(at_quantile(0.99, Unit::gpu, 1));
  EXPECT_EQ(test::run(p.w, 512, 1, "exact").outcome.step_s, before);
  p.w.what_if.back().dp = 1;
  EXPECT_NE(test::run(p.w, 512, 1, "exact").outcome.step_s, before);
}

/// With collectives and transfers that cannot be faster than at their quantile, every step is at least as
/// long.
TEST(OperatorQuantile, ANodeAtItsHighestQuantileMakesEveryStepLonger) {
  for (const char* schedule : {"1f1b", "gpipe", "zb-h1"}) {
    Pipeline p = layered({.schedule = schedule, .tp = 4, .pp = 2, .dp = 2, .m = 4, .gpus_per_node = 4});
    const auto before = test::run(p.w, 1024, 1, "exact").outcome.step_s;
    p.w.what_if = {at_quantile(0.999999)};
    const auto after = test::run(p.w, 1024, 1, "exact").outcome.step_s;
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_GT(after[i], before[i]) << schedule;
  }
}

struct Difference {
  double mean, p50, p95;  ///< relative
  bool agrees;
};
Sample steps_of(const Workload& w, std::uint64_t seed, const char* engine) {
  const std::int64_t trials = std::getenv("PRISM_FULL") ? 16384 : 4096;
  return Sample(test::run(w, trials, seed, engine).outcome.step_s);
}
Difference compare(const Sample& a, const Sample& b) {
  Difference d{0, 0, 0, true};
  const auto of = [&](Estimate x, Estimate y) {
    const double error = std::sqrt(x.error * x.error + y.error * y.error);
    d.agrees = d.agrees && std::abs(x.value - y.value) <= 4 * error + 0.003 * y.value;
    return x.value / y.value - 1;
  };
  d.mean = of(a.mean(), b.mean());
  d.p50 = of(a.quantile(0.5), b.quantile(0.5));
  d.p95 = of(a.quantile(0.95), b.quantile(0.95));
  return d;
}

struct Case {
  const char* name;
  Layout layout;
  std::vector<WhatIf> what_if;
  double gpu = 0, node = 0, replica = 0;  ///< lasting factors on compute: coefficients of variation
  double wrong = 0.6;                     ///< lower mass of the planted fault
};

std::vector<Case> cases() {
  return {
      {"1F1B, the node is the group",
       {.tp = 4, .pp = 4, .dp = 2, .m = 8, .gpus_per_node = 4},
       {at_quantile(0.95, Unit::node, 2)}},
      {"1F1B, lasting, node is the group",
       {.tp = 4, .pp = 4, .dp = 2, .m = 8, .gpus_per_node = 4},
       {at_quantile(0.9, Unit::node, 1)},
       0.02,
       0.01,
       0.01},
      {"1F1B, one GPU of four",
       {.tp = 4, .pp = 2, .dp = 2, .m = 6},
       {at_quantile(0.9, Unit::gpu, 1, 0, 2)},
       0,
       0,
       0,
       0.5},
      {"1F1B, one GPU of two, lasting",
       {.tp = 2, .pp = 2, .dp = 2, .m = 6},
       {at_quantile(0.9, Unit::gpu, 1, 0, 1)},
       0.03,
       0.01},
      {"1F1B, one GPU of eight, lasting, low",
       {.tp = 8, .pp = 2, .dp = 1, .m = 6},
       {at_quantile(0.6, Unit::gpu, 0, 0, 3)},
       0.03,
       0,
       0,
       0.999},
      {"1F1B, half of a group",
       {.tp = 8, .pp = 2, .dp = 1, .m = 6, .gpus_per_node = 4},
       {at_quantile(0.9, Unit::node, 0, 0, 4)},
       0.02,
       0.02},
      {"transfers as long as chunks",
       {.tp = 1, .pp = 4, .dp = 2, .m = 4, .gpus_per_node = 1, .network = 0.8},
       {at_quantile(0.95, Unit::node, 2)}},
      {"interleaved, node of two stages",
       {.schedule = "interleaved-1f1b", .tp = 4, .pp = 4, .dp = 2, .m = 8, .v = 2},
       {at_quantile(0.95, Unit::node, 3)},
       0.01},
      {"GPipe, one GPU of four",
       {.schedule = "gpipe", .tp = 4, .pp = 4, .dp = 1, .m = 8},
       {at_quantile(0.95, Unit::gpu, 2)},
       0.01},
      {"ZB-H1, the node is the group",
       {.schedule = "zb-h1", .tp = 4, .pp = 3, .dp = 2, .m = 6, .gpus_per_node = 4},
       {at_quantile(0.95, Unit::node, 1)},
       0.01},
      {"ZB-H1, one GPU of four",
       {.schedule = "zb-h1", .tp = 4, .pp = 3, .dp = 2, .m = 6},
       {at_quantile(0.9, Unit::gpu, 1)}},
      {"ZB-H1, one GPU of four, lasting",
       {.schedule = "zb-h1", .tp = 4, .pp = 3, .dp = 2, .m = 6},
       {at_quantile(0.8, Unit::gpu, 1)},
       0.02},
      {"rank by rank, one GPU of four",
       {.tp = 4, .pp = 3, .dp = 2, .m = 6, .meets = false},
       {at_quantile(0.95, Unit::gpu, 1, 1, 3)},
       0.02,
       0,
       0.01},
      {"a node of eight replicas",
       {.tp = 1, .pp = 1, .dp = 16, .m = 4},
       {at_quantile(0.95, Unit::node, 0, 9)},
       0.01},
      {"transfers and collectives beyond their tails",
       {.tp = 4, .pp = 4, .dp = 2, .m = 6, .gpus_per_node = 4, .network = 0.5},
       {at_quantile(0.99995, Unit::node, 2)},
       0.01,
       0,
       0,
       0.99},
      {"tied embeddings, the node is the group",
       {.tp = 4, .pp = 3, .dp = 2, .m = 3, .gpus_per_node = 4, .network = 0.4, .tied = true},
       {at_quantile(0.95, Unit::node, 2)}},
      {"tied embeddings, one GPU of two, apart",
       {.tp = 2, .pp = 3, .dp = 2, .m = 3, .network = 0.4, .meets = false, .tied = true},
       {at_quantile(0.95, Unit::gpu, 0, 0, 1)}},
      {"all ranks meet",
       {.tp = 2, .pp = 2, .dp = 2, .m = 3, .network = 0.4, .world = true},
       {at_quantile(0.95)},
       0.01},
      {"operators that no table adds up",
       {.tp = 2, .pp = 2, .dp = 2, .m = 4, .heavy = true},
       {at_quantile(0.95, Unit::gpu, 1)},
       0.01},
      {"two places",
       {.tp = 2, .pp = 4, .dp = 2, .m = 6, .gpus_per_node = 2},
       {at_quantile(0.9, Unit::gpu, 0, 0, 0), at_quantile(0.95, Unit::gpu, 0, 0, 1),
        at_quantile(0.97, Unit::node, 3, 1)}},
  };
}

Workload workload_of(const Case& c) {
  Workload w = layered(c.layout).w;
  if (c.gpu > 0) add_cause(w, "compute", Scope::gpu, c.gpu);
  if (c.node > 0) add_cause(w, "compute", Scope::node, c.node);
  if (c.replica > 0) add_cause(w, "compute", Scope::replica, c.replica);
  w.what_if = c.what_if;
  return w;
}

TEST(OperatorQuantile, AgreesWithTheReferenceOnEveryScheduleAndNotWithAnother) {
  if (std::getenv("PRISM_SANITIZED"))
    GTEST_SKIP() << "both engines are sanitized in simulation_variability_test";
  const std::uint64_t seeds = std::getenv("PRISM_FULL") ? 10 : 1;
  for (const Case& c : cases()) {
    const Workload w = workload_of(c);
    const Sample first = steps_of(w, 1, "exact");
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Difference d =
          compare(seed == 1 ? first : steps_of(w, seed, "exact"), steps_of(w, seed, "reference"));
      std::printf("  %-38s seed %d: mean %+.3f %%  p50 %+.3f %%  p95 %+.3f %%\n", c.name,
                  static_cast<int>(seed), 100 * d.mean, 100 * d.p50, 100 * d.p95);
      EXPECT_TRUE(d.agrees) << c.name << ", seed " << seed;
    }
    Workload wrong = w;
    for (WhatIf& q : wrong.what_if) q.value = c.wrong;
    const Difference d = compare(first, steps_of(wrong, 1, "reference"));
    std::printf("  %-38s fault:  mean %+.3f %%  p50 %+.3f %%  p95 %+.3f %%\n", "", 100 * d.mean, 100 * d.p50,
                100 * d.p95);
    EXPECT_FALSE(d.agrees) << c.name;
  }
}

TEST(OperatorQuantile, FastAgreesWithExact) {
  for (const double lasting : {0.0, 0.03}) {
    Workload w = layered({.tp = 2, .pp = 4, .dp = 256, .m = 24, .gpus_per_node = 2}).w;
    if (lasting > 0) add_cause(w, "compute", Scope::gpu, lasting);
    w.what_if = {at_quantile(0.9, Unit::gpu, 2, 17, 1), at_quantile(0.9, Unit::node, 1, 80)};
    const auto fast = test::run(w, 8192, 1, "fast"), exact = test::run(w, 8192, 1, "exact");
    EXPECT_EQ(fast.account.path, "fast");
    const Sample a(fast.outcome.step_s), b(exact.outcome.step_s);
    EXPECT_NEAR(a.mean().value / b.mean().value, 1, 2e-4) << lasting;
    EXPECT_NEAR(a.quantile(0.95).value / b.quantile(0.95).value, 1, 1e-3) << lasting;
    EXPECT_LE(test::kolmogorov_smirnov(a.sorted(), b.sorted()), 0.02) << lasting;
  }
}

/// The walk of the critical path draws segment by segment: its steps have the same law.
TEST(OperatorQuantile, AttributedStepsAreAsLong) {
  for (const Case& c : cases()) {
    const Workload w = workload_of(c);
    const auto run = test::run(w, 4096, 1, "exact", 1024);
    double path = 0;
    for (double seconds : run.outcome.critical_path_s) path += seconds;
    const Sample steps(run.outcome.step_s);
    const double error = steps.sd().value * std::sqrt(1 / 4096.0 + 1 / 1024.0);
    EXPECT_NEAR(path, steps.mean().value, 4 * error + 1e-4 * path) << c.name;
  }
}

}  // namespace
}  // namespace prism::simulation_held_test
