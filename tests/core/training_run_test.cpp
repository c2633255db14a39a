// SPDX-License-Identifier: Apache-2.0
// Steps and checkpoints of a training run against what is known of them in closed form, and the promises that
// hold for every run: the account closes, the same bytes whatever the order, nothing hangs. Seeds 1 ... k,
// none skipped; bounds of 4 standard errors (false alarm 6e-5 a comparison) unless stated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "training_run/quantiles.h"
#include "training_run/step_sums.h"
#include "training_setups.h"

namespace prism::training_run_test {
namespace {

using test::memoryless;
using test::prepared;
using test::simulate;
using test::total;

constexpr double minute = 60, hour = 3600, day = 86400;

/// Everything that can happen, at once and often.
TrainingSetup everything(std::uint64_t seed) {
  TrainingSetup s = memoryless(2 * hour, 600, 20, 10 * minute);
  s.seed = seed;
  s.nodes = 512;
  s.gpus = 4096;
  s.replicas = 16;
  s.step.states = {{1, 0.01, 400, 1}, {1.3, 0.04, 50, 1}};
  s.step.tails = {{0.002, {0.5, 1, 2, 30}}};
  s.step.between_runs = {0.98, 1, 1.03};
  s.plan.causes.push_back({"node", 5, 0, 120, 300, 0.7});
  s.plan.tiers.insert(s.plan.tiers.begin(), CheckpointTier{CheckpointTier::Every::steps, 120, 0, 1, 30, 0.6});
  s.plan.tiers.back().background_s = 90;
  s.plan.last_checkpoint = seed % 2 == 0;
  s.plan.failures_during_recovery = seed % 3 != 0;
  s.plan.spares = Spares{2, 20 * hour, seed % 2 == 1, 3};
  s.plan.preemption = Preemption{2, 1800, 120, seed % 2 == 0};
  s.plan.maintenance = Maintenance{30 * hour, 1800, 300};
  s.plan.fail_slow = FailSlow{6, 1.4, 5400, seed % 4 != 0, 240};
  if (seed % 2 == 0) s.plan.elastic = Elastic{60, 3};
  s.plan.warm_up = {50, 1.5};
  s.plan.first_start_s = 900;
  s.plan.steps = 300'000;
  s.plan.runs = 200;
  return s;
}

// Planted fault, tried by hand: time of slow nodes that passes without being booked fails all
// 12 seeds.
TEST(TrainingRun, TheAccountClosesWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto runs = simulate(*prepared(everything(seed)));
    for (const RunRecord& r : runs) EXPECT_TRUE(r.finished);
    // Each kind of loss did occur, so that its account was tested.
    for (int k = 0; k < spent_count; ++k) {
      const auto what = static_cast<Spent>(k);
      if (what == Spent::reduced && seed % 2 == 1) continue;
      EXPECT_GT(total(runs, what), 0) << spent_names[static_cast<std::size_t>(k)] << ", seed " << seed;
    }
  }
}

TEST(TrainingRun, UnitsGiveTheSameBytesInAnyOrder) {
  TrainingSetup s = everything(4);
  s.plan.runs = 100;
  const TrainingPtr t = prepared(s);
  std::vector<std::vector<std::byte>> parts(static_cast<std::size_t>(training_units(*t)));
  ASSERT_EQ(parts.size(), 4u);
  for (std::size_t i = parts.size(); i-- > 0;) parts[i] = run_training_unit(*t, static_cast<std::int64_t>(i));
  const auto merged = merge_training(*t, parts), direct = run_training(*t);
  ASSERT_EQ(merged.size(), direct.size());
  for (std::size_t i = 0; i < merged.size(); ++i) {
    EXPECT_EQ(merged[i].wall, direct[i].wall);
    EXPECT_EQ(merged[i].spent, direct[i].spent);
  }
}

TEST(TrainingRun, TimelineIsTheRun) {
  const TrainingPtr t = prepared(everything(3));
  const auto runs = simulate(*t);
  const auto stretches = training_timeline(*t, 0, 1'000'000);
  ASSERT_FALSE(stretches.empty());
  Nanoseconds at = 0, down = 0;
  for (const Stretch& s : stretches) {
    EXPECT_EQ(s.begin, at) << "no gap";
    at = s.end;
    if (s.stop >= 0) down += s.end - s.begin;
  }
  EXPECT_EQ(at, runs[0].wall);
  Nanoseconds lost = 0;
  for (const RunRecord::Stop& s : runs[0].stops) lost += s.lost;
  EXPECT_EQ(down, lost - runs[0].spent[static_cast<std::size_t>(Spent::lost_work)]);
}

// Scaling one cause leaves every other draw as it is: the runs share their noise.
TEST(TrainingRun, AnotherCauseLeavesTheOthersAlone) {
  TrainingSetup s = memoryless(2 * hour, 600, 20, 10 * minute);
  s.plan.steps = 100'000;
  s.plan.failures_during_recovery = false;
  FailureCause second = s.plan.causes[0];
  second.name = "second";
  second.per_day = 1e-9;  // as good as never
  s.plan.causes.push_back(second);
  const auto rare = simulate(*prepared(s));
  s.plan.causes.pop_back();
  const auto none = simulate(*prepared(s));
  for (std::size_t i = 0; i < rare.size(); ++i) EXPECT_EQ(rare[i].wall, none[i].wall);
  s.seed = 2;
  EXPECT_NE(simulate(*prepared(s))[0].wall, none[0].wall);
}

// ---- Steps
// --------------------------------------------------------------------------------------------------

// Ten thousand steps as sums of segments against ten thousand steps one at a time: mean and standard
// deviation of the total, over 2,000 runs. Planted faults, tried by hand: steps of
// a sum that vary all together (variance k^2 instead of k), and spells that end only between sums, both fail
// the sd of both seeds.
TEST(TrainingRunSteps, SumsAgreeWithStepByStep) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    TrainingSetup s = memoryless(1 * hour, 100, 0, 0);
    s.seed = seed;
    s.plan.steps = 10'000;
    s.step.states = {{1, 0.01, 300, 1}, {1.25, 0.09, 60, 0.5}, {0.9, 0.001, 120, 0.7}};
    s.step.tails = {{0.003, {1, 2, 4, 20}}};
    const TrainingPtr t = prepared(s);
    constexpr int runs = 2000;
    std::vector<double> sums, singles;
    for (int run = 0; run < runs; ++run) {
      training::StepSums by_segment(*t, run), by_step(*t, run + runs);
      double a = 0, b = 0;
      for (int i = 0; i < 100; ++i) a += by_segment.next(100);
      for (int i = 0; i < 10'000; ++i) b += by_step.next(1);
      sums.push_back(a);
      singles.push_back(b);
    }
    const auto moments = [](const std::vector<double>& x) {
      double mean = 0, m2 = 0, m4 = 0;
      for (double v : x) mean += v / runs;
      for (double v : x) m2 += (v - mean) * (v - mean) / runs, m4 += std::pow(v - mean, 4) / runs;
      const double sd = std::sqrt(m2);
      return std::array{mean, sd / std::sqrt(runs), sd, std::sqrt((m4 - m2 * m2) / runs) / (2 * sd)};
    };
    const auto a = moments(sums), b = moments(singles);
    EXPECT_NEAR(a[0], b[0], 4 * std::hypot(a[1], b[1])) << "mean, seed " << seed;
    EXPECT_NEAR(a[2], b[2], 4 * std::hypot(a[3], b[3])) << "sd, seed " << seed;
    EXPECT_NEAR(a[0], 10'000 * s.step.mean_s(), 4 * a[1]) << "the stationary mean";
  }
}

TEST(TrainingRunSteps, ModelOfSimulatedStepsKeepsMeanAndVariance) {
  const std::vector<double> steps{1, 2, 4, 5};
  const StepModel m = step_model_of(steps);
  EXPECT_EQ(m.mean_s(), 3);
  EXPECT_NEAR(m.states[0].variance_s2, 10.0 / 3, 1e-15);
}

// Runs that differ by 3 % and steps by 2 %, told from 32 runs of 32 steps.
TEST(TrainingRunSteps, ModelTellsLastingSpreadFromFreshSpread) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> alike, different;
    for (int run = 0; run < 32; ++run) {
      const double lasting = 1 + 0.03 * normal(random);
      for (int step = 0; step < 32; ++step) {
        const double fresh = 1 + 0.02 * normal(random);
        alike.push_back(fresh);
        different.push_back(lasting * fresh);
      }
    }
    const StepModel m = step_model_of(different, different, 32);
    EXPECT_NEAR(std::sqrt(m.states[0].variance_s2), 0.02, 0.002) << "seed " << seed;
    const auto deviation = [](const std::vector<double>& quantiles) {
      const training::RawMoments law = training::moments_of(quantiles);
      EXPECT_NEAR(law.mean, 1, 1e-12);
      return std::sqrt(std::max(0.0, law.square - law.mean * law.mean));
    };
    // Relative error of a deviation of 32 values: 1 / sqrt(62) = 0.127; read linearly between them it is 3 %
    // less.
    EXPECT_NEAR(deviation(m.between_runs), 0.03, 4 * 0.127 * 0.03) << "seed " << seed;
    // What so few steps make runs differ by is not taken for something that lasts.
    EXPECT_LE(deviation(step_model_of(alike, alike, 32).between_runs), 0.02 / std::sqrt(32.0))
        << "seed " << seed;
  }
}

