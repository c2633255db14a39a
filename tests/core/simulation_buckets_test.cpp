// SPDX-License-Identifier: Apache-2.0
// Gradients that are reduced bucket by bucket beside the last backward pass: closed forms, the exact engine
// against the reference engine, and the fast path against the exact one. Engine against reference: 16,384
// trials, mean within 0.1 % and 4 standard errors of the difference, p95 within 0.1 % and 4 standard errors.
// Seeds 1 ... k, none skipped (k = 1; 3 with PRISM_FULL).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "pipelines.h"
#include "scenario_files.h"
#include "statistics.h"

namespace prism::simulation_buckets_test {
namespace {

using test::Pipeline;
using test::Sample;
using Scope = Factor::Scope;
using Period = Factor::Period;

std::uint64_t seeds() { return std::getenv("PRISM_FULL") ? 3 : 1; }

struct Layout {
  std::int64_t tp = 1, pp = 1, dp = 4, m = 4;
  const char* schedule = "1f1b";
  std::int64_t v = 1;
  int layers = 4;
  double compute_cv = 0.05, communication_cv = 0.15;
  double reduce_s = 0.02;  ///< of a layer; its backward takes 0.05 s
  std::int64_t context = 1;
};

/// Layers of equal size with two blocks each, whose gradients are complete at the end of their backward.
Pipeline layered(const Layout& l) {
  Pipeline p(l.tp, l.pp, l.dp, l.m, l.schedule, l.v);
  p.w.context = l.context;
  const Operator gemm = p.op(Kind::gemm, test::lognormal(0.010, l.compute_cv));
  const Operator attention = p.op(Kind::attention, test::lognormal(0.005, l.compute_cv));
  const Operator collective = p.op(Kind::all_reduce, test::lognormal(0.002, l.communication_cv));
  const Operator reduce = p.op(Kind::reduce_scatter, test::lognormal(l.reduce_s, l.communication_cv));
  const bool apart = std::string(l.schedule) == "zb-h1";
  const auto close = [&](std::vector<Operator> ops) {
    return l.tp > 1 ? Pipeline::collective(ops, collective) : Pipeline::compute(ops);
  };
  std::vector<Segment> forward, backward, weight;
  std::vector<Segment> reductions;
  std::vector<std::int32_t> complete_after;
  std::int32_t done = 0;
  for (int i = 0; i < l.layers; ++i) {
    forward.push_back(close({gemm, attention}));
    forward.push_back(close({gemm}));
    if (apart) {
      backward.push_back(close({gemm, attention}));
      backward.push_back(close({gemm}));
      weight.push_back(Pipeline::compute({gemm, gemm}));
      done += 2;
    } else {
      backward.push_back(close({gemm, gemm, attention}));
      backward.push_back(close({gemm, gemm}));
      done += 5 + (l.tp > 1 ? 2 : 0);
    }
    reductions.push_back(Pipeline::collective({}, reduce, Group::data));
    complete_after.push_back(done);
  }
  p.every_stage(forward, backward);
  for (StageProgram& s : p.w.stages) {
    s.weight = weight;
    s.reductions = reductions;
    s.complete_after = complete_after;
  }
  if (l.pp > 1) {
    const Operator hop = p.op(Kind::send_recv, test::lognormal(0.003, l.communication_cv));
    p.hops(hop, hop);
  }
  std::vector<Segment> end;
  if (l.tp > 1)
    end.push_back(
        Pipeline::collective({}, p.op(Kind::all_reduce, test::lognormal(0.001, l.communication_cv))));
  end.push_back(Pipeline::collective({}, p.op(Kind::all_reduce, test::lognormal(0.001, l.communication_cv)),
                                     Group::world));
  end.push_back(Pipeline::collective({p.op(Kind::optimizer, test::lognormal(0.01, l.compute_cv))},
                                     p.op(Kind::all_gather, test::lognormal(0.02, l.communication_cv)),
                                     Group::data));
  p.at_end(end);
  p.w.gpus_per_node = 4;
  p.w.group_leaves_node[static_cast<std::size_t>(Group::data)] = true;
  p.w.transfers_leave_node = true;
  return p;
}

void add_cause(Workload& w, const char* what, Scope scope, const Distribution& factor) {
  w.causes.push_back({what, scope, Period::step, factor, "cause " + std::to_string(w.causes.size())});
}

struct Case {
  const char* name;
  std::function<Workload()> make;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"one stage, compute-bound", [] { return layered({}).w; }},
      {"one stage, communication-bound", [] { return layered({.reduce_s = 0.08}).w; }},
      {"one stage, about even, wide jitter",
       [] { return layered({.dp = 16, .compute_cv = 0.15, .communication_cv = 0.3, .reduce_s = 0.05}).w; }},
      {"one layer", [] { return layered({.dp = 8, .layers = 1, .reduce_s = 0.05}).w; }},
      {"tensor groups", [] { return layered({.tp = 4, .pp = 2, .dp = 4, .reduce_s = 0.06}).w; }},
      {"tensor and context groups",
       [] {
         Pipeline p = layered({.tp = 4, .dp = 4, .reduce_s = 0.06, .context = 2});
         const Operator around = p.op(Kind::all_gather, test::lognormal(0.002, 0.15));
         for (StageProgram& s : p.w.stages)
           for (auto* pass : {&s.forward, &s.backward})
             for (std::size_t i = 0; i < pass->size(); i += 2) {
               (*pass)[i].collective = around;
               (*pass)[i].group = Group::context;
             }
         return p.w;
       }},
      {"four stages, compute-bound", [] { return layered({.pp = 4, .dp = 4, .m = 8}).w; }},
      {"four stages, communication-bound",
       [] { return layered({.pp = 4, .dp = 4, .m = 8, .reduce_s = 0.12}).w; }},
      {"gpipe", [] { return layered({.pp = 4, .dp = 4, .schedule = "gpipe", .reduce_s = 0.07}).w; }},
      {"interleaved",
       [] {
         return layered({.tp = 2,
                         .pp = 2,
                         .dp = 4,
                         .m = 4,
                         .schedule = "interleaved-1f1b",
                         .v = 2,
                         .reduce_s = 0.06})
             .w;
       }},
      {"weights apart",
       [] { return layered({.pp = 4, .dp = 4, .m = 8, .schedule = "zb-h1", .reduce_s = 0.03}).w; }},
      {"weights apart, tensor groups",
       [] { return layered({.tp = 2, .pp = 2, .dp = 4, .m = 6, .schedule = "zb-h1", .reduce_s = 0.03}).w; }},
      {"tied embeddings",
       [] {
         Pipeline p = layered({.tp = 2, .pp = 2, .dp = 4, .reduce_s = 0.06});
         const Operator tied = p.op(Kind::all_reduce, test::lognormal(0.02, 0.3));
         for (auto& rank : p.w.end.rank)
           rank.insert(rank.begin() + 1, Pipeline::collective({}, tied, Group::embedding));
         return p.w;
       }},
      {"ranks played one by one",
       [] {
         Pipeline p = layered({.tp = 4, .pp = 2, .dp = 2, .reduce_s = 0.06});
         for (StageProgram& s : p.w.stages) {
           s.forward.push_back(Pipeline::compute({p.op(Kind::elementwise, test::lognormal(0.006, 0.3))}));
           s.backward.push_back(Pipeline::compute({p.op(Kind::elementwise, test::lognormal(0.006, 0.3))}));
         }
         return p.w;
       }},
      {"tails that no table can add up",
       [] {
         Pipeline p = layered({.pp = 2, .dp = 4, .reduce_s = 0.06});
         const Operator rare =
             p.op(Kind::compute_other, test::distribution("pareto", {"minimum", "shape"}, {0.002, 3.5}));
         for (StageProgram& s : p.w.stages) s.forward[0].compute.push_back(rare);
         return p.w;
       }},
      {"what lasts",
       [] {
         Workload w = layered({.tp = 2, .pp = 2, .dp = 8, .reduce_s = 0.06}).w;
         add_cause(w, "compute", Scope::gpu, test::lognormal(1, 0.03));
         add_cause(w, "compute", Scope::micro_batch, test::lognormal(1, 0.1));
         add_cause(w, "communication", Scope::cluster, test::lognormal(1, 0.2));
         add_cause(w, "inter_node", Scope::node, test::lognormal(1, 0.1));
         return w;
       }},
      {"stalls",
       [] {
         Workload w = layered({.pp = 2, .dp = 8, .reduce_s = 0.06}).w;
         w.stalls.push_back(
             {"communication", 0.05, test::distribution("exponential", {"mean"}, {0.05}), "stall"});
         w.stalls.push_back({"compute", 0.05, test::distribution("exponential", {"mean"}, {0.1}), "another"});
         return w;
       }},
      {"slow links of a node",
       [] {
         Workload w = layered({.tp = 2, .pp = 2, .dp = 4, .reduce_s = 0.05}).w;
         w.what_if.push_back({.dp = 1, .unit = WhatIf::Unit::node, .what = "communication", .value = 1.5});
         return w;
       }},
      {"operators held at a quantile",
       [] {
         Workload w = layered({.tp = 2, .pp = 2, .dp = 4, .communication_cv = 0.3, .reduce_s = 0.05}).w;
         w.what_if.push_back({.dp = 1,
                              .unit = WhatIf::Unit::node,
                              .what = "compute",
                              .change = WhatIf::Change::operator_quantile,
                              .value = 0.95});
         return w;
       }},
  };
  return all;
}

