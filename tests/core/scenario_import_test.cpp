// SPDX-License-Identifier: Apache-2.0
// Hugging Face configurations: figures land where they belong, every one is accounted for, losses are
// refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "prism/workload.h"

namespace prism::scenario_import_test {
namespace {

using Json = nlohmann::ordered_json;

Json llama() {
  return Json::parse(R"({"model_type": "llama", "num_hidden_layers": 126, "hidden_size": 16384,
    "intermediate_size": 53248, "num_attention_heads": 128, "num_key_value_heads": 8, "vocab_size": 128256,
    "tie_word_embeddings": false})");
}
std::string origin(const ModelImport& m, const std::string& field) {
  for (const auto& e : m.account)
    if (e.field == field) return e.from;
  return "";
}

TEST(Import, ReadsSizesAndSaysFromWhere) {
  const auto m = read_hugging_face(llama().dump());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->model.layers, 126);
  EXPECT_EQ(m->model.kv_heads, 8);
  EXPECT_EQ(m->model.head_dim, 128);
  EXPECT_TRUE(m->model.gated_ffn);
  EXPECT_NEAR(parameter_count(m->model), 405.8e9, 0.1e9);
  EXPECT_EQ(origin(*m, "layers"), "read from /num_hidden_layers");
  EXPECT_EQ(origin(*m, "head_dim"), "not in the file: hidden / heads");
  EXPECT_TRUE(m->left_out.empty());
}

TEST(Import, KnowsOtherNamesAndMissingKeyValueHeads) {
  const auto m = read_hugging_face(
      R"({"model_type": "gpt2", "n_layer": 48, "n_embd": 1600, "n_head": 25, "n_inner": null, "vocab_size": 50257})");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->model.ffn_hidden, 6400);
  EXPECT_EQ(m->model.kv_heads, 25);
  EXPECT_FALSE(m->model.gated_ffn);
  EXPECT_TRUE(m->model.tied_embeddings);
  EXPECT_NEAR(parameter_count(m->model), 1.56e9, 0.02e9);
  EXPECT_EQ(origin(*m, "kv_heads"), "not in the file: one for each head");
}

TEST(Import, LooksIntoTextConfig) {
  Json outer = {{"model_type", "llava"}, {"vision_config", Json::object()}, {"text_config", llama()}};
  const auto m = read_hugging_face(outer.dump());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->model.layers, 126);
  EXPECT_EQ(origin(*m, "layers"), "read from /text_config/num_hidden_layers");
  ASSERT_EQ(m->left_out.size(), 1u);
}

TEST(Import, ReadsExpertsBehindDenseLayersAndLatentAttention) {
  Json c = llama();
  c["model_type"] = "deepseek_v3";
  c["num_hidden_layers"] = 61;
  c["hidden_size"] = 7168;
  c["intermediate_size"] = 18432;
  c["num_key_value_heads"] = 128;
  c["vocab_size"] = 129280;
  for (const auto& [key, value] : {std::pair{"n_routed_experts", 256},
                                   {"num_experts_per_tok", 8},
                                   {"moe_intermediate_size", 2048},
                                   {"n_shared_experts", 1},
                                   {"first_k_dense_replace", 3},
                                   {"moe_layer_freq", 1},
                                   {"q_lora_rank", 1536},
                                   {"kv_lora_rank", 512},
                                   {"qk_rope_head_dim", 64},
                                   {"qk_nope_head_dim", 128},
                                   {"v_head_dim", 128},
                                   {"num_nextn_predict_layers", 1}})
    c[key] = value;
  const auto m = read_hugging_face(c.dump());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->model.experts->dense_first, 3);
  EXPECT_EQ(m->model.latent_attention->kv_rank, 512);
  EXPECT_NEAR(parameter_count(m->model), 671e9, 0.5e9);
  ASSERT_EQ(m->left_out.size(), 1u) << "the layer of multi-token prediction is named";
  c["moe_layer_freq"] = 2;
  EXPECT_FALSE(read_hugging_face(c.dump()));
}

