// SPDX-License-Identifier: Apache-2.0
// A Hugging Face config.json as a model. Every figure is accounted for: the key it was read from, or why it
// was taken to be what it is. What this model cannot say is refused or named, never dropped.
#include <algorithm>
#include <array>
#include <initializer_list>

#include "scenario/layers.h"
#include "scenario/section.h"

namespace prism {
namespace scenario {
namespace {

using Keys = std::initializer_list<std::string_view>;

/// Architectures whose configuration leaves something unsaid.
struct Family {
  std::string_view type;
  bool gated, tied;  ///< SwiGLU-like block; whether absent `tie_word_embeddings` means true
};
constexpr Family families_known[] = {
    {"llama", true, false},      {"mistral", true, false},     {"mixtral", true, false},
    {"qwen2", true, false},      {"qwen2_moe", true, false},   {"qwen3", true, false},
    {"qwen3_moe", true, false},  {"deepseek_v2", true, false}, {"deepseek_v3", true, false},
    {"phi3", true, false},       {"gemma", true, true},        {"gemma2", true, true},
    {"gemma3_text", true, true}, {"olmo2", true, false},       {"internlm2", true, false},
    {"glm4", true, false},       {"glm4_moe", true, false},    {"llama4_text", true, false},
    {"gpt2", false, true},       {"gpt_neox", false, false},   {"opt", false, true},
    {"bloom", false, true},      {"falcon", false, true},      {"gpt_bigcode", false, true},
    {"mpt", false, true},
};

class Reader {
 public:
  Reader(const Json& config, std::string pointer, ModelImport& to, Notes& notes)
      : config_(config), pointer_(std::move(pointer)), to_(to), notes_(notes) {}

  /// The first of these keys that is there and not null.
  const Json* find(Keys keys, std::string& from) const {
    for (std::string_view key : keys) {
      const Json* value = find_member(config_, key);
      if (!value || value->is_null()) continue;
      from = child(pointer_, key);
      return value;
    }
    return nullptr;
  }
  bool has(std::string_view key) const {
    std::string from;
    return find({key}, from);
  }

  /// A whole number at one of the keys; false if none is there or it is unusable (reported).
  bool number(const std::string& field, Keys keys, std::int64_t least, std::int64_t& value,
              std::int64_t most = 10'000'000) {
    std::string from;
    const Json* found = find(keys, from);
    if (!found || !read_integer(notes_, *found, from, {least, most}, value)) return false;
    for (std::string_view key : keys) {
      const Json* other = find_member(config_, key);
      if (other && !other->is_null() && *other != *found) {
        notes_.fault(Code::inconsistent, child(pointer_, key), "says another " + field + " than " + from);
        return false;
      }
    }
    say(field, shown(value), "read from " + from);
    return true;
  }
  void need(const std::string& field, Keys keys, std::int64_t& value, std::int64_t most = 10'000'000) {
    const std::size_t before = notes_.faults;
    if (number(field, keys, 1, value, most) || notes_.faults > before) return;
    std::string known;
    for (std::string_view key : keys) known += (known.empty() ? "" : ", ") + in_quotes(key);
    notes_.fault(Code::missing_key, pointer_, "the configuration has no " + field + ": none of " + known);
  }
  void take(const std::string& field, std::int64_t& value, std::int64_t taken, const std::string& why) {
    value = taken;
    say(field, shown(taken), why);
  }
  void say(const std::string& field, const std::string& value, const std::string& from) {
    to_.account.push_back({field, value, from});
  }
  bool flag(std::string_view key, bool otherwise) {
    std::string from;
    const Json* value = find({key}, from);
    if (!value) return otherwise;
    if (value->is_boolean()) return value->get<bool>();
    notes_.fault(Code::wrong_type, from, "expected true or false, found " + described(*value));
    return otherwise;
  }
  std::string text(std::string_view key) const {
    std::string from;
    const Json* value = find({key}, from);
    return value && value->is_string() ? value->get<std::string>() : std::string();
  }
  void refuse(std::string_view key, std::string why) {
    notes_.fault(Code::unsupported, child(pointer_, key), std::move(why));
  }
  std::size_t faults() const { return notes_.faults; }

