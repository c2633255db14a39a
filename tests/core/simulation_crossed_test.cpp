// SPDX-License-Identifier: Apache-2.0
// Groups that cross within a stage, replicas that meet inside a step, and collectives beside compute: known
// answers, and the engine at the pace it finds against the reference engine, which plays every rank. Rule:
// mean, p50 and p95 within 4 standard errors of the difference plus 0.05 % (mean) and 0.15 % (quantiles; 0.3
// % where ranks differ for a step or a run) of the value. Seeds 1 ... k (1 with 4,096 trials, as where a
// fault is planted; 5 with 16,384 with PRISM_FULL), none skipped; three comparisons at 6.3e-5 a seed and
// layout: a false alarm in 2 % of full runs at the most. Each is also compared with a stage whose collectives
// synchronise all ranks, which must be seen.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "pipelines.h"
#include "simulation/groups.h"
#include "statistics.h"

namespace prism::simulation_crossed_test {
namespace {

using test::Estimate;
using test::Pipeline;
using test::Sample;
using Scope = Factor::Scope;

std::vector<std::int64_t> members(const Groups& groups, Group kind, std::int64_t of) {
  std::vector<std::int64_t> list;
  for (std::int64_t rank = 0; rank < groups.ranks(); ++rank)
    if (groups.of(kind, rank) == groups.of(kind, of)) list.push_back(rank);
  return list;
}

TEST(CrossedGroups, RanksAreCountedTensorThenContextThenReplica) {
  Pipeline p(6, 1, 8, 1);  // 2 tensor x 3 context ranks
  p.w.context = 3;
  p.w.expert_ranks = 4;
  p.w.shard_replicas = 2;
  p.every_stage({Pipeline::collective({}, Pipeline::fixed(1), Group::expert),
                 Pipeline::collective({}, Pipeline::fixed(1), Group::shard)},
                {});
  const Groups groups(p.w);
  EXPECT_EQ(groups.replicas(), 2);  // 12 ranks are three groups of 4
  EXPECT_EQ(members(groups, Group::tensor, 3), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(members(groups, Group::context, 3), (std::vector<std::int64_t>{1, 3, 5}));
  EXPECT_EQ(members(groups, Group::expert, 6), (std::vector<std::int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(members(groups, Group::shard, 6), (std::vector<std::int64_t>{0, 2, 4, 6, 8, 10}));
  for (const Group kind : {Group::tensor, Group::context, Group::expert, Group::shard})
    EXPECT_EQ(std::ssize(members(groups, kind, 0)), groups.size(kind));
}

TEST(CrossedGroups, AWhatIfKeepsItsPlaceWhenReplicasAreTakenTogether) {
  Pipeline p(2, 2, 8, 1);
  p.w.what_if = {{1, 5, 1, WhatIf::Unit::gpu, "compute", WhatIf::Change::factor, 2}};
  const Workload w = folded(p.w, 4);
  EXPECT_EQ(w.tp, 8);
  EXPECT_EQ(w.dp, 2);
  EXPECT_EQ(w.what_if[0].dp, 1);
  EXPECT_EQ(w.what_if[0].tp, 3);
}

/// Layers of `compute_s` beside which a collective of `beside_s` runs; the last one is waited for as well.
TEST(CrossedGroups, ACollectiveBesideComputeCountsWhereItIsLonger) {
  for (const char* engine : {"exact", "reference"})
    for (const double beside_s : {0.4, 1.0, 1.7}) {
      Pipeline p(1, 1, 4, 1);
      p.w.shard_replicas = 4;
      Segment layer =
          Pipeline::collective({Pipeline::fixed(1, Kind::gemm)},
                               Pipeline::fixed(std::max(0.0, beside_s - 1), Kind::all_gather), Group::shard);
      layer.beside = Pipeline::fixed(beside_s, Kind::all_gather);
      p.every_stage({layer, layer, layer, layer, layer}, {Pipeline::compute({Pipeline::fixed(1)})});
      const auto run = test::run(p.w, 4, 1, engine);
      const double expected = 5 * std::max(1.0, beside_s) + 1;
      for (double step : run.outcome.step_s) EXPECT_NEAR(step, expected, 1e-5) << engine << " " << beside_s;
      EXPECT_NEAR(run.deterministic.step_s, expected, 1e-9);
    }
}

/// Two replicas that share parameters: the late one is never waited for by less than one layer.
TEST(CrossedGroups, ASlowReplicaSetsThePaceOfThoseItSharesParametersWith) {
  for (const char* engine : {"exact", "reference"}) {
    Pipeline p(1, 1, 2, 1);
    p.w.shard_replicas = 2;
    p.w.gpus_per_node = 1;
    Segment layer = Pipeline::collective({Pipeline::fixed(1, Kind::gemm)},
                                         Pipeline::fixed(0, Kind::all_gather), Group::shard);
    layer.beside = Pipeline::fixed(0.3, Kind::all_gather);
    p.every_stage({layer, layer, layer, layer}, {Pipeline::compute({Pipeline::fixed(1, Kind::gemm)})});
    p.w.what_if = {{0, 1, 0, WhatIf::Unit::gpu, "compute", WhatIf::Change::factor, 1.5}};
    // The power mean of a slow rank and others is the slow one, nearly.
    const double error = std::string(engine) == "exact" ? 0.005 : 1e-5;
    for (double step : test::run(p.w, 4, 1, engine).outcome.step_s) EXPECT_NEAR(step, 7.5, error) << engine;
  }
}

/// Context ranks reduce gradients together with those of other replicas: the slowest of all of them counts.
TEST(CrossedGroups, GradientsAreReducedOverContextRanks) {
  for (const bool meets : {true, false}) {  // as one, or rank by rank
    Pipeline p(4, 1, 4, 1);
    p.w.context = 4;
    const Operator op = p.op(Kind::optimizer, test::lognormal(1, 0.1));
    const Segment meet = Pipeline::collective({}, Pipeline::fixed(1e-6, Kind::all_gather), Group::context);
    p.every_stage({meet}, {meet});
    if (!meets) p.w.stages[0].backward.clear();
    // Met at once, computed, met again: one gradient, so one slowest of 16.
    p.at_end({Pipeline::collective({}, Pipeline::fixed(1e-6, Kind::reduce_scatter), Group::data),
              Pipeline::collective({op}, Pipeline::fixed(1e-6, Kind::all_gather), Group::data)});
    const Sample exact(test::run(p.w, 16384, 1, "exact").outcome.step_s),
        reference(test::run(p.w, 16384, 1, "reference").outcome.step_s);
    const double expected = std::exp(1.76599 * std::sqrt(std::log1p(0.01)));  // of the mean, nearly
    EXPECT_NEAR(exact.mean().value / expected, 1, 0.005);
    EXPECT_NEAR(exact.mean().value / reference.mean().value, 1, 0.001);
  }
}

void add_cause(Workload& w, const char* what, Scope scope, double cv) {
  const auto period = scope == Scope::micro_batch ? Factor::Period::operation : Factor::Period::step;
  w.causes.push_back(
      {what, scope, period, test::lognormal(1, cv), "cause " + std::to_string(w.causes.size())});
}

struct Layout {
  std::int64_t tensor = 1, context = 1, expert = 1, shard = 1, pp = 1, dp = 1, m = 4;
  double fresh = 0.05, network = 0.15;
  std::string schedule = "1f1b";
  std::int64_t v = 1;
};

/// Layers of a transformer in their groups: attention over the context, experts, parameters gathered beside.
Pipeline layered(const Layout& l) {
  Pipeline p(l.tensor * l.context, l.pp, l.dp, l.m, l.schedule, l.v);
  p.w.context = l.context;
  p.w.expert_ranks = l.expert;
  p.w.shard_replicas = l.shard;
  const Operator norm = p.op(Kind::elementwise, test::lognormal(0.001, l.fresh));
  const Operator gemm = p.op(Kind::gemm, test::lognormal(0.010, l.fresh));
  const Operator attention = p.op(Kind::attention, test::lognormal(0.006, l.fresh));
  const Operator exchange = p.op(Kind::all_gather, test::lognormal(0.002, l.network));
  const Operator tokens = p.op(Kind::all_to_all, test::lognormal(0.003, l.network));
  const Operator gather = p.op(Kind::all_gather, test::lognormal(0.055, l.network));
  const auto layers = [&](double products) {
    const double meets_s = 0.002 * 3 * (l.tensor > 1) + 0.002 * (l.context > 1) + 0.003 * 2 * (l.expert > 1);
    std::vector<Segment> list;
    const auto meet = [&](std::vector<Operator> ops, const Operator& by, Group group, bool present) {
      if (present)
        list.push_back(Pipeline::collective(std::move(ops), by, group));
      else
        list.push_back(Pipeline::compute(std::move(ops)));
    };
    Operator product = gemm;
    product.scale_s *= products;
    for (int i = 0; i < 3; ++i) {
      meet({norm}, exchange, Group::tensor, l.tensor > 1);
      meet({product}, exchange, Group::context, l.context > 1);
      meet({attention, product}, exchange, Group::tensor, l.tensor > 1);
      meet({norm, norm}, tokens, Group::expert, l.expert > 1);
      meet({product}, tokens, Group::expert, l.expert > 1);
      meet({product}, exchange, Group::tensor, l.tensor > 1);
      if (l.shard == 1) continue;
      Operator left = gather;
      left.scale_s = std::max(0.0, 1 - (0.009 + 0.040 * products + meets_s) / 0.055);
      list.push_back(Pipeline::collective({}, left, Group::shard));
      list.back().beside = gather;
    }
    return list;
  };
  p.every_stage(layers(1), layers(2));
  if (l.pp > 1) {
    const Operator hop = p.op(Kind::send_recv, test::lognormal(0.002, l.network));
    p.hops(hop, hop);
  }
  std::vector<Segment> end;
  if (l.dp > 1)
    end.push_back(
        Pipeline::collective({}, p.op(Kind::reduce_scatter, test::lognormal(0.02, l.network)), Group::data));
  end.push_back(Pipeline::compute({p.op(Kind::optimizer, test::lognormal(0.005, l.fresh))}));
  p.at_end(end);
  return p;
}

struct Case {
  const char* name;
  std::function<Workload()> make;
  double mean = 0.0005, quantiles = 0.0015;  ///< allowed beside sampling error
};

Workload with(Workload w, const std::function<void(Workload&)>& change) {
  change(w);
  return w;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"tensor 4 x context 2", [] { return layered({.tensor = 4, .context = 2, .pp = 2}).w; }},
      {"tensor 2 x context 4, pipeline of 4, wide jitter",
       [] { return layered({.tensor = 2, .context = 4, .pp = 4, .fresh = 0.15, .network = 0.4}).w; }, 0.003,
       0.003},
      {"tensor 2 x context 4, interleaved",
       [] {
         return layered({.tensor = 2, .context = 4, .pp = 2, .dp = 2, .schedule = "interleaved-1f1b", .v = 2})
             .w;
       }},
      {"experts over half a stage",
       [] { return layered({.tensor = 2, .context = 2, .expert = 2, .dp = 2}).w; }},
      {"experts over 4 of 8 replicas, tensor 2",
       [] { return layered({.tensor = 2, .expert = 8, .pp = 2, .dp = 8}).w; }},
      {"experts over all replicas, no tensor ranks",
       [] { return layered({.expert = 8, .pp = 2, .dp = 8, .fresh = 0.1}).w; }},
      {"sharded over 4 of 8, one micro-batch",
       [] { return layered({.tensor = 2, .shard = 4, .dp = 8, .m = 1}).w; }, 0.002, 0.003},
      {"sharded over all, 4 micro-batches", [] { return layered({.shard = 8, .dp = 8}).w; }},
      {"sharded, gathers and reductions longer than compute, a network that differs from step to step",
       [] {
         return with(layered({.tensor = 2, .shard = 4, .dp = 8, .m = 1}).w, [](Workload& w) {
           for (auto* pass : {&w.stages[0].forward, &w.stages[0].backward})
             for (std::size_t i = 0; i < pass->size(); ++i)
               if ((*pass)[i].beside.scale_s > 0) {
                 Segment reduction = (*pass)[i];
                 reduction.collective.scale_s = reduction.beside.scale_s;
                 pass->insert(pass->begin() + static_cast<std::ptrdiff_t>(++i), reduction);
               }
           add_cause(w, "communication", Scope::cluster, 0.03);
         });
       },
       0.002, 0.003},
      {"tensor x context, GPUs and nodes that differ for a step",
       [] {
         return with(layered({.tensor = 4, .context = 4, .pp = 2, .dp = 4}).w, [](Workload& w) {
           add_cause(w, "compute", Scope::gpu, 0.02);
           add_cause(w, "compute", Scope::node, 0.02);
         });
       },
       0.003, 0.003},
      {"experts over replicas, each replica and GPU of its own speed",
       [] {
         return with(layered({.tensor = 2, .expert = 8, .pp = 2, .dp = 8}).w, [](Workload& w) {
           add_cause(w, "compute", Scope::gpu, 0.02);
           add_cause(w, "compute", Scope::replica, 0.03);
         });
       },
       0.003, 0.003},
      {"experts over replicas, micro-batches of their own length",
       [] {
         return with(layered({.expert = 4, .pp = 2, .dp = 8, .m = 6}).w,
                     [](Workload& w) { add_cause(w, "compute", Scope::micro_batch, 0.2); });
       },
       0.003, 0.003},
      {"sharded, GPUs that differ, a slow node, stalls",
       [] {
         return with(layered({.tensor = 2, .shard = 4, .dp = 8, .m = 2}).w, [](Workload& w) {
           add_cause(w, "compute", Scope::gpu, 0.02);
           w.what_if = {{0, 5, 0, WhatIf::Unit::node, "compute", WhatIf::Change::factor, 1.1}};
           w.stalls.push_back(
               {"compute", 0.05, test::distribution("exponential", {"mean"}, {0.05}), "stall"});
           w.stalls.push_back({"communication", 0.1, test::constant(0.03), "link"});
           w.gpus_per_node = 4;
         });
       },
       0.005, 0.005},
      {"tensor x context, one GPU held at its p90",
       [] {
         return with(layered({.tensor = 2, .context = 2, .pp = 2}).w, [](Workload& w) {
           w.what_if = {{1, 0, 2, WhatIf::Unit::gpu, "compute", WhatIf::Change::operator_quantile, 0.9}};
         });
       },
       0.003, 0.003},
  };
  return all;
}

struct Verdict {
  double worst = 0;                           ///< difference over what is allowed
  double mean = 0, p50 = 0, p95 = 0, sd = 0;  ///< relative
};

Verdict compare(const Sample& a, const Sample& b, const Case& c) {
  Verdict v;
  const auto one = [&](Estimate x, Estimate y, double allowed) {
    const double limit = 4 * std::hypot(x.error, y.error) + allowed * y.value;
    v.worst = std::max(v.worst, std::abs(x.value - y.value) / limit);
    return x.value / y.value - 1;
  };
  v.mean = one(a.mean(), b.mean(), c.mean);
  v.p50 = one(a.quantile(0.5), b.quantile(0.5), c.quantiles);
  v.p95 = one(a.quantile(0.95), b.quantile(0.95), c.quantiles);
  v.sd = a.sd().value / b.sd().value - 1;
  return v;
}

TEST(CrossedGroups, EngineAgreesWithReference) {
  const bool full = std::getenv("PRISM_FULL");
  const std::uint64_t seeds = full ? 5 : 1;
  const std::int64_t n = full ? 16384 : 4096;
  for (const Case& c : cases())
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Workload w = c.make();
      const auto played = test::run(w, n, seed, "exact");
      const Sample engine(played.outcome.step_s),
          reference(test::run(w, n, seed, "reference").outcome.step_s);
      const Verdict v = compare(engine, reference, c);
      std::printf(
          "  %-62.62s seed %d  mean %+.4f %%  p50 %+.4f %%  p95 %+.4f %%  sd %+.1f %%  k %.1f worst %.2f\n",
          c.name, static_cast<int>(seed), 100 * v.mean, 100 * v.p50, 100 * v.p95, 100 * v.sd,
          played.account.group_exponent, v.worst);
      EXPECT_LE(v.worst, 1) << c.name << ", seed " << seed;
    }
}

/// What the engine would say if every collective synchronised its whole stage, and replicas did not meet.
TEST(CrossedGroups, ComparisonDetectsGroupsTakenForWholeStages) {
  for (const Case& c : cases()) {
    const Workload w = c.make();
    Workload whole = w;
    for (StageProgram& stage : whole.stages)
      for (auto* pass : {&stage.forward, &stage.backward})
        for (Segment& s : *pass) {
          s.group = s.group == Group::none ? Group::none : Group::tensor;
          s.beside = {};
        }
    whole.context = 1;
    const Sample engine(test::run(whole, 4096, 1, "exact").outcome.step_s),
        reference(test::run(w, 4096, 1, "reference").outcome.step_s);
    EXPECT_GT(compare(engine, reference, c).worst, 1) << c.name;
  }
}

TEST(CrossedGroups, TailsTooHeavyToAddUpAreSaid) {
  Pipeline p = layered({.tensor = 2, .context = 2});
  for (StageProgram& stage : p.w.stages)
    stage.forward[0].compute.push_back(
        p.op(Kind::compute_other, test::distribution("pareto", {"minimum", "shape"}, {0.002, 2.5})));

  const auto made = prepare_simulation(p.w, prism::Run{});
  ASSERT_TRUE(made);
  ASSERT_EQ(made.diagnostics.size(), 1u);
  EXPECT_NE(made.diagnostics[0].message.find("synchronise all"), std::string::npos);
}

TEST(CrossedGroups, ReplicasThatMeetAndAreNotAlikeAreSaid) {
  Pipeline p = layered({.tensor = 2, .shard = 4, .dp = 8, .m = 2});
  EXPECT_TRUE(prepare_simulation(p.w, prism::Run{}).diagnostics.empty());
  p.w.what_if = {{0, 5, 0, WhatIf::Unit::node, "compute", WhatIf::Change::factor, 1.1}};
  const auto made = prepare_simulation(p.w, prism::Run{});
  ASSERT_EQ(made.diagnostics.size(), 1u);
  EXPECT_NE(made.diagnostics[0].message.find("are not alike"), std::string::npos);
}

/// What the medians leave of gathers and reductions is what the engines play: also with twice the
/// communication, and with the gather and the reduction apart.
TEST(CrossedGroups, WithoutVariabilityShardedJobsTakeTheDeterministicStep) {
  for (const char* sequence_parallel : {"true", "false"})
    for (const char* twice : {"", R"(, "scale": [{"what": "communication", "factor": 2}])"}) {
      const std::string text =
          R"({"prism": 1, "title": "sharded", "model": "llama-3.1-8b", "parallel": {"tp": 2, "pp": 1, "dp": 8, "zero": 3,
              "recompute": "full", "sequence_parallel": )" +
          std::string(sequence_parallel) +
          R"(}, "batch": {"micro": 1, "micro_batches": 2, "sequence": 8192}, "variability": "none",
              "cluster": {"gpu": "h100-sxm", "gpus_per_node": 8, "inter_node": {"per_gpu_gbyte_per_s": 12}})" +
          twice + "}";
      const auto scenario = read_scenario(text);
      ASSERT_TRUE(scenario) << scenario.diagnostics.at(0).message;
      const auto workload = build_workload(*scenario);
      ASSERT_TRUE(workload);
      for (const char* engine : {"exact", "reference"}) {
        const auto run = test::run(*workload, 1, 1, engine);
        EXPECT_NEAR(run.outcome.step_s[0] / run.deterministic.step_s, 1, 1e-5)
            << engine << sequence_parallel << twice;
      }
    }
}

}  // namespace
}  // namespace prism::simulation_crossed_test
