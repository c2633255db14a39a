// SPDX-License-Identifier: Apache-2.0
#include "workload/step_end.h"

#include "workload/parameters.h"
#include "workload/program.h"
#include "workload/text.h"

namespace prism::workload {
namespace {

// Updated parameters travel in 16 bits.
constexpr double parameter_bytes = 2;

/// What the ranks that hold one set of parameters do with its gradients and parameters.
struct Exchange {
  Placement all, shard, replicas;  ///< all who reduce it; ZeRO's share; those who hold one share
  const char *reduce, *scatter, *between, *gather;
};

/// How a scenario ends its step: what is exchanged by whom, and which part of it happens here.
class StepEnd {
 public:
  StepEnd(const Scenario& scenario, const Network& network)
      : model_(*scenario.model),
        parallel_(scenario.parallel),
        cost_(scenario.cost_model),
        gpu_(scenario.cluster.gpu),
        network_(network),
        plain_{network.data,
               network.shard,
               network.replicas,
               "gradient all-reduce",
               "gradient reduce-scatter",
               "gradient all-reduce between shards",
               "parameter all-gather"},
        experts_{network.expert_data,
                 network.expert_data,
                 Placement{},
                 "expert gradient all-reduce",
                 "expert gradient reduce-scatter",
                 "",
                 "expert parameter all-gather"} {
    // In the layers themselves: gathers and reductions of each micro-batch.
    const bool each = parallel_.gather == Gather::per_micro_batch;
    scatters_ = parallel_.zero == 1 || (parallel_.zero >= 2 && !each);
    gathers_ = parallel_.zero >= 1 && !(parallel_.zero == 3 && each);
    sharded_ = parallel_.zero >= 1 && network.shard.size > 1;
  }

  /// What a rank does. `gradients` receives how the largest collective of its gradients runs.
  Program program(const Parameters& held, bool first_or_last, CommunicationTime& gradients) const {
    Program program;
    before_reduction(program, held, first_or_last);
    const double common = held.plain + held.norms;
    if (!parallel_.overlap_grad_reduce) gradients = reduce(program, held, 1 - cost_.dp_overlap);
    if (parallel_.world() > 1)
      program.collective(
          {"gradient norm for clipping", Kind::all_reduce, network_.all_reduce(network_.world, 4).seconds},
          Group::world);
    program.compute({"optimizer", Kind::optimizer, optimizer_s(held)});
    gather(program, plain_, common);
    if (held.experts > 0) gather(program, experts_, held.experts);
    return program;
  }

  /// So much of each collective counts. Returns how the largest of plain gradients runs.
  CommunicationTime reduce(Program& program, const Parameters& held, double share) const {
    CommunicationTime main = reduce(program, plain_, held.plain + held.norms, share);
    if (held.experts > 0) reduce(program, experts_, held.experts, share);
    return main;
  }

  std::string gradients_note() const {
    return sharded_ && scatters_ ? "gradient reduce-scatter" : "gradient all-reduce";
  }

 private:
  /// Gradients that tensor ranks, or the first and the last pipeline rank, hold in common.
  void before_reduction(Program& program, const Parameters& held, bool first_or_last) const {
    if (parallel_.sequence_parallel && parallel_.tp > 1) {
      const double bytes = cost_.gradient_bytes * held.norms;
      program.collective(
          {"layer-norm gradients", Kind::all_reduce, network_.all_reduce(network_.tensor, bytes).seconds},
          Group::tensor);
    }
    if (model_.tied_embeddings && parallel_.pp > 1 && first_or_last) {
      const double bytes = cost_.gradient_bytes * embedding_parameters(model_, parallel_.tp);
      program.collective({"tied-embedding gradients", Kind::all_reduce,
                          network_.all_reduce(network_.first_and_last, bytes).seconds},
                         Group::embedding);
    }
  }

