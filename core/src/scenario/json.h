// SPDX-License-Identifier: Apache-2.0
// JSON text to a tree of values, strictly: what RFC 8259 leaves open (duplicate keys, depth, size, numbers
// too large for a double) is refused here, with its place. Nothing is thrown.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "prism/diagnostic.h"

namespace prism::scenario {

/// Members keep the order of the text: `prism` must come first, and the echo is written in schema order.
using Json = nlohmann::ordered_json;

inline constexpr std::size_t max_text_bytes = 8'000'000;
inline constexpr int max_depth = 64;

/// The tree, or one diagnostic with line and column set.
Result<Json> parse_json(std::string_view text);

/// The member `key` of an object, or null. (The library's own find would throw on another type.)
const Json* find_member(const Json& object, std::string_view key);

/// `pointer` extended by one step, escaped as RFC 6901 asks.
std::string child(std::string_view pointer, std::string_view key);
std::string child(std::string_view pointer, std::size_t index);

/// A number for the echo: whole numbers without a fraction, the rest in the shortest form that reads back the
/// same.
Json number(double value);

}  // namespace prism::scenario
