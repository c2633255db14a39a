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
  const Placement *all, *shard, *replicas;  ///< all who reduce it; ZeRO's share; those who hold one share
  const char *reduce, *scatter, *between, *gather;
};

}  // namespace

std::vector<std::vector<Segment>> step_end_programs(const Scenario& scenario, const Network& network,
                                                    std::vector<Workload::Note>& notes) {
  const Parallel& parallel = scenario.parallel;
  const CostModel& cost = scenario.cost_model;
  const Gpu& gpu = scenario.cluster.gpu;
  const double exposed = 1 - cost.dp_overlap;
  // In the layers themselves: gathers and reductions of each micro-batch.
  const bool each = parallel.gather == Gather::per_micro_batch;
  const bool scatters = parallel.zero == 1 || (parallel.zero >= 2 && !each);
  const bool gathers = parallel.zero >= 1 && !(parallel.zero == 3 && each);
  const bool sharded = parallel.zero >= 1 && network.shard.size > 1;
  const bool tied_exchange = scenario.model->tied_embeddings && parallel.pp > 1;

  const auto op = [&](const char* name, Kind kind, double seconds) { return Operator{name, kind, seconds}; };

  const std::vector<Parameters> held = parameters_held(*scenario.model, parallel);
  const Placement alone;
  const Exchange plain{&network.data,
                       &network.shard,
                       &network.replicas,
                       "gradient all-reduce",
                       "gradient reduce-scatter",
                       "gradient all-reduce between shards",
                       "parameter all-gather"};
  const Exchange experts{&network.expert_data,
                         &network.expert_data,
                         &alone,
                         "expert gradient all-reduce",
                         "expert gradient reduce-scatter",
                         "",
                         "expert parameter all-gather"};
  // Returns how the largest of the collectives runs.
  const auto reduce = [&](Program& program, const Exchange& e, double parameters) {
    const double bytes = cost.gradient_bytes * parameters;
    CommunicationTime main;
    const auto add = [&](const char* name, Kind kind, const CommunicationTime& time) {
      program.collective(op(name, kind, exposed * time.seconds), Group::data);
      if (time.seconds > main.seconds) main = time;
    };
    if (!sharded) {
      if (e.all->size > 1) add(e.reduce, Kind::all_reduce, network.all_reduce(*e.all, bytes));
      return main;
    }
    if (scatters && e.shard->size > 1)
      add(e.scatter, Kind::reduce_scatter, network.gather_or_scatter(*e.shard, bytes));
    if (e.replicas->size > 1)
      add(e.between, Kind::all_reduce,
          network.all_reduce(*e.replicas, bytes / static_cast<double>(e.shard->size)));
    return main;
  };
  const auto gather = [&](Program& program, const Exchange& e, double parameters) {
    if (!sharded || !gathers || e.shard->size < 2) return;
    const CommunicationTime time = network.gather_or_scatter(*e.shard, parameter_bytes * parameters);
    program.collective(op(e.gather, Kind::all_gather, exposed * time.seconds), Group::data);
  };
  std::vector<std::vector<Segment>> programs;
  double largest = -1;
  std::string gradients_how;
  for (std::size_t rank = 0; rank < held.size(); ++rank) {
    Program program;
    if (parallel.sequence_parallel && parallel.tp > 1) {
      const double bytes = cost.gradient_bytes * held[rank].norms;
      program.collective(
          op("layer-norm gradients", Kind::all_reduce, network.all_reduce(network.tensor, bytes).seconds),
          Group::tensor);
    }
    if (tied_exchange && (rank == 0 || rank + 1 == held.size())) {
      const double bytes = cost.gradient_bytes * embedding_parameters(*scenario.model, parallel.tp);
      program.collective(op("tied-embedding gradients", Kind::all_reduce,
                            network.all_reduce(network.first_and_last, bytes).seconds),
                         Group::embedding);
    }
    const double common = held[rank].plain + held[rank].norms;
    const CommunicationTime how = reduce(program, plain, common);
    if (held[rank].experts > 0) reduce(program, experts, held[rank].experts);
    if (common > largest && how.seconds > 0) {
      largest = common;
      gradients_how =
          bytes_text(cost.gradient_bytes * common) + " by " + how.how + ": " + seconds_text(how.seconds);
    }
    if (parallel.world() > 1)
      program.collective(
          op("gradient norm for clipping", Kind::all_reduce, network.all_reduce(network.world, 4).seconds),
          Group::world);
    const auto share = [&](const Placement& group) {
      return sharded ? static_cast<double>(group.size) : 1.0;
    };
    const double updated = common / share(network.shard) + held[rank].experts / share(network.expert_data);
    program.compute(op("optimizer", Kind::optimizer,
                       cost.compute_scale * cost.optimizer_bytes * updated /
                           (gpu.memory_bytes_per_s * cost.memory_efficiency)));
    gather(program, plain, common);
    if (held[rank].experts > 0) gather(program, experts, held[rank].experts);
    programs.push_back(std::move(program).take());
  }
  if (largest > 0)
    notes.push_back({sharded && scatters ? "gradient reduce-scatter" : "gradient all-reduce",
                     "largest rank: " + gradients_how});
  if (network.data.size > 1 && cost.dp_overlap > 0)
    notes.push_back({"data-parallel overlap",
                     number_text(100 * cost.dp_overlap) +
                         " % of data-parallel communication is taken as hidden; the rest counts"});
  return programs;
}

}  // namespace prism::workload
