// SPDX-License-Identifier: Apache-2.0
// Words in messages, and help for misspelt ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prism::scenario {

/// Text fit to be shown in a message: short, and without control characters.
std::string excerpt(std::string_view text);

/// The word in quotation marks.
std::string in_quotes(std::string_view word);

/// The candidate nearest to `word` by edit distance (a transposition counts one), or empty if none is near. A
/// candidate that `word` begins or that begins `word` counts as near: "latency" for "latency_us".
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "a, b, c"
std::string listed(std::span<const std::string_view> words);

/// A hint for an unknown word: 'did you mean "x"?', or the whole list.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace prism::scenario
