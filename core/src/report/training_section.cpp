// SPDX-License-Identifier: Apache-2.0
#include "report/training_section.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "prism/dates.h"
#include "statistics/binomial.h"
#include "statistics/statistics.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

constexpr double confidence = 0.95;
constexpr std::size_t most_stretches = 2000;

double finite(double x) {
  if (!std::isfinite(x)) throw std::logic_error("a reported number is not finite");
  return x;
}

/// Numbers a theory may leave infinite.
ordered_json known(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }

double seconds(Nanoseconds t) { return static_cast<double>(t) / ns_per_s; }

/// Times of runs, of which some may never end: those stand above all others.
struct Walls {
  std::vector<double> finished;  ///< sorted
  std::int64_t all = 0;

  ordered_json order(std::optional<std::int64_t> rank) const {
    if (!rank || *rank > static_cast<std::int64_t>(finished.size())) return nullptr;
    return finished[static_cast<std::size_t>(*rank - 1)];
  }
  /// Type 7 over all runs; null where it falls among those that never end.
  ordered_json quantile_of(double p) const {
    const double position = p * static_cast<double>(all - 1);
    const auto i = static_cast<std::size_t>(position);
    const double rest = position - static_cast<double>(i);
    if (i + (rest > 0 ? 1 : 0) >= finished.size()) return nullptr;
    return rest > 0 ? finished[i] + rest * (finished[i + 1] - finished[i]) : finished[i];
  }
};

ordered_json wall_clock(const Walls& walls, double free_s) {
  ordered_json out;
  out["failure_free"] = finite(free_s);
  ordered_json intervals;
  for (const auto& [name, p] : reported_quantiles) {
    out[std::string(name)] = walls.quantile_of(p);
    const RankInterval ranks = quantile_interval(walls.all, p, confidence);
    intervals[std::string(name)] = {walls.order(ranks.low), walls.order(ranks.high)};
  }
  const bool complete = static_cast<std::int64_t>(walls.finished.size()) == walls.all;
  out["mean"] = nullptr;
  out["mean_standard_error"] = nullptr;
  out["sd"] = nullptr;
  if (complete) {
    const Moments m = moments(walls.finished);
    out["mean"] = finite(m.mean);
    out["mean_standard_error"] = finite(m.standard_error);
    out["sd"] = finite(m.sd);
  }
  out["intervals"] = std::move(intervals);
  out["confidence"] = confidence;
  out["histogram"] = nullptr;
  out["ecdf"] = ordered_json::array();
  if (!walls.finished.empty()) {
    const Histogram h = histogram(walls.finished);
    out["histogram"] = {{"edges", h.edges}, {"counts", h.counts}};
    // The share is of all runs, so it ends below 1 when some never finish.
    const double share = static_cast<double>(walls.finished.size()) / static_cast<double>(walls.all);
    for (const EcdfPoint& point : ecdf(walls.finished)) out["ecdf"].push_back({point.x, point.share * share});
  }
  return out;
}

ordered_json goodput(const std::vector<RunRecord>& runs) {
  std::vector<double> values;
  for (const RunRecord& r : runs) values.push_back(r.goodput());
  std::sort(values.begin(), values.end());
  const Moments m = moments(values);
  return {{"mean", m.mean},
          {"mean_standard_error", m.standard_error},
          {"p5", quantile(values, 0.05)},
          {"p50", quantile(values, 0.5)},
          {"p95", quantile(values, 0.95)}};
}

/// Mean time by category, and its share of the mean wall-clock time. The shares add up to 1.
ordered_json spent(const std::vector<RunRecord>& runs) {
  ordered_json out = ordered_json::array();
  const auto n = static_cast<double>(runs.size());
  double wall = 0;
  for (const RunRecord& r : runs) wall += seconds(r.wall);
  for (std::size_t k = 0; k < spent_count; ++k) {
    double sum = 0;
    for (const RunRecord& r : runs) sum += seconds(r.spent[k]);
    out.push_back({{"what", spent_names[k]}, {"mean_s", sum / n}, {"share", wall > 0 ? sum / wall : 0.0}});
  }
  return out;
}

ordered_json stops(const TrainingPlan& plan, const std::vector<RunRecord>& runs) {
  ordered_json out = ordered_json::array();
  const auto n = static_cast<double>(runs.size());
  double wall = 0;
  for (const RunRecord& r : runs) wall += seconds(r.wall);
  for (std::size_t k = 0; k < plan.causes.size() + other_stops.size(); ++k) {
    double count = 0, lost = 0;
    for (const RunRecord& r : runs) {
      count += static_cast<double>(r.stops[k].count);
      lost += seconds(r.stops[k].lost);
    }
    const std::string name =
        k < plan.causes.size() ? plan.causes[k].name : std::string(other_stops[k - plan.causes.size()]);
    if (k >= plan.causes.size() && count == 0) continue;
    out.push_back({{"cause", name},
                   {"mean_count", count / n},
                   {"mean_lost_s", lost / n},
                   {"share", wall > 0 ? lost / wall : 0.0}});
  }
  return out;
}

ordered_json finish(const TrainingPlan& plan, const Walls& walls) {
  ordered_json out;
  out["start"] = plan.start;
  for (const auto& [name, p] : {std::pair("p50", 0.5), std::pair("p95", 0.95)}) {
    const ordered_json wall = walls.quantile_of(p);
    out[name] = nullptr;
    if (const auto start = minutes_of(plan.start); start && !wall.is_null())
      out[name] = date_of(*start + static_cast<std::int64_t>(std::ceil(wall.get<double>() / 60)));
  }
  out["within"] = ordered_json::array();
  for (double x : plan.finish_within_s) {
    const std::int64_t hits = count_within(walls.finished, x);
    const ProbabilityInterval interval = probability_interval(hits, walls.all, confidence);
    out["within"].push_back({{"days", x / 86400},
                             {"probability", static_cast<double>(hits) / static_cast<double>(walls.all)},
                             {"interval", {interval.low, interval.high}}});
  }
  return out;
}