struct Verdict {
  double mean = 0, p95 = 0, mean_limit = 0, p95_limit = 0;  ///< relative
  bool agrees() const { return std::abs(mean) <= mean_limit && std::abs(p95) <= p95_limit; }
};

Verdict compare(const Workload& engine, const Workload& reference, std::uint64_t seed) {
  const Sample a(test::run(engine, 16384, seed, "exact").outcome.step_s);
  const Sample b(test::run(reference, 16384, seed, "reference").outcome.step_s);
  const auto limit = [](test::Estimate x, test::Estimate y) {
    return 0.001 + 4 * std::sqrt(x.error * x.error + y.error * y.error) / y.value;
  };
  const auto p95 = [](const Sample& s) { return s.quantile(0.95); };
  return {a.mean().value / b.mean().value - 1, p95(a).value / p95(b).value - 1, limit(a.mean(), b.mean()),
          limit(p95(a), p95(b))};
}

TEST(Buckets, MeetTheReferenceEngine) {
  for (const Case& c : cases()) {
    const Workload w = c.make();
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      const Verdict v = compare(w, w, seed);
      std::printf("%-40s seed %d: mean %+.4f %% (limit %.4f), p95 %+.4f %% (limit %.4f)\n", c.name,
                  static_cast<int>(seed), 100 * v.mean, 100 * v.mean_limit, 100 * v.p95, 100 * v.p95_limit);
      EXPECT_TRUE(v.agrees()) << c.name << " seed " << seed;
    }
  }
}

