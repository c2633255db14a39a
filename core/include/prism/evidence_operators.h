// SPDX-License-Identifier: Apache-2.0
// Operator traces: one row an operation of a training job with pipeline and data parallelism, as published
// with the what-if study arXiv 2505.05713. From the rows the job's dependency graph is rebuilt and replayed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/evidence.h"

namespace prism {

/// The types of operations, in the alphabetical order of their names in the file.
enum class OpType : std::uint8_t {
  backward_compute,
  backward_recv,
  backward_send,
  embedding_grads_all_reduce,
  forward_compute,
  forward_recv,
  forward_send,
  gc,
  grads_reduce_scatter,
  layernorm_grads_all_reduce,
  optimizer,
  optimizer_clip_main_grad,
  params_all_gather,
};
inline constexpr int op_types = 13;
std::string_view op_type_name(OpType type);
bool is_compute(OpType type);  ///< forward or backward compute
bool is_p2p(OpType type);      ///< one of the four send and receive types

/// An operation of every step: the `index`-th of its type on its worker, a worker being (replica, stage).
struct TraceOp {
  std::int32_t replica, stage;
  OpType type;
  std::int32_t index;
};

/// The rows as a table of operations by steps. Operations are in the order (replica, stage, type, index).
/// Times are seconds; a row of a table is one operation, [op * steps() + step].
struct OperatorTrace {
  int replicas = 0, stages = 0;
  std::vector<std::int64_t> step_numbers;  ///< ascending
  std::vector<TraceOp> ops;
  std::vector<std::int64_t>
      ranks;  ///< global rank of the recorded process of worker replica * stages + stage
  std::vector<double> start, duration;

  int steps() const { return static_cast<int>(step_numbers.size()); }
  int workers() const { return replicas * stages; }
  int worker(const TraceOp& op) const { return op.replica * stages + op.stage; }
  double start_at(std::size_t op, int step) const { return start[op * step_numbers.size() + step]; }
  double end_at(std::size_t op, int step) const {
    const std::size_t i = op * step_numbers.size() + step;
    return start[i] + duration[i];
  }
};

/// Reads rows as CSV with a header line, as an array of JSON objects, or as one JSON object a line.
/// Columns: dp_rank, stage, rank, step, optype, start_ts, duration (seconds), seq_id; mc, mb_id and gmc may
/// be there.
class OperatorTraceReader {
 public:
  OperatorTraceReader();
  ~OperatorTraceReader();
  OperatorTraceReader(OperatorTraceReader&&) noexcept;
  void feed(std::string_view piece);
  /// Call once. Refused: columns missing, no complete step, virtual stages, workers missing.
  Result<OperatorTrace> finish();
  const Account& account() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Dependencies of one step. Operations that start together form a unit, and units are in an order in which
/// every predecessor comes first. An operation launches `gap` after the latest end of its predecessors (at 0
/// without any), a unit starts at the latest launch of its members, and each member ends its own time after
/// that.
struct ReplayGraph {
  std::vector<std::int32_t> unit_begin;    ///< into members; one more than units
  std::vector<std::int32_t> members;       ///< operations, by unit
  std::vector<std::int32_t> before_begin;  ///< into before, by operation; one more than operations
  std::vector<std::int32_t> before;        ///< predecessors
};
/// As published: per worker one chain of computes and one of each kind of send and receive; sends do not hold
/// up the next compute.
Result<ReplayGraph> what_if_graph(const OperatorTrace& trace);
/// As the traces show it: every worker does one thing after the other, operations posted together side by
/// side.
Result<ReplayGraph> serial_graph(const OperatorTrace& trace);

/// Step times of `lanes` replays at once; time and gap are [op * lanes + lane], gap may be empty. With `end`,
/// the end of every operation is kept there.
std::vector<double> replay(const ReplayGraph& graph, std::span<const double> time,
                           std::span<const double> gap, int lanes, std::vector<double>* end = nullptr);

/// Transfer, not waiting: own end minus the latest start over the operations that start together; the own
/// duration of operations that stand alone. Below -10 ms it counts as 0; smaller negative ones are clock
/// error and stay.
std::vector<double> transfer_times(const OperatorTrace& trace, const ReplayGraph& graph);
/// Per operation and step: start minus the latest end of its predecessors, not below 0. With `known_waiting`,
/// waiting for the last backward of any worker is not counted before the layernorm all-reduce.
std::vector<double> launch_gaps(const OperatorTrace& trace, const ReplayGraph& serial, bool known_waiting);
/// One value a type over all stages, replicas and steps: the mean for compute, optimizer and gc; the median
/// for communication. NaN for types that do not occur.
std::array<double, op_types> ideal_times(const OperatorTrace& trace, std::span<const double> time);
/// Latest end minus earliest start of each step.
std::vector<double> measured_step_times(const OperatorTrace& trace);

/// A slow-down by group: every operation at its ideal time but those of the group. Ratio of mean step times,
/// and of the step times one by one.
struct GroupSlowdown {
  std::string group;
  double mean;
  std::vector<double> per_step;
};
/// How much of a slow-down goes away when a group is ideal (`removed`), and how much of it the group alone
/// makes
/// (`alone`): M_S for the last stage, M_W for the slowest workers (arXiv 2505.05713, section 4).
struct GroupShare {
  double removed_s, alone_s;  ///< mean step times
  double removed, alone;      ///< shares of measured minus ideal
};
struct ReplayWhatIf {
  std::vector<double> measured, replayed;  ///< by step, seconds; replayed: no launch gaps
  double ideal;
  double slowdown, launch_slowdown;  ///< replayed / ideal, measured / replayed; of means
  std::vector<double> step_slowdown, step_launch_slowdown;
  /// Empty where the slow-down is below 1.03: there is nothing to explain.
  std::vector<GroupSlowdown> by_type, by_stage, by_replica;
  GroupShare last_stage, slowest_workers;
  std::vector<int> slowest;  ///< workers
  std::array<double, op_types> ideal_time;
};
Result<ReplayWhatIf> what_if(const OperatorTrace& trace);

/// The trace with the compute of one worker replaced by `factor` times that of `source` (the same worker to
/// slow it down, another one of its stage to heal it).
OperatorTrace with_compute_of(const OperatorTrace& trace, int worker, int source, double forward_factor,
                              double backward_factor);
/// Ratio of a worker's mean compute to the median over the other replicas of its stage, forward and backward.
struct ComputeFactors {
  double forward, backward;
};
ComputeFactors compute_factors(const OperatorTrace& trace, int worker);

}  // namespace prism
