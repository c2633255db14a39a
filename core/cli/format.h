// SPDX-License-Identifier: Apache-2.0
// Numbers and tables as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prism::cli {

/// A unit of time that suits a size: s, ms or µs.
struct TimeUnit {
  double seconds;
  std::string_view symbol;
  static TimeUnit for_size(double seconds);
};

/// Fixed notation with the given number of decimals.
std::string fixed(double x, int decimals);
/// 0.125 as 12.5 %.
std::string percent(double share, int decimals = 1);
/// At least `digits` significant digits, never an exponent.
std::string significant(double x, int digits);
/// 16384 as 16,384.
std::string grouped(std::int64_t n);
/// 12345678 as 12.3 million; 1.71e21 as 1.71e21 where no word helps.
std::string large(double x);
/// Decimals for a value known to within `width`: two digits of the width, at least 3 and at most 6 digits of
/// the value.
int decimals_for(double value, double width);
/// For a headline: the fewest decimals, of three digits or more and up to `most`, with which `value` still
/// lies from `low` to `high`.
int fewest_decimals(double value, double low, double high, int most);
/// Exactly, for machines: 17 significant digits.
std::string exact(double x);

/// Text from a file or a link, safe on a terminal: control characters become '?'.
std::string printable(std::string_view text, bool keep_new_lines = false);

/// Columns aligned by width: the first to the left, the others to the right. Width counts characters, not
/// bytes.
std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view margin = "  ");

}  // namespace prism::cli
