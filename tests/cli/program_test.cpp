// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: output, exit codes, files.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "link.h"

namespace prism::cli::program_test {
namespace {

using nlohmann::json;

struct Ended {
  int code;
  std::string out, err;
};

class Program : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("prism-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" +
               std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// Runs `prism` with arguments as the shell takes them.
  Ended run(const std::string& arguments, const std::string& input = "", const std::string& out = "") const {
    write("stdin", input);
    const std::string command = std::string("'") + PRISM_PROGRAM + "' " + arguments + " <'" + path("stdin") +
                                "' >'" + (out.empty() ? path("stdout") : out) + "' 2>'" + path("stderr") +
                                "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("stdout"), read("stderr")};
  }

  std::filesystem::path folder_;
};

const std::string scenario = R"({
  "prism": 1,
  "title": "Two stages",
  "operators": [
    { "name": "forward", "scope": "layer", "phase": "forward", "kind": "gemm", "latency": { "lognormal": { "median_ms": 10, "cv": 0.05 } } },
    { "name": "backward", "scope": "layer", "phase": "backward", "kind": "gemm", "latency": { "lognormal": { "median_ms": 20, "cv": 0.05 } } },
    { "name": "gradients", "scope": "step", "kind": "all_reduce", "group": "dp", "latency": { "lognormal": { "median_ms": 5, "cv": 0.3 } } }
  ],
  "parallel": { "tp": 1, "pp": 2, "dp": 2, "schedule": "1f1b", "layers_per_virtual_stage": 1 },
  "batch": { "micro_batches": 4 },
  "run": { "trials": 1000, "seed": "1", "step_within_s": [0.16] }
})";

/// 64 replicas of two stages; every chunk takes this long.
std::string replicas_with(const nlohmann::ordered_json& latency) {
  using json = nlohmann::ordered_json;
  const auto op = [&](const char* phase) {
    return json{
        {"name", phase}, {"scope", "layer"}, {"phase", phase}, {"kind", "gemm"}, {"latency", latency}};
  };
  return json{
      {"prism", 1},
      {"operators", {op("forward"), op("backward")}},
      {"parallel", {{"tp", 1}, {"pp", 2}, {"dp", 64}, {"schedule", "1f1b"}, {"layers_per_virtual_stage", 1}}},
      {"batch", {{"micro_batches", 4}}},
      {"run", {{"trials", 2048}, {"seed", "1"}}}}
      .dump();
}

TEST_F(Program, SaysWhereTheAccountOfTimeIsOfReplicasThatAreSeldomTheLatest) {
  const auto warned = [&](const json& latency) {
    const Ended e = run("run -", replicas_with(latency));
    EXPECT_EQ(e.code, 0) << e.err;
    return e.out.find("warning: where the time goes is told of the replicas") != std::string::npos;
  };
  EXPECT_TRUE(warned({{"pareto", {{"minimum_ms", 10}, {"shape", 1.5}}}}));
  EXPECT_FALSE(warned({{"lognormal", {{"median_ms", 10}, {"cv", 0.05}}}}));
}

TEST_F(Program, RunSaysTheAnswerFirst) {
  const Ended e = run("run '" + write("a.json", scenario) + "'");
  EXPECT_EQ(e.code, 0) << e.err;
  EXPECT_EQ(e.err, "");
  EXPECT_NE(e.out.find("95 of 100 steps finish within "), std::string::npos);
  EXPECT_LT(e.out.find("95 of 100 steps"), e.out.find("Step time"));
  for (const char* part : {"Two stages", "Where the time goes", "Layout", "4 GPUs", "1,000 trials, seed 1",
                           "digest ", "P(step <= 0.1600 s)"})
    EXPECT_NE(e.out.find(part), std::string::npos) << part << "\n" << e.out;
}

TEST_F(Program, TheNumberOfThreadsChangesNothing) {
  const std::string file = write("a.json", scenario);
  const std::string one = run("run '" + file + "' --json --threads 1").out;
  ASSERT_TRUE(json::accept(one)) << one;
  for (const char* threads : {"2", "3", "7"})
    EXPECT_EQ(run("run '" + file + "' --json --threads " + threads).out, one) << threads;
  EXPECT_EQ(run("run - --json", scenario).out, one);
}

