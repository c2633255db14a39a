// SPDX-License-Identifier: Apache-2.0
// The result document as a whole: of real runs, against its schema and against itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "prism/report.h"

namespace prism::report_document_test {
namespace {

using nlohmann::ordered_json;

const std::string operators = R"({
  "prism": 1,
  "title": "Two stages",
  "operators": [
    { "name": "forward", "scope": "layer", "phase": "forward", "kind": "gemm", "latency": { "lognormal": { "median_ms": 10, "cv": 0.05 } } },
    { "name": "backward", "scope": "layer", "phase": "backward", "kind": "gemm", "latency": { "lognormal": { "median_ms": 20, "cv": 0.05 } } },
    { "name": "gradients", "scope": "step", "kind": "all_reduce", "group": "dp", "latency": { "lognormal": { "median_ms": 5, "cv": 0.3 } } }
  ],
  "parallel": { "tp": 1, "pp": 2, "dp": 2, "schedule": "1f1b", "layers_per_virtual_stage": 1 },
  "batch": { "micro_batches": 4 },
  "run": { "trials": 700, "seed": "18446744073709551615", "step_within_s": [0.01, 0.16, 9] }
})";

const std::string model = R"({
  "prism": 1, "title": "A model", "model": "llama-3.1-8b",
  "parallel": { "tp": 2, "pp": 2, "dp": 64, "schedule": "1f1b" },
  "batch": { "global": 512, "micro": 1, "sequence": 8192 },
  "cluster": { "gpu": "h100-sxm" }, "variability": "dedicated", "run": { "trials": 300 }
})";

/// The first scenario with a training run, and with a short one that never ends.
std::string with_training_run(bool ends) {
  ordered_json s = ordered_json::parse(operators);
  s["training_run"] = {{"steps", 100000}, {"runs", 40}, {"failures", {{"causes", ordered_json::array()}}}};
  s["training_run"]["failures"]["causes"].push_back(
      {{"name", "any"}, {"per_day", ends ? 20 : 20000}, {"detection_min", 1}, {"restart_min", 4}});
  if (ends) s["training_run"]["cost"] = {{"per_gpu_hour", 2}};
  return s.dump();
}

struct Done {
  Parts trials, attribution, check;
};

Done run_all(Job& job) {
  const auto phase = [&](Phase p) {
    Parts parts;
    for (std::int64_t unit = 0; unit < unit_count(*job.simulation, p); ++unit)
      parts.push_back(run_unit(*job.simulation, p, unit));
    return parts;
  };
  learn(*job.simulation, phase(Phase::pilot));
  return {phase(Phase::trials), phase(Phase::attribution), phase(Phase::check)};
}

Job job_of(const std::string& text) {
  auto job = prepare_job(text);
  if (!job) throw std::runtime_error(diagnostics_json(job.diagnostics));
  return std::move(*job);
}

ordered_json result_of(const std::string& text) {
  Job job = job_of(text);
  const Done done = run_all(job);
  return ordered_json::parse(result_json(job, done.trials, done.attribution, done.check));
}

/// Checks a value against the part of JSON Schema that docs/result.schema.json uses, and more strictly the
/// order of members.
class SchemaCheck {
 public:
  SchemaCheck() : root_(ordered_json::parse(std::ifstream(PRISM_SOURCE_DIR "/docs/result.schema.json"))) {}
  std::string fault(const ordered_json& document) const { return fault(root_, document, ""); }

 private:
  static bool has_type(const ordered_json& x, const std::string& type) {
    if (type == "null") return x.is_null();
    if (type == "integer") return x.is_number_integer();
    return type == x.type_name() || (type == "number" && x.is_number());
  }