 private:
  const Json& config_;
  std::string pointer_;
  ModelImport& to_;
  Notes& notes_;
};

void read_sizes(Reader& r, Model& m) {
  r.need("layers", {"num_hidden_layers", "n_layer", "num_layers", "n_layers"}, m.layers, 10'000);
  r.need("hidden", {"hidden_size", "n_embd", "d_model", "dim"}, m.hidden);
  r.need("heads", {"num_attention_heads", "n_head", "num_heads", "n_heads"}, m.heads);
  r.need("vocabulary", {"vocab_size", "padded_vocab_size"}, m.vocabulary);
  if (r.faults() > 0) return;
  if (!r.number("ffn_hidden", {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}, 1,
                m.ffn_hidden) &&
      r.faults() == 0)
    r.take("ffn_hidden", m.ffn_hidden, 4 * m.hidden,
           "not in the file: four times hidden, the default of GPT-like configurations");
  if (!r.number("kv_heads", {"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"}, 1,
                m.kv_heads) &&
      r.faults() == 0) {
    const bool one = r.flag("multi_query", false);
    r.take("kv_heads", m.kv_heads, one ? 1 : m.heads,
           one ? "multi_query is true: one for all heads" : "not in the file: one for each head");
  }
}

void read_head_width(Reader& r, Model& m) {
  if (r.has("kv_lora_rank")) {
    LatentAttention a;
    r.number("latent_attention.kv_rank", {"kv_lora_rank"}, 1, a.kv_rank);
    if (!r.number("latent_attention.query_rank", {"q_lora_rank"}, 1, a.query_rank))
      r.take("latent_attention.query_rank", a.query_rank, 0, "q_lora_rank is not given: no rank");
    r.need("latent_attention.rope_dim", {"qk_rope_head_dim"}, a.rope_dim);
    r.need("latent_attention.value_dim", {"v_head_dim"}, a.value_dim);
    r.need("head_dim", {"qk_nope_head_dim"}, m.head_dim);
    m.latent_attention = a;
    return;
  }
  if (r.number("head_dim", {"head_dim", "kv_channels"}, 1, m.head_dim) || r.faults() > 0) return;
  if (m.hidden % m.heads != 0)
    return r.refuse("hidden_size", "hidden " + shown(m.hidden) + " does not divide by heads " +
                                       shown(m.heads) + ", and no width of a head is given");
  r.take("head_dim", m.head_dim, m.hidden / m.heads, "not in the file: hidden / heads");
}

/// Layers without experts must all stand in front: this model knows no other pattern.
void read_dense_layers(Reader& r, const Json* mlp_only, Experts& e) {
  if (!r.number("experts.dense_first", {"first_k_dense_replace"}, 0, e.dense_first))
    r.take("experts.dense_first", e.dense_first, 0, "not in the file: every layer has experts");
  std::int64_t every = 1;
  for (std::string_view key : {"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"})
    if (r.number("experts in every n-th layer", {key}, 1, every) && every != 1)
      r.refuse(key, "experts in every " + shown(every) +
                        ". layer are not modelled: layers would count with work that they do not have");
  if (!mlp_only || !mlp_only->is_array() || mlp_only->empty()) return;
  for (std::size_t i = 0; i < mlp_only->size(); ++i)
    if ((*mlp_only)[i] != i)
      return r.refuse("mlp_only_layers",
                      "layers without experts that do not all stand in front are not "
                      "modelled");
  r.take("experts.dense_first", e.dense_first, std::ssize(*mlp_only), "length of mlp_only_layers");
}

void read_experts(Reader& r, Model& m) {
  Experts e;
  if (!r.number("experts.count", {"n_routed_experts", "num_local_experts", "num_experts"}, 1, e.count) ||
      e.count < 2)
    return;
  r.need("experts.top_k", {"num_experts_per_tok", "moe_top_k", "num_experts_per_token"}, e.top_k);
  if (!r.number("experts.ffn_hidden", {"moe_intermediate_size", "expert_ffn_hidden_size"}, 1, e.ffn_hidden))
    r.take("experts.ffn_hidden", e.ffn_hidden, m.ffn_hidden,
           "no width of its own in the file: that of the feed-forward block");
  std::int64_t width = 0;
  if (r.number("width of the shared expert", {"shared_expert_intermediate_size"}, 0, width)) {
    if (width % e.ffn_hidden != 0)
      r.refuse("shared_expert_intermediate_size", "a shared expert whose width " + shown(width) +
                                                      " is no multiple of an expert's " +
                                                      shown(e.ffn_hidden) + " is not modelled");
    r.take("experts.shared", e.shared, width / e.ffn_hidden, "that width / experts.ffn_hidden");
  } else if (!r.number("experts.shared", {"n_shared_experts", "num_shared_experts"}, 0, e.shared)) {
    r.take("experts.shared", e.shared, 0, "not in the file: none");
  }
  std::string from;
  read_dense_layers(r, r.find({"mlp_only_layers"}, from), e);
  if (e.top_k > e.count) r.refuse("num_experts_per_tok", "a token visits more experts than there are");
  if (e.dense_first >= m.layers) r.refuse("first_k_dense_replace", "no layer is left to the experts");
  m.experts = e;
}

void read_form(Reader& r, Model& m) {
  const std::string type = r.text("model_type");
  const Family* family = nullptr;
  for (const Family& f : families_known)
    if (f.type == type) family = &f;
  const std::string about = "model_type " + in_quotes(excerpt(type));
  if (family) {
    m.gated_ffn = family->gated;
    r.say("gated_ffn", m.gated_ffn ? "true" : "false", about);
  } else {
    const std::string act = r.text("hidden_act");
    m.gated_ffn = act == "silu" || act == "swiglu" || act == "geglu";
    r.say("gated_ffn", m.gated_ffn ? "true" : "false",
          about + " is not known here: guessed from hidden_act " + in_quotes(excerpt(act)) + "; check it");
  }
  const bool stated = r.has("tie_word_embeddings");
  m.tied_embeddings = r.flag("tie_word_embeddings", family && family->tied);
  r.say("tied_embeddings", m.tied_embeddings ? "true" : "false",
        stated   ? "read from tie_word_embeddings"
        : family ? "not in the file: the default of " + about
                 : "not in the file: taken as not tied; check it");
  m.name = "custom";
}

/// Keys of structures that the model cannot say: without them the rest would be read as another model.
constexpr std::string_view other_structures[] = {"attn_config",
                                                 "attn_layer_period",
                                                 "attn_type_list",
                                                 "block_configs",
                                                 "expert_layer_period",
                                                 "ffn_config",
                                                 "full_attention_interval",
                                                 "hybrid_override_pattern",
                                                 "moe_k",
                                                 "moe_layer_start_index",
                                                 "moe_num_experts"};
constexpr std::string_view encoders[] = {"albert",  "bert",       "deberta", "deberta-v2", "distilbert",
                                         "electra", "modernbert", "roberta", "xlm-roberta"};

void refuse_other_structures(Reader& r) {
  const std::string type = r.text("model_type");
  for (std::string_view encoder : encoders)
    if (type == encoder)
      return r.refuse("model_type", in_quotes(type) + " is an encoder: only decoders are modelled");
  if (type == "mpt") return;  // its attn_config and ffn_config say nothing that the other keys do not
  for (std::string_view key : other_structures)
    if (r.has(key))
      r.refuse(key,
               "a structure of layers, attention or experts that is not modelled: the rest alone would be "
               "another model");
}

/// Parts of the configuration that have no place in the model, named.
void read_rest(Reader& r, const Json& document, ModelImport& to) {
  std::int64_t n = 0;
  if (r.number("multi-token prediction layers", {"num_nextn_predict_layers"}, 0, n) && n > 0)
    to.left_out.push_back(shown(n) + " layers of multi-token prediction (num_nextn_predict_layers)");
  if (find_member(document, "vision_config")) to.left_out.push_back("the vision part (vision_config)");
  if (find_member(document, "audio_config")) to.left_out.push_back("the audio part (audio_config)");
  if (r.number("sliding window", {"sliding_window"}, 0, n) && r.flag("use_sliding_window", true))
    to.left_out.push_back("the sliding window of attention (sliding_window): counted as full attention");
  if (r.flag("is_encoder_decoder", false))
    r.refuse("is_encoder_decoder", "models with an encoder are not modelled");
}

}  // namespace
}  // namespace scenario

Result<ModelImport> read_hugging_face(std::string_view text) {
  using namespace scenario;
  Result<Json> parsed = parse_json(text);
  if (!parsed) return Result<ModelImport>::faults(std::move(parsed.diagnostics));
  Notes notes;
  ModelImport to;
  const Json* config = &*parsed;
  std::string pointer;
  if (!config->is_object()) {
    notes.fault(Code::wrong_type, "", "expected a config.json, found " + described(*config));
  } else {
    const Json* inner = find_member(*config, "text_config");
    Json language;
    if (inner && inner->is_object()) {
      language = *inner;
      // Written for the whole, it holds for the part.
      if (const Json* tied = find_member(*config, "tie_word_embeddings");
          tied && !language.contains("tie_word_embeddings"))
        language["tie_word_embeddings"] = *tied;
      pointer = "/text_config";
      to.account.push_back({"the language model", "", "read from /text_config"});
    } else if (inner && !inner->is_null()) {
      notes.fault(Code::wrong_type, "/text_config", "expected an object, found " + described(*inner));
    } else {
      language = *config;
    }
    Reader reader(language, pointer, to, notes);
    if (notes.faults == 0) refuse_other_structures(reader);
    if (notes.faults == 0) read_sizes(reader, to.model);
    if (notes.faults == 0) read_head_width(reader, to.model);
    if (notes.faults == 0) read_experts(reader, to.model);
    if (notes.faults == 0) read_form(reader, to.model);
    if (notes.faults == 0) read_rest(reader, *parsed, to);
    if (notes.faults == 0 && to.model.heads % to.model.kv_heads != 0)
      notes.fault(
          Code::not_divisible, pointer,
          "heads " + shown(to.model.heads) + " does not divide by kv_heads " + shown(to.model.kv_heads));
  }
  if (notes.faults == 0) return Result<ModelImport>::of(std::move(to));
  place(text, notes.diagnostics);
  return Result<ModelImport>::faults(std::move(notes.diagnostics));
}

std::string model_json(const Model& m) {
  using namespace scenario;
  Json out = {
      {"layers", m.layers},         {"hidden", m.hidden},       {"ffn_hidden", m.ffn_hidden},
      {"heads", m.heads},           {"kv_heads", m.kv_heads},   {"head_dim", m.head_dim},
      {"vocabulary", m.vocabulary}, {"gated_ffn", m.gated_ffn}, {"tied_embeddings", m.tied_embeddings}};
  if (m.experts)
    out["experts"] = {{"count", m.experts->count},
                      {"top_k", m.experts->top_k},
                      {"ffn_hidden", m.experts->ffn_hidden},
                      {"shared", m.experts->shared},
                      {"dense_first", m.experts->dense_first}};
  if (m.latent_attention)
    out["latent_attention"] = {{"query_rank", m.latent_attention->query_rank},
                               {"kv_rank", m.latent_attention->kv_rank},
                               {"rope_dim", m.latent_attention->rope_dim},
                               {"value_dim", m.latent_attention->value_dim}};
  return out.dump(2);
}

std::vector<LayerSpread> layer_spreads(std::int64_t layers, std::int64_t stages) {
  std::vector<LayerSpread> all;
  for (const scenario::LayerRule& rule : scenario::layer_rules()) {
    auto spread = rule.spread(layers, stages);
    all.push_back({rule.name, rule.condition, spread ? std::move(*spread) : std::vector<std::int64_t>{}});
  }
  return all;
}

}  // namespace prism
