// SPDX-License-Identifier: Apache-2.0
// Places in the text, as an editor counts them.
#include <gtest/gtest.h>

#include "prism/scenario.h"

namespace prism::scenario_positions_test {
namespace {

void expect_at(std::string_view text, std::string_view pointer, int line, int column) {
  const Position p = locate(text, pointer);
  EXPECT_EQ(p.line, line) << pointer;
  EXPECT_EQ(p.column, column) << pointer;
}

TEST(ScenarioPositions, FindValuesByPointer) {
  constexpr std::string_view text = R"({
  "a": {"b": [10, {"c": "x"}], "d": null},
  "e/f": true, "g~h": false, "": 5
})";
  expect_at(text, "", 1, 1);
  expect_at(text, "/a", 2, 8);
  expect_at(text, "/a/b", 2, 14);
  expect_at(text, "/a/b/0", 2, 15);
  expect_at(text, "/a/b/1", 2, 19);
  expect_at(text, "/a/b/1/c", 2, 25);
  expect_at(text, "/a/d", 2, 37);
  expect_at(text, "/e~1f", 3, 10);
  expect_at(text, "/g~0h", 3, 23);
  expect_at(text, "/", 3, 34);
}

TEST(ScenarioPositions, AreZeroWhereThereIsNothing) {
  constexpr std::string_view text = R"({"a": [1, 2], "b": 3})";
  for (std::string_view missing : {"/c", "/a/2", "/a/-", "/a/x", "/b/0", "/a/0/0"})
    expect_at(text, missing, 0, 0);
  expect_at("", "", 0, 0);
  expect_at("   ", "", 0, 0);
}

// One code unit for the basic plane, two beyond it, whatever the number of bytes.
TEST(ScenarioPositions, CountColumnsInUtf16CodeUnits) {
  expect_at(R"({"é": 1, "a": 2})", "/a", 1, 15);
  expect_at(R"({"训练": 1, "a": 2})", "/a", 1, 16);
  expect_at(R"({"🚀": 1, "a": 2})", "/a", 1, 16);
  expect_at("{\"x\": \"é训🚀\",\n \"a\": 2}", "/a", 2, 7);
}

TEST(ScenarioPositions, KnowEveryLineEndAndTheByteOrderMark) {
  expect_at("{\n\"a\": 1}", "/a", 2, 6);
  expect_at("{\r\n\"a\": 1}", "/a", 2, 6);
  expect_at("{\r\"a\": 1}", "/a", 2, 6);
  expect_at("\xEF\xBB\xBF{\"a\": 1}", "/a", 1, 7);
}

TEST(ScenarioPositions, IgnoreBracketsAndQuotesInsideStrings) {
  expect_at(R"({"x": "}],{\"a\": 0", "a": 2})", "/a", 1, 28);
  expect_at(R"({"\u0061": 7})", "/a", 1, 12);
}

TEST(ScenarioPositions, TakeTheLastOfDuplicateKeys) { expect_at(R"({"a": 1, "a": 2})", "/a", 1, 15); }

TEST(ScenarioPositions, PlaceShowsTheObjectAroundADerivedValue) {
  constexpr std::string_view text = R"({"prism": 1,
  "batch": {"global": 8}, "zz": 3})";
  std::vector<Diagnostic> d = {{Code::not_divisible, "/batch/micro_batches", "derived", ""},
                               {Code::unknown_key, "/zz", "key", ""},
                               {Code::out_of_range, "/nothing/here", "gone", ""}};
  place(text, d);
  EXPECT_EQ(d[0].line, 2);
  EXPECT_EQ(d[0].column, 12);
  EXPECT_EQ(d[1].column, 27) << "the key, not its value";
  EXPECT_EQ(d[2].line, 1);
  EXPECT_EQ(d[2].column, 1);
}

TEST(ScenarioPositions, PlaceFindsTheScenarioInsideAResult) {
  std::vector<Diagnostic> d = {{Code::out_of_range, "/parallel/tp", "too many", ""}};
  place("{\"prism_result\": 1,\n\"scenario\": {\"parallel\": {\"tp\": 3}}}", d);
  EXPECT_EQ(d[0].pointer, "/scenario/parallel/tp");
  EXPECT_EQ(d[0].line, 2);
  EXPECT_EQ(d[0].column, 33);
}

}  // namespace
}  // namespace prism::scenario_positions_test