  std::string fault(const ordered_json& schema, const ordered_json& x, const std::string& at) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : at + " is not allowed";
    if (schema.contains("$ref"))
      return fault(root_.at(ordered_json::json_pointer(schema["$ref"].get<std::string>().substr(1))), x, at);
    if (schema.contains("const") && x != schema["const"]) return at + " is not the constant";
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), x) == schema["enum"].end())
      return at + " is none of the words";
    if (schema.contains("type")) {
      const ordered_json types =
          schema["type"].is_array() ? schema["type"] : ordered_json::array({schema["type"]});
      if (std::none_of(types.begin(), types.end(), [&](const auto& t) { return has_type(x, t); }))
        return at + " has type " + x.type_name();
    }
    if (x.is_number() && schema.contains("minimum") && x < schema["minimum"]) return at + " is too small";
    if (x.is_number() && schema.contains("maximum") && x > schema["maximum"]) return at + " is too large";
    if (x.is_array()) return array_fault(schema, x, at);
    if (x.is_object() && schema.contains("properties")) return object_fault(schema, x, at);
    return "";
  }

  std::string array_fault(const ordered_json& schema, const ordered_json& x, const std::string& at) const {
    if (x.size() < schema.value("minItems", std::size_t{0})) return at + " is too short";
    if (x.size() > schema.value("maxItems", x.size())) return at + " is too long";
    const ordered_json tuple = schema.value("prefixItems", ordered_json::array());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const ordered_json& item = i < tuple.size() ? tuple[i] : schema.at("items");
      if (std::string f = fault(item, x[i], at + "/" + std::to_string(i)); !f.empty()) return f;
    }
    return "";
  }

  std::string object_fault(const ordered_json& schema, const ordered_json& x, const std::string& at) const {
    auto member = x.items().begin();
    const auto end = x.items().end();
    for (const auto& [key, part] : schema["properties"].items()) {
      const ordered_json& needed = schema["required"];
      const bool optional = std::find(needed.begin(), needed.end(), key) == needed.end();
      if (optional && (member == end || member.key() != key)) continue;
      if (member == end || member.key() != key) return at + "/" + key + " is missing or out of order";
      if (std::string f = fault(part, member.value(), at + "/" + key); !f.empty()) return f;
      ++member;
    }
    return member == end ? "" : at + "/" + member.key() + " is not in the schema";
  }

  ordered_json root_;
};

TEST(ResultDocument, FollowsItsSchemaInOrder) {
  const SchemaCheck schema;
  for (const std::string& text : {operators, model, with_training_run(true), with_training_run(false)}) {
    ordered_json result = result_of(text);
    EXPECT_EQ(schema.fault(result), "");
    result["step_time_s"]["p50"] = "6.5 s";
    EXPECT_EQ(schema.fault(result), "/step_time_s/p50 has type string")
        << "the check itself must see a fault";
  }
}

TEST(ResultDocument, InputErrorIsStatedApartAndChangesNoTrial) {
  ordered_json measured = ordered_json::parse(operators);
  measured["input_error"] = {
      {"measurements", 44}, {"refits", 200}, {"p50", {0.99, 1.01}}, {"p95", {0.98, 1.04}}};
  const ordered_json without = result_of(operators), with = result_of(measured.dump());
  EXPECT_FALSE(without.contains("input_error"));
  EXPECT_EQ(with["step_time_s"], without["step_time_s"]);
  const ordered_json& error = with["input_error"];
  EXPECT_EQ(error["measurements"], 44);
  EXPECT_DOUBLE_EQ(error["p50"][0], 0.99 * with["step_time_s"]["p50"].get<double>());
  EXPECT_DOUBLE_EQ(error["p95"][1], 1.04 * with["step_time_s"]["p95"].get<double>());
  EXPECT_EQ(SchemaCheck().fault(with), "");
}

