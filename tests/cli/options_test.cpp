// SPDX-License-Identifier: Apache-2.0
// Lists and numbers of options, as functions.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "number_options.h"

namespace prism::cli::options_test {
namespace {

/// What is wrong with `text` as the value of an option, or nothing.
template <class Add>
std::string fault_of(const std::string& text, Add add) {
  CLI::App app;
  add(&app);
  try {
    app.parse(std::vector<std::string>{text, "--x"});  // CLI11 takes them from the back
    return "";
  } catch (const CLI::ParseError& e) {
    return e.what();
  }
}

TEST(Options, AListTakesEveryItemOrRefusesIt) {
  std::vector<double> list{7};
  const auto fault = [&](const std::string& text, Repeats repeats = Repeats::no) {
    return fault_of(text, [&](CLI::App* app) { add_list(app, "--x", list, "", 1, 131072, repeats); });
  };
  EXPECT_EQ(fault("1.1,2,131072"), "");
  EXPECT_EQ(list, (std::vector<double>{1.1, 2, 131072}));
  for (const char* text : {"1.1,,2", "1.1,", "nan", "inf", "0.5", "1e9", "1.1x", "1.1 2", ""})
    EXPECT_NE(fault(text).find("a number from 1 to 131,072 is expected"), std::string::npos)
        << text << ": " << fault(text);
  EXPECT_NE(fault("1.1,1.10").find("1.10 is in the list twice"), std::string::npos);
  EXPECT_EQ(fault("4,4", Repeats::yes), "");
}

TEST(Options, WholeNumbersAreWhole) {
  std::vector<std::int64_t> list;
  const auto fault = [&](const std::string& text) {
    return fault_of(text, [&](CLI::App* app) { add_list(app, "--x", list, "", 1, 1'048'576); });
  };
  EXPECT_EQ(fault("8,16"), "");
  EXPECT_NE(fault("8,8").find("twice"), std::string::npos);
  EXPECT_NE(fault("8.5").find("a whole number from 1 to 1,048,576"), std::string::npos);
}

TEST(Options, ANumberIsOne) {
  double x = 0;
  const auto fault = [&](const std::string& text) {
    return fault_of(text, [&](CLI::App* app) { add_number(app, "--x", x, "", 1e-6, 1e5); });
  };
  EXPECT_EQ(fault("60"), "");
  EXPECT_EQ(x, 60);
  EXPECT_NE(fault("nan").find("a number from 1e-06 to 100,000 is expected, found \"nan\""), std::string::npos)
      << fault("nan");
}

}  // namespace
}  // namespace prism::cli::options_test
