// SPDX-License-Identifier: Apache-2.0
// Schedules: every chunk once, in an order that can run; idle time equal to the closed forms where stages are
// equal and where one is slow.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <pcg_random.hpp>
#include <set>
#include <tuple>

#include "pipelines.h"
#include "prism/graph.h"

namespace prism::graph_schedule_test {
namespace {

using test::deterministic_step_s;
using test::Pipeline;

/// A layout each schedule accepts, from one draw.
PipelineShape shape_for(const Schedule& schedule, pcg32& random) {
  PipelineShape shape{1 + random(8), 1, 1 + random(24)};
  if (!schedule.check(shape).empty()) shape = {2 + random(6), 2 + random(4), 0};
  if (shape.micro_batches == 0) shape.micro_batches = shape.ranks * (1 + random(4));
  return shape;
}

TEST(Schedule, EveryChunkRunsOnceAndMicroBatchesAscend) {
  pcg32 random(1);
  for (const Schedule& schedule : schedules())
    for (int i = 0; i < 100; ++i) {
      const PipelineShape shape = shape_for(schedule, random);
      ASSERT_TRUE(schedule.check(shape).empty()) << schedule.name;
      for (std::int64_t r = 0; r < shape.ranks; ++r) {
        std::set<std::tuple<int, int, int>> seen;
        std::map<std::pair<int, int>, int> last;
        for (const ScheduledTask& t : schedule.order(shape, r)) {
          EXPECT_EQ(t.stage % shape.ranks, r);
          EXPECT_TRUE(seen.emplace(t.stage, static_cast<int>(t.pass), t.micro_batch).second);
          auto [entry, first] = last.try_emplace({t.stage, static_cast<int>(t.pass)}, -1);
          EXPECT_GT(t.micro_batch, entry->second);
          entry->second = t.micro_batch;
        }
        EXPECT_EQ(static_cast<std::int64_t>(seen.size()),
                  (schedule.splits_weights ? 3 : 2) * shape.virtual_stages * shape.micro_batches);
      }
    }
}

TEST(Graph, SourcesPrecedeAndSlotsAreNotOverwrittenBeforeTheyAreRead) {
  pcg32 random(2);
  for (const Schedule& schedule : schedules())
    for (int i = 0; i < 100; ++i) {
      const auto graph = compile_graph(shape_for(schedule, random), schedule.name);
      ASSERT_TRUE(graph) << schedule.name;
      std::vector<int> holds(graph->slots, -1);
      for (int task = 0; task < static_cast<int>(graph->tasks.size()); ++task) {
        const Graph::Task& t = graph->tasks[task];
        if (t.source >= 0) {
          ASSERT_LT(t.source, task);
          ASSERT_EQ(holds[t.receive_slot], t.source);
          ASSERT_NE(graph->tasks[t.source].rank, t.rank);
          ASSERT_NE(t.send_slot, t.receive_slot);
        }
        if (t.send_slot >= 0) holds[t.send_slot] = task;
      }
    }
}

Workload pipeline(std::int64_t p, std::int64_t m, std::vector<double> f, std::vector<double> b,
                  const std::string& schedule, std::int64_t v = 1) {
  Pipeline pipe(1, p, 1, m, schedule, v);
  for (std::size_t s = 0; s < pipe.w.stages.size(); ++s) {
    pipe.w.stages[s].forward = {Pipeline::compute({Pipeline::fixed(f[s % f.size()])})};
    pipe.w.stages[s].backward = {Pipeline::compute({Pipeline::fixed(b[s % b.size()])})};
  }
  return pipe.w;
}

double uniform(pcg32& random, double low, double high) {
  return low + (high - low) * random() / 4294967296.0;
}

TEST(Schedule, EqualStagesTakeTheClosedForm) {
  pcg32 random(3);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t p = 1 + random(12), m = 1 + random(40);
    const double f = uniform(random, 0.1, 2), b = uniform(random, 0.1, 2);
    const double expected = static_cast<double>(m + p - 1) * (f + b);
    EXPECT_NEAR(deterministic_step_s(pipeline(p, m, {f}, {b}, "gpipe")), expected, 1e-12 * expected);
    if (m >= p) {
      EXPECT_NEAR(deterministic_step_s(pipeline(p, m, {f}, {b}, "1f1b")), expected, 1e-12 * expected);
    }
  }
}

TEST(Schedule, InterleavedIdleTimeIsDividedByVirtualStages) {
  pcg32 random(4);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t p = 2 + random(8), v = 2 + random(5), m = p * (1 + random(4));
    const double f = uniform(random, 0.1, 2), b = uniform(random, 0.1, 2);
    // f and b of a rank's whole share; a chunk is 1/v of it.
    const double expected =
        static_cast<double>(m) * (f + b) + static_cast<double>(p - 1) * (f + b) / static_cast<double>(v);
    const double dv = static_cast<double>(v);
    EXPECT_NEAR(deterministic_step_s(pipeline(p, m, {f / dv}, {b / dv}, "interleaved-1f1b", v)), expected,
                1e-12 * expected)
        << "p " << p << " v " << v << " m " << m;
  }
}

TEST(Schedule, RelaxedInterleavingRunsEveryNumberOfMicroBatches) {
  for (std::int64_t p = 2; p <= 8; ++p)
    for (std::int64_t v = 2; v <= 4; ++v)
      for (std::int64_t m = p; m <= 3 * p + 1; ++m) {
        const auto dv = static_cast<double>(v);
        const double step =
            deterministic_step_s(pipeline(p, m, {1 / dv}, {2 / dv}, "interleaved-1f1b-relaxed", v));
        EXPECT_GE(step, 3 * static_cast<double>(m)) << "p " << p << " v " << v << " m " << m;
        // No worse than without virtual stages, and the strict schedule's where that can run.
        EXPECT_LE(step, 3 * static_cast<double>(m + p - 1) + 1e-9) << "p " << p << " v " << v << " m " << m;
        if (m % p == 0) {
          EXPECT_NEAR(step, 3 * static_cast<double>(m) + 3 * static_cast<double>(p - 1) / dv, 1e-9);
        }
      }
}

