// SPDX-License-Identifier: Apache-2.0
// Small edits of JSON as text. A parsed and printed document would lose the spelling of numbers (1e3, digits
// of a 64-bit seed) and the places that error messages point to. All functions take text that is valid JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace prism::cli {

/// A value within a text: [begin, end).
struct Span {
  std::size_t begin, end;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// The outermost value.
Span root_value(std::string_view json);
/// The value of `key` in the object at `object`; none if it has no such key. Of duplicates, the first.
std::optional<Span> find_member(std::string_view json, Span object, std::string_view key);
/// The text with `key` of the object at `object` set to `value` (JSON text); a new key comes last.
std::string with_member(std::string_view json, Span object, std::string_view key, std::string_view value);
/// The text without white space outside strings.
std::string compact(std::string_view json);
/// The text with one member or element a line, two spaces a level; short arrays and objects of plain values
/// keep one line.
std::string indented(std::string_view json);

}  // namespace prism::cli
