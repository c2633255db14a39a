// SPDX-License-Identifier: Apache-2.0
// Every file of tests/scenarios: the good ones are read and resolve to themselves; each bad one gives exactly
// one diagnostic, of the stated code and at the stated place. `room` names who finds it: rules of layouts
// live with the schedule or the parallel form that imposes them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "prism/report.h"
#include "scenario_files.h"

namespace prism::scenario_corpus_test {
namespace {

using nlohmann::json;

const std::string corpus = test::source_dir + "/tests/scenarios/";

struct Bad {
  std::string file, code, pointer, room;
  int line, column;
};
std::vector<Bad> bad_files() {
  std::vector<Bad> all;
  const json manifest = test::corpus_manifest();
  for (const json& m : manifest["bad"])
    all.push_back({m["file"], m["code"], m["pointer"], m["room"], m["line"], m["column"]});
  return all;
}
/// A file name as a test name.
std::string test_name(std::string path) {
  path = std::filesystem::path(path).stem().string();
  for (char& c : path)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return path;
}

class BadScenario : public testing::TestWithParam<Bad> {};
TEST_P(BadScenario, GivesOneErrorAtTheRightPlace) {
  const Bad& bad = GetParam();
  const std::string text = test::read_file(corpus + "bad/" + bad.file);
  std::vector<Diagnostic> found;
  if (bad.room == "scenario") {
    const auto read = read_scenario(text);
    EXPECT_FALSE(read);
    found = read.diagnostics;
  } else {
    ASSERT_TRUE(read_scenario(text)) << "the scenario room sees nothing wrong in it";
    const auto job = prepare_job(text);
    EXPECT_FALSE(job);
    found = job.diagnostics;
  }
  for (const Diagnostic& d : found)
    SCOPED_TRACE(std::string(code_name(d.code)) + " " + d.pointer + ": " + d.message);
  ASSERT_EQ(found.size(), 1u) << diagnostics_json(found);
  const Diagnostic& d = found.front();
  EXPECT_EQ(code_name(d.code), bad.code) << d.message;
  EXPECT_EQ(d.pointer, bad.pointer) << d.message;
  EXPECT_EQ(d.line, bad.line) << d.message;
  EXPECT_EQ(d.column, bad.column) << d.message;
  EXPECT_EQ(d.severity, Severity::error);
  EXPECT_GE(d.message.size(), 10u);
  EXPECT_EQ(d.message.find('\n'), std::string::npos) << "one sentence: " << d.message;
}
INSTANTIATE_TEST_SUITE_P(Corpus, BadScenario, testing::ValuesIn(bad_files()),
                         [](const auto& test) { return test_name(test.param.file); });

class GoodScenario : public testing::TestWithParam<std::string> {};
TEST_P(GoodScenario, IsReadAndResolvesToItself) {
  const auto first = read_scenario(test::read_file(GetParam()));
  ASSERT_TRUE(first) << diagnostics_json(first.diagnostics);
  EXPECT_TRUE(first.diagnostics.empty());
  const auto second = read_scenario(first->resolved);
  ASSERT_TRUE(second) << diagnostics_json(second.diagnostics);
  EXPECT_EQ(second->resolved, first->resolved);
  EXPECT_TRUE(second->assumptions.empty()) << "a resolved scenario leaves nothing to assume, but "
                                           << second->assumptions.front().pointer << " was";
}
INSTANTIATE_TEST_SUITE_P(Corpus, GoodScenario, testing::ValuesIn(test::good_scenarios()),
                         [](const auto& test) { return test_name(test.param); });

TEST(ScenarioCorpus, ManifestNamesEveryFile) {
  const json all = test::corpus_manifest();
  for (const char* folder : {"good", "bad"}) {
    std::set<std::string> named, present;
    for (const json& m : all[folder]) named.insert(m["file"]);
    for (const auto& entry : std::filesystem::directory_iterator(corpus + folder))
      present.insert(entry.path().filename().string());
    EXPECT_EQ(named, present);
  }
  EXPECT_GE(all["bad"].size(), 40u);
}

TEST(ScenarioCorpus, EveryDiagnosticCodeHasABadFile) {
  std::set<std::string> seen;
  for (const Bad& b : bad_files()) seen.insert(b.code);
  for (int i = 0; i <= static_cast<int>(Code::unsupported); ++i)
    EXPECT_TRUE(seen.count(std::string(code_name(static_cast<Code>(i))))) << code_name(static_cast<Code>(i));
}

}  // namespace
}  // namespace prism::scenario_corpus_test
