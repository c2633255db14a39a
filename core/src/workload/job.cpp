// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "workload/doors.h"
#include "workload/flops.h"
#include "workload/memory.h"
#include "workload/network.h"
#include "workload/parameters.h"
#include "workload/program.h"
#include "workload/shapes.h"
#include "workload/step_end.h"
#include "workload/text.h"
#include "workload/transformer.h"

namespace prism::workload {
namespace {

/// Least parameters of a rank whose gradients are reduced together: Megatron-LM's default
/// (megatron/core/distributed), so that no ring of many replicas waits for latencies alone.
double bucket_parameters(const Network& network) {
  return std::max(4e7, 1e6 * static_cast<double>(network.data.size));
}

std::vector<StageProgram> stage_programs(const Transformer& transformer, const Scenario& scenario,
                                         const Network& network) {
  const Model& model = *scenario.model;
  const std::vector<std::int64_t>& layers = scenario.parallel.layers_per_virtual_stage;
  std::vector<StageProgram> stages;
  std::int64_t first_layer = 0;
  for (std::size_t stage = 0; stage < layers.size(); ++stage) {
    const bool first = stage == 0, last = stage + 1 == layers.size();
    const std::int64_t end_layer = first_layer + layers[stage];
    Program forward, backward;
    if (!first) transformer.arrival(forward);
    if (!last) transformer.arrival(backward);
    if (first) transformer.embedding_forward(forward);
    for (std::int64_t i = first_layer; i < end_layer; ++i)
      transformer.layer_forward(forward, has_experts(model, i));
    if (last) transformer.head_forward(forward);
    if (last) transformer.head_backward(backward);
    StageProgram& program = stages.emplace_back();
    // A bucket closes with the layer that fills it; what the ends hold goes with the layer beside it.
    Parameters bucket;
    const auto complete = [&](std::int64_t layer) {
      if (!scenario.parallel.overlap_grad_reduce) return;
      if (layer < end_layer) bucket += layer_parameters(model, has_experts(model, layer), scenario.parallel);
      add_ends(bucket, model, scenario.parallel, first && layer == first_layer,
               last && layer + 1 >= end_layer);
      if (layer > first_layer && bucket.all() < bucket_parameters(network)) return;
      append_reductions(program, scenario, network, std::exchange(bucket, {}));
      program.complete_after.resize(program.reductions.size(), backward.size());
    };
    for (std::int64_t i = end_layer; i-- > first_layer;) {
      transformer.layer_backward(backward, has_experts(model, i));
      if (i > first_layer) complete(i);
    }
    if (first) transformer.embedding_backward(backward);
    complete(first_layer);
    program.forward = std::move(forward).take();
    program.backward = std::move(backward).take();
    program.layers = layers[stage];
    first_layer = end_layer;
  }
  return stages;
}

std::string layer_text(const Transformer& transformer, bool experts) {
  return "forward " + seconds_text(transformer.layer_forward_s(experts)) + ", backward " +
         seconds_text(transformer.layer_backward_s(experts)) + " without recomputation";
}

void note_exchanges(const Transformer& transformer, const Scenario& scenario,
                    std::vector<Workload::Note>& notes) {
  const Parallel& parallel = scenario.parallel;
  const auto note = [&](const char* about, const CommunicationTime& time, const char* more = "") {
    notes.push_back({about, time.how + ": " + seconds_text(time.seconds) + more});
  };
  if (parallel.cp > 1)
    note(parallel.cp_exchange == ContextExchange::ring ? "context ring" : "context all-gather",
         transformer.context_exchange(),
         parallel.cp_exchange == ContextExchange::ring ? "; what attention does not hide counts" : "");
  if (scenario.model->experts) {
    if (parallel.ep * parallel.etp > 1) note("expert exchange", transformer.expert_exchange());
    notes.push_back({"experts", "tokens are taken to spread evenly over them"});
  }
  const bool experts = scenario.model->experts.has_value();
  const Transformer::Sharding& sharding = transformer.sharding(experts);
  if (sharding.reduce_s > 0)
    notes.push_back({"sharded parameters",
                     "a layer gathers in " + seconds_text(sharding.gather_s) + " and reduces in " +
                         seconds_text(sharding.reduce_s) +
                         "; not hidden by its compute: " + seconds_text(sharding.exposed_forward_s) +
                         " forward, " + seconds_text(sharding.exposed_backward_s) + " backward"});
}

}  // namespace

Result<Workload> from_job(const Scenario& scenario) {
  const Model& model = *scenario.model;
  const Parallel& parallel = scenario.parallel;
  const Network network(scenario.cluster, parallel, scenario.cost_model.network_efficiency);
  const Transformer transformer(scenario, network);

  Workload workload;
  workload.stages = stage_programs(transformer, scenario, network);
  if (!model.experts || model.experts->dense_first > 0)
    workload.notes.push_back({"layer", layer_text(transformer, false)});
  if (model.experts) workload.notes.push_back({"layer with experts", layer_text(transformer, true)});
  if (parallel.tp > 1) {
    workload.notes.push_back(
        {parallel.sequence_parallel ? "tensor all-gather and reduce-scatter" : "tensor all-reduce",
         transformer.tensor_exchange().how + ": " + seconds_text(transformer.tensor_exchange().seconds)});
    if (scenario.cost_model.tp_overlap > 0)
      workload.notes.push_back(
          {"tensor-parallel overlap",
           number_text(100 * scenario.cost_model.tp_overlap) +
               " % of the layers' tensor collectives is taken as hidden; the rest counts"});
  } else if (parallel.sequence_parallel) {
    workload.notes.push_back({"sequence parallelism", "has no effect with tp = 1"});
  }
  note_exchanges(transformer, scenario, workload.notes);
  if (padded_vocabulary(model.vocabulary, parallel.tp) != model.vocabulary)
    workload.notes.push_back(
        {"vocabulary", std::to_string(model.vocabulary) + " entries are padded to " +
                           std::to_string(padded_vocabulary(model.vocabulary, parallel.tp)) +
                           ", a multiple of 128 * tp"});

  if (parallel.pp > 1) {
    const double bytes = transfer_bytes(scenario), beside = scenario.cost_model.pp_overlap;
    const CommunicationTime hop = network.transfer(bytes);
    workload.transfers = {true,
                          {"activations to the next stage", Kind::send_recv, beside * hop.seconds},
                          {"gradients to the stage before", Kind::send_recv, beside * hop.seconds}};
    workload.notes.push_back({"pipeline transfer", bytes_text(bytes) + " " + hop.how + ": " +
                                                       seconds_text(hop.seconds) + ", of which " +
                                                       number_text(100 * beside) + " % beside compute"});
  }

  workload.end.rank = step_end_programs(scenario, network, workload.notes);
  workload.memory = rank_memory(scenario);
  workload.stage_activations = stage_activations(scenario);
  workload.gpu_memory_bytes = scenario.cluster.gpu.memory_bytes;
  const Flops flops = step_flops(scenario);
  workload.model_flops = flops.model;
  workload.hardware_flops = flops.hardware;
  workload.peak_flops = static_cast<double>(parallel.world()) * scenario.cluster.gpu.peak_flops;
  workload.shapes = ShapeBook().take();
  return Result<Workload>::of(std::move(workload));
}

}  // namespace prism::workload
