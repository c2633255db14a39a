// SPDX-License-Identifier: Apache-2.0
// How many GPUs, spares and which order meet a deadline: exact answers, and how often stated intervals hold.
// Seeds 1 ... k, none skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "training_setups.h"

namespace prism::training_run_capacity_test {
namespace {

using test::memoryless;
using test::prepared;
using test::simulate;

constexpr double minute = 60, hour = 3600, day = 86400;

// ---- Capacity
// -----------------------------------------------------------------------------------------------

// One failure kills all progress (no checkpoint), recovery takes no time: P(work T done by D) for D < 2T is
// e^(-T/M) (1 + (D - T)/M): either no failure in [0, T], or the last failure before D leaves T. With n GPUs T
// = W/n.
TEST(TrainingRunCapacity, AnswerIsExactWhereAFormulaKnowsIt) {
  const double within = 3000, W = 800'000, q = 0.9;
  std::vector<Candidate> candidates;
  int expected = -1, by_point = -1;
  for (int n = 250; n <= 600; n += 50) {
    const double T = W / n, M = 3e6 / n;  // more GPUs fail more often
    TrainingSetup s = memoryless(M, 1, 0, 0);
    s.step.states[0].mean_s = T / 1000;
    s.plan.tiers[0].every = CheckpointTier::Every::steps;
    s.plan.tiers[0].every_steps = 1000;
    s.plan.steps = 1000;
    s.plan.runs = 20'000;
    const double exact = T <= within ? std::exp(-T / M) * (1 + (within - T) / M) : 0;
    const int i = static_cast<int>(candidates.size());
    if (expected < 0 && within < 2 * T && exact >= q) expected = i;
    if (by_point < 0 && T <= within) by_point = i;
    candidates.push_back({static_cast<double>(n), s});
    if (within >= 2 * T) break;
  }
  const auto c = capacity(candidates, within, q);
  ASSERT_TRUE(c);
  ASSERT_GE(expected, 0);
  EXPECT_EQ(c->answer, expected);
  EXPECT_EQ(c->point_estimate, by_point);
  EXPECT_LT(c->point_estimate, c->answer) << "a point estimate plans too few";
  EXPECT_LE(c->perhaps, c->answer);
  EXPECT_GE(c->surely, c->answer);
}

TEST(TrainingRunCapacity, WithoutChanceThePointEstimateIsTheAnswer) {
  std::vector<Candidate> candidates;
  for (int n = 1; n <= 10; ++n) {
    TrainingSetup s = memoryless(1 * hour, 100, 0, 0);
    s.plan.causes.clear();
    s.step.states[0].mean_s = 10.0 / n;
    candidates.push_back({static_cast<double>(n), s});
  }
  const auto c = capacity(candidates, 2500, 0.95);  // 1,000 steps of 10/n s: n = 4 takes exactly 2,500 s
  ASSERT_TRUE(c);
  EXPECT_EQ(c->answer, 3);
  EXPECT_EQ(c->point_estimate, 3);
}

/// One million steps of 2.5 s on 65,536 GPUs at the Llama 3 rate: a failure every 46 minutes.
TrainingSetup million_steps() {
  TrainingSetup s = memoryless(86400 / (8192 * 3.79e-3), 600, 10, 10 * minute);
  s.nodes = 8192;
  s.gpus = 65536;
  s.step.states = {{2.5, 0.0025, 0, 1}};
  s.plan.steps = 1'000'000;
  s.plan.runs = 1000;
  s.plan.tiers[0].every_s = 600;
  return s;
}

// Whether the stated interval covers the answer of a run ten times as long. Seeds 1 to 100; the longer run
// has the first of them. By chance an interval of 95 % misses in 5 cases of 100, and the longer run's own
// error adds one: fewer than 90 covered has probability 2 %, and the seeds are fixed. A tenth of the million
// steps, for time; with all of them measured by hand: 95 of 100. Planted fault, tried by hand: intervals
// of 80 % cover 81 of 100.
TEST(TrainingRunCapacity, IntervalCoversTheAnswerOfALongerRun) {
  TrainingSetup s = million_steps();
  s.plan.steps /= 10;
  s.plan.runs = 10'000;
  s.seed = 1;
  const TrainingPtr long_run = prepared(s);
  const double truth = latest_start(*long_run, simulate(*long_run), 0.95).before_s;

  int covered = 0;
  s.plan.runs = 1000;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    s.seed = seed;
    const TrainingPtr t = prepared(s);
    const LatestStart l = latest_start(*t, simulate(*t), 0.95);
    covered += l.low_s <= truth && truth <= l.high_s;
    EXPECT_LT(l.point_estimate_s, l.low_s);
  }
  std::printf("covered by %d of 100 intervals\n", covered);
  EXPECT_GE(covered, 90);
}

TEST(TrainingRunCapacity, SparesIntervalHoldsTheAnswerOfALongerRun) {
  TrainingSetup s = million_steps();
  s.plan.causes[0].replacement = 0.5;
  s.plan.spares = Spares{0, 24 * hour, true, 0};
  s.plan.steps = 100'000;
  s.plan.runs = 1000;
  const double within = 4.4 * day;
  const auto around = [&](std::uint64_t seed, std::int64_t runs) {
    s.seed = seed;
    s.plan.runs = runs;
    std::vector<Candidate> some;  // around the answer, for time
    for (const Candidate& c : spare_candidates(s, 25))
      if (c.x >= 17) some.push_back(c);
    return *capacity(some, within, 0.9);
  };
  const int truth = around(1'000'000, 10'000).answer;
  ASSERT_GT(truth, 0);
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Capacity c = around(seed, 1000);
    covered += c.perhaps <= truth && (c.surely < 0 || truth <= c.surely);
  }
  std::printf("%g spares; held by %d of 20 intervals\n", truth + 17.0, covered);
  EXPECT_GE(covered, 18);
}

TEST(TrainingRunSchedule, OrdersByWhatMustStartFirst) {
  const auto run = [](double deadline, double mean, double spread) {
    ScheduledRun r{deadline, std::vector<double>(200), std::vector<bool>(200, true)};
    for (std::size_t i = 0; i < 200; ++i)
      r.wall_s[i] = mean + spread * (static_cast<double>((i * 37) % 200) / 100 - 1);
    return r;
  };
  const auto indices = [](const RunOrder& plan) {
    std::vector<int> list;
    for (const ScheduledPlace& place : plan.places) list.push_back(place.run);
    return list;
  };
  // By their means the steady one must start first (10 against 12 before the deadline); by their p95 the wild
  // one.
  std::vector<ScheduledRun> both{run(110, 100, 0), run(112, 100, 20)};
  EXPECT_EQ(indices(schedule(both, ScheduleBy::mean)), (std::vector<int>{0, 1}));
  const RunOrder s = schedule(both, ScheduleBy::p95);
  EXPECT_EQ(indices(s), (std::vector<int>{1, 0}));
  EXPECT_NEAR(s.places[0].met.probability, 0.8, 0.01);
  EXPECT_EQ(s.places[1].met.probability, 0);
  EXPECT_EQ(s.all_met.probability, 0);
  EXPECT_EQ(s.places[1].p95_start_s, s.places[0].p95_finish_s);
  // What comes after a run that is given up never starts.
  both[1].finished.assign(200, false);
  both[0].deadline_s = 1000;
  const RunOrder none = schedule(both, ScheduleBy::p95);
  EXPECT_EQ(none.places[1].finished, 0);
  EXPECT_EQ(none.places[1].met.probability, 0);
}

}  // namespace
}  // namespace prism::training_run_capacity_test
