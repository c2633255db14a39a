// SPDX-License-Identifier: Apache-2.0
#include "workload/doors.h"
#include "workload/flops.h"
#include "workload/network.h"
#include "workload/program.h"
#include "workload/shapes.h"
#include "workload/step_end.h"
#include "workload/text.h"
#include "workload/transformer.h"

namespace prism::workload {
namespace {

std::vector<StageProgram> stage_programs(const Transformer& transformer,
                                         const std::vector<std::int64_t>& layers) {
  std::vector<StageProgram> stages;
  for (std::size_t stage = 0; stage < layers.size(); ++stage) {
    const bool first = stage == 0, last = stage + 1 == layers.size();
    Program forward, backward;
    if (first) transformer.embedding_forward(forward);
    for (std::int64_t i = 0; i < layers[stage]; ++i) transformer.layer_forward(forward);
    if (last) transformer.head_forward(forward);
    if (last) transformer.head_backward(backward);
    for (std::int64_t i = 0; i < layers[stage]; ++i) transformer.layer_backward(backward);
    if (first) transformer.embedding_backward(backward);
    stages.push_back({std::move(forward).take(), std::move(backward).take(), {}, layers[stage]});
  }
  return stages;
}

}  // namespace

Result<Workload> from_job(const Scenario& scenario) {
  const Model& model = *scenario.model;
  const Parallel& parallel = scenario.parallel;
  const Network network(scenario.cluster, parallel, scenario.cost_model.network_efficiency);
  const Transformer transformer(scenario, network);

  Workload workload;
  workload.stages = stage_programs(transformer, parallel.layers_per_virtual_stage);
  workload.notes.push_back({"layer", "forward " + seconds_text(transformer.layer_forward_s()) +
                                         ", backward " + seconds_text(transformer.layer_backward_s()) +
                                         " without recomputation"});
  if (parallel.tp > 1) {
    workload.notes.push_back(
        {parallel.sequence_parallel ? "tensor all-gather and reduce-scatter" : "tensor all-reduce",
         transformer.layer_collective().how + ": " + seconds_text(transformer.layer_collective().seconds)});
    if (scenario.cost_model.tp_overlap > 0)
      workload.notes.push_back(
          {"tensor-parallel overlap",
           number_text(100 * scenario.cost_model.tp_overlap) +
               " % of the layers' tensor collectives is taken as hidden; the rest counts"});
  } else if (parallel.sequence_parallel) {
    workload.notes.push_back({"sequence parallelism", "has no effect with tp = 1"});
  }
  if (padded_vocabulary(model.vocabulary, parallel.tp) != model.vocabulary)
    workload.notes.push_back(
        {"vocabulary", std::to_string(model.vocabulary) + " entries are padded to " +
                           std::to_string(padded_vocabulary(model.vocabulary, parallel.tp)) +
                           ", a multiple of 128 * tp"});

  if (parallel.pp > 1) {
    // The activations of a micro-batch, 16 bits each; every tensor rank sends its share.
    const double bytes = 2 * static_cast<double>(scenario.batch.micro) *
                         static_cast<double>(scenario.batch.sequence) * static_cast<double>(model.hidden) /
                         static_cast<double>(parallel.tp);
    const CommunicationTime hop = network.transfer(bytes);
    workload.transfers = {true,
                          {"activations to the next stage", Kind::send_recv, hop.seconds},
                          {"gradients to the stage before", Kind::send_recv, hop.seconds}};
    workload.notes.push_back(
        {"pipeline transfer", bytes_text(bytes) + " " + hop.how + ": " + seconds_text(hop.seconds)});
  }

  workload.end.rank = step_end_programs(scenario, network, workload.notes);
  const Flops flops = step_flops(scenario);
  workload.model_flops = flops.model;
  workload.hardware_flops = flops.hardware;
  workload.peak_flops = static_cast<double>(parallel.world()) * scenario.cluster.gpu.peak_flops;
  workload.shapes = ShapeBook().take();
  return Result<Workload>::of(std::move(workload));
}

}  // namespace prism::workload
