// SPDX-License-Identifier: Apache-2.0
#include "evidence/shell_words.h"

#include <algorithm>
#include <map>

namespace prism {
namespace {

bool name_character(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

class Shell {
 public:
  std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    std::string word;
    bool any = false;
    char quote = 0;
    const auto end_word = [&] {
      if (any && !assign(word)) out.push_back(word);
      word.clear();
      any = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\\' && i + 1 < text.size() && quote != '\'') {
        if (text[i + 1] == '\r' && i + 2 < text.size() && text[i + 2] == '\n') ++i;
        if (text[++i] != '\n')
          word.push_back(text[i]), any = true;
        else if (!quote)
          end_word();
      } else if (quote ? c == quote : c == '"' || c == '\'') {
        quote = quote ? 0 : c;
        any = true;
      } else if (c == '$' && quote != '\'' && i + 1 < text.size() &&
                 (text[i + 1] == '{' || name_character(text[i + 1]))) {
        const std::string value = variable(text, i);
        // Unquoted, or a whole list in quotes as "${ARGS[@]}": its words are words.
        for (const char v : value) {
          if ((v == ' ' || v == '\n') && (!quote || list_))
            end_word();
          else
            word.push_back(v), any = true;
        }
      } else if (quote) {
        word.push_back(c);
      } else if (c == '#' && !any) {
        while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == ')') {
        end_word();
      } else if (c == '(' && any && !word.empty() && word.back() == '=') {
        word.clear();  // a list: its words are read where they stand
        any = false;
      } else {
        word.push_back(c);
        any = true;
      }
    }
    end_word();
    return out;
  }

 private:
  bool assign(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || word[0] == '-') return false;
    if (!std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), name_character))
      return false;
    variables_[word.substr(0, equals)] = word.substr(equals + 1);
    return true;
  }
  /// `i` stands on the $ and is moved to the last character of the name. ${NAME:-default} gives the default
  /// if unset.
  std::string variable(std::string_view text, std::size_t& i) {
    std::size_t end = i + 1;
    std::string name, fallback;
    list_ = false;
    if (text[end] == '{') {
      const std::size_t close = text.find('}', end);
      if (close == std::string_view::npos) return "$";
      const std::string_view inside = text.substr(end + 1, close - end - 1);
      name = inside.substr(0, inside.find_first_of(":-["));
      list_ = inside.find("[@]") != std::string_view::npos;
      if (const std::size_t at = inside.find(":-"); at != std::string_view::npos)
        fallback = inside.substr(at + 2);
      end = close;
    } else {
      while (end < text.size() && name_character(text[end])) name.push_back(text[end++]);
      --end;
    }
    i = end;
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second;
    return list_ ? std::string() : !fallback.empty() ? fallback : "$" + name;
  }
  std::map<std::string, std::string> variables_;
  bool list_ = false;
};

}  // namespace

std::vector<std::string> shell_words(std::string_view text) { return Shell().words(text); }

}  // namespace prism