TEST(ResultDocument, NumbersAgreeWithEachOther) {
  const ordered_json r = result_of(operators);
  const ordered_json& t = r["step_time_s"];
  EXPECT_EQ(r["seed"], "18446744073709551615");
  EXPECT_EQ(r["trials"], 700);
  EXPECT_EQ(r["partial"], false);
  double previous = t["min"];
  for (const auto& [key, interval] : t["intervals"].items()) {
    const double value = t[key];
    EXPECT_GE(value, previous);
    if (!interval[0].is_null()) {
      EXPECT_LE(interval[0], value);
    }
    if (!interval[1].is_null()) {
      EXPECT_GE(interval[1], value);
    }
    previous = value;
  }
  EXPECT_LE(previous, t["max"]);
  EXPECT_TRUE(t["intervals"]["p99_9"][1].is_null()) << "700 trials say nothing above the 99.9 % quantile";
  EXPECT_GE(t["guarantee"]["within"], t["p95"]);

  std::int64_t counted = 0;
  for (const auto& n : t["histogram"]["counts"]) counted += n.get<std::int64_t>();
  EXPECT_EQ(counted, 700);
  EXPECT_EQ(t["ecdf"][0][1], 0.0);
  EXPECT_EQ(t["ecdf"].back()[1], 1.0);

  ASSERT_EQ(t["within"].size(), 3u);
  EXPECT_EQ(t["within"][0]["probability"], 0.0);
  EXPECT_EQ(t["within"][2]["probability"], 1.0);
  for (const auto& w : t["within"]) {
    EXPECT_LE(w["interval"][0], w["probability"]);
    EXPECT_GE(w["interval"][1], w["probability"]);
  }
}

TEST(ResultDocument, TheCriticalPathAddsUp) {
  const ordered_json r = result_of(operators);
  double share = 0, mean = 0, fixed = 0;
  for (const auto& k : r["critical_path"]["kinds"]) {
    share += k["share"].get<double>();
    mean += k["mean_s"].get<double>();
    fixed += k["deterministic_s"].get<double>();
  }
  EXPECT_NEAR(share, 1, 1e-12);
  EXPECT_NEAR(fixed, r["step_time_s"]["deterministic"], 1e-12);
  // The attribution trials and the 700 others are different trials of the same law.
  const double error = r["step_time_s"]["sd"].get<double>() * std::sqrt(1 / 256.0 + 1 / 700.0);
  EXPECT_NEAR(mean, r["step_time_s"]["mean"], 4 * error);
  for (const auto& rank : r["ranks"])
    EXPECT_NEAR(rank["compute_s"].get<double>() + rank["communication_s"].get<double>() +
                    rank["idle_s"].get<double>(),
                mean, 1e-9);
}

TEST(ResultDocument, ThroughputIsAtTheMedianStep) {
  Job job = job_of(model);
  const Done done = run_all(job);
  const auto r = ordered_json::parse(result_json(job, done.trials, done.attribution, done.check));
  const double median = r["step_time_s"]["p50"];
  const ordered_json& t = r["throughput"];
  EXPECT_DOUBLE_EQ(t["tokens_per_step"], 512.0 * 8192);
  EXPECT_DOUBLE_EQ(t["tokens_per_s"], 512.0 * 8192 / median);
  EXPECT_DOUBLE_EQ(t["tokens_per_s_per_gpu"], 512.0 * 8192 / median / 256);
  EXPECT_DOUBLE_EQ(t["mfu"], job.workload.model_flops / (median * job.workload.peak_flops));
  EXPECT_DOUBLE_EQ(t["hfu"], job.workload.hardware_flops / (median * job.workload.peak_flops));
  EXPECT_GE(t["hfu"], t["mfu"]);
  EXPECT_EQ(result_of(operators)["throughput"], nullptr);
}

TEST(ResultDocument, APrefixOfTheTrialsIsAPartialResult) {
  Job job = job_of(operators);
  const Done done = run_all(job);
  ASSERT_EQ(done.trials.size(), 3u);
  const Parts prefix(done.trials.begin(), done.trials.begin() + 1);
  const auto partial = ordered_json::parse(result_json(job, prefix, {}, {}));
  EXPECT_EQ(partial["trials"], 256);
  EXPECT_EQ(partial["trials_asked"], 700);
  EXPECT_EQ(partial["partial"], true);
  EXPECT_EQ(partial["digest"], "");
  EXPECT_EQ(partial["critical_path"], nullptr);
  EXPECT_EQ(SchemaCheck().fault(partial), "");
  for (const auto& rank : partial["ranks"])
    EXPECT_NEAR(rank["compute_s"].get<double>() + rank["communication_s"].get<double>() +
                    rank["idle_s"].get<double>(),
                partial["step_time_s"]["deterministic"], 1e-9);
  EXPECT_EQ(ordered_json::parse(result_json(job, done.trials, {}, {}))["partial"], true);
}

