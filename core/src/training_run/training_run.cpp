// SPDX-License-Identifier: Apache-2.0
#include "prism/training_run.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "distribution/standard_normal.h"
#include "training_run/prepared.h"
#include "training_run/text.h"

namespace prism {
namespace training {

constexpr double longest_s = 100 * 365.25 * 86400;
/// Gaps between events are drawn up to 47 years; a run is given up before.
constexpr double longest_run_s = 40 * 365.25 * 86400;

Nanoseconds nanoseconds(double seconds) {
  return static_cast<Nanoseconds>(std::min(seconds, longest_s) * ns_per_s + 0.5);
}

namespace {

double per_s(const FailureCause& c, std::int64_t nodes) {
  return (c.per_1000_node_days * static_cast<double>(nodes) / 1000 + c.per_day) / 86400;
}

std::int64_t interval_steps(const CheckpointTier& tier, double failures_per_s, double step_s,
                            std::int64_t steps) {
  double seconds = tier.every_s;
  switch (tier.every) {
    case CheckpointTier::Every::steps:
      return std::min(tier.every_steps, steps);
    case CheckpointTier::Every::time:
      break;
    case CheckpointTier::Every::best:
      if (failures_per_s <= 0) return steps;
      // A write in the background must be over before the next begins.
      seconds = std::max(best_interval(tier.write_s, 1 / failures_per_s), tier.background_s);
  }
  const double whole = seconds / step_s + 0.5;
  if (whole >= static_cast<double>(steps)) return steps;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(whole));
}

void add_tiers(Training& t) {
  const TrainingPlan& plan = t.setup.plan;
  const double step = t.basics.step_s;
  for (std::size_t l = 0; l < plan.tiers.size(); ++l) {
    const CheckpointTier& tier = plan.tiers[l];
    // The failures that this tier is for: those the tier before it does not survive.
    double share = 1;
    if (l > 0) share = 1 - plan.tiers[l - 1].survives;
    if (l + 1 < plan.tiers.size()) share = tier.survives;
    t.tiers.push_back({interval_steps(tier, t.basics.failures_per_s * share, step, plan.steps),
                       nanoseconds(tier.write_s), nanoseconds(tier.background_s), tier.survives});
  }
}

void measure(Training& t) {
  const TrainingPlan& plan = t.setup.plan;
  TrainingBasics& b = t.basics;
  b.step_s = t.setup.step.mean_s();
  double recovery = 0;
  for (const FailureCause& c : plan.causes) {
    const double rate = per_s(c, t.setup.nodes);
    b.failures_per_s += rate;
    recovery += rate * (c.detection_s + c.restart_s);
  }
  if (b.failures_per_s > 0) b.recovery_s = recovery / b.failures_per_s;
  add_tiers(t);
  b.interval_steps = t.tiers.back().steps;
  b.interval_s = static_cast<double>(b.interval_steps) * b.step_s;
  b.write_s = plan.tiers.back().write_s;
  b.failure_free_s = static_cast<double>(plan.steps) * b.step_s + plan.first_start_s;
  for (std::size_t l = 0; l < t.tiers.size(); ++l) {
    const double writes =
        static_cast<double>((plan.steps - (plan.last_checkpoint ? 0 : 1)) / t.tiers[l].steps);
    b.failure_free_s += writes * plan.tiers[l].write_s;
  }
  b.give_up_s = std::min(b.failure_free_s * plan.give_up_times, longest_run_s);
  t.give_up = nanoseconds(b.give_up_s);
}

/// Expected wall-clock time by Daly's formula, never beyond where runs are given up.
double expected_wall(const Training& t) {
  const TrainingBasics& b = t.basics;
  if (b.failures_per_s <= 0) return b.failure_free_s;
  const double useful = static_cast<double>(t.setup.plan.steps) * b.step_s;
  const double wall = daly_wall(useful, b.interval_s, b.write_s, b.recovery_s, 1 / b.failures_per_s);
  return wall <= b.give_up_s ? std::max(wall, b.failure_free_s) : b.give_up_s;
}

void warn(const Training& t, std::vector<Diagnostic>& to) {
  const TrainingPlan& plan = t.setup.plan;
  const TrainingBasics& b = t.basics;
  const auto add = [&](std::string_view key, std::string message, std::string hint) {
    to.push_back({Code::inconsistent, "/training_run" + std::string(key), std::move(message), std::move(hint),
                  Severity::warning});
  };
  for (std::size_t l = 0; l < t.tiers.size(); ++l) {
    const std::string key = l + 1 == t.tiers.size() ? "/checkpoint" : "/checkpoint/local";
    const double interval = static_cast<double>(t.tiers[l].steps) * b.step_s;
    if (t.tiers[l].steps >= plan.steps) continue;
    if (plan.tiers[l].write_s >= interval)
      add(key,
          "a checkpoint blocks for " + duration(plan.tiers[l].write_s) + " and is written every " +
              duration(interval) + " of training: more time goes into writing than into training",
          "write less often, or in the background");
    if (plan.tiers[l].background_s > interval)
      add(key,
          "a checkpoint takes " + duration(plan.tiers[l].background_s) +
              " in the background and the next is due after " + duration(interval) +
              ": training waits for the one before",
          "write less often");
  }
  if (b.failures_per_s > 0 && b.recovery_s > 1 / b.failures_per_s)
    add("/failures",
        "detection and restart take " + duration(b.recovery_s) + " and a failure comes every " +
            duration(1 / b.failures_per_s) + ": most recoveries are struck by the next failure",
        "");
  if (plan.spares && plan.spares->nodes == 0 && b.failures_per_s > 0 &&
      plan.spares->repair_s > 1 / b.failures_per_s)
    add("/spares",
        "there is no spare node, a repair takes " + duration(plan.spares->repair_s) +
            " and a failure comes every " + duration(1 / b.failures_per_s) +
            ": the job mostly waits for repairs",
        "plan some spare nodes");
  if (b.failures_per_s > 0 && expected_wall(t) >= b.give_up_s)
    add("",
        "with these failures the run is expected to take more than " + duration(b.give_up_s) +
            ", where runs are given up; without them it takes " + duration(b.failure_free_s),
        "look at the share of runs that finish");
}

}  // namespace
}  // namespace training

