// SPDX-License-Identifier: Apache-2.0
#include "format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace prism::cli {
namespace {

std::string print(const char* format, int digits, double x) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, digits, x);
  return buffer;
}

/// Power of ten of the leading digit.
int magnitude(double x) { return x == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(x)))); }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

TimeUnit TimeUnit::for_size(double s) {
  if (s >= 1 || s == 0) return {1, "s"};
  if (s >= 1e-3) return {1e-3, "ms"};
  return {1e-6, "µs"};
}

std::string fixed(double x, int decimals) { return print("%.*f", decimals, x); }

std::string percent(double share, int decimals) { return fixed(100 * share, decimals) + " %"; }

std::string significant(double x, int digits) { return fixed(x, std::max(0, digits - 1 - magnitude(x))); }

std::string grouped(std::int64_t n) {
  std::string out = std::to_string(n);
  const std::size_t sign = n < 0 ? 1 : 0;
  for (std::size_t i = out.size(); i > 3 + sign;) out.insert(i -= 3, ",");
  return out;
}

std::string large(double x) {
  constexpr struct {
    double size;
    const char* word;
  } words[] = {{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}};
  if (std::fabs(x) >= 1e15) return print("%.*e", 2, x);
  for (const auto& [size, word] : words)
    if (std::fabs(x) >= size) return significant(x / size, 3) + word;
  return std::fabs(x) >= 100 ? grouped(static_cast<std::int64_t>(std::llround(x))) : significant(x, 3);
}

int decimals_for(double value, double width) {
  const int fewest = 2 - magnitude(value), most = 5 - magnitude(value);
  const int wanted = width > 0 ? -magnitude(width) : fewest + 1;
  return std::max(0, std::clamp(wanted, fewest, most));
}

int fewest_decimals(double value, double low, double high, int most) {
  int decimals = std::max(0, 2 - magnitude(value));
  const auto outside = [&] {
    const double rounded = std::stod(fixed(value, decimals));
    return rounded < low || rounded > high;
  };
  while (decimals < most && outside()) ++decimals;
  return decimals;
}

std::string exact(double x) { return print("%.*g", 17, x); }

/// Bytes at the start of `text` that would turn round the text after them: bidirectional marks and overrides,
/// and line separators. 0: none.
static std::size_t disguise(std::string_view text) {
  if (text.starts_with("\xd8\x9c")) return 2;
  if (text.size() < 3 || text[0] != '\xe2') return 0;
  const auto middle = static_cast<unsigned char>(text[1]), last = static_cast<unsigned char>(text[2]);
  const bool mark = middle == 0x80 && (last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae));
  return mark || (middle == 0x81 && last >= 0xa6 && last <= 0xa9) ? 3 : 0;
}

std::string printable(std::string_view text, bool keep_new_lines) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto c = static_cast<unsigned char>(out[i]);
    const bool c1 = c == 0xc2 && i + 1 < out.size() && static_cast<unsigned char>(out[i + 1]) < 0xa0;
    if (c1) out.replace(i, 2, "?");
    if (const std::size_t bytes = disguise(std::string_view(out).substr(i))) out.replace(i, bytes, "?");
    if ((c < 0x20 && !(keep_new_lines && c == '\n')) || c == 0x7f) out[i] = '?';
  }
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view margin) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(margin);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width(row[i]), ' ');
      line += i == 0 ? row[i] + pad : "  " + pad + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace prism::cli
