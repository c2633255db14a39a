// SPDX-License-Identifier: Apache-2.0
#include "format.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prism::cli::format_test {
namespace {

TEST(Format, Numbers) {
  EXPECT_EQ(fixed(6.9149, 2), "6.91");
  EXPECT_EQ(significant(0.012345, 3), "0.0123");
  EXPECT_EQ(significant(123456, 3), "123456");
  EXPECT_EQ(significant(0, 3), "0.00");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(16384), "16,384");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(large(2478000), "2.48 million");
  EXPECT_EQ(large(151.2), "151");
  EXPECT_EQ(large(9.81), "9.81");
  EXPECT_EQ(large(1.714e21), "1.71e+21");
  EXPECT_EQ(exact(0.1), "0.10000000000000001");
}

TEST(Format, DecimalsFollowTheIntervalWithinLimits) {
  EXPECT_EQ(decimals_for(6.91, 0.0012), 3);
  EXPECT_EQ(decimals_for(6.91, 0.5), 2);    // at least three digits
  EXPECT_EQ(decimals_for(6.91, 1e-12), 5);  // at most six
  EXPECT_EQ(decimals_for(6.91, 0), 3);      // exact: four
  EXPECT_EQ(decimals_for(12345, 300), 0);
}

TEST(Format, AHeadlineHasTheFewestDigitsThatStayInTheInterval) {
  EXPECT_EQ(fewest_decimals(6.7718, 6.7715, 6.7721, 4), 3);
  EXPECT_EQ(fewest_decimals(6.7718, 6.76, 6.79, 4), 2);
  EXPECT_EQ(fewest_decimals(6.7718, 1, 9, 4), 2);  // at least three digits
  EXPECT_EQ(fewest_decimals(6.77184, 6.77183, 6.77185, 4), 4);
  EXPECT_EQ(fewest_decimals(6.7718, 6.7715, INFINITY, 4), 3);
  EXPECT_EQ(fewest_decimals(12345, 12344, 12346, 0), 0);
}

TEST(Format, UnitsOfTime) {
  EXPECT_EQ(TimeUnit::for_size(6.5).symbol, "s");
  EXPECT_EQ(TimeUnit::for_size(0.0065).symbol, "ms");
  EXPECT_EQ(TimeUnit::for_size(0.0000065).symbol, "µs");
}

TEST(Format, TablesAlignByCharactersNotBytes) {
  EXPECT_EQ(table({{"a", "1", "µs"}, {"bcd", "22", "s"}}), "  a     1  µs\n  bcd  22   s\n");
  EXPECT_EQ(table({{"a", ""}, {"b", "1"}}, ""), "a\nb  1\n");
}

TEST(Format, TextFromFilesCannotDriveTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\x07\n"), "a?[31mb??");
  EXPECT_EQ(printable("a\nb\tc", true), "a\nb?c");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6"
                      "c\xd8\x9c"
                      "d\xe2\x82\xac"),
            "a?b?c?d\xe2\x82\xac");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m é \xc2\xa0"),
            "?31m é \xc2\xa0");
}

}  // namespace
}  // namespace prism::cli::format_test