TEST(ResultDocument, TheDigestFollowsScenarioAndSeedButNotTheWriting) {
  const std::string digest = result_of(operators)["digest"];
  EXPECT_EQ(digest.size(), 16u);
  EXPECT_EQ(result_of(ordered_json::parse(operators).dump())["digest"], digest);
  EXPECT_EQ(result_of(result_of(operators).dump())["digest"], digest) << "a result opens again as input";
  std::string other = operators;
  other.replace(other.find("18446744073709551615"), 20, "18446744073709551614");
  EXPECT_NE(result_of(other)["digest"], digest);
}

TEST(ResultDocument, OneBitOfOneTrialChangesTheDigest) {
  Job job = job_of(operators);
  Done done = run_all(job);
  const auto digest = [&] {
    return ordered_json::parse(result_json(job, done.trials, done.attribution, done.check))["digest"];
  };
  const auto before = digest();
  done.trials[1][0] ^= std::byte{1};  // a part begins with its first trial's step time, little-endian
  EXPECT_NE(digest(), before);
  done.trials[1][0] ^= std::byte{1};
  EXPECT_EQ(digest(), before);
}

TEST(PrepareJob, SaysWhereAFaultIs) {
  std::string bad = operators;
  bad.replace(bad.find("\"micro_batches\": 4"), 18, "\"micro_batches\": 0");
  const auto job = prepare_job(bad);
  ASSERT_FALSE(job);
  const auto list = ordered_json::parse(diagnostics_json(job.diagnostics));
  ASSERT_GE(list.size(), 1u);
  EXPECT_EQ(list[0]["pointer"], "/batch/micro_batches");
  EXPECT_EQ(list[0]["severity"], "error");
  EXPECT_EQ(list[0]["line"], 10);
  EXPECT_GT(list[0]["column"], 1);
}

TEST(PrepareJob, DiagnosticsOfTextThatIsNotUtf8CanBePrinted) {
  const auto job = prepare_job("{\"prism\": 1, \"mod\xff\": 2}");
  ASSERT_FALSE(job);
  EXPECT_TRUE(ordered_json::accept(diagnostics_json(job.diagnostics)));
}

TEST(Plan, CountsTheWork) {
  const auto plan = ordered_json::parse(plan_json(job_of(operators)));
  ASSERT_EQ(plan["phases"].size(), 4u);
  EXPECT_EQ(plan["phases"][1]["name"], "trials");
  EXPECT_EQ(plan["phases"][1]["units"], 3);
  EXPECT_GT(plan["phases"][1]["draws_per_unit"], 0);
  EXPECT_EQ(plan["trials"], 700);
  EXPECT_EQ(plan["seed"], "18446744073709551615");
  EXPECT_EQ(plan["gpus"], 4);
  EXPECT_EQ(plan["title"], "Two stages");
}

TEST(Document, AStepOfExactlyThatTimeIsWithinIt) {
  for (double x : {0.1, 0.2, 0.3, 0.7, 1.1, 1234.567}) {
    ordered_json s = ordered_json::parse(operators);
    s["operators"] = {{{"name", "f"},
                       {"scope", "stage"},
                       {"phase", "forward"},
                       {"kind", "gemm"},
                       {"stages", {0}},
                       {"latency", {{"constant", {{"value_s", x}}}}}}};
    s["batch"] = {{"micro_batches", 1}};
    s["run"] = {{"trials", 300}, {"step_within_s", {x, x * 0.9999}}};
    const ordered_json within = result_of(s.dump())["step_time_s"]["within"];
    EXPECT_EQ(within[0]["probability"], 1.0) << x;
    EXPECT_EQ(within[1]["probability"], 0.0) << x;
  }
}

}  // namespace
}  // namespace prism::report_document_test