void TrainingDeleter::operator()(Training* t) const { delete t; }

Result<TrainingPtr> prepare_training(TrainingSetup setup) {
  using namespace training;
  TrainingPtr made(new Training);
  Training& t = *made;
  t.setup = std::move(setup);
  const TrainingPlan& plan = t.setup.plan;
  if (!(t.setup.step.mean_s() >= 1e-6))
    return Result<TrainingPtr>::fault(
        {Code::out_of_range, "/training_run", "a step of less than a microsecond makes no training run", ""});
  measure(t);
  for (std::size_t i = 0; i < plan.causes.size(); ++i) {
    const FailureCause& c = plan.causes[i];
    const double rate = per_s(c, t.setup.nodes);
    if (rate <= 0) continue;
    t.causes.push_back(
        {c.name, ns_per_s / rate, nanoseconds(c.detection_s), nanoseconds(c.restart_s), c.replacement});
    t.stop_of_cause.push_back(static_cast<int>(i));
  }
  if (plan.fail_slow && plan.fail_slow->per_1000_node_days > 0) {
    t.slow_gap_ns =
        ns_per_s * 86400 * 1000 / (plan.fail_slow->per_1000_node_days * static_cast<double>(t.setup.nodes));
    t.slow_inflation = slow_inflation(t.setup.step, plan.fail_slow->severity);
  }
  t.normal = make_sample_table(QuantileTable(detail::normal_quantile));

  Result<TrainingPtr> result;
  warn(t, result.diagnostics);
  result.value = std::move(made);
  return result;
}

double training_work(const Training& t) {
  const double runs = static_cast<double>(t.setup.plan.runs), wall = training::expected_wall(t);
  double work = runs * std::min(wall * t.basics.failures_per_s, static_cast<double>(most_failures));
  for (const Training::Tier& tier : t.tiers)
    work += runs * wall /
            (static_cast<double>(tier.steps) * t.basics.step_s + static_cast<double>(tier.write) / ns_per_s);
  return work;
}

TrainingBasics basics(const Training& t) { return t.basics; }
const TrainingSetup& setup_of(const Training& t) { return t.setup; }

std::int64_t training_units(const Training& t) {
  return (t.setup.plan.runs + training_unit_runs - 1) / training_unit_runs;
}

namespace {

std::size_t words_a_run(const Training& t) {
  return 2 + spent_count + 2 * (t.setup.plan.causes.size() + other_stops.size());
}

void put(std::vector<std::byte>& bytes, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
}

std::int64_t get(const std::vector<std::byte>& bytes, std::size_t& at) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(bytes[at++]) << (8 * i);
  return static_cast<std::int64_t>(bits);
}

}  // namespace

std::vector<std::byte> run_training_unit(const Training& t, std::int64_t unit) {
  std::vector<std::byte> bytes;
  const std::int64_t first = unit * training_unit_runs;
  const std::int64_t last = std::min(first + training_unit_runs, t.setup.plan.runs);
  bytes.reserve(static_cast<std::size_t>(last - first) * words_a_run(t) * 8);
  for (std::int64_t run = first; run < last; ++run) {
    const RunRecord r = training::play(t, run, nullptr, 0);
    put(bytes, r.finished ? 1 : 0);
    put(bytes, r.wall);
    for (Nanoseconds time : r.spent) put(bytes, time);
    for (const RunRecord::Stop& s : r.stops) {
      put(bytes, s.count);
      put(bytes, s.lost);
    }
  }
  return bytes;
}

std::vector<RunRecord> merge_training(const Training& t, std::span<const std::vector<std::byte>> parts) {
  std::vector<RunRecord> runs;
  const std::size_t size = words_a_run(t) * 8;
  for (const auto& part : parts) {
    if (part.size() % size != 0) throw std::logic_error("a part of another training run");
    for (std::size_t at = 0; at < part.size();) {
      RunRecord r;
      r.finished = get(part, at) != 0;
      r.wall = get(part, at);
      for (Nanoseconds& time : r.spent) time = get(part, at);
      r.stops.resize(t.setup.plan.causes.size() + other_stops.size());
      for (RunRecord::Stop& s : r.stops) {
        s.count = get(part, at);
        s.lost = get(part, at);
      }
      runs.push_back(std::move(r));
    }
  }
  return runs;
}

std::vector<RunRecord> run_training(const Training& t) {
  std::vector<RunRecord> runs;
  for (std::int64_t run = 0; run < t.setup.plan.runs; ++run)
    runs.push_back(training::play(t, run, nullptr, 0));
  return runs;
}

std::vector<Stretch> training_timeline(const Training& t, std::int64_t run, std::size_t most) {
  std::vector<Stretch> stretches;
  training::play(t, run, &stretches, most);
  return stretches;
}

}  // namespace prism