/// One stage of equal layers without jitter: what is left of the reductions when the last layer's backward
/// is done is max(c, L c - (L - 1) b).
TEST(Buckets, LeaveWhatTheWindowDoesNotHide) {
  for (const double reduce_s : {0.0, 0.02, 0.05, 0.06, 0.2})
    for (const std::int64_t m : {1, 3}) {
      constexpr double layers = 4, forward = 0.025, backward = 0.045, rest = 0.001 + 0.01 + 0.02;
      const Workload w =
          layered(
              {.m = m, .compute_cv = 1e-9, .communication_cv = 1e-9, .reduce_s = std::max(reduce_s, 1e-12)})
              .w;
      const double left = std::max(reduce_s, layers * reduce_s - (layers - 1) * backward);
      const double step = static_cast<double>(m) * layers * (forward + backward) + left + rest;
      EXPECT_NEAR(test::deterministic_step_s(w), step, 1e-6);
      EXPECT_NEAR(*median_step_s(w), step, 1e-6);
      for (const char* engine : {"exact", "reference"})
        for (const double s : test::run(w, 8, 1, engine).outcome.step_s) EXPECT_NEAR(s, step, 1e-6) << engine;
    }
}

/// Two virtual stages on a rank share its stream: the deeper one's reductions run beside the other's
/// backward.
TEST(Buckets, OfVirtualStagesShareTheirRanksStream) {
  const Workload w = layered({.pp = 2,
                              .m = 2,
                              .schedule = "interleaved-1f1b",
                              .v = 2,
                              .layers = 1,
                              .compute_cv = 1e-9,
                              .communication_cv = 1e-9,
                              .reduce_s = 0.3})
                         .w;
  const double known = test::run(w, 1, 1, "reference").outcome.step_s[0];
  EXPECT_NEAR(test::deterministic_step_s(w), known, 1e-6);
  EXPECT_NEAR(*median_step_s(w), known, 1e-6);
  EXPECT_NEAR(test::run(w, 1, 1, "exact").outcome.step_s[0], known, 1e-6);
  Workload without = w;
  for (StageProgram& stage : without.stages) {
    stage.reductions.clear();
    stage.complete_after.clear();
  }
  // Two reductions of 0.3 s on a rank, of which one at most is beside compute.
  EXPECT_GT(known, *median_step_s(without) + 0.3);
}

