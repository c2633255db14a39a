// SPDX-License-Identifier: Apache-2.0
// The values that a name stands for. A preset is one entry in the table of its group's file; every figure has
// its public source or is called an assumption.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "prism/scenario.h"

namespace prism::scenario {

/// A number and where it comes from.
struct Figure {
  double value;
  std::string_view source;
};

struct ModelPreset {
  std::string_view name;
  std::int64_t layers, hidden, ffn_hidden, heads, kv_heads, head_dim, vocabulary;
  bool gated_ffn, tied_embeddings;
  std::string_view source;
  Experts experts = {};                   ///< count 0: none
  LatentAttention latent_attention = {};  ///< kv_rank 0: plain attention
};
std::span<const ModelPreset> model_presets();

/// A GPU in the server it is usually sold in. Rates are per GPU and direction.
struct GpuPreset {
  std::string_view name;
  Figure peak_tflops;  ///< dense, 16-bit
  Figure fp8_tflops;   ///< dense; 0: the GPU has none
  Figure fp4_tflops;   ///< dense; 0: the GPU has none
  Figure memory_gib;
  Figure memory_gbyte_per_s;
  Figure gpus_per_node;
  Figure nvlink_domain;  ///< GPUs that the links of intra_node join
  Figure intra_node_gbyte_per_s, intra_node_latency_us;
  Figure inter_node_gbyte_per_s, inter_node_latency_us;
  bool validated;  ///< a public measurement on it is among the validation rows
};
std::span<const GpuPreset> gpu_presets();

/// Defaults of the cost model for a GPU and a precision; the entries named "other" are for GPUs without one of
/// their own.
struct CostModelPreset {
  std::string_view gpu, precision;
  Figure gemm_efficiency, gemm_overhead_us, memory_efficiency;
  Figure flash_attention;  ///< 0 or 1
  Figure attention_efficiency, network_efficiency, layer_floor_us;
  Figure gradient_bytes, optimizer_bytes;
  Figure tp_overlap, dp_overlap, pp_overlap;
};
std::span<const CostModelPreset> cost_model_presets();

/// One factor as the user would write it: a family with one of its parameter sets.
struct FactorPreset {
  std::string_view what, scope, period, family;
  std::vector<std::pair<std::string_view, double>> parameters;
  std::string_view source;
};
/// One cause of stalls, likewise.
struct StallPreset {
  std::string_view what;
  double per_node_hour;
  std::string_view family;
  std::vector<std::pair<std::string_view, double>> parameters;
  std::string_view source;
};
struct VariabilityPreset {
  std::string_view name, summary;
  std::vector<FactorPreset> factors;
  std::vector<StallPreset> stalls = {};
};
const std::vector<VariabilityPreset>& variability_presets();

/// A cause of failures of a training run. Every figure of a cause has one source.
struct FailureCausePreset {
  std::string_view name;
  double per_1000_node_days, detection_min, restart_min, replacement;
  std::string_view source;
};
struct FailurePreset {
  std::string_view name, summary;
  std::vector<FailureCausePreset> causes;
};
const std::vector<FailurePreset>& failure_presets();

/// The names of a table of presets, and one entry by name (null if there is none).
template <class Presets>
std::vector<std::string_view> preset_names(const Presets& presets) {
  std::vector<std::string_view> names;
  for (const auto& p : presets) names.push_back(p.name);
  return names;
}
template <class Presets>
auto find_preset(const Presets& presets, std::string_view name) -> decltype(&*presets.begin()) {
  for (const auto& p : presets)
    if (p.name == name) return &p;
  return nullptr;
}

}  // namespace prism::scenario
