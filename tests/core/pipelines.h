// SPDX-License-Identifier: Apache-2.0
// Small workloads built by hand, and the shortest way to run one.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "prism/simulation.h"

namespace prism::test {

inline Distribution distribution(std::string_view family, std::initializer_list<std::string_view> names,
                                 std::initializer_list<double> values) {
  const Family* f = find_family(family);
  if (!f) throw std::runtime_error("no family " + std::string(family));
  for (const ParameterSet& set : f->sets) {
    if (set.parameters.size() != names.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < names.size(); ++i) same = same && set.parameters[i].name == names.begin()[i];
    if (!same) continue;
    auto made = set.make(std::span<const double>(values.begin(), values.size()));
    if (auto* fault = std::get_if<ParameterFault>(&made)) throw std::runtime_error(fault->message);
    return std::get<Distribution>(made);
  }
  throw std::runtime_error("no such parameters of " + std::string(family));
}

inline Distribution constant(double value) { return distribution("constant", {"value"}, {value}); }
inline Distribution lognormal(double median, double cv) {
  return distribution("lognormal", {"median", "cv"}, {median, cv});
}
inline Distribution normal(double mean, double cv) {
  return distribution("normal", {"mean", "cv"}, {mean, cv});
}

/// Workloads whose operators carry their own latency as a shape, scale 1.
class Pipeline {
 public:
  Pipeline(std::int64_t tp, std::int64_t pp, std::int64_t dp, std::int64_t m, std::string schedule = "1f1b",
           std::int64_t v = 1) {
    w.tp = tp;
    w.pp = pp;
    w.dp = dp;
    w.micro_batches = m;
    w.virtual_stages = v;
    w.schedule = std::move(schedule);
    w.shapes.push_back(constant(1));
    w.shape_medians.push_back(1);
    w.stages.resize(static_cast<std::size_t>(pp * v));
    w.end.rank.resize(static_cast<std::size_t>(pp));
  }

  Operator op(Kind kind, const Distribution& latency, double scale = 1) {
    w.shapes.push_back(latency);
    w.shape_medians.push_back(latency.median());
    return {std::string(kind_name(kind)), kind, scale, static_cast<int>(w.shapes.size() - 1)};
  }
  static Operator fixed(double seconds, Kind kind = Kind::compute_other) {
    return {std::string(kind_name(kind)), kind, seconds, 0};
  }
  static Segment compute(std::vector<Operator> ops) { return {std::move(ops), false, {}, Group::none}; }
  static Segment collective(std::vector<Operator> ops, Operator c, Group group = Group::tensor) {
    return {std::move(ops), true, std::move(c), group};
  }
  /// The same forward and backward on every stage.
  Pipeline& every_stage(std::vector<Segment> forward, std::vector<Segment> backward) {
    for (StageProgram& s : w.stages) {
      s.forward = forward;
      s.backward = backward;
    }
    return *this;
  }
  Pipeline& at_end(std::vector<Segment> segments) {
    for (auto& rank : w.end.rank) rank = segments;
    return *this;
  }
  Pipeline& hops(Operator forward, Operator backward) {
    w.transfers = {true, std::move(forward), std::move(backward)};
    return *this;
  }

  Workload w;
};

struct RunOutcome {
  Outcome outcome;
  EngineAccount account;
  Deterministic deterministic;
};

/// All phases but the check.
inline RunOutcome run(const Workload& workload, std::int64_t trials, std::uint64_t seed,
                      const std::string& engine = "fast", std::int64_t attribution = 0) {
  Run r;
  r.trials = trials;
  r.seed = seed;
  r.engine = engine;
  r.attribution_trials = attribution;
  auto made = prepare_simulation(workload, r);
  if (!made) throw std::runtime_error(made.diagnostics.at(0).message);
  Simulation& s = **made;
  auto play = [&](Phase phase) {
    std::vector<std::vector<std::byte>> parts;
    for (std::int64_t unit = 0; unit < unit_count(s, phase); ++unit)
      parts.push_back(run_unit(s, phase, unit));
    return parts;
  };
  learn(s, play(Phase::pilot));
  return {merge(s, play(Phase::trials), play(Phase::attribution), {}), account(s), deterministic(s)};
}

inline double deterministic_step_s(const Workload& workload) {
  return run(workload, 1, 1).deterministic.step_s;
}

}  // namespace prism::test
