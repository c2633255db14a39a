// SPDX-License-Identifier: Apache-2.0
#include "scenario/spelling.h"

#include <algorithm>
#include <vector>

namespace prism::scenario {
namespace {

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string excerpt(std::string_view text) {
  std::string result;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (result.size() >= 40 && (byte & 0xC0) != 0x80) return result + "...";
    result += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return result;
}

std::string in_quotes(std::string_view word) {
  std::string text = "\"";
  text += word;
  text += '"';
  return text;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 64;  // a longer word is no misspelling, and the distance costs its length
  if (word.empty() || word.size() > longest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (std::string_view c : candidates) {
    std::size_t d = distance(word, c);
    const bool prefix =
        word.size() >= 3 && (c.substr(0, word.size()) == word || word.substr(0, c.size()) == c);
    if (prefix) d = std::min<std::size_t>(d, 2);  // a true misspelling by one letter is nearer
    if (d < best_distance && d < word.size()) {
      best = c;
      best_distance = d;
    }
  }
  return best;
}

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::string_view w : words) {
    if (!text.empty()) text += ", ";
    text += w;
  }
  return text;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest(word, candidates);
  if (!near.empty()) return "did you mean " + in_quotes(near) + "?";
  return candidates.empty() ? std::string() : "known here: " + listed(candidates);
}

}  // namespace prism::scenario
