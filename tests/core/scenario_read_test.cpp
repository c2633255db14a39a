// SPDX-License-Identifier: Apache-2.0
// What a scenario means once it is read: units, equations, rules, presets.
#include <gtest/gtest.h>

#include <numeric>

#include "prism/scenario.h"
#include "scenario_files.h"

namespace prism::scenario_read_test {
namespace {

using Json = nlohmann::ordered_json;

/// The scenario of a value that must be good.
Scenario read(const Json& value) {
  auto r = read_scenario(value.dump());
  EXPECT_TRUE(r) << value.dump() << "\n" << (r.diagnostics.empty() ? "" : r.diagnostics.front().message);
  return r ? *r : Scenario{};
}
/// The only diagnostic of a value that must be bad.
Diagnostic fault(const Json& value) {
  auto r = read_scenario(value.dump());
  EXPECT_FALSE(r) << value.dump();
  EXPECT_EQ(r.diagnostics.size(), 1u) << value.dump();
  return r.diagnostics.empty() ? Diagnostic{} : r.diagnostics.front();
}
Json operators(Json latency) {
  Json s = {{"prism", 1}};
  s["operators"] = Json::array({{{"name", "f"}, {"scope", "stage"}, {"phase", "forward"}, {"kind", "gemm"}}});
  s["operators"][0]["latency"] = std::move(latency);
  s["batch"] = {{"micro_batches", 1}};
  return s;
}

TEST(ScenarioRead, FillsTheJobFromPresetsInSiUnits) {
  const Scenario s = read(test::job());
  ASSERT_TRUE(s.model);
  EXPECT_EQ(s.model->name, "llama-3.1-8b");
  EXPECT_EQ(s.model->layers, 32);
  EXPECT_EQ(s.model->ffn_hidden, 14336);
  EXPECT_TRUE(s.model->gated_ffn);
  EXPECT_EQ(s.cluster.gpu.name, "h100-sxm");
  EXPECT_EQ(s.cluster.gpu.peak_flops, 989e12);
  EXPECT_EQ(s.cluster.gpu.memory_bytes, 80.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(s.cluster.intra_node.bytes_per_s, 450e9);
  EXPECT_EQ(s.cluster.inter_node.latency_s, 8 / 1e6);
  EXPECT_EQ(s.cost_model.layer_floor_s, 1150 / 1e6);
  EXPECT_TRUE(s.cost_model.flash_attention);
  EXPECT_EQ(s.parallel.world(), 32);
  EXPECT_EQ(s.parallel.schedule, "1f1b");
  EXPECT_EQ(s.parallel.layers_per_virtual_stage, std::vector<std::int64_t>(4, 8));
  EXPECT_EQ(s.variability_preset, "dedicated");
  ASSERT_EQ(s.factors.size(), 3u);
  EXPECT_EQ(s.factors[0].what, "compute");
  EXPECT_NEAR(s.factors[0].factor.sd() / s.factors[0].factor.mean(), 0.02, 1e-12);
  EXPECT_EQ(s.factors[2].scope, Factor::Scope::gpu);
  EXPECT_EQ(s.factors[2].period, Factor::Period::run);
  EXPECT_NEAR(s.factors[2].factor.sd() / s.factors[2].factor.mean(), 0.01, 1e-12);
  EXPECT_TRUE(s.stalls.empty());
  EXPECT_TRUE(s.what_if.empty());
  EXPECT_EQ(s.run.trials, 10000);
  EXPECT_EQ(s.run.seed, 1u);
}

TEST(ScenarioRead, TellsAChangedPresetFromTheOriginal) {
  Json s = test::job();
  s["model"] = {{"preset", "llama-3.1-8b"}, {"layers", 32}};
  EXPECT_EQ(read(s).model->name, "llama-3.1-8b");
  s["model"]["layers"] = 16;
  EXPECT_EQ(read(s).model->name, "llama-3.1-8b (changed)");
  EXPECT_EQ(read(s).model->hidden, 4096);
  s["cluster"]["gpu"] = {{"preset", "h100-sxm"}, {"peak_tflops", 800}};
  EXPECT_EQ(read(s).cluster.gpu.name, "h100-sxm (changed)");
  EXPECT_EQ(read(s).cluster.gpu.memory_bytes_per_s, 3350e9);
}

TEST(ScenarioRead, KeepsGigabytesAndGigabitsApart) {
  Json s = test::job();
  s["cluster"]["inter_node"] = {{"per_gpu_gbit_per_s", 400}};
  EXPECT_EQ(read(s).cluster.inter_node.bytes_per_s, 50e9);
  s["cluster"]["inter_node"] = {{"per_gpu_gbyte_per_s", 400}};
  EXPECT_EQ(read(s).cluster.inter_node.bytes_per_s, 400e9);
}

TEST(ScenarioRead, BatchEquationGivesWhatIsLeftOut) {
  struct Case {
    Json batch, dp;
    std::int64_t global, micro, micro_batches, replicas;
  };
  const Case cases[] = {
      {{{"global", 32}, {"micro", 2}}, 4, 32, 2, 4, 4},
      {{{"global", 32}}, 4, 32, 1, 8, 4},
      {{{"micro_batches", 8}}, 4, 32, 1, 8, 4},
      {{{"micro_batches", 8}, {"micro", 3}}, 4, 96, 3, 8, 4},
      {{{"global", 32}, {"micro_batches", 4}}, 4, 32, 2, 4, 4},
      {{{"global", 32}, {"micro_batches", 4}}, nullptr, 32, 1, 4, 8},
      {{{"global", 32}, {"micro_batches", 4}, {"micro", 2}}, nullptr, 32, 2, 4, 4},
      {{{"global", 32}}, nullptr, 32, 1, 32, 1},
      {{{"micro_batches", 8}}, nullptr, 8, 1, 8, 1},
      {{{"global", 96}, {"micro", 3}, {"micro_batches", 8}}, 4, 96, 3, 8, 4},
  };
  for (const Case& c : cases) {
    Json s = test::job();
    s["batch"] = c.batch;
    s["batch"]["sequence"] = 8192;
    s["parallel"].erase("dp");
    if (!c.dp.is_null()) s["parallel"]["dp"] = c.dp;
    const Scenario got = read(s);
    EXPECT_EQ(got.batch.global, c.global) << s.dump();
    EXPECT_EQ(got.batch.micro, c.micro) << s.dump();
    EXPECT_EQ(got.batch.micro_batches, c.micro_batches) << s.dump();
    EXPECT_EQ(got.parallel.dp, c.replicas) << s.dump();
  }
}

TEST(ScenarioRead, BatchFaultsShowTheEquationWithNumbers) {
  Json s = test::job();
  s["batch"]["micro_batches"] = 8;
  EXPECT_NE(fault(s).message.find("global 32 is not micro 1 x micro_batches 8 x dp 2 = 16"),
            std::string::npos);
  s["batch"].erase("micro_batches");
  s["batch"]["global"] = 33;
  EXPECT_NE(fault(s).message.find("global 33 does not divide by micro 1 x dp 2 = 2"), std::string::npos);
}

TEST(ScenarioRead, LayerRulesSpreadEveryLayer) {
  const auto spread = [](int layers, int pp, int v, Json rule) {
    Json s = test::job();
    s["model"] = {{"preset", "llama-3.1-8b"}, {"layers", layers}};
    s["parallel"] = {{"pp", pp}, {"dp", 1}, {"virtual_stages", v}, {"layers_per_virtual_stage", rule}};
    if (rule.is_null()) s["parallel"].erase("layers_per_virtual_stage");
    return read(s).parallel.layers_per_virtual_stage;
  };
  using Layers = std::vector<std::int64_t>;
  EXPECT_EQ(spread(8, 4, 1, nullptr), (Layers{2, 2, 2, 2}));
  EXPECT_EQ(spread(8, 2, 2, "even"), (Layers{2, 2, 2, 2}));
  EXPECT_EQ(spread(10, 4, 1, "one-less-first-and-last"), (Layers{2, 3, 3, 2}));
  EXPECT_EQ(spread(10, 4, 1, "front"), (Layers{3, 3, 2, 2}));
  EXPECT_EQ(spread(10, 4, 1, "back"), (Layers{2, 2, 3, 3}));
  EXPECT_EQ(spread(3, 4, 1, "front"), (Layers{1, 1, 1, 0}));
  EXPECT_EQ(spread(8, 4, 1, 2), (Layers{2, 2, 2, 2}));
  EXPECT_EQ(spread(8, 4, 1, Json::array({1, 2, 3, 2})), (Layers{1, 2, 3, 2}));

  // Llama 3 405B: 126 layers over 16 ranks x 8 chunks; the first chunk holds the embedding alone, the last
  // the head.
  const Layers llama = spread(126, 16, 8, "one-less-first-and-last");
  ASSERT_EQ(llama.size(), 128u);
  EXPECT_EQ(llama.front(), 0);
  EXPECT_EQ(llama.back(), 0);
  EXPECT_EQ(std::accumulate(llama.begin() + 1, llama.end() - 1, std::int64_t{0}), 126);
}

TEST(ScenarioRead, LayersThatDoNotDivideShowTheNumbersAndTheRules) {
  Json s = test::job();
  s["parallel"]["pp"] = 5;
  const Diagnostic d = fault(s);
  EXPECT_EQ(d.code, Code::not_divisible);
  EXPECT_NE(d.message.find("32 layers over pp 5 x virtual_stages 1 = 5"), std::string::npos) << d.message;
  EXPECT_NE(d.hint.find("front"), std::string::npos);
}

TEST(ScenarioRead, OperatorLatenciesComeOutInSeconds) {
  const auto median = [](Json latency) {
    return read(operators(std::move(latency))).operators.at(0).latency.median();
  };
  EXPECT_EQ(median({{"constant", {{"value_us", 850}}}}), 850 / 1e6);
  EXPECT_EQ(median({{"constant", {{"value_ms", 850}}}}), 850 / 1e3);
  EXPECT_EQ(median({{"constant", {{"value_s", 850}}}}), 850);
  EXPECT_NEAR(median({{"lognormal", {{"median_us", 850}, {"p95_ms", 0.9}}}}), 850e-6, 1e-12);
  EXPECT_NEAR(median({{"empirical", {{"samples_ms", {1, 2, 4}}}}}), 2e-3, 1e-12);
  EXPECT_NEAR(median({{"empirical", {{"quantiles_us", {{0, 10}, {0.5, 20}, {1, 40}}}}}}), 20e-6, 1e-12);
}

TEST(ScenarioRead, MixtureWeighsItsParts) {
  Json mixture = Json::array();
  mixture.push_back({{"weight", 3}, {"constant", {{"value_s", 1}}}});
  mixture.push_back({{"weight", 1}, {"constant", {{"value_s", 5}}}});
  const Scenario s = read(operators({{"mixture", mixture}}));
  EXPECT_NEAR(s.operators.at(0).latency.mean(), 2.0, 1e-3);
}

// Whatever family and parameter set the distribution room offers can be written, as a time and as a factor.
TEST(ScenarioRead, EveryParameterSetOfEveryFamilyIsAccepted) {
  const auto value = [](std::string_view name) {
    if (name == "p95" || name == "high") return 1.5;
    if (name == "low" || name == "location" || name == "minimum" || name == "shift") return 0.5;
    if (name == "shape") return 2.5;
    if (name == "scale" || name == "cv" || name == "log_sd") return 0.1;
    return 1.0;
  };
  int sets = 0;
  for (const Family& family : families()) {
    for (const ParameterSet& set : family.sets) {
      if (family.name == "gpd" && set.parameters.size() > 1 && set.parameters.back().name == "shape")
        continue;  // below
      Json parameters = Json::object();
      std::string names;
      for (const Parameter& p : set.parameters) {
        parameters[std::string(p.name) + (p.dimensional ? "_ms" : "")] = value(p.name);
        names += " " + std::string(p.name);
      }
      const Scenario s = read(operators({{std::string(family.name), parameters}}));
      ASSERT_EQ(s.operators.size(), 1u) << family.name << names;
      EXPECT_GT(s.operators[0].latency.median(), 1e-6) << family.name << names;
      EXPECT_LT(s.operators[0].latency.median(), 1e-1) << family.name << names;
      ++sets;
    }
  }
  EXPECT_GE(sets, 20);
  const Scenario s = read(operators({{"gpd", {{"location_ms", 1}, {"scale_ms", 0.1}, {"shape", 0.2}}}}));
  EXPECT_GT(s.operators.at(0).latency.median(), 1e-3);
}

TEST(ScenarioRead, RegimesAreTheirStationaryLaw) {
  const auto factor = [](Json regime) {
    Json f = {{"what", "inter_node"}, {"scope", "cluster"}, {"period", "step"}};
    f.update(regime);
    Json s = test::job();
    s["variability"]["factors"] = Json::array({f});
    return read(s).factors.at(0);
  };
  const Factor spells = factor({{"two_state", {{"slow", 2}, {"share", 0.2}, {"dwell_steps", 400}}}});
  EXPECT_NEAR(spells.factor.mean(), 1.2, 1e-3);
  EXPECT_EQ(spells.factor.quantile(Mass::below(0.75)), 1);
  EXPECT_EQ(spells.factor.quantile(Mass::below(0.85)), 2);
  ASSERT_TRUE(spells.regime);
  EXPECT_EQ(spells.regime->dwell_steps, 400);
  const Factor wandering = factor({{"ar1", {{"cv", 0.5}, {"correlation", 0.9}}}});
  EXPECT_NEAR(wandering.factor.median(), 1, 1e-12);
  EXPECT_NEAR(wandering.factor.sd() / wandering.factor.mean(), 0.5, 1e-9);
  ASSERT_TRUE(wandering.regime);
  EXPECT_EQ(wandering.regime->correlation, 0.9);
}

// The name is the identity of a cause's draws; without one it is what the cause does, and never twice the
// same.
TEST(ScenarioRead, EveryCauseHasItsOwnKey) {
  Json factor = {
      {"what", "gemm"}, {"scope", "gpu"}, {"period", "run"}, {"lognormal", {{"median", 1}, {"cv", 0.1}}}};
  Json named = factor;
  named["name"] = "old boards";
  Json s = test::job();
  s["variability"]["factors"] = Json::array({factor, named, factor, named});
  Json stall = {{"what", "gemm"}, {"per_node_hour", 7200}, {"exponential", {{"mean_ms", 20}}}};
  s["variability"]["stalls"] = Json::array({stall, stall});
  const Scenario got = read(s);
  std::vector<std::string> keys;
  for (const Factor& f : got.factors) keys.push_back(f.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"gemm gpu run", "old boards", "gemm gpu run 2", "old boards 2"}));
  ASSERT_EQ(got.stalls.size(), 2u);
  EXPECT_EQ(got.stalls[0].key, "gemm stall");
  EXPECT_EQ(got.stalls[1].key, "gemm stall 2");
  EXPECT_EQ(got.stalls[0].per_node_s, 2);
  EXPECT_NEAR(got.stalls[0].duration.mean(), 0.02, 1e-12);
}

TEST(ScenarioRead, APlaceIsTheFirstOneUnlessSaid) {
  Json s = test::job();
  s["what_if"] = Json::array({{{"where", Json::object()}, {"factor", 1.2}}});
  s["what_if"].push_back(
      {{"where", {{"pp", 3}, {"dp", 1}, {"tp", 2}, {"unit", "gpu"}}}, {"node_quantile", 0.95}});
  s["what_if"].push_back({{"where", {{"pp", 1}}}, {"operator_quantile", 0.9}});
  const Scenario got = read(s);
  ASSERT_EQ(got.what_if.size(), 3u);
  EXPECT_EQ(got.what_if[0].pp + got.what_if[0].dp + got.what_if[0].tp, 0);
  EXPECT_EQ(got.what_if[0].unit, WhatIf::Unit::node);
  EXPECT_EQ(got.what_if[0].what, "compute");
  EXPECT_EQ(got.what_if[0].value, 1.2);
  EXPECT_EQ(got.what_if[1].pp, 3);
  EXPECT_EQ(got.what_if[1].unit, WhatIf::Unit::gpu);
  EXPECT_EQ(got.what_if[1].change, WhatIf::Change::node_quantile);
  EXPECT_EQ(got.what_if[2].change, WhatIf::Change::operator_quantile);
  EXPECT_EQ(got.what_if[2].value, 0.9);
}

TEST(ScenarioRead, AResultDocumentIsReadThroughItsScenario) {
  Json result = {{"prism_result", 1}, {"digest", "0"}};
  result["scenario"] = Json::parse(read(test::job()).resolved);
  EXPECT_EQ(read(result).resolved, read(test::job()).resolved);
  result["scenario"]["parallel"]["tp"] = 0;
  EXPECT_EQ(fault(result).pointer, "/scenario/parallel/tp");
}

TEST(ScenarioRead, SeedKeepsAll64Bits) {
  Json s = test::job();
  s["run"] = {{"seed", "18446744073709551615"}};
  EXPECT_EQ(read(s).run.seed, 18446744073709551615u);
  for (const char* bad :
       {"18446744073709551616", "01", "", "1.0", "+1", " 1", "0x10", "99999999999999999999999"}) {
    s["run"]["seed"] = bad;
    EXPECT_EQ(fault(s).pointer, "/run/seed") << bad;
  }
  s["run"]["seed"] = 7;
  EXPECT_NE(fault(s).hint.find("\"7\""), std::string::npos);
}

TEST(ScenarioRead, IndependentFaultsAreAllReportedInTheOrderOfTheText) {
  Json s = test::job();
  s["parallel"]["tp"] = "8";
  s["cluster"]["gpu"] = "h1000-sxm";
  s["run"] = {{"trials", 0}, {"sed", "1"}};
  const auto r = read_scenario(s.dump(2));
  ASSERT_EQ(r.diagnostics.size(), 4u);
  EXPECT_EQ(r.diagnostics[0].pointer, "/parallel/tp");
  EXPECT_EQ(r.diagnostics[1].pointer, "/cluster/gpu");
  EXPECT_EQ(r.diagnostics[2].pointer, "/run/trials");
  EXPECT_EQ(r.diagnostics[3].pointer, "/run/sed");
}

TEST(ScenarioRead, HintsNameTheNearestKeyOrName) {
  const auto hint = [](const char* section, const char* key, Json value) {
    Json s = test::job();
    s[section][key] = std::move(value);
    return fault(s).hint;
  };
  EXPECT_EQ(hint("parallel", "squence_parallel", true), "did you mean \"sequence_parallel\"?");
  EXPECT_EQ(hint("parallel", "recompue", "none"), "did you mean \"recompute\"?");
  EXPECT_EQ(hint("parallel", "schedule", "interleaved"), "did you mean \"interleaved-1f1b\"?");
  EXPECT_EQ(hint("batch", "micro_batchs", 8), "did you mean \"micro_batches\"?");
  EXPECT_EQ(hint("cluster", "gpus_per_nod", 8), "did you mean \"gpus_per_node\"?");
}

TEST(ScenarioRead, EveryKindNameIsReadBack) {
  for (int i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    Json s = operators({{"constant", {{"value_us", 1}}}});
    Json& op = s["operators"][0];
    op["kind"] = kind_name(kind);
    if (class_of(kind) == Class::communication && kind != Kind::send_recv) op["group"] = "tp";
    EXPECT_EQ(read(s).operators.at(0).kind, kind) << kind_name(kind);
  }
}

}  // namespace
}  // namespace prism::scenario_read_test
