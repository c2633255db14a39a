// SPDX-License-Identifier: Apache-2.0
// Questions about a training run that take several setups (docs/training-run.md): how often to write
// checkpoints, how many spares, how many GPUs, in which order several runs. Spread over threads or workers by
// candidate; any number of them gives the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prism/report.h"

namespace prism {

enum class PlanningKind { checkpoint, spares, capacity, schedule };
inline constexpr std::array<std::string_view, 4> planning_names{"checkpoint", "spares", "capacity",
                                                                "schedule"};

/// One of the runs that share a cluster.
struct PlannedRun {
  std::string scenario;
  std::string name;  ///< instead of the scenario's title
  double deadline_days = 0;
};

struct PlanningQuestion {
  PlanningKind kind = PlanningKind::checkpoint;
  double within_days = 0;              ///< spares and capacity: in how many days the run must be finished
  double probability = 0.95;           ///< of finishing in time that is asked for
  std::int64_t most = 32;              ///< spares: the largest number tried
  std::vector<std::int64_t> replicas;  ///< capacity: data-parallel sizes; none: what divides the batch, up to
                                       ///< 4 times the scenario's
  std::vector<PlannedRun> runs;        ///< schedule
};

/// A scenario with its question, its step simulated unless the question changes it.
struct Planning {
  PlanningQuestion question;
  std::string title, resolved;
  TrainingSetup setup;                 ///< the scenario's own; capacity simulates a step for each size
  std::vector<Candidate> candidates;   ///< checkpoint and spares
  std::vector<std::string> scenarios;  ///< capacity: of each size, from small to large; schedule: of each run
  std::vector<TrainingSetup> setups;   ///< schedule: of each run, without its step
  std::optional<std::size_t> own;      ///< capacity: which of them is the scenario's own size
  bool least_size = false;             ///< capacity: one replica is among them, and fewer there are not
  struct LeftOut {
    std::int64_t dp = 0;
    std::string why;
  };
  std::vector<LeftOut> left_out;     ///< capacity: sizes that the layout or the batch cannot have
  std::vector<Diagnostic> warnings;  ///< of the scenarios; checkpoint and spares: of the training run too
};

/// Whether this question is one of these, not one of StudyPlan's.
bool is_planning_question(std::string_view question);
/// How the step of a scenario is simulated: here on one thread; the program has its own way.
using StepRunner = std::function<TrainingSetup(Job&)>;
TrainingSetup simulate_step(Job& job);
/// A schedule's runs bring their own scenarios: `scenario` is not read.
Result<Planning> plan_planning(std::string_view scenario, std::string_view question,
                               const StepRunner& step = simulate_step);
std::size_t planning_units(const Planning& planning);
std::vector<std::byte> run_planning_unit(const Planning& planning, std::size_t unit);

/// {"study", "units": [{"name", "work"}], "notes"}
std::string planning_plan_json(const Planning& planning);
/// The whole answer. `parts`: of all units, in their order.
std::string planning_json(const Planning& planning, const Parts& parts);

}  // namespace prism
