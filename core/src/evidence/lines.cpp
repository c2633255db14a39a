// SPDX-License-Identifier: Apache-2.0
#include "evidence/lines.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace prism {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// [+-] digits [. digits] [e [+-] digits], with a digit before the exponent.
bool is_decimal(std::string_view t) {
  std::size_t i = 0, digits = 0;
  if (i < t.size() && (t[i] == '-' || t[i] == '+')) ++i;
  for (; i < t.size() && is_digit(t[i]); ++i) ++digits;
  if (i < t.size() && t[i] == '.') ++i;
  for (; i < t.size() && is_digit(t[i]); ++i) ++digits;
  if (digits == 0) return false;
  if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
    ++i;
    if (i < t.size() && (t[i] == '-' || t[i] == '+')) ++i;
    const std::size_t from = i;
    while (i < t.size() && is_digit(t[i])) ++i;
    if (i == from) return false;
  }
  return i == t.size();
}

constexpr int most_decimals = 22;  ///< 10^22 is the last power of ten that a double holds
template <class T>
constexpr std::array<T, most_decimals + 1> powers_of(T base) {
  std::array<T, most_decimals + 1> out{1};
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] * base;
  return out;
}
constexpr auto powers_of_ten = powers_of(10.0);
constexpr auto powers_of_five = powers_of(std::uint64_t{5});

/// whole / 10^decimals, correctly rounded. The quotient of doubles is at most one unit off; the remainder,
/// in whole numbers, says which way. Nothing for numbers so large that it is none.
std::optional<double> quotient(std::uint64_t whole, int decimals) {
  const double guess = static_cast<double>(whole) / powers_of_ten[static_cast<std::size_t>(decimals)];
  std::uint64_t bits;
  std::memcpy(&bits, &guess, sizeof bits);
  constexpr std::uint64_t hidden = std::uint64_t{1} << 52;
  const std::uint64_t unit = hidden | (bits & (hidden - 1));
  // guess = unit / 2^(shift + decimals). Just above a power of two the units below are half as long.
  const int shift = 1075 - static_cast<int>(bits >> 52) - decimals;
  if (shift < 0 || unit == hidden) return std::nullopt;
  const std::uint64_t five = powers_of_five[static_cast<std::size_t>(decimals)];
  const std::uint64_t scaled = shift < 64 ? whole << shift : 0;
  // Both products overflow; their difference is less than 2^53.
  const auto left = static_cast<std::int64_t>(scaled - unit * five);
  const std::uint64_t twice = 2 * static_cast<std::uint64_t>(left < 0 ? -left : left);
  if (twice < five) return guess;  // never equal: one is even, the other odd
  bits += left < 0 ? -1 : 1;
  double beside;
  std::memcpy(&beside, &bits, sizeof beside);
  return beside;
}

/// Of a decimal number what most are: at most 19 digits from the first that is not 0, no exponent. What a
/// library makes of them takes most of the time of reading a trace.
std::optional<double> short_number_of(std::string_view t) {
  const bool negative = t.front() == '-';
  if (negative) t.remove_prefix(1);
  std::uint64_t whole = 0;
  int digits = 0, decimals = 0;
  bool after_point = false;
  for (const char c : t) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (!is_digit(c)) return std::nullopt;
    whole = 10 * whole + static_cast<std::uint64_t>(c - '0');
    digits += whole > 0;
    decimals += after_point;
    if (digits > 19 || decimals > most_decimals) return std::nullopt;
  }
  if (whole == 0 || decimals == 0) return (negative ? -1.0 : 1.0) * static_cast<double>(whole);
  const auto value = quotient(whole, decimals);
  return value && negative ? -*value : value;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && is_space(line[i])) ++i;
    const std::size_t from = i;
    while (i < line.size() && !is_space(line[i])) ++i;
    if (i > from) words.push_back(line.substr(from, i - from));
  }
  return words;
}

void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const std::size_t end = line.find(separator);
    std::string_view field = trimmed(line.substr(0, end));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

std::optional<double> number_of(std::string_view text) {
  if (!is_decimal(text) || text.size() > 400) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  if (const auto value = short_number_of(text)) return value;
  double value = 0;
#ifdef __cpp_lib_to_chars
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
#else
  value = std::strtod(std::string(text).c_str(), nullptr);  // correctly rounded in musl too
#endif
  if (!(value <= std::numeric_limits<double>::max() && value >= -std::numeric_limits<double>::max()))
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole_number_of(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t value;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && !text.empty()) return value;
  // 3.0, as tables that passed through floating-point columns have it
  const auto real = number_of(text);
  if (!real || *real > 9e15 || *real < -9e15) return std::nullopt;
  if (*real != static_cast<double>(static_cast<std::int64_t>(*real))) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

std::optional<std::int64_t> nanoseconds_of_us(std::string_view text) {
  if (!is_decimal(text)) return std::nullopt;
  if (text.find_first_of("eE") != std::string_view::npos) {
    const auto us = number_of(text);
    if (!us || *us > 9e15 || *us < -9e15) return std::nullopt;
    return static_cast<std::int64_t>(*us * 1000 + (*us < 0 ? -0.5 : 0.5));
  }
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  std::int64_t value = 0;
  for (const char c : whole) {
    if (value > 900'000'000'000'000) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  for (int i = 0; i < 3; ++i) {
    value *= 10;
    if (i < static_cast<int>(fraction.size())) value += fraction[i] - '0';
  }
  if (fraction.size() > 3 && fraction[3] >= '5') ++value;
  return negative ? -value : value;
}

}  // namespace prism
