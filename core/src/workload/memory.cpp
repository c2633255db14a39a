// SPDX-License-Identifier: Apache-2.0
#include "workload/memory.h"

#include <algorithm>

#include "workload/parameters.h"

namespace prism::workload {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

constexpr double word = 2;
// Adam in mixed precision: master copy and two moments of 32 bits (Megatron-LM, docs of the distributed
// optimizer).
constexpr double optimizer_state = 12;

/// What a layer keeps of one micro-batch on one rank, after Korthikanti et al. (arXiv 2205.05198, section 4):
/// inputs of every product and of what is not linear, 16 bits each, and dropout masks of a byte where
/// attention is not flash (runs with flash attention are taken to have no dropout).
double layer_activations(const Scenario& s, bool experts) {
  const Model& m = *s.model;
  const Parallel& p = s.parallel;
  const CostModel& c = s.cost_model;
  const double t = real(p.tp), tokens = real(s.batch.micro * s.batch.sequence) / real(p.cp);
  const double share = p.sequence_parallel ? t : 1;
  const double x = tokens * real(m.hidden);
  const double masks = c.flash_attention ? 0 : 1;
  if (p.recompute == Recompute::full) return word * x / share;

  const HeadWidths heads = head_widths(m, p.tp);
  const double queries = heads.heads * heads.query, values = heads.heads * heads.value;
  double bytes = (4 * word + 2 * masks) * x / share;  // two norms' inputs and outputs
  bytes += word * tokens * (queries + heads.keys + heads.values + values);
  if (m.latent_attention)
    bytes +=
        word * tokens *
        real(m.latent_attention->query_rank + m.latent_attention->kv_rank + m.latent_attention->rope_dim);
  if (c.flash_attention)
    bytes += 4 * tokens * heads.heads;  // sums of exponentials
  else if (p.recompute == Recompute::none)
    bytes += (2 * word + 1) * real(s.batch.micro * s.batch.sequence) * real(s.batch.sequence) / real(p.cp) *
             heads.heads;
  // A gated block keeps both inputs of its product and the product.
  const double hidden = m.gated_ffn ? 3 * word : 2 * word;
  if (!experts) return bytes + hidden * tokens * real(m.ffn_hidden) / t;
  const Experts& e = *m.experts;
  const double copies = tokens / t * real(e.top_k) * real(p.etp);
  bytes += hidden * tokens * real(e.shared * e.ffn_hidden) / t;
  return bytes + copies * (2 * word * real(m.hidden) + hidden * real(e.ffn_hidden) / real(p.etp));
}

}  // namespace

std::vector<RankMemory> rank_memory(const Scenario& s) {
  const Model& m = *s.model;
  const Parallel& p = s.parallel;
  const bool each = p.gather == Gather::per_micro_batch;
  const double shards = real((p.dp_shard > 0 ? p.dp_shard : p.dp) * p.cp);
  const double expert_shards = real(p.tp * p.cp * p.dp / (p.etp * p.ep));
  const auto bytes = [&](const Parameters& held, double each_parameter, bool sharded) {
    return each_parameter *
           (sharded ? (held.plain + held.norms) / shards + held.experts / expert_shards : held.all());
  };
  std::vector<RankMemory> ranks;
  for (const Parameters& held : parameters_held(m, p)) {
    RankMemory r;
    r.parameters = bytes(held, word, p.zero == 3 && each);
    r.gradients = bytes(held, s.cost_model.gradient_bytes, p.zero >= 2 && each);
    r.optimizer = bytes(held, optimizer_state, p.zero >= 1);
    const bool experts = m.experts.has_value();
    // Gathered: the layer at work and the one fetched ahead.
    if (p.zero == 3 && each) r.working += 2 * word * layer_parameters(m, experts, p).all();
    if (p.recompute == Recompute::full) {
      Scenario whole = s;
      whole.parallel.recompute = Recompute::none;
      r.working += layer_activations(whole, experts);
    }
    ranks.push_back(r);
  }
  return ranks;
}

std::vector<double> stage_activations(const Scenario& s) {
  const Model& m = *s.model;
  const Parallel& p = s.parallel;
  const double plain = layer_activations(s, false), experts = m.experts ? layer_activations(s, true) : 0;
  std::vector<double> stages;
  std::int64_t layer = 0;
  for (const std::int64_t layers : p.layers_per_virtual_stage) {
    double bytes = 0;
    for (std::int64_t i = 0; i < layers; ++i) bytes += has_experts(m, layer++) ? experts : plain;
    stages.push_back(bytes);
  }
  // The head keeps its norm's input and output, and the logits in 16 and in 32 bits.
  const double tokens = real(s.batch.micro * s.batch.sequence) / real(p.cp);
  stages.back() += 2 * word * tokens * real(m.hidden) / (p.sequence_parallel ? real(p.tp) : 1) +
                   (word + 4) * tokens * real(padded_vocabulary(m.vocabulary, p.tp) / p.tp);
  return stages;
}

}  // namespace prism::workload