/// Shown to fail: gradients that are all complete only with their chunk, and of which only the last bucket
/// counts.
TEST(Buckets, FaultsAreFound) {
  const Workload w = layered({.pp = 2, .dp = 4, .reduce_s = 0.06}).w;
  EXPECT_TRUE(compare(w, w, 1).agrees());
  Workload late = w, last = w;
  for (StageProgram& s : late.stages)
    for (std::int32_t& after : s.complete_after) after = s.complete_after.back();
  for (StageProgram& s : last.stages) {
    s.reductions.resize(1);
    s.complete_after = {s.complete_after.back()};
  }
  EXPECT_FALSE(compare(late, w, 1).agrees());
  EXPECT_FALSE(compare(last, w, 1).agrees());
}

/// Same streams, with and without every replica simulated. Where all replicas are alike, the residual's law
/// gives KS 0.029 at 16,384 trials without buckets.
TEST(Buckets, FastMeetsExact) {
  for (const double reduce_s : {0.02, 0.06})
    for (const bool lasting : {false, true}) {
      Workload w = layered({.tp = 2, .pp = 2, .dp = 256, .m = 8, .reduce_s = reduce_s}).w;
      if (lasting) {
        add_cause(w, "compute", Scope::gpu, test::lognormal(1, 0.02));
        add_cause(w, "communication", Scope::cluster, test::lognormal(1, 0.1));
        w.stalls.push_back(
            {"communication", 0.001, test::distribution("exponential", {"mean"}, {0.05}), "stall"});
      }
      const auto fast = test::run(w, 8192, 1, "fast");
      EXPECT_EQ(fast.account.path, "fast");
      const Sample a(fast.outcome.step_s), b(test::run(w, 8192, 1, "exact").outcome.step_s);
      const double p95 = b.quantile(0.95).value, mean = b.mean().value;
      std::printf("reduced in %.2f s, %s: mean %+.4f %%, p95 %+.4f %%, KS %.4f\n", reduce_s,
                  lasting ? "what lasts" : "alike", 100 * (a.mean().value / mean - 1),
                  100 * (a.quantile(0.95).value / p95 - 1), test::kolmogorov_smirnov(a.sorted(), b.sorted()));
      EXPECT_NEAR(a.quantile(0.95).value, p95, 0.001 * p95);
      EXPECT_NEAR(a.mean().value, mean, 0.0002 * mean);
      EXPECT_LE(test::kolmogorov_smirnov(a.sorted(), b.sorted()), lasting ? 0.02 : 0.04);
    }
}

TEST(Buckets, WhatIsLeftCountsAsReduction) {
  for (const double reduce_s : {0.02, 0.08}) {
    const Workload w = layered({.tp = 2, .pp = 2, .dp = 4, .reduce_s = reduce_s}).w;
    const auto r = test::run(w, 256, 1, "exact", 256);
    const auto& rank = r.outcome.rank[0];
    const double mean = rank.compute_s + rank.communication_s + rank.idle_s;  // of the trials that are walked
    double path = 0, deterministic = r.deterministic.critical_path_wait_s;
    for (const double s : r.outcome.critical_path_s) path += s;
    for (const double s : r.deterministic.critical_path_s) deterministic += s;
    EXPECT_NEAR(path, mean, 1e-5 * mean);
    EXPECT_NEAR(deterministic, r.deterministic.step_s, 1e-9);
    const auto kind = static_cast<std::size_t>(Kind::reduce_scatter);
    const double left = std::max(reduce_s, 4 * reduce_s - 3 * 0.049);
    EXPECT_NEAR(r.deterministic.critical_path_s[kind], left, 0.001);
    EXPECT_NEAR(r.outcome.critical_path_s[kind], left, 0.3 * left);
    for (const auto& each : r.outcome.rank) EXPECT_GE(each.idle_s, 0);
  }
}