/// All GPUs are paid for, and draw their power, from start to end: idle ones too.
ordered_json cost(const TrainingSetup& setup, const Walls& walls) {
  if (!setup.plan.cost) return nullptr;
  const Cost& c = *setup.plan.cost;
  const auto gpus = static_cast<double>(setup.gpus);
  const double kwh_per_s = gpus * c.power_w_per_gpu / 1000 / 3600;
  const double per_s = gpus * c.per_gpu_hour / 3600 + kwh_per_s * c.per_kwh;
  ordered_json out = {{"currency", c.currency}};
  ordered_json energy;
  for (const auto& [name, p] : {std::pair("p5", 0.05), std::pair("p50", 0.5), std::pair("p95", 0.95)}) {
    const ordered_json wall = walls.quantile_of(p);
    out[name] = wall.is_null() ? wall : ordered_json(wall.get<double>() * per_s);
    energy[name] = wall.is_null() ? wall : ordered_json(wall.get<double>() * kwh_per_s / 1000);
  }
  out["energy_mwh"] = std::move(energy);
  return out;
}

/// What formulas say of memoryless failures and blocking checkpoints alone, beside the simulation.
ordered_json theory(const TrainingBasics& b) {
  if (b.failures_per_s <= 0) return nullptr;
  const double M = 1 / b.failures_per_s, w = b.write_s, u = b.recovery_s, dt = b.interval_s;
  return {{"mean_time_between_failures_s", M},
          {"recovery_s", u},
          {"young_interval_s", young_interval(w, M)},
          {"daly_first_order_interval_s", daly_first_interval(w, M)},
          {"daly_interval_s", daly_interval(w, M)},
          {"exact_interval_s", best_interval(w, M)},
          {"exact_goodput", known(exact_goodput(dt, w, u, M))},
          {"linear_goodput", known(linear_goodput(dt, w, u, M))}};
}

ordered_json timeline(const Training& t) {
  ordered_json stretches = ordered_json::array();
  for (const Stretch& s : training_timeline(t, 0, most_stretches))
    stretches.push_back({seconds(s.begin), seconds(s.end), static_cast<int>(s.spent), s.stop});
  return {{"run", 0}, {"names", spent_names}, {"stretches", std::move(stretches)}};
}

}  // namespace

TrainingSetup training_of(const Scenario& scenario, const Workload& workload, const Outcome& outcome) {
  TrainingSetup setup;
  setup.plan = *scenario.training_run;
  setup.step =
      step_model_of(outcome.step_s, outcome.run_step_s, static_cast<std::size_t>(outcome.steps_a_run));
  if (setup.plan.fail_slow) {
    const double severity = setup.plan.fail_slow->severity;
    // A workload that has been simulated has a graph.
    setup.step.slow_node = {{severity, *slow_node_inflation(workload, severity)}};
  }
  setup.gpus = scenario.parallel.world();
  setup.nodes = (setup.gpus + scenario.cluster.gpus_per_node - 1) / scenario.cluster.gpus_per_node;
  setup.replicas = scenario.parallel.dp;
  setup.seed = scenario.run.seed;
  return setup;
}

TrainingSetup training_setup(const Job& job, const Parts& trials, const Parts& check) {
  return training_of(job.scenario, job.workload, merge(*job.simulation, trials, {}, check));
}

ordered_json training_section(const Job& job, const Outcome& outcome, const Parts& parts,
                              std::vector<double>& wall_clock_s) {
  auto made = prepare_training(training_of(job.scenario, job.workload, outcome));
  if (!made) throw std::logic_error("a training run that was accepted is refused");
  const Training& t = **made;
  const std::vector<RunRecord> runs = parts.empty() ? run_training(t) : merge_training(t, parts);
  const TrainingSetup& setup = setup_of(t);
  if (static_cast<std::int64_t>(runs.size()) != setup.plan.runs)
    throw std::logic_error("parts of a training run are missing");
  Walls walls;
  walls.all = static_cast<std::int64_t>(runs.size());
  for (const RunRecord& r : runs) {
    wall_clock_s.push_back(seconds(r.wall));
    if (r.finished) walls.finished.push_back(seconds(r.wall));
  }
  std::sort(walls.finished.begin(), walls.finished.end());

  const TrainingBasics b = basics(t);
  const StepModel::State& state = setup.step.states.front();
  ordered_json out;
  out["runs"] = walls.all;
  out["finished"] = walls.finished.size();
  out["given_up_after_s"] = finite(b.give_up_s);
  out["nodes"] = setup.nodes;
  out["step"] = {{"mean_s", finite(b.step_s)}, {"sd_s", finite(std::sqrt(state.variance_s2))}};
  out["checkpoint"] = {
      {"interval_steps", b.interval_steps}, {"interval_s", finite(b.interval_s)}, {"write_s", b.write_s}};
  out["wall_clock_s"] = wall_clock(walls, b.failure_free_s);
  out["goodput"] = goodput(runs);
  out["spent"] = spent(runs);
  out["stops"] = stops(setup.plan, runs);
  out["finish"] = finish(setup.plan, walls);
  out["cost"] = cost(setup, walls);
  out["theory"] = theory(b);
  out["timeline"] = timeline(t);
  return out;
}

}  // namespace prism
