// SPDX-License-Identifier: Apache-2.0
#include "prism/dates.h"

#include <array>

namespace prism {
namespace {

bool leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(int year, int month) {
  constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap(year) ? 1 : 0);
}

int days_in(int year) { return leap(year) ? 366 : 365; }

/// `count` decimal digits from `at`; -1 if there are others.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

std::string padded(std::int64_t value, std::size_t width) {
  std::string text = std::to_string(value);
  return std::string(text.size() < width ? width - text.size() : 0, '0') + text;
}

}  // namespace

std::optional<std::int64_t> minutes_of(std::string_view date) {
  const bool time = date.size() == 16;
  if (!time && date.size() != 10) return std::nullopt;
  if (date[4] != '-' || date[7] != '-' || (time && (date[10] != 'T' || date[13] != ':'))) return std::nullopt;
  const int year = digits(date, 0, 4), month = digits(date, 5, 2), day = digits(date, 8, 2);
  const int hour = time ? digits(date, 11, 2) : 0, minute = time ? digits(date, 14, 2) : 0;
  if (year < 1970 || year > 2999 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) ||
      hour < 0 || hour > 23 || minute < 0 || minute > 59)
    return std::nullopt;
  std::int64_t days = day - 1;
  for (int y = 1970; y < year; ++y) days += days_in(y);
  for (int m = 1; m < month; ++m) days += days_in(year, m);
  return (days * 24 + hour) * 60 + minute;
}

std::string date_of(std::int64_t minutes) {
  std::int64_t days = minutes / 1440;
  int year = 1970, month = 1;
  for (; days >= days_in(year); ++year) days -= days_in(year);
  for (; days >= days_in(year, month); ++month) days -= days_in(year, month);
  return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(days + 1, 2) + "T" +
         padded(minutes / 60 % 24, 2) + ":" + padded(minutes % 60, 2);
}

}  // namespace prism
