// SPDX-License-Identifier: Apache-2.0
// Words of a shell text, as far as launch scripts go: quotes, comments, continued lines, lists in
// parentheses, and variables that the same text has set before. Nothing is run; other variables stay as they
// are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prism {

std::vector<std::string> shell_words(std::string_view text);

}  // namespace prism
