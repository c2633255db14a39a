// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <utility>

#include "scenario/distributions.h"
#include "scenario/layers.h"
#include "scenario/parts.h"
#include "scenario/presets/presets.h"
#include "scenario/words.h"

namespace prism {
namespace scenario {
namespace {

Json figure(const Figure& f) { return {{"value", number(f.value)}, {"source", f.source}}; }

Json models() {
  Json list = Json::array();
  for (const ModelPreset& p : model_presets()) {
    Json entry = {{"name", p.name},
                  {"layers", p.layers},
                  {"hidden", p.hidden},
                  {"ffn_hidden", p.ffn_hidden},
                  {"heads", p.heads},
                  {"kv_heads", p.kv_heads},
                  {"head_dim", p.head_dim},
                  {"vocabulary", p.vocabulary},
                  {"gated_ffn", p.gated_ffn},
                  {"tied_embeddings", p.tied_embeddings}};
    if (const Experts& e = p.experts; e.count > 0)
      entry["experts"] = {{"count", e.count},
                          {"top_k", e.top_k},
                          {"ffn_hidden", e.ffn_hidden},
                          {"shared", e.shared},
                          {"dense_first", e.dense_first}};
    if (const LatentAttention& a = p.latent_attention; a.kv_rank > 0)
      entry["latent_attention"] = {{"query_rank", a.query_rank},
                                   {"kv_rank", a.kv_rank},
                                   {"rope_dim", a.rope_dim},
                                   {"value_dim", a.value_dim}};
    entry["source"] = p.source;
    list.push_back(std::move(entry));
  }
  return list;
}

Json gpus() {
  Json list = Json::array();
  for (const GpuPreset& p : gpu_presets())
    list.push_back({{"name", p.name},
                    {"peak_tflops", figure(p.peak_tflops)},
                    {"fp8_tflops", figure(p.fp8_tflops)},
                    {"fp4_tflops", figure(p.fp4_tflops)},
                    {"memory_gib", figure(p.memory_gib)},
                    {"memory_gbyte_per_s", figure(p.memory_gbyte_per_s)},
                    {"gpus_per_node", figure(p.gpus_per_node)},
                    {"nvlink_domain", figure(p.nvlink_domain)},
                    {"intra_node",
                     {{"per_gpu_gbyte_per_s", figure(p.intra_node_gbyte_per_s)},
                      {"latency_us", figure(p.intra_node_latency_us)}}},
                    {"inter_node",
                     {{"per_gpu_gbyte_per_s", figure(p.inter_node_gbyte_per_s)},
                      {"latency_us", figure(p.inter_node_latency_us)}}},
                    {"validated", p.validated}});
  return list;
}

Json cost_models() {
  Json list = Json::array();
  for (const CostModelPreset& p : cost_model_presets())
    list.push_back(
        {{"gpu", p.gpu},
         {"precision", p.precision},
         {"gemm_efficiency", figure(p.gemm_efficiency)},
         {"gemm_overhead_us", figure(p.gemm_overhead_us)},
         {"memory_efficiency", figure(p.memory_efficiency)},
         {"flash_attention", {{"value", p.flash_attention.value != 0}, {"source", p.flash_attention.source}}},
         {"attention_efficiency", figure(p.attention_efficiency)},
         {"network_efficiency", figure(p.network_efficiency)},
         {"layer_floor_us", figure(p.layer_floor_us)},
         {"gradient_bytes", figure(p.gradient_bytes)},
         {"optimizer_bytes", figure(p.optimizer_bytes)},
         {"tp_overlap", figure(p.tp_overlap)},
         {"dp_overlap", figure(p.dp_overlap)},
         {"pp_overlap", figure(p.pp_overlap)}});
  return list;
}

Json variabilities() {
  Json list = Json::array();
  for (const VariabilityPreset& p : variability_presets()) {
    Json factors = Json::array();
    for (const FactorPreset& f : p.factors) {
      Json parameters = Json::object();
      for (const auto& [name, value] : f.parameters) parameters[std::string(name)] = number(value);
      factors.push_back({{"what", f.what},
                         {"scope", f.scope},
                         {"period", f.period},
                         {std::string(f.family), parameters},
                         {"source", f.source}});
    }
    Json stalls = Json::array();
    for (const StallPreset& stall : p.stalls) {
      Json parameters = Json::object();
      for (const auto& [name, value] : stall.parameters) parameters[std::string(name)] = number(value);
      stalls.push_back({{"what", stall.what},
                        {"per_node_hour", number(stall.per_node_hour)},
                        {std::string(stall.family), parameters},
                        {"source", stall.source}});
    }
    list.push_back({{"name", p.name}, {"summary", p.summary}, {"factors", factors}, {"stalls", stalls}});
  }
  return list;
}

Json failures() {
  Json list = Json::array();
  for (const FailurePreset& p : failure_presets()) {
    Json causes = Json::array();
    for (const FailureCausePreset& c : p.causes)
      causes.push_back({{"name", c.name},
                        {"per_1000_node_days", number(c.per_1000_node_days)},
                        {"detection_min", number(c.detection_min)},
                        {"restart_min", number(c.restart_min)},
                        {"replacement", number(c.replacement)},
                        {"source", c.source}});
    list.push_back({{"name", p.name}, {"summary", p.summary}, {"causes", causes}});
  }
  return list;
}

Json laws() {
  Json list = Json::array();
  for (const Family& f : families()) {
    Json sets = Json::array();
    for (const ParameterSet& set : f.sets) {
      Json parameters = Json::array();
      for (const Parameter& p : set.parameters)
        parameters.push_back({{"name", p.name}, {"has_unit", p.dimensional}});
      sets.push_back(std::move(parameters));
    }
    list.push_back({{"name", f.name}, {"summary", f.summary}, {"parameters", sets}});
  }
  return list;
}

Json layer_rule_list() {
  Json list = Json::array();
  for (const LayerRule& r : layer_rules()) list.push_back({{"name", r.name}, {"condition", r.condition}});
  return list;
}

Json kinds() {
  Json list = Json::array();
  for (std::size_t i = 0; i < kind_words().size(); ++i)
    list.push_back(
        {{"name", kind_words()[i]},
         {"class", class_of(static_cast<Kind>(i)) == Class::compute ? "compute" : "communication"}});
  return list;
}

/// Who shares a draw, and how long it lasts, in words for people.
Json meanings(std::initializer_list<std::pair<const char*, const char*>> words) {
  Json list = Json::array();
  for (const auto& [name, meaning] : words) list.push_back({{"name", name}, {"meaning", meaning}});
  return list;
}
Json scopes() {
  return meanings({{"operation", "each operation on its own"},
                   {"micro_batch", "all work of a micro-batch"},
                   {"gpu", "all work of a GPU"},
                   {"node", "all GPUs of a node"},
                   {"replica", "all GPUs of a replica"},
                   {"cluster", "all GPUs"}});
}
Json periods() {
  return meanings({{"operation", "one operation"}, {"step", "one step"}, {"run", "the whole run"}});
}

}  // namespace
}  // namespace scenario

std::string presets_json() {
  using namespace scenario;
  Json names = Json::array();
  for (std::string_view n : schedule_names()) names.push_back(n);
  Json targets = Json::array();
  for (std::string_view n : cause_targets()) targets.push_back(n);
  const Json all = {{"model", models()},
                    {"gpu", gpus()},
                    {"cost_model", cost_models()},
                    {"variability", variabilities()},
                    {"failures", failures()},
                    {"schedule", names},
                    {"layers_per_virtual_stage", layer_rule_list()},
                    {"kind", kinds()},
                    {"cause_target", targets},
                    {"scope", scopes()},
                    {"period", periods()},
                    {"distribution", laws()}};
  return all.dump();
}

}  // namespace prism
