// SPDX-License-Identifier: Apache-2.0
// The parts of a training run, each against what is known of it in closed form, and the promises that hold
// for every run: the account closes, the same bytes whatever the order, nothing hangs. Seeds 1 ... k, none
// skipped; bounds of 4 standard errors (false alarm 6e-5 a comparison) unless stated.
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

constexpr double minute = 60, hour = 3600, day = 86400;

double total(const std::vector<RunRecord>& runs, Spent what) {
  double sum = 0;
  for (const RunRecord& r : runs)
    sum += static_cast<double>(r.spent[static_cast<std::size_t>(what)]) / ns_per_s;
  return sum;
}

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

// ---- Spares
// -------------------------------------------------------------------------------------------------

// Nodes fail at rate 1/M while the job runs; c crews repair at rate 1/R each; s spares. The number of broken
// nodes is a birth-death chain on 0 ... s+1 (the job waits in s+1 and nothing fails): M/M/c/s+1. Share of
// time waiting = P(s+1). Detection and restart take no time. Planted fault, tried by hand: repairs that do
// not wait for a crew fail both cases where crews are short (6 comparisons).
TEST(TrainingRunSpares, WaitingIsTheExactMachineRepairAnswer) {
  struct Case {
    double M, R;
    int crews, spares;
  };
  for (const Case& c : {Case{10 * hour, 20 * hour, 0, 2}, Case{10 * hour, 20 * hour, 1, 3},
                        Case{10 * hour, 30 * hour, 2, 0}, Case{10 * hour, 40 * hour, 3, 5}})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      TrainingSetup s = memoryless(c.M, 1, 0, 0);
      s.seed = seed;
      s.step.states[0].mean_s = 600;
      s.plan.tiers[0].every = CheckpointTier::Every::steps;
      s.plan.tiers[0].every_steps = 1;
      s.plan.causes[0].replacement = 1;
      s.plan.spares = Spares{c.spares, c.R, true, c.crews};
      s.plan.steps = 6 * 24 * 500;
      s.plan.runs = 64;
      const auto runs = simulate(*prepared(s));

      std::vector<double> p{1};
      double sum = 1;
      for (int j = 1; j <= c.spares + 1; ++j) {
        const int busy = c.crews == 0 ? j : std::min(j, c.crews);
        p.push_back(p.back() / c.M * c.R / busy);
        sum += p.back();
      }
      const double exact = p.back() / sum;
      const test::Mean waiting = test::mean_of(runs, [](const RunRecord& r) {
        return static_cast<double>(r.spent[static_cast<std::size_t>(Spent::no_spare)]) /
               static_cast<double>(r.wall);
      });
      // Runs start with everything whole and are cut at an amount of work: bias of order one over their
      // length, bounded here by a tenth of a percent of the time.
      EXPECT_NEAR(waiting.value, exact, 4 * waiting.error + 1e-3)
          << c.crews << " crews, " << c.spares << " spares, seed " << seed;
      EXPECT_LT(waiting.error, 0.01);
    }
}

// ---- Other interruptions
// ------------------------------------------------------------------------------------

TEST(TrainingRunInterruptions, SlowNodesStretchStepsUntilTheyAreNoticed) {
  // Without eviction slow spells are an M/G/infinity queue: busy with probability 1 - e^(-rate * notice) in
  // wall-clock time, from an empty start.
  TrainingSetup s = memoryless(1 * hour, 600, 0, 0);
  s.plan.causes.clear();
  s.nodes = 100;
  s.plan.fail_slow = FailSlow{50, 1.5, 4 * hour, false, 0};  // five a day
  s.plan.steps = static_cast<std::int64_t>(200 * day);
  s.plan.runs = 64;
  const auto runs = simulate(*prepared(s));
  const double busy = 1 - std::exp(-5.0 / 24 * 4);
  const test::Mean slow = test::mean_of(runs, [](const RunRecord& r) {
    return static_cast<double>(r.spent[static_cast<std::size_t>(Spent::fail_slow)]) /
           static_cast<double>(r.wall);
  });
  EXPECT_NEAR(slow.value, busy * (1 - 1 / 1.5), 4 * slow.error + 1e-3);
  // What the step model knows of slow nodes takes the place of the bound.
  s.step.slow_node = {{1.2, 1.1}, {2, 1.3}};
  const double inflation = 1.1 + 0.2 * (0.3 / 0.8);
  const test::Mean known = test::mean_of(simulate(*prepared(s)), [](const RunRecord& r) {
    return static_cast<double>(r.spent[static_cast<std::size_t>(Spent::fail_slow)]) /
           static_cast<double>(r.wall);
  });
  EXPECT_NEAR(known.value, busy * (1 - 1 / inflation), 4 * known.error + 1e-3);
}

