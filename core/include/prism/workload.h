// SPDX-License-Identifier: Apache-2.0
// From a scenario to stage programs: what each virtual stage does in each phase, as ordered segments of
// compute operators, each ended by at most one collective. No random numbers here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "prism/scenario.h"

namespace prism {

/// One operator in a program. An invocation takes scale_s * shape, shape drawn from
/// `Workload::shapes[shape]`.
struct Operator {
  std::string name;
  Kind kind = Kind::compute_other;
  double scale_s = 0;  ///< seconds; with a shape of median 1 this is the median latency
  int shape = 0;       ///< index into Workload::shapes
};

/// Whom a collective synchronises: the ranks that share all coordinates but one (tensor, context), those that
/// reduce one gradient (data: of all replicas and context ranks), the ranks that exchange tokens (expert) or
/// hold one set of shards (shard), the first and the last pipeline rank of one tensor rank and replica
/// (embedding: tied-embedding gradients), or all. Collectives inside a chunk are over tensor, context, expert
/// or shard.
enum class Group { none, tensor, context, expert, shard, data, embedding, world };
inline constexpr std::size_t group_count = 8;
inline bool is_inside_chunk(Group g) {
  return g == Group::tensor || g == Group::context || g == Group::expert || g == Group::shard;
}

/// Some compute operators on every rank, in order, then at most one collective: one duration for the whole
/// group, started when its last member has arrived.
struct Segment {
  std::vector<Operator> compute;
  bool has_collective = false;
  Operator collective;
  Group group = Group::none;
  /// Of a collective on a stream of its own, what it takes in all. It starts beside the compute that follows
  /// the one before it on that stream, and is waited for here; `collective` is what the medians leave of it.
  /// No seconds: it runs in the compute stream.
  Operator beside = {};
};

/// One virtual stage.
struct StageProgram {
  std::vector<Segment> forward, backward;
  std::vector<Segment>
      weight;  ///< gradients of the weights, where the schedule plays them apart; else in `backward`
  std::int64_t layers = 0;
  /// Collectives that reduce gradients on a stream of their own beside the last micro-batch, in order: no
  /// compute waits for them, only what follows the last backward. Empty: gradients are reduced there.
  std::vector<Segment> reductions = {};
  /// By reduction: operators of the pass that completes gradients, collectives included, that come first.
  std::vector<std::int32_t> complete_after = {};
  /// The pass that completes gradients.
  const std::vector<Segment>& gradients() const { return weight.empty() ? backward : weight; }
};

/// The transfer of activations (forward) or their gradients (backward) from one pipeline rank to the next.
struct Transfers {
  bool present = false;  ///< false: hops take no time
  Operator forward, backward;
};

/// What a pipeline rank does after its last backward, in order. Embedding collectives stand in the programs
/// of the first and the last rank (pp > 1), world collectives in every rank's, equally often and with the
/// same operator.
struct StepEnd {
  std::vector<std::vector<Segment>> rank;  ///< [pp]
};

/// Bytes that one GPU of a pipeline rank holds whatever the micro-batch.
struct RankMemory {
  double parameters = 0, gradients = 0, optimizer = 0;
  double working = 0;  ///< gathered parameters and what recomputation brings back, one layer at a time
};

struct Workload {
  std::int64_t tp = 1, pp = 1, dp = 1;  ///< tensor times context ranks of a stage, pipeline ranks, replicas
  std::int64_t virtual_stages = 1;      ///< v
  std::int64_t micro_batches = 1;       ///< m
  std::string schedule;
  // Who meets inside a chunk. A stage's ranks are counted tensor ranks first, then context ranks, then
  // replicas.
  std::int64_t context = 1;         ///< of the `tp` ranks, those that share a sequence
  std::int64_t expert_ranks = 1;    ///< consecutive ranks that exchange tokens
  std::int64_t shard_replicas = 1;  ///< consecutive replicas that share one set of parameters
  /// Replicas that the engine takes together, because they meet inside a chunk: their ranks count as `tp`
  /// ranks of one replica.
  std::int64_t folded = 1;
  std::vector<Distribution> shapes;   ///< [0] is the constant 1
  std::vector<double> shape_medians;  ///< with every factor at its median: not the median of a product
  std::vector<StageProgram> stages;   ///< [pp*v] in model order; stage s is on pipeline rank s mod pp
  Transfers transfers;
  StepEnd end;

  // Memory; empty without a model.
  std::vector<RankMemory> memory;         ///< [pp]
  std::vector<double> stage_activations;  ///< [pp*v]; bytes of one micro-batch kept from forward to backward
  double gpu_memory_bytes = 0;

  // What invocations share; the simulation draws it. Factors of scope operation are in the shapes.
  std::vector<Factor> causes;
  std::vector<Stall> stalls;
  std::vector<WhatIf> what_if;
  std::vector<std::string> silenced;  ///< targets on which no cause acts: they take its mean in their scale
  std::int64_t gpus_per_node = 8;
  RankOrder rank_order = RankOrder::tp_cp_dp_pp;
  /// Groups that leave a node, by Group; and transfers between pipeline neighbours.
  std::array<bool, group_count> group_leaves_node{};
  bool transfers_leave_node = false;
  bool leaves_node(Group group) const { return group_leaves_node[static_cast<std::size_t>(group)]; }

  // Accounting for MFU, HFU and tokens/s; 0 without a model.
  double tokens = 0;          ///< per step
  double model_flops = 0;     ///< per step, whole job: no recompute, causal attention counted half
  double hardware_flops = 0;  ///< per step, whole job: with recompute, what the kernels really do
  double peak_flops = 0;      ///< of all GPUs together, dense

  /// What the cost model chose, for people: {"tp all-reduce": "ring, intra-node, 450 GB/s"}.
  struct Note {
    std::string about, text;
  };
  std::vector<Note> notes;
};

/// Parameters of a model, embedding and head included.
double parameter_count(const Model& model);

/// Whether a factor, stall or what-if on `what` acts on operators of this kind. `leaves_node`: for
/// communication, whether its group, or transfer, spans nodes.
bool acts_on(std::string_view what, Kind kind, bool leaves_node);
/// The same for what is random: not on operators that are silenced.
bool varies_by(std::string_view what, const Workload& workload, Kind kind, bool leaves_node);

/// Both doors: a job description through the cost model (docs/cost-model.md), or the operator list as given.
/// The scenario is one that read_scenario accepts. Faults: layout rules of tensor parallelism and layers that
/// do not add up. Warnings: listed operators that the layout leaves without work.
Result<Workload> build_workload(const Scenario& scenario);

}  // namespace prism