TEST_F(Program, OptionsReplaceTheRunSectionAndAreEchoed) {
  const std::string file = write("a.json", scenario);
  const json plain = json::parse(run("run '" + file + "' --json").out);
  const json other = json::parse(run("run '" + file + "' --json --seed 7 --trials 300 --engine exact").out);
  EXPECT_EQ(other["seed"], "7");
  EXPECT_EQ(other["trials"], 300);
  EXPECT_EQ(other["scenario"]["run"]["seed"], "7");
  EXPECT_EQ(other["scenario"]["run"]["trials"], 300);
  EXPECT_EQ(other["scenario"]["run"]["engine"], "exact");
  EXPECT_NE(other["digest"], plain["digest"]);
  const json same = json::parse(run("run '" + file + "' --json --seed 1 --trials 1000").out);
  EXPECT_EQ(same["digest"], plain["digest"]);
}

TEST_F(Program, AResultOpensAgainAsInputAndGivesTheSameResult) {
  const Ended first = run("run - --json", scenario);
  ASSERT_EQ(first.code, 0) << first.err;
  const Ended again = run("run - --json", first.out);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["digest"], json::parse(first.out)["digest"]);
  const Ended reseeded = run("run - --json --seed 9", first.out);
  EXPECT_EQ(json::parse(reseeded.out)["seed"], "9");
}

