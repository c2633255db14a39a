// SPDX-License-Identifier: Apache-2.0
// The page's door: kinds told apart, one document out, whatever the pieces.
#include "prism/evidence_import.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator_rows.h"
#include "prism/evidence_timeline.h"
#include "prism/report.h"

namespace prism::evidence_import_test {
namespace {

using nlohmann::json;

json imported(const std::string& text, const char* kind = "auto", std::size_t piece = 1000) {
  EvidenceImport import(kind);
  for (std::size_t i = 0; i < text.size(); i += piece)
    if (!import.feed(std::string_view(text).substr(i, piece))) break;
  return json::parse(import.finish("a \"quoted\" name"));
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
  EXPECT_TRUE(prepare_job(a["scenario"].get<std::string>()));
  EXPECT_NE(json::parse(a["scenario"].get<std::string>())["title"].get<std::string>().find("quoted"),
            std::string::npos);
  EXPECT_TRUE(json::accept(a["timeline"].get<std::string>()));
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
  EXPECT_EQ(imported(steps)["evidence"]["kind"], "step_times");
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
  }
}

}  // namespace
}  // namespace prism::evidence_import_test