  /// Returns how the largest of the collectives runs.
  CommunicationTime reduce(Program& program, const Exchange& e, double parameters, double share) const {
    const double bytes = cost_.gradient_bytes * parameters;
    CommunicationTime main;
    const auto add = [&](const char* name, Kind kind, const CommunicationTime& time) {
      program.collective({name, kind, share * time.seconds}, Group::data);
      if (time.seconds > main.seconds) main = time;
    };
    if (!sharded_) {
      if (e.all.size > 1) add(e.reduce, Kind::all_reduce, network_.all_reduce(e.all, bytes));
      return main;
    }
    if (scatters_ && e.shard.size > 1)
      add(e.scatter, Kind::reduce_scatter, network_.gather_or_scatter(e.shard, bytes));
    if (e.replicas.size > 1)
      add(e.between, Kind::all_reduce,
          network_.all_reduce(e.replicas, bytes / static_cast<double>(e.shard.size)));
    return main;
  }

  void gather(Program& program, const Exchange& e, double parameters) const {
    if (!sharded_ || !gathers_ || e.shard.size < 2) return;
    const CommunicationTime time = network_.gather_or_scatter(e.shard, parameter_bytes * parameters);
    program.collective({e.gather, Kind::all_gather, (1 - cost_.dp_overlap) * time.seconds}, Group::data);
  }

  double optimizer_s(const Parameters& held) const {
    const auto share = [&](const Placement& group) {
      return sharded_ ? static_cast<double>(group.size) : 1.0;
    };
    const double updated =
        (held.plain + held.norms) / share(network_.shard) + held.experts / share(network_.expert_data);
    return cost_.compute_scale * cost_.optimizer_bytes * updated /
           (gpu_.memory_bytes_per_s * cost_.memory_efficiency);
  }

  const Model& model_;
  const Parallel& parallel_;
  const CostModel& cost_;
  const Gpu& gpu_;
  const Network& network_;
  const Exchange plain_, experts_;
  bool scatters_ = false, gathers_ = false, sharded_ = false;
};

}  // namespace

void append_reductions(StageProgram& stage, const Scenario& scenario, const Network& network,
                       const Parameters& held) {
  if (held.all() == 0) return;
  Program program;
  StepEnd(scenario, network).reduce(program, held, 1);
  for (Segment& s : std::move(program).take()) stage.reductions.push_back(std::move(s));
}

std::vector<std::vector<Segment>> step_end_programs(const Scenario& scenario, const Network& network,
                                                    std::vector<Workload::Note>& notes) {
  const CostModel& cost = scenario.cost_model;
  const StepEnd end(scenario, network);
  const std::vector<Parameters> held = parameters_held(*scenario.model, scenario.parallel);
  std::vector<std::vector<Segment>> programs;
  double largest = -1;
  std::string gradients_how;
  for (std::size_t rank = 0; rank < held.size(); ++rank) {
    CommunicationTime how;
    programs.push_back(end.program(held[rank], rank == 0 || rank + 1 == held.size(), how).take());
    const double common = held[rank].plain + held[rank].norms;
    if (common > largest && how.seconds > 0) {
      largest = common;
      gradients_how =
          bytes_text(cost.gradient_bytes * common) + " by " + how.how + ": " + seconds_text(how.seconds);
    }
  }
  if (largest > 0) notes.push_back({end.gradients_note(), "largest rank: " + gradients_how});
  const bool beside = scenario.parallel.overlap_grad_reduce;
  if (beside && (network.data.size > 1 || network.expert_data.size > 1))
    notes.push_back({end.gradients_note(), "bucket by bucket beside the last backward pass"});
  if (network.data.size > 1 && cost.dp_overlap > 0 && !(beside && scenario.parallel.zero == 0))
    notes.push_back(
        {"data-parallel overlap", number_text(100 * cost.dp_overlap) + " % of " +
                                      (beside ? "the parameter all-gather" : "data-parallel communication") +
                                      " is taken as hidden; the rest counts"});
  return programs;
}

}  // namespace prism::workload