TEST(TrainingRunInterruptions, PreemptionAndMaintenanceTakeWhatTheySay) {
  TrainingSetup s = memoryless(1 * hour, 600, 30, 0);
  s.plan.causes.clear();
  s.plan.maintenance = Maintenance{10'000, 1000, 200};
  s.plan.steps = 50'000;
  s.plan.runs = 2;
  const auto runs = simulate(*prepared(s));
  const auto count = runs[0].stops[2].count;
  EXPECT_EQ(runs[0].spent[static_cast<std::size_t>(Spent::maintenance)], count * 1000 * 1'000'000'000);
  EXPECT_EQ(runs[0].spent[static_cast<std::size_t>(Spent::restart)], count * 200 * 1'000'000'000);
  EXPECT_EQ(runs[0].spent[static_cast<std::size_t>(Spent::lost_work)], 0) << "announced, so nothing is lost";
  EXPECT_EQ(count, runs[0].wall / 10'000'000'000'000);

  s.plan.maintenance.reset();
  s.plan.preemption = Preemption{4, 1800, 300, false};
  s.plan.runs = 2000;
  const auto cut = simulate(*prepared(s));
  const test::Mean away = test::mean_of(cut, [](const RunRecord& r) {
    return static_cast<double>(r.spent[static_cast<std::size_t>(Spent::preempted)]) / ns_per_s -
           1800 * static_cast<double>(r.stops[1].count);
  });
  EXPECT_NEAR(away.value, 0, 4 * away.error);
  EXPECT_GT(total(cut, Spent::lost_work), 0);
}

// The source's own arithmetic of FT-HSDP (arXiv 2602.00277): a stall of 10 and of 3 minutes every 18.
// The simulation has failures at random moments, also during the stall, which starts it again: e^(-stall/M)
// when no work is lost. The two differ because the source's interval already contains the stall.
TEST(TrainingRunInterruptions, ElasticRunsLoseTheStallOnly) {
  const double M = 18 * minute;
  EXPECT_NEAR(1 - 10.0 / 18, 0.444, 5e-4);
  EXPECT_NEAR(1 - 3.0 / 18, 0.833, 5e-4);
  for (double stall : {10 * minute, 3 * minute}) {
    TrainingSetup s = memoryless(M, 600, 0, 0);
    s.replicas = 1'000'000;  // one replica out is no loss of speed worth the name
    s.plan.elastic = Elastic{stall, 1'000'000};
    s.plan.steps = 20 * 86400;
    s.plan.runs = 300;
    const auto runs = simulate(*prepared(s));
    const test::Mean goodput = test::mean_of(runs, [](const RunRecord& r) { return r.goodput(); });
    EXPECT_NEAR(goodput.value, std::exp(-stall / M), 4 * goodput.error + 2e-5);
    EXPECT_EQ(total(runs, Spent::lost_work), 0);
    std::printf("stall %2.0f min every 18: source %.3f, simulated %.3f\n", stall / 60, 1 - stall / M,
                goodput.value);
  }
}

TEST(TrainingRunInterruptions, ReplicasThatAreOutSlowTheOthersDown) {
  TrainingSetup s = memoryless(10 * hour, 600, 0, 0);
  s.replicas = 10;
  s.plan.causes[0].restart_s = 2 * hour;
  s.plan.elastic = Elastic{0, 9};
  s.plan.steps = 400 * 86400;
  s.plan.runs = 32;
  const auto runs = simulate(*prepared(s));
  // M/G/infinity again: the number out is Poisson with mean 2/10 (never 9 in practice); the speed is 1 -
  // out/10.
  const test::Mean speed = test::mean_of(runs, [](const RunRecord& r) { return r.goodput(); });
  EXPECT_NEAR(speed.value, 1 - 0.02, 4 * speed.error + 1e-4);
}

// ---- Nonsense
// -----------------------------------------------------------------------------------------------

std::string first_warning(const TrainingSetup& s) {
  const auto t = prepare_training(s);
  EXPECT_TRUE(t);
  return t.diagnostics.empty() ? "" : t.diagnostics.front().pointer + ": " + t.diagnostics.front().message;
}

TEST(TrainingRunNonsense, IsWarnedOfAndEnds) {
  TrainingSetup writes = memoryless(10 * hour, 60, 120, 60);
  EXPECT_NE(first_warning(writes).find("/training_run/checkpoint: a checkpoint blocks for"),
            std::string::npos);
  EXPECT_TRUE(simulate(*prepared(writes))[0].finished);

  TrainingSetup background = memoryless(10 * hour, 60, 0, 60);
  background.plan.tiers[0].background_s = 300;
  EXPECT_NE(first_warning(background).find("in the background and the next is due"), std::string::npos);
  EXPECT_TRUE(simulate(*prepared(background))[0].finished);

  TrainingSetup waits = memoryless(1 * hour, 600, 10, 60);
  waits.plan.spares = Spares{0, 100 * hour, true, 0};
  waits.plan.causes[0].replacement = 1;
  EXPECT_NE(first_warning(waits).find("there is no spare node"), std::string::npos);

  EXPECT_EQ(first_warning(memoryless(3 * hour, 600, 10, 300)), "");
}

// A run that cannot end is given up, and says so; one that may end has a probability.
TEST(TrainingRunNonsense, NeverFinishesIsAnAnswer) {
  TrainingSetup s = memoryless(1 * minute, 600, 60, 60 * minute);
  s.plan.give_up_times = 10;
  s.plan.steps = 1'000'000;
  const auto t = prepare_training(s);
  ASSERT_TRUE(t);
  ASSERT_EQ(t.diagnostics.size(), 2u);
  EXPECT_EQ(t.diagnostics[0].pointer, "/training_run/failures");
  EXPECT_NE(t.diagnostics[1].message.find("given up"), std::string::npos);
  const auto runs = simulate(**t);
  for (const RunRecord& r : runs) EXPECT_FALSE(r.finished);
  EXPECT_FALSE(latest_start(**t, runs, 0.5).exists);

  TrainingSetup maybe = memoryless(1 * hour, 600, 10, 60);
  maybe.plan.steps = 3600;
  maybe.plan.tiers[0].every = CheckpointTier::Every::steps;
  maybe.plan.tiers[0].every_steps =
      3600;  // no checkpoint at all: finishes if an hour without failure comes in time
  maybe.plan.give_up_times = 1.0000001;
  maybe.plan.runs = 20'000;
  const auto tries = simulate(*prepared(maybe));
  const auto finished =
      std::count_if(tries.begin(), tries.end(), [](const RunRecord& r) { return r.finished; });
  EXPECT_NEAR(static_cast<double>(finished) / 20'000, std::exp(-1.0), 4 * std::sqrt(0.37 * 0.63 / 20'000));
}

// What would take hours to simulate is known before it starts; the scenario is then refused
// (tests/scenarios).
TEST(TrainingRunNonsense, AbsurdPlansAreTooMuchWork) {
  const auto work = [](auto change) {
    TrainingSetup s = memoryless(10 * hour, 600, 10, 60);
    s.plan.steps = 1'000'000;
    s.plan.runs = 1000;
    s.nodes = 10'000;
    s.plan.give_up_times = 10;
    change(s.plan);
    return training_work(*prepared(s));
  };
  EXPECT_LT(work([](TrainingPlan&) {}), 1e7);
  EXPECT_GT(work([](TrainingPlan& p) { p.fail_slow = FailSlow{1e6, 2, 60, true, 60}; }), max_training_work);
  EXPECT_GT(work([](TrainingPlan& p) { p.fail_slow = FailSlow{1e3, 2, 6e7, false, 60}; }), max_training_work);
  EXPECT_GT(work([](TrainingPlan& p) {
              p.tiers[0].every_s = 1;
              p.tiers[0].write_s = 0;
            }),
            max_training_work);
  EXPECT_GT(work([](TrainingPlan& p) { p.spares = Spares{100'000, 1e7, true, 100'000}; }), max_training_work);
}

// The worst that is let through still ends in seconds: every run is given up after 100,000 failures.
TEST(TrainingRunNonsense, TheWorstThatIsLetThroughEnds) {
  TrainingSetup s = memoryless(1, 600, 60, 1 * hour);
  s.plan.steps = 1'000'000'000;
  s.plan.give_up_times = 1e6;
  s.plan.runs = 20;
  s.plan.fail_slow = FailSlow{1, 1.5, 3600, true, 60};
  s.plan.preemption = Preemption{1000, 1, 60, false};
  s.plan.maintenance = Maintenance{360, 3600, 60};  // longer than its period
  for (const RunRecord& r : simulate(*prepared(s))) EXPECT_FALSE(r.finished);
}

TEST(TrainingRunNonsense, StepsOfNoTimeAreRefused) {
  TrainingSetup s = memoryless(1 * hour, 600, 10, 60);
  s.step.states[0].mean_s = 0;
  const auto t = prepare_training(s);
  EXPECT_FALSE(t);
  EXPECT_EQ(t.diagnostics.at(0).code, Code::out_of_range);
}

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
    std::vector<Candidate> some;
    for (const Candidate& c : spare_candidates(s, 30))
      if (c.x >= 10) some.push_back(c);
    return *capacity(some, within, 0.9);
  };
  const int truth = around(1'000'000, 10'000).answer;
  ASSERT_GT(truth, 0);
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Capacity c = around(seed, 1000);
    covered += c.perhaps <= truth && (c.surely < 0 || truth <= c.surely);
  }
  std::printf("%g spares; held by %d of 20 intervals\n", truth + 10.0, covered);
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
}  // namespace prism::training_run_test
