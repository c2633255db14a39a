// SPDX-License-Identifier: Apache-2.0
// Memory of one GPU by what is counted, not measured: parameters, gradients and optimizer states (Rajbhandari et al.
// 2020, arXiv 1910.02054, section 3) and activations kept for the backward pass (Korthikanti et al. 2022, arXiv
// 2205.05198, section 4, without dropout and with the widths of the model at hand).
#include <algorithm>

#include "prism/workload.h"
#include "workload/parameters.h"

namespace prism {
namespace {

constexpr double word = 2;              ///< 16-bit parameters and activations
constexpr double adam_bytes = 12;       ///< master copy and two moments, 32 bits each

double real(std::int64_t n) { return static_cast<double>(n); }

/// Bytes that a layer keeps for one token of one rank's share.
double kept_by_layer(const Scenario& s) {
  const Model& m = *s.model;
  const Parallel& p = s.parallel;
  const auto tp = real(p.tp), whole = p.sequence_parallel ? tp : 1, h = real(m.hidden);
  if (p.recompute == Recompute::full) return word * h / whole;  // the input of the layer
  const auto query = real(m.heads * m.head_dim), keys = real(2 * m.kv_heads * m.head_dim);
  double ffn = real(m.gated_ffn ? 3 : 2) * real(m.ffn_hidden);
  if (m.experts)
    ffn = real(m.gated_ffn ? 3 : 2) * real(m.experts->top_k + m.experts->shared) * real(m.experts->ffn_hidden);
  // Inputs of both norms and of both blocks; queries, keys, values and what attention gives; the FFN's inner values.
  double shared = query + keys + query + ffn;
  if (!s.cost_model.flash_attention && p.recompute == Recompute::none)
    shared += 2.5 * real(m.heads) * real(s.batch.sequence);  // scores, softmax and its mask
  return word * (4 * h / whole + shared / tp);
}

/// Micro-batches times virtual stages whose activations a rank holds at once: Megatron-LM's warm-up, plus the one at
/// work. ZB-H1 holds what 1F1B holds (Qi et al. 2023, arXiv 2401.10241).
double chunks_in_flight(const Scenario& s, std::int64_t rank) {
  const Parallel& p = s.parallel;
  const std::int64_t m = s.batch.micro_batches, v = p.virtual_stages;
  if (p.schedule == "gpipe") return real(m * v);
  const std::int64_t ahead = v > 1 ? 2 * (p.pp - rank - 1) + (v - 1) * p.pp : p.pp - rank - 1;
  return real(std::min(m * v, ahead + 1));
}

}  // namespace

std::vector<MemoryHeld> memory_held(const Scenario& s) {
  const Parallel& p = s.parallel;
  const auto shard = p.zero > 0 ? real(std::max<std::int64_t>(1, p.dp_shard)) : 1;
  const double tokens = real(s.batch.micro * s.batch.sequence) / real(p.cp);
  const double layer = kept_by_layer(s) * tokens;
  std::vector<MemoryHeld> held;
  const auto parameters = workload::parameters_held(*s.model, p);
  for (std::int64_t r = 0; r < p.pp; ++r) {
    const double n = parameters[static_cast<std::size_t>(r)].all();
    std::int64_t most_layers = 0;
    for (std::size_t stage = static_cast<std::size_t>(r); stage < p.layers_per_virtual_stage.size();
         stage += static_cast<std::size_t>(p.pp))
      most_layers = std::max(most_layers, p.layers_per_virtual_stage[stage]);
    MemoryHeld rank;
    rank.weights = word * n / (p.zero >= 3 ? shard : 1);
    rank.gradients = s.cost_model.gradient_bytes * n / (p.zero >= 2 ? shard : 1);
    rank.optimizer = adam_bytes * n / shard;
    rank.activations = chunks_in_flight(s, r) * real(most_layers) * layer;
    if (r + 1 == p.pp)  // logits, 32 bits, of the micro-batch at work
      rank.activations += 4 * tokens * real(workload::padded_vocabulary(s.model->vocabulary, p.tp) / p.tp);
    held.push_back(rank);
  }
  return held;
}

}  // namespace prism