// Steps of constant length and nothing that fails: the wall-clock is pencil arithmetic, to the nanosecond.
TEST(TrainingRunSteps, WithoutFailuresTheRunIsArithmetic) {
  TrainingSetup s = memoryless(1 * hour, 100, 7, 60);
  s.plan.causes.clear();
  s.plan.runs = 2;
  s.plan.first_start_s = 30;
  s.plan.warm_up = {10, 3};
  const auto runs = simulate(*prepared(s));
  EXPECT_EQ(runs[0].wall, static_cast<Nanoseconds>((1000 + 9 * 7 + 30 + 10 * 2) * ns_per_s));
  s.plan.last_checkpoint = true;
  s.plan.tiers[0].background_s = 50;
  EXPECT_EQ(simulate(*prepared(s))[0].wall,
            static_cast<Nanoseconds>((1000 + 10 * 7 + 50 + 30 + 20) * ns_per_s));
  // Longer in the background than the interval: each write waits for the one before.
  s.plan.tiers[0].background_s = 150;
  EXPECT_EQ(simulate(*prepared(s))[0].wall,
            static_cast<Nanoseconds>((100 + 20 + 7 + 9 * (150 + 7) + 150 + 30) * ns_per_s));
}

// ---- Checkpoints
// --------------------------------------------------------------------------------------------