/// From a scenario: what is reduced, where it is complete, and that the three engines and the short way to
/// the deterministic step agree.
TEST(Buckets, OfAJob) {
  for (const char* schedule : {"1f1b", "zb-h1"})
    for (const int zero : {0, 1})
      for (const bool experts : {false, true}) {
        auto s = test::job();
        s["parallel"] = {{"tp", 2},      {"pp", 2},
                         {"dp", 4},      {"schedule", schedule},
                         {"zero", zero}, {"overlap_grad_reduce", true}};
        s["model"] = {
            {"layers", 4}, {"hidden", 4096}, {"ffn_hidden", 16384}, {"heads", 32}, {"vocabulary", 4096}};
        s["batch"] = {{"micro", 1}, {"micro_batches", 3}, {"sequence", 1024}};
        if (zero == 1 && !experts) s["parallel"]["dp_shard"] = 2;
        if (experts) {
          s["model"]["experts"] = {{"count", 8}, {"top_k", 2}, {"ffn_hidden", 4096}};
          s["parallel"].update({{"ep", 2}});
        }
        const auto scenario = read_scenario(s.dump());
        ASSERT_TRUE(scenario) << scenario.diagnostics[0].message;
        const auto w = build_workload(*scenario);
        ASSERT_TRUE(w) << w.diagnostics[0].message;
        s["parallel"].erase("overlap_grad_reduce");
        const auto after = build_workload(*read_scenario(s.dump()));
        ASSERT_TRUE(after);
        for (const StageProgram& stage : w->stages) {
          const std::size_t each = (experts ? 2 : 1) * (s["parallel"].contains("dp_shard") ? 2 : 1);
          ASSERT_EQ(stage.reductions.size(), 2 * each);
          std::int32_t operators = 0;
          for (const Segment& segment : stage.gradients())
            operators += static_cast<std::int32_t>(segment.compute.size()) + segment.has_collective;
          EXPECT_GT(stage.complete_after.front(), operators / 3);
          EXPECT_LT(stage.complete_after.front(), operators);
          EXPECT_EQ(stage.complete_after.back(), operators);
          EXPECT_EQ(stage.reductions.front().collective.kind,
                    zero == 0 ? Kind::all_reduce : Kind::reduce_scatter);
        }
        const double step_s = *median_step_s(*w);
        EXPECT_LT(step_s, *median_step_s(*after));
        EXPECT_NEAR(test::deterministic_step_s(*w), step_s, 1e-9 * step_s);
        const Verdict v = compare(*w, *w, 1);
        std::printf("%s, zero %d%s: mean %+.4f %% (limit %.4f), p95 %+.4f %% (limit %.4f)\n", schedule, zero,
                    experts ? ", experts" : "", 100 * v.mean, 100 * v.mean_limit, 100 * v.p95,
                    100 * v.p95_limit);
        EXPECT_TRUE(v.agrees());
      }
}

/// Layers are reduced together until they hold 40 million parameters of a GPU, or a million a replica.
TEST(Buckets, OfAJobHoldMoreLayersTheSmallerTheyAreAndTheMoreReplicasThereAre) {
  const auto buckets = [](std::int64_t hidden, std::int64_t dp) {
    auto s = test::job();
    s["parallel"] = {{"tp", 1}, {"pp", 1}, {"dp", dp}, {"overlap_grad_reduce", true}};
    s["model"] = {
        {"layers", 8}, {"hidden", hidden}, {"ffn_hidden", 4 * hidden}, {"heads", 8}, {"vocabulary", 1024}};
    s["batch"] = {{"micro", 1}, {"micro_batches", 1}, {"sequence", 1024}};
    const auto scenario = read_scenario(s.dump());
    EXPECT_TRUE(scenario);
    return build_workload(*scenario)->stages[0].reductions.size();
  };
  // A layer has 12 hidden^2 parameters: 12.6 and 50.3 million.
  EXPECT_EQ(buckets(1024, 8), 2u);
  EXPECT_EQ(buckets(2048, 8), 8u);
  EXPECT_EQ(buckets(2048, 128), 3u);
  EXPECT_EQ(buckets(2048, 1024), 1u);
}

/// Streams are named by rank: what is drawn beside compute moves no other draw.
TEST(Buckets, MoveNoOtherDraw) {
  Workload with = layered({.pp = 2, .dp = 4, .reduce_s = 1e-9}).w, without = with;
  for (StageProgram& s : without.stages) s.reductions.clear(), s.complete_after.clear();
  const auto a = test::run(with, 256, 1, "exact").outcome.step_s,
             b = test::run(without, 256, 1, "exact").outcome.step_s;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-7);
}

}  // namespace
}  // namespace prism::simulation_buckets_test
