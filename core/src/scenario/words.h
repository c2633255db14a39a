// SPDX-License-Identifier: Apache-2.0
// Enumerators by their words in JSON.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "prism/scenario.h"

namespace prism::scenario {

/// All kind names, in the order of Kind.
std::span<const std::string_view> kind_words();

/// Position of `word` among `words`, which must hold it, as an enumerator whose values count from 0.
template <class Enum>
Enum enumerator(std::span<const std::string_view> words, std::string_view word) {
  return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace prism::scenario
