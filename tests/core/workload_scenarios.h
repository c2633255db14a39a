// SPDX-License-Identifier: Apache-2.0
// Scenarios made by hand for the tests of the workload room, and sums over its programs.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "prism/workload.h"

namespace prism::test {

inline Distribution constant(double value) {
  return Distribution({"constant", [value](Mass) { return value; }, value, 0});
}

/// A distribution of the named family by its named parameters; the test must know that it exists.
inline Distribution family(std::string_view name,
                           std::vector<std::pair<std::string_view, double>> parameters) {
  for (const ParameterSet& set : find_family(name)->sets) {
    std::vector<double> values;
    for (const auto& [key, value] : parameters)
      if (set.parameters.size() == parameters.size() && set.parameters[values.size()].name == key)
        values.push_back(value);
      else
        break;
    if (values.size() != parameters.size()) continue;
    auto made = set.make(values);
    return std::get<Distribution>(made);
  }
  throw std::invalid_argument("no such parameters of " + std::string(name));
}

inline Factor jitter(std::string what, Distribution factor) {
  return {std::move(what), Factor::Scope::operation, Factor::Period::operation, std::move(factor)};
}

/// A model and a machine with round numbers: 1 FLOP/s, 1 byte/s and 1 byte/s links; nothing assumed costs
/// time.
inline Scenario tiny_job() {
  Scenario s;
  s.title = "tiny";
  Model m;
  m.name = "custom";
  m.layers = 2;
  m.hidden = 8;
  m.ffn_hidden = 32;
  m.heads = m.kv_heads = 2;
  m.head_dim = 4;
  m.vocabulary = 256;
  s.model = m;
  s.parallel.schedule = "1f1b";
  s.batch = {1, 1, 1, 4};
  s.cluster.gpu = {"unit", 1, 1, 1};
  s.cluster.gpus_per_node = 8;
  s.cluster.intra_node = {1, 0};
  s.cluster.inter_node = {1, 0};
  s.cost_model.gemm_efficiency = s.cost_model.memory_efficiency = s.cost_model.attention_efficiency = 1;
  s.cost_model.network_efficiency = 1;
  s.cost_model.gradient_bytes = 4;
  s.cost_model.optimizer_bytes = 30;
  return s;
}

/// Published shapes of GPT-like models: FFN four times as wide, 51,200 entries of vocabulary, tied
/// embeddings.
inline Model gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Model m;
  m.name = "custom";
  m.layers = layers;
  m.hidden = hidden;
  m.ffn_hidden = 4 * hidden;
  m.heads = m.kv_heads = heads;
  m.head_dim = hidden / heads;
  m.vocabulary = 51200;
  m.tied_embeddings = true;
  return m;
}

inline Model llama_405b() {
  Model m;
  m.name = "llama-3.1-405b";
  m.layers = 126;
  m.hidden = 16384;
  m.ffn_hidden = 53248;
  m.heads = 128;
  m.kv_heads = 8;
  m.head_dim = 128;
  m.vocabulary = 128256;
  m.gated_ffn = true;
  return m;
}

/// Machines and assumed numbers as in the presets.
inline void on_a100(Scenario& s) {
  s.cluster.gpu = {"a100-80gb-sxm", 312e12, 80e9, 2039e9};
  s.cluster.gpus_per_node = 8;
  s.cluster.intra_node = {300e9, 2.5e-6};
  s.cluster.inter_node = {25e9, 8e-6};
  s.cost_model = {0.80, 110e-6, 0.65, false, 0.55, 0.80, 1.15e-3, 4, 30, 0, 0, 0.5};
}
inline void on_h100(Scenario& s) {
  s.cluster.gpu = {"h100-sxm", 989e12, 80e9, 3350e9};
  s.cluster.gpus_per_node = 8;
  s.cluster.intra_node = {450e9, 2.5e-6};
  s.cluster.inter_node = {50e9, 8e-6};
  s.cost_model = {0.64, 110e-6, 0.65, true, 0.55, 0.80, 1.15e-3, 4, 30, 0, 0, 0.5};
}

/// A job with work of a realistic size: TP 4, PP 2, DP 2 on two nodes.
inline Scenario real_job() {
  Scenario s = tiny_job();
  on_a100(s);
  s.cost_model.pp_overlap = 1;  // nobody waits for a transfer: programs are the layers' own
  s.model = gpt(8, 4096, 32);
  s.parallel.tp = 4;
  s.parallel.pp = 2;
  s.parallel.dp = 2;
  s.batch = {16, 2, 4, 2048};
  return s;
}

/// The workload, which must exist; layers evenly on the virtual stages unless they are given.
inline Workload build(Scenario s) {
  if (s.model && s.parallel.layers_per_virtual_stage.empty()) {
    const std::int64_t stages = s.parallel.pp * s.parallel.virtual_stages;
    s.parallel.layers_per_virtual_stage.assign(static_cast<std::size_t>(stages), s.model->layers / stages);
  }
  auto w = build_workload(s);
  EXPECT_TRUE(w) << (w.diagnostics.empty() ? "" : w.diagnostics.front().message);
  return w ? std::move(*w) : Workload{};
}

inline double seconds(const std::vector<Segment>& program) {
  double sum = 0;
  for (const Segment& segment : program) {
    for (const Operator& op : segment.compute) sum += op.scale_s;
    if (segment.has_collective) sum += segment.collective.scale_s;
  }
  return sum;
}

inline double seconds(const std::vector<Segment>& program, Kind kind) {
  double sum = 0;
  for (const Segment& segment : program) {
    for (const Operator& op : segment.compute)
      if (op.kind == kind) sum += op.scale_s;
    if (segment.has_collective && segment.collective.kind == kind) sum += segment.collective.scale_s;
  }
  return sum;
}

/// Seconds of both phases of all stages.
inline double seconds(const Workload& w, Kind kind) {
  double sum = 0;
  for (const StageProgram& stage : w.stages)
    sum += seconds(stage.forward, kind) + seconds(stage.backward, kind);
  return sum;
}

}  // namespace prism::test
