// SPDX-License-Identifier: Apache-2.0
// Monte Carlo over a compiled graph. The work is cut into units that depend on nothing but (scenario, seed,
// unit), so that any number of threads or workers gives the same bytes. No JSON here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/graph.h"
#include "prism/workload.h"

namespace prism {

class TableStore;

/// Trials of one unit of Phase::trials.
inline constexpr std::int64_t block_trials = 256;

/// Units of a phase may run in any order; Phase::pilot must be complete and learned before the others start.
/// Phase::check holds what puts the trials into perspective: the first ones again with every replica
/// simulated and, with causes that last a run, many steps of a few runs.
enum class Phase { pilot, trials, attribution, check };
inline constexpr int phase_count = 4;
/// Their words in the plan and in the WebAssembly calls, in the order of Phase.
inline constexpr std::array<std::string_view, phase_count> phase_names{"pilot", "trials", "attribution",
                                                                       "check"};

struct Simulation;  ///< everything prepared: compiled graph, tables, streams. Immutable but for learn().
struct SimulationDeleter {
  void operator()(Simulation* s) const;
};
using SimulationPtr = std::unique_ptr<Simulation, SimulationDeleter>;

/// Compiles schedule and tables. Faults: schedule rules, sizes beyond the limits. Warnings: reductions
/// outside the range in which they were measured, what-ifs that change nothing. `store` spares tables that
/// another scenario needed before.
Result<SimulationPtr> prepare_simulation(const Workload& workload, const Run& run,
                                         TableStore* store = nullptr);

std::int64_t unit_count(const Simulation& s, Phase phase);
/// Random draws of one unit: the measure of work, for estimates of time.
double unit_draws(const Simulation& s, Phase phase);
/// Little-endian bytes, to be given back in unit order.
std::vector<std::byte> run_unit(const Simulation& s, Phase phase, std::int64_t unit);
/// Takes the pilot's parts (all units, in order). Without pilot units there is nothing to learn.
void learn(Simulation& s, std::span<const std::vector<std::byte>> pilot_parts);

/// How the numbers were made.
struct EngineAccount {
  std::string path;                     ///< fast, exact or reference
  std::int64_t replicas = 0;            ///< data-parallel replicas
  std::int64_t replicas_simulated = 0;  ///< of them, simulated in every trial
  std::int64_t shortlist = 0;           ///< of them, played at their means to choose those; 0: all are alike
  double group_exponent = 0;    ///< of the power mean that stands for a group's lasting factors; 0: not used
  std::vector<double> what_if;  ///< what each what-if multiplies by
  bool varies = false;          ///< whether anything is random at all
  std::string sampling;    ///< "chunk": one convolved draw a chunk; "segment": one draw a segment; "rank"
  std::int64_t tasks = 0;  ///< chunks and transfers of one replica
};
EngineAccount account(const Simulation& s);

/// Median of every random quantity, in double precision, and where a rank's time goes.
struct Deterministic {
  double step_s = 0;
  struct Rank {
    double compute_s = 0, communication_s = 0, idle_s = 0;
  };
  std::vector<Rank> rank;               ///< [pp]; sums to step_s
  std::vector<double> alone_s;          ///< [pp]; when what a rank does before replicas meet ends
  std::vector<double> critical_path_s;  ///< [kind_count]; seconds of the critical path by kind
  double critical_path_wait_s = 0;      ///< seconds of the path in no operator (0 but for rounding)
};
const Deterministic& deterministic(const Simulation& s);
/// Its step_s alone (up to rounding), without the tables that only trials need: a millisecond at any number
/// of GPUs. With a factor among the what-ifs it takes the long way.
Result<double> median_step_s(const Workload& workload);
/// How many times longer that step is while the compute of one node takes `factor` times as long, on average
/// over the nodes; what-ifs do not count.
Result<double> slow_node_inflation(const Workload& workload, double factor);

/// One trial of Phase::attribution as the replica lived it that decided the step: chunk by chunk, on the
/// first line of every pipeline rank. Not for the reference engine, nor where attribution is too large.
struct StepTimeline {
  double step_s = 0;
  std::int64_t replica = 0;  ///< the first of those that meet inside chunks
  std::int64_t rank = 0;     ///< whose end of its own work decided when replicas could go on
  struct Chunk {
    double start_s, end_s;
    double communication_s;  ///< of it, in collectives
    double arrival_s;        ///< of the transfer that it waits for; 0: it waits for none
    double transfer_s;       ///< duration of the transfer that it sends
    bool critical;           ///< on the path that decided the step
  };
  std::vector<Chunk> chunk;     ///< [tasks of graph_of]
  std::vector<double> alone_s;  ///< [pp]; when what a rank does before replicas meet ends
};
StepTimeline step_timeline(const Simulation& s, std::int64_t trial);
/// Step times of the trials of these parts of Phase::attribution.
std::vector<double> attributed_steps(const Simulation& s, std::span<const std::vector<std::byte>> parts);
const Graph& graph_of(const Simulation& s);

/// Merged results. `trials` may be any prefix of the trial units.
struct Outcome {
  std::vector<double> step_s;            ///< [trials]
  std::int64_t decided_by_residual = 0;  ///< trials whose step time came from a replica not simulated
  // Attribution: per kind, mean seconds on the critical path and its standard error, over
  // `attribution_trials`.
  std::int64_t attribution_trials = 0;
  std::vector<double> critical_path_s, critical_path_se_s;
  std::vector<Deterministic::Rank> rank;  ///< mean seconds a pipeline rank spends
  // Check: the first trials again with every replica simulated.
  std::int64_t checked_trials = 0;
  double check_mean_difference = 0;  ///< mean of fast/exact - 1
  double check_standard_error = 0;
  double check_largest_difference = 0;
  // Runs: steps that share the draws which last a run, run by run. Empty without such causes.
  std::int64_t steps_a_run = 0;
  std::vector<double> run_step_s;
};
Outcome merge(const Simulation& s, std::span<const std::vector<std::byte>> trials,
              std::span<const std::vector<std::byte>> attribution,
              std::span<const std::vector<std::byte>> check);

}  // namespace prism
