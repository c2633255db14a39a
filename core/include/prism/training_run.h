// SPDX-License-Identifier: Apache-2.0
// From the step to the run: failures, checkpoints, spares, and where the wall-clock time goes. A renewal
// simulation whose runs depend on nothing but (setup, seed, run), so that any number of threads or workers
// gives the same bytes. How a step is computed is not known here: the step model below is all that crosses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/diagnostic.h"
#include "prism/training_plan.h"

namespace prism {

/// What the run needs to know of the step: the seam between the two.
struct StepModel {
  /// A spell of steps with one law. Spells last a geometric number of steps; the next state is another one,
  /// with probability in proportion to its weight.
  struct State {
    double mean_s = 0, variance_s2 = 0;
    double dwell_steps = 0;  ///< mean length of a spell; 0 with a single state
    double weight = 1;
  };
  std::vector<State> states;
  /// Rare delays that a mean and a variance do not describe, added on top of the states.
  struct TailEvents {
    double per_step = 0;          ///< Poisson
    std::vector<double> delay_s;  ///< quantiles at equal distances, 0 to 1; linear between; at least 2
  };
  std::vector<TailEvents> tails;
  /// Lasting causes: quantiles at equal distances, 0 to 1, of a run's own mean over the mean of all runs.
  std::vector<double> between_runs = {1, 1};
  /// How much longer a step takes while one node is slow. Empty: as much longer as the node (no step suffers
  /// more).
  struct SlowNode {
    double severity, inflation;
  };
  std::vector<SlowNode> slow_node;  ///< by increasing severity, linear between, from (1, 1)