TEST_F(Program, SamplesAreTheTrialsOfTheResult) {
  const Ended e = run("run - --json --samples '" + path("samples.csv") + "'", scenario);
  ASSERT_EQ(e.code, 0) << e.err;
  const json result = json::parse(e.out);
  std::istringstream lines(read("samples.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "trial,step_time_s");
  double min = 1e300, max = 0;
  int n = 0;
  for (; std::getline(lines, line); ++n) {
    EXPECT_EQ(line.substr(0, line.find(',')), std::to_string(n));
    const double x = std::stod(line.substr(line.find(',') + 1));
    min = std::min(min, x);
    max = std::max(max, x);
  }
  EXPECT_EQ(n, 1000);
  EXPECT_EQ(min, result["step_time_s"]["min"]);
  EXPECT_EQ(max, result["step_time_s"]["max"]);
}

TEST_F(Program, CsvIsTheQuantileTable) {
  const json t = json::parse(run("run - --json", scenario).out)["step_time_s"];
  std::istringstream lines(run("run - --csv", scenario).out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "quantile,probability,step_time_s,low_s,high_s");
  int rows = 0;
  for (; std::getline(lines, line); ++rows) {
    std::vector<std::string> cell(1);
    for (const char c : line) {
      if (c == ',') {
        cell.emplace_back();
      } else {
        cell.back().push_back(c);
      }
    }
    ASSERT_EQ(cell.size(), 5u) << line;
    EXPECT_EQ(std::stod(cell[2]), t[cell[0]]);
    for (const int side : {0, 1}) {
      const json& bound = t["intervals"][cell[0]][static_cast<std::size_t>(side)];
      if (bound.is_null()) {
        EXPECT_EQ(cell[static_cast<std::size_t>(3 + side)], "");
      } else {
        EXPECT_EQ(std::stod(cell[static_cast<std::size_t>(3 + side)]), bound);
      }
    }
  }
  EXPECT_EQ(rows, 9);
}

TEST_F(Program, CheckListsWhatWasAssumed) {
  const Ended e = run("check '" + write("a.json", scenario) + "'");
  EXPECT_EQ(e.code, 0) << e.err;
  EXPECT_NE(e.out.find("no errors"), std::string::npos);
  EXPECT_NE(e.out.find("/run/engine"), std::string::npos) << e.out;
  const json j = json::parse(run("check - --json", scenario).out);
  EXPECT_EQ(j["ok"], true);
  EXPECT_EQ(j["plan"]["trials"], 1000);
}

TEST_F(Program, AFaultIsShownAtItsPlaceWithAHint) {
  std::string bad = scenario;
  bad.replace(bad.find("\"micro_batches\""), 15, "\"micro_batchs\"");
  const std::string file = write("bad.json", bad);
  for (const char* command : {"run", "check", "link"}) {
    const Ended e = run(std::string(command) + " '" + file + "'");
    EXPECT_EQ(e.code, 1) << command;
    EXPECT_EQ(e.out, "") << command;
    EXPECT_EQ(e.err.find(file + ":10:14: error: "), 0u) << e.err;
    EXPECT_NE(e.err.find("[/batch/micro_batchs]"), std::string::npos) << e.err;
    EXPECT_NE(e.err.find("\n  hint: "), std::string::npos) << e.err;
    EXPECT_NE(e.err.find("micro_batches"), std::string::npos) << e.err;
  }
  for (const char* command : {"run", "check"}) {
    const Ended e = run(std::string(command) + " - --json", bad);
    EXPECT_EQ(e.code, 1);
    EXPECT_EQ(e.err, "");
    const json j = json::parse(e.out);
    EXPECT_EQ(j["ok"], false);
    EXPECT_EQ(j["errors"][0]["code"], "unknown_key");
    EXPECT_EQ(j["errors"][0]["line"], 10);
  }
}

TEST_F(Program, AnOptionAtFaultIsNamed) {
  for (const auto& [option, value] : {std::pair{"--engine", "steam"}, {"--trials", "0"}}) {
    const Ended e = run(std::string("run - ") + option + " " + value, scenario);
    EXPECT_EQ(e.code, 1);
    EXPECT_EQ(e.err.find(std::string(option) + ": error: "), 0u) << e.err;
  }
}

TEST_F(Program, AnOptionMovesNoOtherFault) {
  const std::string bad = R"({"prism":1,"run":{"trials":10000,"sed":"1"},"model":"gpt9"})";
  const auto first = [&](const std::string& options) {
    const std::string text = run("run - --json " + options, bad).out;
    return json::parse(text)["errors"][0]["column"].get<int>();
  };
  EXPECT_EQ(first("--trials 5 --seed 123456789012"), first(""));
}

TEST_F(Program, AFullDiskIsNoSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  for (const char* arguments : {"run -", "run - --json", "check -", "presets", "--help"}) {
    const Ended e = run(arguments, scenario, "/dev/full");
    EXPECT_EQ(e.code, 1) << arguments;
    EXPECT_NE(e.err.find("cannot write to standard output"), std::string::npos) << arguments;
  }
}

TEST_F(Program, UsageErrorsAndMissingFiles) {
  for (const char* arguments :
       {"", "fly", "run", "run - --seed -1", "run - --seed x", "run - --seed 18446744073709551616",
        "run - --trials 1.5", "run - --threads 0", "run - --json --csv", "run - --unknown", "open"})
    EXPECT_EQ(run(arguments, scenario).code, 2) << arguments;
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("--version").out, "prism 0.1.0\n");
  EXPECT_NE(run("chekc x").err.find("no command \"chekc\"; there are: run, "), std::string::npos);
  EXPECT_NE(run("study sweeep x").err.find("study has no command \"sweeep\"; there are: sensitivity, "),
            std::string::npos);
  EXPECT_EQ(run("run - --blocks x -o '" + path("p") + "'", scenario).code, 2);
  // What a script's unset variable becomes is not a run of everything.
  EXPECT_EQ(run("run - --blocks '' -o '" + path("p") + "'", scenario).code, 2);
  EXPECT_EQ(run("run - --blocks 0:1 --csv -o '" + path("p") + "'", scenario).code, 2);
  EXPECT_EQ(run("run - --samples ''", scenario).code, 1);
  EXPECT_EQ(run("run - --blocks 0:1 -o '" + path("p") + "' --samples '" + path("s") + "'", scenario).code, 2);

  const Ended missing = run("run '" + path("absent.json") + "'");
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("cannot read"), std::string::npos);
  EXPECT_EQ(run("run '" + folder_.string() + "'").code, 1);
  const json j = json::parse(run("run '" + path("absent.json") + "' --json").out);
  EXPECT_EQ(j["errors"][0]["code"], "unreadable");
  const Ended nowhere = run("run - --samples '" + path("no/such/folder.csv") + "'", scenario);
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_NE(nowhere.err.find("No such file or directory"), std::string::npos) << nowhere.err;
}

