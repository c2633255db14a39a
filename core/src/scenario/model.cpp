// SPDX-License-Identifier: Apache-2.0
#include "scenario/parts.h"
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

/// `experts`: present in the text, or in the preset.
std::optional<Experts> read_experts(Section& s, const PresetSection& opened, const ModelPreset& p,
                                    std::int64_t ffn_hidden, bool& good) {
  const Json* value = s.take("experts");
  if (!value && p.experts.count == 0) return std::nullopt;
  Section inner(s.notes(), value, s.at("experts"));
  const bool known = p.experts.count > 0;
  const auto figure = [&](std::int64_t v, std::optional<Assumed<std::int64_t>> otherwise = {}) {
    return known ? opened.figure(v, p.source) : otherwise;
  };
  using Whole = Assumed<std::int64_t>;
  Experts e;
  bool sound = inner.integer("count", e.count, {2, 65'536}, figure(p.experts.count));
  sound &= inner.integer("top_k", e.top_k, {1, 65'536}, figure(p.experts.top_k));
  good &= inner.integer("ffn_hidden", e.ffn_hidden, {1, 10'000'000},
                        figure(p.experts.ffn_hidden, Whole{ffn_hidden, "derived: ffn_hidden of the model"}));
  good &= inner.integer("shared", e.shared, {0, 1024}, figure(p.experts.shared, Whole{0}));
  good &= inner.integer("dense_first", e.dense_first, {0, 10'000}, figure(p.experts.dense_first, Whole{0}));
  if (sound && e.top_k > e.count) {
    inner.fault_at("top_k", Code::inconsistent,
                   "top_k " + shown(e.top_k) + " is more than the " + shown(e.count) + " experts");
    sound = false;
  }
  inner.finish();
  good &= sound;
  s.put("experts", std::move(inner.echo));
  return e;
}

/// `latent_attention`: present in the text, or in the preset.
std::optional<LatentAttention> read_latent_attention(Section& s, const PresetSection& opened,
                                                     const ModelPreset& p, bool& good) {
  const Json* value = s.take("latent_attention");
  const LatentAttention& known = p.latent_attention;
  if (!value && known.kv_rank == 0) return std::nullopt;
  Section inner(s.notes(), value, s.at("latent_attention"));
  const auto figure = [&](std::int64_t v) {
    return known.kv_rank > 0 ? opened.figure(v, p.source) : std::optional<Assumed<std::int64_t>>();
  };
  LatentAttention a;
  good &= inner.integer("query_rank", a.query_rank, {0, 1'000'000}, figure(known.query_rank));
  good &= inner.integer("kv_rank", a.kv_rank, {1, 1'000'000}, figure(known.kv_rank));
  good &= inner.integer("rope_dim", a.rope_dim, {0, 100'000}, figure(known.rope_dim));
  good &= inner.integer("value_dim", a.value_dim, {1, 100'000}, figure(known.value_dim));
  inner.finish();
  s.put("latent_attention", std::move(inner.echo));
  return a;
}

bool same_experts(const std::optional<Experts>& m, const Experts& p) {
  if (!m) return p.count == 0;
  return m->count == p.count && m->top_k == p.top_k && m->ffn_hidden == p.ffn_hidden &&
         m->shared == p.shared && m->dense_first == p.dense_first;
}
bool same_attention(const std::optional<LatentAttention>& m, const LatentAttention& p) {
  if (!m) return p.kv_rank == 0;
  return m->query_rank == p.query_rank && m->kv_rank == p.kv_rank && m->rope_dim == p.rope_dim &&
         m->value_dim == p.value_dim;
}

}  // namespace

void read_model(Section& root, Scenario& to) {
  const Json* value = root.take("model");
  if (!value) return;
  auto opened =
      open_preset(root.notes(), *value, root.at("model"), preset_names(model_presets()), "a model preset");
  if (!opened) return;
  Section& s = opened->section;
  const ModelPreset none{}, *preset = find_preset(model_presets(), opened->preset);
  const ModelPreset& p = preset ? *preset : none;
  const auto figure = [&](std::int64_t v) { return opened->figure(v, p.source); };

  Model m;
  constexpr std::int64_t widest = 1'000'000;
  bool good = s.integer("layers", m.layers, {1, 10'000}, figure(p.layers));
  bool sized = s.integer("hidden", m.hidden, {1, widest}, figure(p.hidden));
  good &= s.integer("ffn_hidden", m.ffn_hidden, {1, 10 * widest}, figure(p.ffn_hidden));
  const bool headed = s.integer("heads", m.heads, {1, 10'000}, figure(p.heads));
  sized &= headed;
  good &= sized;

  std::optional<Assumed<std::int64_t>> kv = figure(p.kv_heads), dim = figure(p.head_dim);
  if (!preset) kv = Assumed<std::int64_t>{m.heads, "default: one for each head"};
  good &= s.integer("kv_heads", m.kv_heads, {1, 10'000}, kv);
  if (!preset && sized && !s.has("head_dim")) {
    if (m.hidden % m.heads != 0) {
      s.fault_at("hidden", Code::not_divisible,
                 "hidden " + shown(m.hidden) + " does not divide by heads " + shown(m.heads),
                 "or give \"head_dim\"");
      good = false;
    }
    dim = Assumed<std::int64_t>{m.hidden / m.heads, "derived: hidden / heads"};
  } else if (!preset) {
    dim = Assumed<std::int64_t>{0};  // only reached with another fault
  }
  good &= s.integer("head_dim", m.head_dim, {1, 100'000}, dim);
  good &= s.integer("vocabulary", m.vocabulary, {1, 10 * widest}, figure(p.vocabulary));
  const auto flag = [&](bool v) {
    return preset ? opened->figure(v, p.source) : std::optional<Assumed<bool>>(Assumed<bool>{false});
  };
  good &= s.boolean("gated_ffn", m.gated_ffn, flag(p.gated_ffn));
  good &= s.boolean("tied_embeddings", m.tied_embeddings, flag(p.tied_embeddings));
  m.experts = read_experts(s, *opened, p, m.ffn_hidden, good);
  m.latent_attention = read_latent_attention(s, *opened, p, good);
  if (good && m.experts && m.experts->dense_first >= m.layers) {
    s.fault_at("experts", Code::inconsistent,
               "dense_first " + shown(m.experts->dense_first) + " leaves none of " + shown(m.layers) +
                   " layers to the experts");
    good = false;
  }
  if (good && m.heads % m.kv_heads != 0) {
    s.fault_at(s.has("kv_heads") ? "kv_heads" : "heads", Code::not_divisible,
               "heads " + shown(m.heads) + " does not divide by kv_heads " + shown(m.kv_heads));
    good = false;
  }
  s.finish();

  m.name = "custom";
  if (preset) {
    const bool same = m.layers == p.layers && m.hidden == p.hidden && m.ffn_hidden == p.ffn_hidden &&
                      m.heads == p.heads && m.kv_heads == p.kv_heads && m.head_dim == p.head_dim &&
                      m.vocabulary == p.vocabulary && m.gated_ffn == p.gated_ffn &&
                      m.tied_embeddings == p.tied_embeddings && same_experts(m.experts, p.experts) &&
                      same_attention(m.latent_attention, p.latent_attention);
    m.name = opened->preset + (same ? "" : " (changed)");
  }
  to.model = m;
  root.put("model", std::move(s.echo));
}

}  // namespace prism::scenario