TEST(Schedule, ZbH1LeavesTheClosedFormIdle) {
  pcg32 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t p = 1 + random(12), m = 2 * p + random(30);
    // The form holds where a weight pass fits into what a rank waits for: w <= f and w <= b.
    const double f = uniform(random, 0.5, 1), b = uniform(random, f, 1.5), w = uniform(random, 0.2, 1) * f;
    Workload work = pipeline(p, m, {f}, {b}, "zb-h1");
    for (StageProgram& s : work.stages) s.weight = {Pipeline::compute({Pipeline::fixed(w)})};
    const double expected = static_cast<double>(m) * (f + b + w) + static_cast<double>(p - 1) * (f + b - w);
    EXPECT_NEAR(deterministic_step_s(work), expected, 1e-12 * expected)
        << "p " << p << " m " << m << " f " << f << " b " << b << " w " << w;
  }
}

TEST(Schedule, ActivationsInFlightAreTheClosedForms) {
  const auto held = [](const char* name, PipelineShape shape, std::int64_t rank) {
    return activations_in_flight(*find_schedule(name), shape, rank);
  };
  for (std::int64_t p : {1, 2, 4, 8})
    for (std::int64_t r = 0; r < p; ++r) {
      EXPECT_EQ(held("gpipe", {p, 1, 32}, r), 32);
      EXPECT_EQ(held("1f1b", {p, 1, 32}, r), p - r);
      EXPECT_EQ(held("zb-h1", {p, 1, 32}, r), p);
      if (p > 1) {
        EXPECT_EQ(held("interleaved-1f1b", {p, 3, 32}, r), 2 * (p - 1 - r) + 2 * p + 1);
      }
    }
}

/// 1F1B with stage s slower by kappa (no hop, b >= f, m >= p).
double slow_stage(std::int64_t p, std::int64_t m, std::int64_t s, double f, double b, double kappa) {
  const double P = static_cast<double>(p), M = static_cast<double>(m), S = static_cast<double>(s),
               sum = f + b;
  return std::max((M + P - 1) * sum + (kappa - 1) * sum * (M - P + 1 + S),
                  S * sum + M * kappa * sum + (P - 1 - S) * std::max(0.0, b - (kappa - 1) * f));
}

TEST(Schedule, OneSlowStageCostsTheClosedForm) {
  pcg32 random(5);
  for (int i = 0; i < 400; ++i) {
    const std::int64_t p = 1 + random(12), m = p + random(40), s = random(static_cast<std::uint32_t>(p));
    const double f = uniform(random, 0.1, 1), b = uniform(random, f, 3), kappa = uniform(random, 1, 4);
    std::vector<double> forward(p, f), backward(p, b);
    forward[s] *= kappa;
    backward[s] *= kappa;
    const double step = deterministic_step_s(pipeline(p, m, forward, backward, "1f1b"));
    EXPECT_NEAR(step, slow_stage(p, m, s, f, b, kappa), 1e-12 * step)
        << "p " << p << " m " << m << " s " << s << " f " << f << " b " << b << " kappa " << kappa;
    EXPECT_LE(step, kappa * static_cast<double>(m + p - 1) * (f + b) * (1 + 1e-12));
  }
}

TEST(Schedule, CriticalPathAndRanksAddUpToTheStep) {
  pcg32 random(6);
  for (const Schedule& schedule : schedules())
    for (int i = 0; i < 50; ++i) {
      const PipelineShape shape = shape_for(schedule, random);
      Pipeline pipe(1, shape.ranks, 1, shape.micro_batches, std::string(schedule.name), shape.virtual_stages);
      for (StageProgram& s : pipe.w.stages) {
        s.forward = {Pipeline::compute({Pipeline::fixed(uniform(random, 0.1, 1), Kind::gemm)})};
        s.backward = {Pipeline::compute({Pipeline::fixed(uniform(random, 0.1, 1), Kind::attention)})};
      }
      pipe.hops(Pipeline::fixed(uniform(random, 0, 0.5), Kind::send_recv),
                Pipeline::fixed(uniform(random, 0, 0.5), Kind::send_recv));
      const auto d = test::run(pipe.w, 1, 1).deterministic;
      EXPECT_NEAR(d.critical_path_wait_s, 0, 1e-9 * d.step_s);
      for (const auto& rank : d.rank) {
        EXPECT_GE(rank.idle_s, -1e-9 * d.step_s);
        EXPECT_NEAR(rank.compute_s + rank.communication_s + rank.idle_s, d.step_s, 1e-9 * d.step_s);
      }
    }
}

TEST(Schedule, RulesNameTheNumbers) {
  EXPECT_EQ(compile_graph({4, 2, 8}, "1f1b").diagnostics.at(0).pointer, "/parallel/virtual_stages");
  EXPECT_EQ(compile_graph({4, 2, 10}, "interleaved-1f1b").diagnostics.at(0).code, Code::not_divisible);
  EXPECT_EQ(compile_graph({1, 2, 10}, "interleaved-1f1b").diagnostics.at(0).pointer, "/parallel/pp");
  EXPECT_EQ(compile_graph({4, 1, 10}, "nonsense").diagnostics.at(0).code, Code::unknown_name);
  EXPECT_EQ(compile_graph({1000, 1, std::int64_t{1} << 60}, "1f1b").diagnostics.at(0).code, Code::too_large);
}

}  // namespace
}  // namespace prism::graph_schedule_test
