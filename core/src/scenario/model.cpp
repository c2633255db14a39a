// SPDX-License-Identifier: Apache-2.0
#include "scenario/parts.h"
#include "scenario/presets/presets.h"

namespace prism::scenario {

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
  if (good && m.heads % m.kv_heads != 0) {
    s.fault_at("kv_heads", Code::not_divisible,
               "heads " + shown(m.heads) + " does not divide by kv_heads " + shown(m.kv_heads));
    good = false;
  }
  s.finish();

  m.name = "custom";
  if (preset) {
    const bool same = m.layers == p.layers && m.hidden == p.hidden && m.ffn_hidden == p.ffn_hidden &&
                      m.heads == p.heads && m.kv_heads == p.kv_heads && m.head_dim == p.head_dim &&
                      m.vocabulary == p.vocabulary && m.gated_ffn == p.gated_ffn &&
                      m.tied_embeddings == p.tied_embeddings;
    m.name = opened->preset + (same ? "" : " (changed)");
  }
  to.model = m;
  root.put("model", std::move(s.echo));
}

}  // namespace prism::scenario
