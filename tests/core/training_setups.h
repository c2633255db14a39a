// SPDX-License-Identifier: Apache-2.0
// Training runs that several suites start from.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "prism/training_run.h"

namespace prism::test {

/// One kind of memoryless failure with the given mean time between failures of the job, constant steps of one
/// second, blocking checkpoints.
inline TrainingSetup memoryless(double mttf_s, double interval_s, double write_s, double recovery_s) {
  TrainingSetup s;
  s.step.states = {{1, 0, 0, 1}};
  s.plan.steps = 1000;
  s.plan.runs = 100;
  FailureCause c;
  c.name = "any";
  c.per_day = 86400 / mttf_s;
  c.detection_s = recovery_s / 4;
  c.restart_s = recovery_s - c.detection_s;
  s.plan.causes = {c};
  CheckpointTier tier;
  tier.every = CheckpointTier::Every::time;
  tier.every_s = interval_s;
  tier.write_s = write_s;
  s.plan.tiers = {tier};
  s.plan.give_up_times = 1e6;
  return s;
}

inline TrainingPtr prepared(TrainingSetup s) {
  auto t = prepare_training(std::move(s));
  EXPECT_TRUE(t) << (t.diagnostics.empty() ? "" : t.diagnostics.front().message);
  return std::move(*t.value);
}

/// The account of every run closes, exactly: checked wherever runs are made.
inline void expect_closed(const std::vector<RunRecord>& runs) {
  for (const RunRecord& r : runs) {
    Nanoseconds spent = 0, lost = 0;
    for (Nanoseconds t : r.spent) {
      ASSERT_GE(t, 0);
      spent += t;
    }
    for (const RunRecord::Stop& s : r.stops) lost += s.lost;
    ASSERT_EQ(spent, r.wall);
    Nanoseconds down = 0;
    for (Spent s : {Spent::lost_work, Spent::detection, Spent::restart, Spent::no_spare, Spent::preempted,
                    Spent::maintenance})
      down += r.spent[static_cast<std::size_t>(s)];
    ASSERT_EQ(lost, down) << "what stops cost, by cause";
  }
}

inline std::vector<RunRecord> simulate(const Training& t) {
  std::vector<RunRecord> runs = run_training(t);
  expect_closed(runs);
  return runs;
}

/// Mean wall-clock time and its standard error, seconds.
/// Seconds of all runs together.
inline double total(const std::vector<RunRecord>& runs, Spent what) {
  double sum = 0;
  for (const RunRecord& r : runs)
    sum += static_cast<double>(r.spent[static_cast<std::size_t>(what)]) / ns_per_s;
  return sum;
}

struct Mean {
  double value, error;
};
template <class Value>
Mean mean_of(const std::vector<RunRecord>& runs, Value value) {
  const auto n = static_cast<double>(runs.size());
  double sum = 0, square = 0;
  for (const RunRecord& r : runs) sum += value(r);
  for (const RunRecord& r : runs) square += (value(r) - sum / n) * (value(r) - sum / n);
  return {sum / n, std::sqrt(square / (n - 1) / n)};
}
inline Mean mean_wall(const std::vector<RunRecord>& runs) {
  return mean_of(runs, [](const RunRecord& r) { return static_cast<double>(r.wall) / ns_per_s; });
}

}  // namespace prism::test
