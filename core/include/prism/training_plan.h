// SPDX-License-Identifier: Apache-2.0
// What a user says about a whole training run ("training_run" in JSON), as plain data: seconds, nodes, days.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// One kind of failure that stops the job. Failures of a cause are a Poisson process in wall-clock time.
struct FailureCause {
  std::string name;
  double per_1000_node_days = 0;  ///< grows with the job
  double per_day = 0;             ///< of the whole job, whatever its size; added to the above
  double detection_s = 0;         ///< until somebody knows that the job stands still
  double restart_s = 0;           ///< until it computes again, from detection
  double replacement = 0;         ///< probability that a node goes to repair and another takes its place
};

/// A place to which checkpoints are written.
struct CheckpointTier {
  enum class Every { steps, time, best };
  Every every = Every::best;  ///< best: the interval that is optimal for memoryless failures
  std::int64_t every_steps = 0;
  double every_s = 0;       ///< rounded to whole steps, at least one
  double write_s = 0;       ///< training waits
  double background_s = 0;  ///< after that, training goes on; the checkpoint counts once this is over
  double survives = 1;      ///< probability that a failure leaves this tier readable
};

struct Spares {
  std::int64_t nodes = 0;   ///< waiting beside the job
  double repair_s = 0;      ///< mean
  bool exponential = true;  ///< law of the repair time; otherwise it is constant
  std::int64_t crews = 0;   ///< repairs that run at a time; 0: all
};

struct Preemption {
  double per_day = 0;  ///< of the whole job
  double away_s = 0;   ///< mean; exponential
  double restart_s = 0;
  bool checkpoint_first = true;  ///< notice is long enough to write a checkpoint
};

struct Maintenance {
  double every_s = 0;  ///< from start to start; announced, so a checkpoint is written first
  double lasting_s = 0;
  double restart_s = 0;
};

struct FailSlow {
  double per_1000_node_days = 0;
  double severity = 1;  ///< the node takes this many times as long
  double notice_s = 0;  ///< until it is noticed; or, without eviction, until it recovers
  bool evict = true;    ///< checkpoint, restart without the node, node to repair
  double restart_s = 0;
};

/// Going on without the replica that lost a node.
struct Elastic {
  double reconfigure_s = 0;            ///< all stand still, after detection
  std::int64_t most_replicas_out = 1;  ///< beyond that the whole job restarts from a checkpoint
};

struct WarmUp {
  std::int64_t steps = 0;  ///< after every start
  double factor = 1;       ///< such a step takes this many times as long
};

struct Cost {
  double per_gpu_hour = 0;
  std::string currency;
  double power_w_per_gpu = 0;  ///< of the whole site, per GPU
  double per_kwh = 0;          ///< same currency; 0 where the hourly price includes energy
};

struct TrainingPlan {
  std::int64_t steps = 0;
  std::int64_t runs = 1000;  ///< simulated runs
  double first_start_s = 0;
  std::vector<FailureCause> causes;
  bool failures_during_recovery = true;  ///< one that strikes then starts recovery again from detection
  std::vector<CheckpointTier> tiers;     ///< 1 or 2, the one that survives everything last
  bool last_checkpoint = false;          ///< whether the run ends with a checkpoint
  std::optional<Spares> spares;          ///< none: a replacement is always at hand
  std::optional<Preemption> preemption;
  std::optional<Maintenance> maintenance;
  std::optional<FailSlow> fail_slow;
  std::optional<Elastic> elastic;
  WarmUp warm_up;
  std::optional<Cost> cost;
  std::string start;                    ///< "2026-01-31" or "2026-01-31T09:00", UTC; may be empty
  std::vector<double> finish_within_s;  ///< asked: P(wall-clock <= x)
  double give_up_times = 10;  ///< a run that takes so many failure-free times counts as never finished
};

}  // namespace prism
