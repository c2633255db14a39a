// SPDX-License-Identifier: Apache-2.0
#include "workload/parameters.h"

#include <algorithm>

namespace prism::workload {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

/// Matrices of an attention block: what tensor parallelism splits, and what is whole on each rank.
struct Attention {
  double split, whole;
};
Attention attention_matrices(const Model& m, std::int64_t tp) {
  const double h = real(m.hidden), heads = real(m.heads);
  if (m.latent_attention) {
    const LatentAttention& a = *m.latent_attention;
    const double query = heads * real(m.head_dim + a.rope_dim);
    const double queries_from = a.query_rank > 0 ? real(a.query_rank) : h;
    // The way down is not split, as in Megatron-LM; each down projection has a norm.
    const double down = h * real(a.query_rank) + h * real(a.kv_rank + a.rope_dim);
    const double split = queries_from * query + real(a.kv_rank) * heads * real(m.head_dim + a.value_dim) +
                         heads * real(a.value_dim) * h;
    return {split, down + real(a.query_rank + a.kv_rank)};
  }
  const double q = heads * real(m.head_dim);
  const double kv = real(kv_heads_held(m, tp) * tp * m.head_dim);
  return {h * (q + 2 * kv) + q * h, 0};
}

double ffn_matrices(const Model& m, double width) { return (m.gated_ffn ? 3 : 2) * real(m.hidden) * width; }

double norm_parameters(const Model& m) { return 2 * real(m.hidden); }

}  // namespace

std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t tp) {
  const std::int64_t unit = 128 * tp;
  return (vocabulary + unit - 1) / unit * unit;
}

std::int64_t kv_heads_held(const Model& model, std::int64_t tp) {
  return std::max<std::int64_t>(1, model.kv_heads / tp);
}

HeadWidths head_widths(const Model& m, std::int64_t tp) {
  HeadWidths w;
  w.heads = real(m.heads) / real(tp);
  w.query = real(m.head_dim);
  w.value = w.query;
  double kv_heads = real(kv_heads_held(m, tp));
  if (m.latent_attention) {  // in training every head has its own key and value
    w.query = real(m.head_dim + m.latent_attention->rope_dim);
    w.value = real(m.latent_attention->value_dim);
    kv_heads = w.heads;
  }
  w.keys = kv_heads * w.query;
  w.values = kv_heads * w.value;
  return w;
}

bool has_experts(const Model& model, std::int64_t layer) {
  return model.experts && layer >= model.experts->dense_first;
}

Parameters layer_parameters(const Model& m, bool experts, const Parallel& p) {
  const double t = real(p.tp);
  const Attention attention = attention_matrices(m, p.tp);
  Parameters held;
  held.plain = attention.split / t;
  held.norms = attention.whole + norm_parameters(m);
  if (!experts) {
    held.plain += ffn_matrices(m, real(m.ffn_hidden)) / t;
    return held;
  }
  const Experts& e = *m.experts;
  held.plain += ffn_matrices(m, real(e.shared * e.ffn_hidden)) / t;
  held.norms += real(m.hidden * e.count);  // the router
  held.experts = real(e.count / p.ep) * ffn_matrices(m, real(e.ffn_hidden)) / real(p.etp);
  return held;
}

double embedding_parameters(const Model& model, std::int64_t tp) {
  return real(padded_vocabulary(model.vocabulary, tp) / tp) * real(model.hidden);
}

void add_ends(Parameters& held, const Model& model, const Parallel& parallel, bool first, bool last) {
  const double embedding = embedding_parameters(model, parallel.tp);
  if (first) held.plain += embedding;
  if (last) held.norms += norm_parameters(model) / 2;
  // The head is a matrix of its own; tied to the embedding it is a copy if the two are on different ranks.
  if (last && (!model.tied_embeddings || parallel.pp > 1)) held.plain += embedding;
}

std::vector<Parameters> parameters_held(const Model& model, const Parallel& parallel) {
  const auto pp = static_cast<std::size_t>(parallel.pp);
  const Parameters plain = layer_parameters(model, false, parallel),
                   expert = model.experts ? layer_parameters(model, true, parallel) : plain;
  std::vector<Parameters> held(pp);
  std::int64_t layer = 0;
  for (std::size_t stage = 0; stage < parallel.layers_per_virtual_stage.size(); ++stage)
    for (std::int64_t i = 0; i < parallel.layers_per_virtual_stage[stage]; ++i)
      held[stage % pp] += has_experts(model, layer++) ? expert : plain;
  add_ends(held.front(), model, parallel, true, false);
  add_ends(held.back(), model, parallel, false, true);
  return held;
}

double model_parameters(const Model& m, bool active) {
  const Parallel whole;
  const double dense = real(m.experts ? m.experts->dense_first : m.layers);
  double sum = dense * layer_parameters(m, false, whole).all() + norm_parameters(m) / 2 +
               (m.tied_embeddings ? 1 : 2) * real(m.vocabulary) * real(m.hidden);
  if (m.experts) {
    Parameters layer = layer_parameters(m, true, whole);
    if (active) layer.experts *= real(m.experts->top_k) / real(m.experts->count);
    sum += (real(m.layers) - dense) * layer.all();
  }
  return sum;
}

double layer_products(const Model& m, bool experts) {
  const Attention attention = attention_matrices(m, 1);
  double sum = attention.split + attention.whole;
  if (m.latent_attention) sum -= real(m.latent_attention->query_rank + m.latent_attention->kv_rank);  // norms
  if (!experts) return sum + ffn_matrices(m, real(m.ffn_hidden));
  const Experts& e = *m.experts;
  return sum + real(m.hidden * e.count) + ffn_matrices(m, real((e.top_k + e.shared) * e.ffn_hidden));
}

}  // namespace prism::workload