TEST_F(Program, PresetsAreListed) {
  const Ended e = run("presets");
  EXPECT_EQ(e.code, 0);
  EXPECT_NE(e.out.find("llama-3.1-405b"), std::string::npos);
  EXPECT_TRUE(json::accept(run("presets --json").out));
  for (const char* line : {"\n  h100-sxm in bf16\n", "\n  h100-sxm in fp8\n"})
    EXPECT_NE(e.out.find(line), std::string::npos) << line;
}

TEST_F(Program, AnOutputThatIsAnInputIsRefused) {
  const std::string a = write("a.json", scenario), b = write("b.json", scenario),
                    zero = write("0.json", scenario);
  std::filesystem::create_symlink(a, path("same.json"));
  const auto spared = [&](const std::string& arguments, const std::string& input) {
    const Ended e = run(arguments);
    EXPECT_EQ(e.code, 1) << arguments;
    EXPECT_NE(e.err.find("is read by this command"), std::string::npos) << arguments << "\n" << e.err;
    EXPECT_EQ(read(input), scenario) << arguments;
  };
  spared("run '" + a + "' --samples '" + a + "'", "a.json");
  spared("run '" + a + "' --samples '" + path("same.json") + "'", "a.json");
  spared("run '" + a + "' --blocks 0:1 -o '" + a + "'", "a.json");
  spared("study sensitivity '" + zero + "' --variants '" + folder_.string() + "'", "0.json");
  spared("study compare '" + a + "' --with '" + zero + "' --variants '" + folder_.string() + "'", "0.json");
  spared("import megatron '" + a + "' --scenario '" + a + "'", "a.json");
  const Ended piped = run("run - --samples '" + path("stdin") + "'", scenario);
  EXPECT_EQ(piped.code, 1);
  EXPECT_EQ(read("stdin"), scenario);
  EXPECT_EQ(run("run '" + a + "' --samples '" + path("other.csv") + "'").code, 0);
}

TEST_F(Program, AComparisonIsOnTheTrialsOfTheFirst) {
  auto second = nlohmann::ordered_json::parse(scenario);  // "prism" stays first
  second["run"] = {{"trials", 384}, {"seed", "9"}};
  second["batch"]["micro_batches"] = 8;
  const std::string b = write("b.json", second.dump());
  const Ended e = run("study compare - --trials 256 --with '" + b + "' --json", scenario);
  ASSERT_EQ(e.code, 0) << e.err;
  const json study = json::parse(e.out);
  EXPECT_EQ(study["trials"], 256);
  EXPECT_EQ(study["variants"][1]["scenario"]["run"], study["variants"][0]["scenario"]["run"]);
  EXPECT_EQ(run("study sweep - --at /run/trials --values 1000,5000", scenario).code, 1);
}

TEST_F(Program, WhatIsWrongWithASecondScenarioHasItsPlace) {
  std::string bad = scenario;
  bad.replace(bad.find("\"micro_batches\""), 15, "\"micro_batchs\"");
  const std::string file = write("bad.json", bad);
  const Ended e = run("study compare - --with '" + file + "'", scenario);
  EXPECT_EQ(e.code, 1);
  EXPECT_EQ(e.err.find(file + ":10:14: error: "), 0u) << e.err;
}

TEST_F(Program, StudiesWarnAsRunsDo) {
  auto odd = nlohmann::ordered_json::parse(scenario);  // "prism" stays first
  odd["variability"] = {{"silenced", {"all_to_all"}}};
  for (const char* study : {"study sensitivity - --trials 256", "study timeline -", "run -"}) {
    const Ended e = run(study, odd.dump());
    EXPECT_EQ(e.code, 0) << study << e.err;
    EXPECT_NE(e.err.find("warning: silencing all_to_all has no effect"), std::string::npos) << study << e.err;
  }
}