TEST(Import, ImportedModelIsAModelOfTheScenario) {
  const auto m = read_hugging_face(llama().dump());
  ASSERT_TRUE(m);
  Json s = {{"prism", 1},
            {"model", Json::parse(model_json(m->model))},
            {"parallel", {{"tp", 8}, {"pp", 16}}},
            {"batch", {{"global", 16}, {"sequence", 8192}}},
            {"cluster", {{"gpu", "h100-sxm"}}}};
  const auto refused = read_scenario(s.dump());
  ASSERT_EQ(refused.diagnostics.size(), 1u) << "126 layers on 16 ranks: none is dropped in silence";
  EXPECT_EQ(refused.diagnostics[0].code, Code::not_divisible);
  s["parallel"]["layers_per_virtual_stage"] = "one-less-first-and-last";
  const auto read = read_scenario(s.dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parallel.layers_per_virtual_stage.front(), 7);
  EXPECT_EQ(read->parallel.layers_per_virtual_stage[1], 8);
}

TEST(Import, MissingAndWrongFiguresAreFaultsAtTheirPlace) {
  Json c = llama();
  c.erase("hidden_size");
  const auto missing = read_hugging_face(c.dump());
  ASSERT_EQ(missing.diagnostics.size(), 1u);
  EXPECT_EQ(missing.diagnostics[0].code, Code::missing_key);
  c = llama();
  c["num_hidden_layers"] = "126";
  const auto wrong = read_hugging_face(c.dump());
  ASSERT_EQ(wrong.diagnostics.size(), 1u);
  EXPECT_EQ(wrong.diagnostics[0].pointer, "/num_hidden_layers");
  EXPECT_GT(wrong.diagnostics[0].line, 0);
  c = llama();
  c["tie_word_embeddings"] = "yes";
  EXPECT_EQ(read_hugging_face(c.dump()).diagnostics.at(0).code, Code::wrong_type);
  c = llama();
  c["n_layer"] = 100;
  EXPECT_EQ(read_hugging_face(c.dump()).diagnostics.at(0).pointer, "/n_layer") << "two names, two numbers";
  c = {{"text_config", "x"}};
  EXPECT_EQ(read_hugging_face(c.dump()).diagnostics.at(0).pointer, "/text_config");
  EXPECT_FALSE(read_hugging_face("[]"));
  EXPECT_FALSE(read_hugging_face("{"));
}

TEST(Import, StructuresThatTheModelCannotSayAreRefused) {
  for (const char* key :
       {"moe_num_experts", "attn_layer_period", "full_attention_interval", "block_configs", "ffn_config"}) {
    Json c = llama();
    c["model_type"] = "another";
    c[key] = 2;
    const auto read = read_hugging_face(c.dump());
    ASSERT_EQ(read.diagnostics.size(), 1u) << key;
    EXPECT_EQ(read.diagnostics[0].code, Code::unsupported);
    EXPECT_EQ(read.diagnostics[0].pointer, std::string("/") + key);
  }
  Json c = llama();
  c["model_type"] = "bert";
  EXPECT_FALSE(read_hugging_face(c.dump()));
}

TEST(Import, WhatIsWrittenForTheWholeHoldsForTheLanguagePart) {
  for (bool tied : {false, true}) {
    const Json c = {{"text_config", llama()}, {"tie_word_embeddings", tied}};
    Json inner = c;
    inner["text_config"].erase("tie_word_embeddings");
    const auto read = read_hugging_face(inner.dump());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->model.tied_embeddings, tied);
  }
}

TEST(Import, RealConfigurations) {
  const char* folder = std::getenv("PRISM_MEASURED_DATA");
  for (const auto& [file, layers, parameters] : {std::tuple{"Meta-Llama-3.1-405B.config.json", 126, 405.8e9},
                                                 {"DeepSeek-V3.config.json", 61, 671e9}}) {
    std::ifstream in(std::string(folder ? folder : "") + "/model-configs/" + file);
    if (!in) GTEST_SKIP() << "no configurations: PRISM_MEASURED_DATA names no folder that has them";
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto m = read_hugging_face(text);
    ASSERT_TRUE(m) << file << ": " << m.diagnostics[0].message;
    EXPECT_EQ(m->model.layers, layers);
    EXPECT_NEAR(parameter_count(m->model), parameters, 0.5e9);
    for (const LayerSpread& s : layer_spreads(layers, 16)) {
      std::int64_t sum = 0;
      for (const std::int64_t n : s.layers_per_virtual_stage) sum += n;
      EXPECT_TRUE(sum == layers || s.layers_per_virtual_stage.empty()) << s.rule;
    }
  }
}

}  // namespace
}  // namespace prism::scenario_import_test