// A background write counts once complete: memoryless failures then lose the write as well. Renewal argument
// for a write b shorter than the interval dt: in steady state the checkpoint of a segment becomes durable b
// into the next one, so work is at stake for dt + b from its start while only dt of it is redone per success;
// the mean number of failures before a stretch of x is over is e^(x/M) - 1. Checked against a simulation of
// the rule itself, drawn here with other random numbers.
TEST(TrainingRunCheckpoint, BackgroundWriteCountsOnceComplete) {
  const double M = 1 * hour, dt = 600, b = 400, u = 120;
  TrainingSetup s = memoryless(M, dt, 0, u);
  s.plan.tiers[0].background_s = b;
  s.plan.steps = 60'000;
  s.plan.runs = 4000;
  const test::Mean simulated = test::mean_wall(simulate(*prepared(s)));

  training::Words words(99, 0, "the rule itself");
  double sum = 0, square = 0;
  constexpr int n = 4000;
  for (int i = 0; i < n; ++i) {
    double now = 0, next = words.exponential() * M, progress = 0, durable = 0;
    double pending = -1, pending_at = 0;  // a checkpoint in the background and when it is complete
    while (progress < 60'000) {
      const double end = now + (dt - std::fmod(progress, dt));
      if (next < end) {
        if (pending >= 0 && pending_at <= next) durable = pending;
        pending = -1;
        progress = durable;
        now = next;
        for (;;) {  // recovery, begun again by each failure
          next = now + words.exponential() * M;
          if (next >= now + u) break;
          now = next;
        }
        now += u;
        continue;
      }
      now = end;
      progress += dt - std::fmod(progress, dt);
      if (pending >= 0 && pending_at <= now) durable = pending;
      pending = progress;
      pending_at = now + b;
    }
    sum += now;
    square += now * now;
  }
  const double mean = sum / n, error = std::sqrt((square / n - mean * mean) / n);
  EXPECT_NEAR(simulated.value, mean, 4 * std::hypot(simulated.error, error));
  // And it matters: without the rule the same run is measurably shorter.
  s.plan.tiers[0].background_s = 0;
  EXPECT_LT(test::mean_wall(simulate(*prepared(s))).value, simulated.value * 0.97);
}

TEST(TrainingRunCheckpoint, LocalTierLosesLessWhereItSurvives) {
  TrainingSetup s = memoryless(1 * hour, 1800, 0, 60);
  s.plan.steps = 100'000;
  const double M = 1 * hour;
  s.plan.last_checkpoint = true;
  s.plan.steps = 1800 * 50;
  s.plan.runs = 1000;
  const auto local = [&](double survives) {
    TrainingSetup with = s;
    with.plan.tiers.insert(with.plan.tiers.begin(),
                           CheckpointTier{CheckpointTier::Every::steps, 300, 0, 0, 0, survives});
    return test::mean_wall(simulate(*prepared(with)));
  };
  const test::Mean never = local(0), always = local(1), half = local(0.5);
  EXPECT_NEAR(never.value, daly_wall(90'000, 1800, 0, 60, M), 4 * never.error);
  EXPECT_NEAR(always.value, daly_wall(90'000, 300, 0, 60, M), 4 * always.error);
  EXPECT_LT(always.value, half.value);
  EXPECT_LT(half.value, never.value);
}

}  // namespace
}  // namespace prism::training_run_test
