// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace prism::cli::json_text_test {
namespace {

std::string set(std::string_view json, std::string_view key, std::string_view value) {
  return with_member(json, root_value(json), key, value);
}

TEST(JsonText, CompactKeepsSpellingAndStrings) {
  EXPECT_EQ(compact("\xEF\xBB\xBF { \"b\" : 1e3 ,\r\n\t\"a\": [ 0.10, 18446744073709551615 ],\"t\":\"two  "
                    "\\\" { \\\\\" } \n"),
            R"({"b":1e3,"a":[0.10,18446744073709551615],"t":"two  \" { \\"})");
}

TEST(JsonText, FindsMembersOfTheObjectItselfOnly) {
  const std::string_view json = R"({"x": {"run": 1}, "s": "\"run\": 2", "run" : [3, {"a": "}"}] , "y": 4})";
  const auto run = find_member(json, root_value(json), "run");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->of(json), R"([3, {"a": "}"}])");
  EXPECT_EQ(find_member(json, root_value(json), "y")->of(json), "4");
  EXPECT_EQ(find_member(json, root_value(json), "a"), std::nullopt);
  EXPECT_EQ(find_member("[1]", root_value("[1]"), "a"), std::nullopt);
  EXPECT_EQ(find_member("{}", root_value("{}"), "a"), std::nullopt);
  const std::string_view escaped = R"({"r\u0075n": true})";
  EXPECT_EQ(find_member(escaped, root_value(escaped), "run")->of(escaped), "true");
}

TEST(JsonText, SetsAMemberAndLeavesTheRest) {
  EXPECT_EQ(set(R"({"seed": "1", "trials": 1e4 })", "trials", "500"), R"({"seed": "1", "trials": 500 })");
  EXPECT_EQ(set(R"({"trials":10})", "trials", "500"), R"({"trials":500})");
  EXPECT_EQ(set("{\n  \"a\": 1\n}\n", "b", "2"), "{\n  \"a\": 1, \"b\": 2\n}\n");
  EXPECT_EQ(set("{ }", "b", "2"), R"({"b": 2 })");
  EXPECT_EQ(set("{}", "b", "2"), R"({"b": 2})");
}

TEST(JsonText, IndentedIsTheSameDocumentWithTheSameSpelling) {
  const std::string text =
      R"({"a":{"b":[1e3,2],"c":{}},"list":[{"x":1},{"y":"a,b: {"}],"e":[],"long":[)" +
      std::string("1000000000,1000000000,1000000000,1000000000,1000000000,1000000000,1000000000") + "]}";
  const std::string shown = indented(text);
  EXPECT_EQ(compact(shown), text);
  EXPECT_NE(shown.find("\n  \"a\": {\n    \"b\": [1e3, 2],\n    \"c\": {}\n  }"), std::string::npos) << shown;
  EXPECT_NE(shown.find("{\"y\": \"a,b: {\"}"), std::string::npos) << shown;
}

}  // namespace
}  // namespace prism::cli::json_text_test
