// SPDX-License-Identifier: Apache-2.0
#include "workload/step_end.h"

#include "workload/program.h"
#include "workload/text.h"
#include "workload/transformer.h"

namespace prism::workload {
namespace {

// Updated parameters travel in 16 bits.
constexpr double parameter_bytes = 2;

/// Parameters that one GPU of a pipeline rank holds.
struct Held {
  double all = 0;
  double norms = 0;  ///< layer-norm weights among them: whole on every tensor rank
};

std::vector<Held> parameters_held(const Scenario& scenario) {
  const std::vector<std::int64_t>& layers_per_stage = scenario.parallel.layers_per_virtual_stage;
  const Model& model = *scenario.model;
  const auto pp = static_cast<std::size_t>(scenario.parallel.pp);
  const std::int64_t tp = scenario.parallel.tp;
  std::vector<Held> held(pp);
  for (std::size_t stage = 0; stage < layers_per_stage.size(); ++stage) {
    const double layers = static_cast<double>(layers_per_stage[stage]);
    held[stage % pp].all += layers * layer_parameters(model, tp);
    held[stage % pp].norms += layers * layer_norm_parameters(model);
  }
  const double embedding = embedding_parameters(model, tp), final_norm = layer_norm_parameters(model) / 2;
  held.front().all += embedding;
  held.back().all += final_norm;
  held.back().norms += final_norm;
  // The head is a matrix of its own; tied to the embedding it is a copy if the two are on different ranks.
  if (!model.tied_embeddings || pp > 1) held.back().all += embedding;
  return held;
}

}  // namespace

std::vector<std::vector<Segment>> step_end_programs(const Scenario& scenario, const Network& network,
                                                    std::vector<Workload::Note>& notes) {
  const Parallel& parallel = scenario.parallel;
  const CostModel& cost = scenario.cost_model;
  const Gpu& gpu = scenario.cluster.gpu;
  const double exposed = 1 - cost.dp_overlap;
  const bool sharded = parallel.zero == 1 && parallel.dp > 1;
  const bool tied_exchange = scenario.model->tied_embeddings && parallel.pp > 1;

  const auto op = [&](const char* name, Kind kind, double seconds) {
    return Operator{name, kind, seconds};
  };

  const std::vector<Held> held = parameters_held(scenario);
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
    if (parallel.dp > 1) {
      const double bytes = cost.gradient_bytes * held[rank].all;
      const CommunicationTime reduction =
          sharded ? network.gather_or_scatter(network.data, bytes) : network.all_reduce(network.data, bytes);
      program.collective(
          sharded ? op("gradient reduce-scatter", Kind::reduce_scatter, exposed * reduction.seconds)
                  : op("gradient all-reduce", Kind::all_reduce, exposed * reduction.seconds),
          Group::data);
      if (held[rank].all > largest) {
        largest = held[rank].all;
        gradients_how = bytes_text(bytes) + " by " + reduction.how + ": " + seconds_text(reduction.seconds);
      }
    }
    if (parallel.world() > 1)
      program.collective(
          op("gradient norm for clipping", Kind::all_reduce, network.all_reduce(network.world, 4).seconds),
          Group::world);
    const double updated = held[rank].all / static_cast<double>(sharded ? parallel.dp : 1);
    program.compute(op("optimizer", Kind::optimizer,
                       cost.optimizer_bytes * updated / (gpu.memory_bytes_per_s * cost.memory_efficiency)));
    if (sharded)
      program.collective(
          op("parameter all-gather", Kind::all_gather,
             exposed * network.gather_or_scatter(network.data, parameter_bytes * held[rank].all).seconds),
          Group::data);
    programs.push_back(std::move(program).take());
  }
  if (parallel.dp > 1)
    notes.push_back(
        {sharded ? "gradient reduce-scatter" : "gradient all-reduce", "largest rank: " + gradients_how});
  if (parallel.dp > 1 && cost.dp_overlap > 0)
    notes.push_back({"data-parallel overlap",
                     number_text(100 * cost.dp_overlap) +
                         " % of data-parallel communication is taken as hidden; the rest counts"});
  return programs;
}

}  // namespace prism::workload
