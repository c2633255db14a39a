// SPDX-License-Identifier: Apache-2.0
// The page's door: kinds told apart, the same documents whatever the pieces.
#include "prism/evidence_import.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "operator_rows.h"
#include "prism/evidence_timeline.h"
#include "prism/report.h"

namespace prism::evidence_import_test {
namespace {

using nlohmann::json;

EvidenceImport fed(const std::string& text, const char* kind, std::size_t piece) {
  EvidenceImport import(kind);
  for (std::size_t i = 0; i < text.size(); i += piece)
    if (!import.feed(std::string_view(text).substr(i, piece))) break;
  return import;
}

/// All that can be asked, in one.
json imported(const std::string& text, const char* kind = "auto", std::size_t piece = 1000) {
  EvidenceImport import = fed(text, kind, piece);
  json all = json::parse(import.found());
  all.update(json::parse(import.rest("a \"quoted\" name")));
  all["timeline"] = import.timeline();
  return all;
}

std::string csv() {
  made_up::Job job;
  job.steps = 8;
  job.compute = [](bool forward, int r, int s, int k, int step) {
    return (forward ? 1.0 : 2.0) * (1 + 0.01 * ((r * 5 + s * 3 + k * 7 + step * 11) % 10)) *
           (r == 1 && s == 1 ? 1.4 : 1);
  };
  return made_up::csv_of(job, made_up::rows_of(job));
}

TEST(EvidenceImport, kinds_are_told_from_the_first_bytes) {
  EXPECT_EQ(evidence_kind(csv().substr(0, 500)), "operators");
  EXPECT_EQ(evidence_kind(R"([{"dp_rank":0,"optype":"gc"}])"), "operators");
  EXPECT_EQ(evidence_kind("  {\"traceEvents\":[]}"), "kineto");
  EXPECT_EQ(evidence_kind("# nThread 1\n# size count type redop time algbw busbw"), "nccl");
  EXPECT_EQ(evidence_kind("torchrun pretrain_gpt.py --num-layers 2"), "megatron");
  EXPECT_EQ(evidence_kind("run,step,seconds\n0,0,1.5\n"), "steps");
  EXPECT_EQ(evidence_kind(""), "steps");
}

TEST(EvidenceImport, an_operator_trace_brings_evidence_validation_scenario_and_timeline) {
  const json a = imported(csv()), b = imported(csv(), "operators", 7);
  EXPECT_EQ(a, b);
  ASSERT_EQ(a["ok"], true) << a;
  EXPECT_EQ(a["evidence"]["workers"][3]["slow"], true);
  EXPECT_EQ(a["validation"]["held_out_steps"].size(), 4u);
  EXPECT_EQ(a["input_error"]["measurements"], 8);
  EXPECT_TRUE(prepare_job(a["scenario"].get<std::string>()));
  EXPECT_NE(json::parse(a["scenario"].get<std::string>())["title"].get<std::string>().find("quoted"),
            std::string::npos);
  EXPECT_TRUE(json::accept(a["timeline"].get<std::string>()));
}

TEST(EvidenceImport, what_is_asked_later_depends_on_nothing_asked_before) {
  const json all = imported(csv());
  EvidenceImport other = fed(csv(), "auto", 1000);
  EXPECT_EQ(json::parse(other.found()).size(), 2u);
  EXPECT_EQ(other.timeline(), all["timeline"]);
  EXPECT_EQ(json::parse(other.rest("a \"quoted\" name"))["validation"], all["validation"]);
  EXPECT_EQ(json::parse(other.rest("a \"quoted\" name"))["scenario"], all["scenario"]);
}

TEST(EvidenceImport, decimals_are_rounded_as_the_library_rounds_them) {
  std::mt19937_64 random(1);
  std::vector<std::string> texts = {
      "0", "-0.000", "5e-3", "12.", ".5", "9007199254740993.0", "0.1", "2.6883304119110107"};
  for (int i = 0; i < 20'000; ++i) {
    // Half-way between two doubles: 54 bits, the last one set, over 1, 2, 4 or 8. Or beside it.
    const int halvings = static_cast<int>(random() % 4);
    std::uint64_t half = (std::uint64_t{1} << 53) | (random() >> 11) | 1;
    for (int k = 0; k < halvings; ++k) half *= 5;
    std::string text = std::to_string(half + random() % 3 - 1);
    texts.push_back(text.insert(text.size() - static_cast<std::size_t>(halvings), "."));
    text.clear();
    for (std::size_t k = 1 + random() % 20; k > 0; --k) text += static_cast<char>('0' + random() % 10);
    texts.push_back(text.insert(random() % (text.size() + 1), "."));
    texts.push_back("0.000" + text.substr(text.find('.') + 1) + "1");
  }
  std::string lines = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id\n";
  for (std::size_t i = 0; i < texts.size(); ++i)
    lines += "0,0,0," + std::to_string(i) + ",forward-compute," + texts[i] + ",1,0\n";
  const auto trace = made_up::read(lines);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->start.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(trace->start[i], std::strtod(texts[i].c_str(), nullptr)) << texts[i];
}

TEST(EvidenceImport, a_timeline_has_every_operation_three_times_and_a_path_from_start_to_end) {
  const auto trace = made_up::read(csv());
  const json timeline = json::parse(timeline_json(*trace, 2));
  std::size_t events = 0;
  for (const int pid : {1, 2}) {
    double path = 0, last = 0;
    for (const auto& e : timeline["traceEvents"]) {
      if (e["ph"] != "X" || e["pid"] != pid) continue;
      last = std::max(last, e["ts"].get<double>() + e["dur"].get<double>());
      if (e["args"]["critical"] == true) path += e["dur"].get<double>();
    }
    // Without launch gaps the longest path is the step; rounding to nanoseconds a few dozen times.
    EXPECT_NEAR(path, last, 0.2) << pid;
  }
  for (const auto& e : timeline["traceEvents"]) events += e["ph"] == "X";
  EXPECT_EQ(events, 3 * trace->ops.size());
}

TEST(EvidenceImport, the_other_kinds_answer_too_and_refusals_are_data) {
  std::string steps = "seconds\n";
  for (int i = 0; i < 60; ++i) steps += std::to_string(1 + 0.001 * ((i * 37) % 50)) + "\n";
  const json times = imported(steps);
  EXPECT_EQ(times["evidence"]["kind"], "step_times");
  EXPECT_TRUE(times["scenario"].is_null() && times["validation"].is_null() && times["timeline"] == "");
  EXPECT_EQ(imported("1048576 262144 float sum -1 100.0 10.49 18.35 0\n", "nccl")["evidence"]["kind"],
            "collective_benchmark");
  EXPECT_EQ(
      imported(
          R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2}]})")["evidence"]["kind"],
      "device_trace");
  const json launch = imported("--num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 128");
  EXPECT_EQ(launch["evidence"]["kind"], "launch_arguments");
  EXPECT_TRUE(prepare_job(launch["scenario"].get<std::string>()));
  for (const char* text : {"", "hello", "{\"a\":1}", "[{]"}) {
    const json refused = imported(text);
    EXPECT_EQ(refused["ok"], false) << text;
    EXPECT_EQ(refused["errors"].size(), 1u);
    EXPECT_TRUE(refused["scenario"].is_null() && refused["validation"].is_null());
  }
}

}  // namespace
}  // namespace prism::evidence_import_test
