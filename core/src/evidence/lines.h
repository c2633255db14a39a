// SPDX-License-Identifier: Apache-2.0
// Text fed in pieces, heard line by line; and numbers from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// Ends of lines may be \n, \r\n or \r alone (progress bars). Of a line longer than `longest` the rest is
/// dropped.
class LineSplitter {
 public:
  static constexpr std::size_t longest = 1 << 16;
  template <class Heard>
  void feed(std::string_view piece, Heard&& heard) {
    for (std::size_t i = 0; i < piece.size();) {
      std::size_t end = i;
      while (end < piece.size() && piece[end] != '\n' && piece[end] != '\r') ++end;
      if (end == piece.size()) {
        keep(piece.substr(i));
        return;
      }
      if (rest_.empty()) {
        heard(piece.substr(i, end - i));
      } else {
        keep(piece.substr(i, end - i));
        heard(std::string_view(rest_));
        rest_.clear();
      }
      i = end + 1;
    }
  }
  template <class Heard>
  void finish(Heard&& heard) {
    if (!rest_.empty()) heard(std::string_view(rest_));
    rest_.clear();
  }

 private:
  void keep(std::string_view text) {
    rest_.append(text.substr(0, longest - std::min(rest_.size(), longest)));
  }
  std::string rest_;
};

std::string_view trimmed(std::string_view text);
/// Words between white space.
std::vector<std::string_view> words_of(std::string_view line);
/// Fields between commas, each trimmed and without quotes around it.
void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields);

/// The whole text is one finite decimal number, correctly rounded on every target.
std::optional<double> number_of(std::string_view text);
std::optional<std::int64_t> whole_number_of(std::string_view text);
/// A decimal number of microseconds as whole nanoseconds, without going through a double: times since 1970
/// have more digits than one holds. Absolute values below 9e18 ns.
std::optional<std::int64_t> nanoseconds_of_us(std::string_view text);

}  // namespace prism
