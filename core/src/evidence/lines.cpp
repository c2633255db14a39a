// SPDX-License-Identifier: Apache-2.0
#include "evidence/lines.h"

#include <charconv>
#include <cstdlib>
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
