// SPDX-License-Identifier: Apache-2.0
// Spares, slow nodes, pre-emption and plans that make no sense, each against what is known of it in closed
// form. Seeds 1 ... k, none skipped; bounds of 4 standard errors (false alarm 6e-5 a comparison) unless
// stated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "training_setups.h"

namespace prism::training_run_interruptions_test {
namespace {

using test::memoryless;
using test::prepared;
using test::simulate;
using test::total;

constexpr double minute = 60, hour = 3600, day = 86400;

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

}  // namespace
}  // namespace prism::training_run_interruptions_test
