// SPDX-License-Identifier: Apache-2.0
// Training runs on the command line: prism run with a training run, and the four studies.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace prism::cli::training_study_test {
namespace {

using nlohmann::json;

const std::string scenario = R"({
  "prism": 1,
  "title": "Steps of a second",
  "operators": [
    { "name": "f", "scope": "stage", "phase": "forward", "kind": "gemm", "latency": { "lognormal": { "median_ms": 40, "cv": 0.05 } } },
    { "name": "b", "scope": "stage", "phase": "backward", "kind": "gemm", "latency": { "lognormal": { "median_ms": 80, "cv": 0.05 } } }
  ],
  "parallel": { "pp": 1, "dp": 2 },
  "batch": { "global": 16, "micro": 1 },
  "training_run": {
    "steps": 100000, "runs": 200, "start": "2026-01-01",
    "failures": { "causes": [{ "name": "node", "per_1000_node_days": 12000, "detection_min": 2, "restart_min": 8, "replacement": 1 }] },
    "checkpoint": { "every_min": 20, "write_s": 20 },
    "spares": { "nodes": 1, "repair_h": 2 }
  },
  "run": { "trials": 512, "seed": "1" }
})";

class TrainingProgram : public testing::Test {
 protected:
  struct Ended {
    int code;
    std::string out, err;
  };

  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("prism-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" +
               std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "a.json", std::ios::binary) << scenario;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// `arguments` may name A, the scenario.
  Ended run(std::string arguments) const {
    for (std::size_t at; (at = arguments.find("A.json")) != std::string::npos;)
      arguments.replace(at, 6, (folder_ / "a.json").string());
    const auto out = folder_ / "out", err = folder_ / "err";
    const int status = std::system((std::string("'") + PRISM_PROGRAM + "' " + arguments + " >'" +
                                    out.string() + "' 2>'" + err.string() + "' </dev/null")
                                       .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
  }

  static std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

TEST_F(TrainingProgram, RunReportsTheTrainingRun) {
  const Ended e = run("run A.json");
  ASSERT_EQ(e.code, 0) << e.err;
  for (const char* part : {"The training run: 95 of 100 runs finish within ",
                           "without failures it would take ", "productive (goodput)", "lost work", "no spare",
                           "What stops it", "best interval: exact", "goodput by formula"})
    EXPECT_NE(e.out.find(part), std::string::npos) << part << "\n" << e.out;
}

TEST_F(TrainingProgram, TheNumberOfThreadsChangesNothing) {
  const std::string one = run("run A.json --json --threads 1").out;
  ASSERT_TRUE(json::parse(one).contains("training_run"));
  EXPECT_EQ(run("run A.json --json --threads 3").out, one);
  const std::string study = run("study spares A.json --within-days 1.9 --most 3 --json --threads 1").out;
  EXPECT_EQ(run("study spares A.json --within-days 1.9 --most 3 --json --threads 3").out, study);
}

TEST_F(TrainingProgram, CheckpointStudyFindsAnIntervalNearTheFormulas) {
  const Ended e = run("study checkpoint A.json --json");
  ASSERT_EQ(e.code, 0) << e.err;
  const json d = json::parse(e.out);
  EXPECT_EQ(d["prism_study"], "checkpoint");
  EXPECT_EQ(d["curve"]["points"].size(), 13u);
  // 200 runs of a day with some failures each: the simulated optimum is only roughly known.
  EXPECT_NEAR(d["curve"]["best_interval_s"].get<double>() / d["curve"]["exact_interval_s"].get<double>(), 1,
              0.5);
  EXPECT_LT(d["curve"]["exact_interval_s"], d["curve"]["young_interval_s"]);
  EXPECT_NE(run("study checkpoint A.json").out.find("The run is shortest with a checkpoint every"),
            std::string::npos);
}

TEST_F(TrainingProgram, SparesStudyNeedsMoreThanThePointEstimate) {
  const json d = json::parse(run("study spares A.json --within-days 1.6 --most 4 --json").out)["capacity"];
  ASSERT_EQ(d["candidates"].size(), 5u);
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_GE(d["candidates"][i]["probability"], d["candidates"][i - 1]["probability"]);
  EXPECT_EQ(d["point_estimate"], 0);
  EXPECT_GT(d["answer"], 0);
}

TEST_F(TrainingProgram, CapacityStudyTriesSizesThatTheBatchAllows) {
  const json d = json::parse(run("study capacity A.json --within-days 1.6 --json").out);
  std::vector<int> gpus;
  for (const json& c : d["capacity"]["candidates"]) gpus.push_back(c["x"]);
  EXPECT_EQ(gpus, (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(d["capacity"]["answer"], 4);
  EXPECT_EQ(d["capacity"]["point_estimate"], 2);
  EXPECT_GT(d["latest_start"]["before_deadline_s"], d["latest_start"]["point_estimate_s"]);
  const Ended text = run("study capacity A.json --within-days 1.6 --replicas 2,3");
  EXPECT_NE(text.out.find("dp 3 left out"), std::string::npos) << text.out;
}

TEST_F(TrainingProgram, CapacityStudyLooksBelowUntilASizeCannotDo) {
  std::string large = scenario;
  large.replace(large.find("\"dp\": 2"), 7, "\"dp\": 16");
  std::ofstream(folder_ / "a.json", std::ios::binary) << large;
  const json any = json::parse(run("study capacity A.json --within-days 100 --json").out)["capacity"];
  EXPECT_EQ(any["answer"], 1);
  EXPECT_EQ(any["interval"][0], 1);
  EXPECT_EQ(any["or_fewer"], false) << "fewer than one there is not";
  const json some = json::parse(run("study capacity A.json --within-days 1.6 --json").out)["capacity"];
  EXPECT_EQ(some["answer"], 4);
  EXPECT_LT(some["candidates"][0]["probability"], 0.05) << "the smallest size tried cannot do";
  const std::string only = "study capacity A.json --within-days 100 --replicas 8,16";
  const json edge = json::parse(run(only + " --json").out)["capacity"];
  EXPECT_EQ(edge["or_fewer"], true);
  EXPECT_EQ(edge["interval"][0], nullptr);
  EXPECT_NE(run(only).out.find("8 or fewer: the smallest size tried"), std::string::npos);
}

TEST_F(TrainingProgram, ScheduleStudyShowsBothOrders) {
  const json d = json::parse(run("study schedule A.json A.json --deadline-days 4,1.3 --json").out);
  EXPECT_EQ(d["scheduled"][1]["deadline_days"], 1.3);
  const json& places = d["by_mean"]["places"];
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0]["run"], 1) << "what is due first starts first";
  EXPECT_GT(places[1]["mean_finish_s"], places[0]["mean_finish_s"]);
  const Ended text = run("study schedule A.json A.json --deadline-days 4,1.3");
  for (const char* part :
       {"Ordered by p95 finish", "Ordered by mean finish", "all deadlines met: ", "digest "})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
}

TEST_F(TrainingProgram, SaysWhatIsMissing) {
  EXPECT_EQ(run("study capacity A.json").code, 2);
  EXPECT_EQ(run("study").code, 2);
  EXPECT_EQ(run("study schedule A.json --deadline-days 1,2").code, 2);
  std::ofstream(folder_ / "a.json")
      << R"({"prism": 1, "operators": [{"name": "f", "scope": "stage", "phase": "forward",
    "kind": "gemm", "latency": {"constant": {"value_ms": 1}}}], "batch": {"micro": 1, "micro_batches": 1}})";
  const Ended none = run("study checkpoint A.json");
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("has no training_run"), std::string::npos) << none.err;
  EXPECT_EQ(run("study schedule A.json --deadline-days 1").code, 1);
}

}  // namespace
}  // namespace prism::cli::training_study_test