TEST_F(Program, ALinkNeedsAnAddressOfAPage) {
  for (const char* page : {"'not a url'", "'javascript:alert(1)//'", "file:///x", "https://", "https://a/#b"})
    EXPECT_EQ(run(std::string("link - --no-run --page ") + page, scenario).code, 2) << page;
  EXPECT_EQ(
      run("link - --no-run --page http://localhost:8080/", scenario).out.find("http://localhost:8080/#v1."),
      0u);
}

TEST_F(Program, ABinaryFileIsToldFromBadJson) {
  for (const std::string& bytes : {std::string("\x7f"
                                               "ELF\2\1\1\0\0",
                                               9),
                                   std::string("\x1f\x8b\x08", 3)})
    EXPECT_NE(run("run -", bytes).err.find("this is not text"), std::string::npos);
}

TEST_F(Program, TheStepWithoutVariabilityHasDigitsOfItsOwn) {
  auto stalled = nlohmann::ordered_json::parse(scenario);  // "prism" stays first
  stalled["operators"] = {{{"name", "f"},
                           {"scope", "layer"},
                           {"phase", "forward"},
                           {"kind", "gemm"},
                           {"latency",
                            {{"mixture",
                              {{{"weight", 0.6}, {"constant", {{"value_us", 1}}}},
                               {{"weight", 0.4}, {"constant", {{"value_s", 100}}}}}}}}}};
  const Ended e = run("run -", stalled.dump());
  EXPECT_EQ(e.code, 0) << e.err;
  EXPECT_EQ(e.out.find("would take 0 s"), std::string::npos) << e.out.substr(0, 300);
}

TEST_F(Program, ALinkGivesBackScenarioAndResult) {
  const Ended link = run("link '" + write("a.json", scenario) + "' --page https://any.host/prism/");
  ASSERT_EQ(link.code, 0) << link.err;
  ASSERT_EQ(link.out.find("https://any.host/prism/#v1."), 0u);

  const Ended opened = run("open -", link.out);
  EXPECT_EQ(opened.code, 0) << opened.err;
  EXPECT_EQ(opened.err.find("reproduced exactly: digest "), 0u) << opened.err;
  EXPECT_EQ(json::parse(opened.out), json::parse(scenario));

  const json j = json::parse(run("open - --json", link.out).out);
  EXPECT_EQ(j["reproduced"], true);
  EXPECT_EQ(j["digest"], json::parse(run("run - --json", scenario).out)["digest"]);
  EXPECT_EQ(j["scenario"], json::parse(scenario));
  EXPECT_EQ(json::parse(run("open - --json --no-run", link.out).out)["reproduced"], nullptr);
}

TEST_F(Program, ALinkThatGivesOtherNumbersSaysSo) {
  const auto link = prism::cli::write_link({"0.0.9", "0123456789abcdef", scenario});
  const Ended e = run("open -", std::get<std::string>(link));
  EXPECT_EQ(e.code, 1);
  EXPECT_EQ(e.err.find("not reproduced: the link says digest 0123456789abcdef with engine 0.0.9"), 0u)
      << e.err;
  EXPECT_EQ(json::parse(e.out), json::parse(scenario)) << "the scenario is given all the same";
}

TEST_F(Program, ALinkWithoutDigestHasNothingToCompare) {
  const Ended e = run("open -", run("link - --no-run --seed 2", scenario).out);
  EXPECT_EQ(e.code, 0);
  EXPECT_NE(e.err.find("no digest"), std::string::npos);
  EXPECT_NE(e.out.find("\"seed\": \"2\""), std::string::npos) << "options are part of what is shared";
}

TEST_F(Program, ADamagedLinkIsRefused) {
  std::string link = run("link - --no-run", scenario).out;
  link.pop_back();
  const Ended cut = run("open '" + link.substr(0, link.size() / 2) + "'");
  EXPECT_EQ(cut.code, 1);
  EXPECT_EQ(cut.out, "");
  EXPECT_NE(cut.err.find("cut off"), std::string::npos);
  EXPECT_EQ(json::parse(run("open '#v9.x' --json").out)["errors"][0]["code"], "newer");
}

}  // namespace
}  // namespace prism::cli::program_test