  double mean_s() const;  ///< long-run mean of a step, tail events included, of a run with factor 1
};
/// One state with the mean and variance of simulated steps, which are independent of each other.
/// `run_step_s`: steps of runs played for themselves, `steps_a_run` each, if something lasts as long as a
/// run: then the variance is that within a run, and the runs' means differ as these do beyond what so few
/// steps of each make them differ.
StepModel step_model_of(std::span<const double> step_s, std::span<const double> run_step_s = {},
                        std::size_t steps_a_run = 0);

/// Everything a simulated run depends on.
struct TrainingSetup {
  TrainingPlan plan;
  StepModel step;
  std::int64_t nodes = 1, gpus = 1, replicas = 1;
  std::uint64_t seed = 1;
};

/// Where a nanosecond of wall-clock time goes. They add up to the wall-clock time of the run, exactly.
enum class Spent {
  productive,  ///< steps that count in the end, at the speed of a healthy job
  checkpoint,  ///< training waits for a write
  lost_work,   ///< steps done and done again
  detection,
  restart,
  no_spare,   ///< waiting for a node to come back from repair
  fail_slow,  ///< what steps took longer because of a slow node
  reduced,    ///< the same because of replicas that are out (elastic)
  warm_up,    ///< what the first steps after a start took longer
  preempted,
  maintenance,
  first_start,
};
inline constexpr int spent_count = 12;
inline constexpr std::array<std::string_view, spent_count> spent_names{
    "productive", "checkpoint", "lost_work", "detection", "restart",     "no_spare",
    "fail_slow",  "reduced",    "warm_up",   "preempted", "maintenance", "first_start"};

using Nanoseconds = std::int64_t;
inline constexpr double ns_per_s = 1e9;

/// What stopped the job: the plan's causes in order, then these.
inline constexpr std::array<std::string_view, 3> other_stops{"fail slow", "pre-emption", "maintenance"};

/// One simulated run.
struct RunRecord {
  bool finished = true;  ///< false: given up; the times then are those until that moment
  Nanoseconds wall = 0;
  std::array<Nanoseconds, spent_count> spent{};
  struct Stop {
    std::int64_t count = 0;
    Nanoseconds lost = 0;  ///< lost work, detection, restart, waiting and absence that it caused
  };
  std::vector<Stop> stops;  ///< [causes + other_stops]
  double goodput() const {  ///< effective training time ratio
    return wall > 0 ? static_cast<double>(spent[0]) / static_cast<double>(wall) : 1;
  }
};

struct Training;  ///< a setup made ready. Immutable.
struct TrainingDeleter {
  void operator()(Training* t) const;
};
using TrainingPtr = std::unique_ptr<Training, TrainingDeleter>;
/// Fault: steps of no time. Warnings: writes longer than their interval, recoveries longer than the time
/// between failures, no spare and a long repair, a run that can hardly end.
Result<TrainingPtr> prepare_training(TrainingSetup setup);
/// Segments and failures to expect in all runs together.
double training_work(const Training& t);
/// More than this a scenario must not ask for: half a minute of one core.
inline constexpr double max_training_work = 5e8;
/// A run is given up after so many failures, whatever its time: it will hardly end.
inline constexpr std::int64_t most_failures = 100'000;

/// Runs of one unit.
inline constexpr std::int64_t training_unit_runs = 32;
std::int64_t training_units(const Training& t);
/// Little-endian 64-bit words, to be given back in unit order.
std::vector<std::byte> run_training_unit(const Training& t, std::int64_t unit);
std::vector<RunRecord> merge_training(const Training& t, std::span<const std::vector<std::byte>> parts);
/// All units in order, for callers without threads.
std::vector<RunRecord> run_training(const Training& t);

/// A stretch of one run, for drawing: blocking checkpoints are left inside the running stretches.
struct Stretch {
  Nanoseconds begin, end;
  Spent spent;  ///< productive: computing, though the work may be lost later
  int stop;     ///< index into RunRecord::stops of what caused it; -1 while running
};
/// The first `most` stretches of one run.
std::vector<Stretch> training_timeline(const Training& t, std::int64_t run, std::size_t most);

/// What follows from setup and step model without simulation.
struct TrainingBasics {
  double step_s = 0;                ///< mean
  std::int64_t interval_steps = 0;  ///< of the tier that survives everything
  double interval_s = 0;
  double write_s = 0;
  double failures_per_s = 0;  ///< all causes
  double recovery_s = 0;      ///< detection + restart, mean over failures
  double failure_free_s = 0;  ///< steps and checkpoint writes
  double give_up_s = 0;
};
TrainingBasics basics(const Training& t);
const TrainingSetup& setup_of(const Training& t);

// ---- Formulas
// ----------------------------------------------------------------------------------------------- M: mean
// time between failures of the job (memoryless); w: blocking write; u: detection + restart; dt: interval of
// useful work. All seconds.

/// J. W. Young, CACM 17 (1974) 530: sqrt(2 w M). For w much smaller than M.
double young_interval(double w, double M);
/// J. T. Daly, Future Generation Computer Systems 22 (2006) 303, first order: sqrt(2 w M) - w; 0 where
/// negative.
double daly_first_interval(double w, double M);
/// The same paper, higher order: sqrt(2 w M) (1 + sqrt(w / 2M) / 3 + (w / 2M) / 9) - w for w < 2 M, else M.
double daly_interval(double w, double M);
/// The minimum of daly_wall: dt with e^((dt + w) / M) (1 - dt / M) = 1, by bisection. Exact for memoryless
/// failures.
double best_interval(double w, double M);
/// Daly 2006, expected wall-clock: M e^(u/M) (e^((dt + w)/M) - 1) T / dt for useful work T in whole
/// intervals, each followed by a write. Exact for memoryless failures that strike also during writes and
/// recovery. May be infinite.
double daly_wall(double work, double dt, double w, double u, double M);
/// Share of useful time by the same model: dt / (M e^(u/M) (e^((dt + w)/M) - 1)).
double exact_goodput(double dt, double w, double u, double M);
/// arXiv 2410.21680: (1 - (u + dt/2) / M) / (1 + w / dt), to first order in u/M and dt/M; 0 where negative.
/// Lower than the exact one: it charges every failure with the full u and dt/2, as if no two fell into one
/// interval or recovery.
double linear_goodput(double dt, double w, double u, double M);

// ---- Studies
// ------------------------------------------------------------------------------------------------

/// A point of a curve over one number, all on the same noise.
struct CurvePoint {
  double x = 0;
  double mean_wall_s = 0, standard_error_s = 0, p50_s = 0, p95_s = 0;
  double goodput = 0;
  double finished = 1;  ///< share of the runs
};
CurvePoint curve_point(double x, std::span<const RunRecord> runs);

struct LatestStart {
  double before_s = 0;           ///< start so long before the deadline: the q-quantile of the wall-clock time
  double low_s = 0, high_s = 0;  ///< 95 % interval from order statistics
  bool low_known = true, high_known = true;
  double point_estimate_s = 0;  ///< failure-free
  bool exists = true;           ///< false: fewer than q of the runs ever finish
};
LatestStart latest_start(const Training& t, std::span<const RunRecord> runs, double q);

/// One of the setups that a study compares.
struct Candidate {
  double x;
  TrainingSetup setup;
};
/// Its runs, reduced to what curves and answers are made of. Studies can be spread over workers by
/// candidates.
struct PlayedCandidate {
  CurvePoint curve;
  std::int64_t runs = 0, in_time = 0;  ///< in time: finished within the time asked for
  double failure_free_s = 0;
  LatestStart latest;
};
struct CheckpointCurve {
  std::vector<CurvePoint> points;  ///< x: interval, seconds of steps
  double best_s = 0;               ///< least mean wall-clock, from a smooth curve through the points
  double young_s = 0, daly_first_s = 0, daly_s = 0, exact_s = 0;
};
/// How a study runs a training: on one thread, or as the caller likes.
using TrainingRunner = std::function<std::vector<RunRecord>(const Training&)>;
Result<PlayedCandidate> play_candidate(const Candidate& candidate, double within_s, double q,
                                       const TrainingRunner& run = run_training);
/// Intervals from a quarter to four times the best one for memoryless failures, in whole steps.
Result<std::vector<Candidate>> interval_candidates(const TrainingSetup& setup);
Result<CheckpointCurve> checkpoint_curve_of(const TrainingSetup& setup,
                                            std::span<const PlayedCandidate> played);
/// All intervals played and the curve through them.
Result<CheckpointCurve> checkpoint_curve(const TrainingSetup& setup,
                                         const TrainingRunner& run = run_training);

struct Chance {
  double x = 0;              ///< spares, GPUs
  double probability = 0;    ///< of finishing in time
  double low = 0, high = 0;  ///< 95 % interval (Clopper-Pearson)
  double mean_wall_s = 0, p95_s = 0, goodput = 0;
  double finished = 1;  ///< share of the runs; below 1 the mean and the p95 are at least those given
};
struct Capacity {
  std::vector<Chance> candidates;  ///< in the order given
  // Index into candidates; -1: none. `answer`: the first with probability >= q. `surely`: the first whose
  // interval lies at or above q; `perhaps`: the first whose interval reaches q. The true answer is between
  // the two.
  int answer = -1, perhaps = -1, surely = -1;
  int point_estimate = -1;  ///< the first whose failure-free time, every step at its mean, is in time
};
/// The first candidate with P(wall-clock <= within) >= q. Candidates come from small to large.
Capacity capacity_of(std::span<const PlayedCandidate> played, double within_s, double q);
Result<Capacity> capacity(std::span<const Candidate> candidates, double within_s, double q,
                          const TrainingRunner& run = run_training);
/// Candidates with 0 ... most spare nodes; none without a plan for spares.
std::vector<Candidate> spare_candidates(const TrainingSetup& setup, std::int64_t most);

struct ScheduledRun {
  double deadline_s = 0;       ///< from now
  std::vector<double> wall_s;  ///< simulated alone; sample i of all belong together
  std::vector<bool> finished;  ///< false: given up after wall_s
};
/// A share of the samples with its 95 % interval (Clopper-Pearson).
struct Share {
  double probability = 0, low = 0, high = 1;
};
/// A run at its place in an order. Quantiles count a sample that was given up with the time until then.
struct ScheduledPlace {
  int run = 0;                              ///< index
  double p50_start_s = 0, p95_start_s = 0;  ///< when the run before it ends
  double mean_finish_s = 0, p50_finish_s = 0, p95_finish_s = 0;
  double finished = 1;  ///< share of the samples in which it and all before it finish
  Share met;            ///< its deadline
};
struct RunOrder {
  std::vector<ScheduledPlace> places;  ///< first to last
  Share all_met;
};
/// One after the other on one cluster; first the one that must start earliest: its deadline less its own mean
/// or p95.
enum class ScheduleBy { mean, p95 };
RunOrder schedule(std::span<const ScheduledRun> runs, ScheduleBy by);

}  // namespace prism
