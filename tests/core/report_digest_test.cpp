// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "report/digest.h"

namespace prism::report_digest_test {
namespace {

using nlohmann::ordered_json;

constexpr const char* scenario = R"({"prism":1,"title":"é"})";
const std::vector<double> steps{6.5, 0.1, 7.25};
const ordered_json document = ordered_json::parse(R"({
  "prism_result": 1, "trials": 3, "partial": false, "step_time_s": {"p50": 6.5, "interval": [null, -2.5e-3]},
  "ranks": [{"name": "first", "n": 4}, {"name": "second", "n": 5}],
  "warnings": [{"line": 12, "column": 3}], "assumptions": [{"value": 8}], "scenario": {"prism": 1}, "digest": ""})");

std::string digest(const std::vector<double>& step_s = steps, const ordered_json& doc = document) {
  return result_digest("0.1.0", scenario, step_s, doc);
}

// Written a second time from docs/digest.md alone, with Python's hashlib and struct.
TEST(Digest, IsWhatItsDescriptionSays) { EXPECT_EQ(digest(), "d4e094afb155c2c9"); }

TEST(Digest, ChangesWithAnyBitOfAnyTrial) {
  std::set<std::string> seen{digest()};
  for (std::size_t trial = 0; trial < steps.size(); ++trial)
    for (int bit = 0; bit < 64; ++bit) {
      std::vector<double> flipped = steps;
      std::uint64_t word;
      std::memcpy(&word, &flipped[trial], sizeof word);
      word ^= std::uint64_t{1} << bit;
      std::memcpy(&flipped[trial], &word, sizeof word);
      EXPECT_TRUE(seen.insert(digest(flipped)).second) << trial << " " << bit;
    }
  EXPECT_TRUE(seen.insert(digest({0.1, 6.5, 7.25})).second) << "the order of trials counts";
  EXPECT_TRUE(seen.insert(digest({6.5, 0.1})).second);
}

TEST(Digest, ChangesWithEveryReportedNumber) {
  std::set<std::string> seen{digest()};
  for (const char* pointer :
       {"/prism_result", "/trials", "/step_time_s/p50", "/step_time_s/interval/1", "/ranks/1/n"}) {
    ordered_json changed = document;
    changed[ordered_json::json_pointer(pointer)] = 77;
    EXPECT_TRUE(seen.insert(digest(steps, changed)).second) << pointer;
  }
  ordered_json changed = document;
  changed["step_time_s"]["interval"] = {-2.5e-3, nullptr};
  EXPECT_TRUE(seen.insert(digest(steps, changed)).second) << "which bound is missing counts";
  EXPECT_TRUE(seen.insert(result_digest("0.1.1", scenario, steps, document)).second);
  EXPECT_TRUE(seen.insert(result_digest("0.1.0", R"({"prism":1,"title":"e"})", steps, document)).second);
}

TEST(Digest, DoesNotDependOnHowTheScenarioWasWritten) {
  ordered_json changed = document;
  changed["warnings"] = ordered_json::array({{{"line", 1}, {"column", 80}}});
  changed["assumptions"] = ordered_json::array();
  changed["scenario"]["prism"] = 9;
  changed["digest"] = "0123456789abcdef";
  EXPECT_EQ(digest(steps, changed), digest());
}

// Pieces of 64 kB are fed one by one; a sample across their seams must not lose a word.
TEST(Digest, SeesEveryTrialOfALongSample) {
  std::vector<double> many(20000, 1.5);
  const std::string before = digest(many);
  for (const std::size_t i : {std::size_t{0}, std::size_t{8191}, std::size_t{8192}, many.size() - 1}) {
    many[i] = 1.25;
    EXPECT_NE(digest(many), before) << i;
    many[i] = 1.5;
  }
  EXPECT_EQ(digest(many), before);
}

}  // namespace
}  // namespace prism::report_digest_test
