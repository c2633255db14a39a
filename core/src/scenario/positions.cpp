// SPDX-License-Identifier: Apache-2.0
#include "scenario/positions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenario/json.h"
#include "scenario/spelling.h"

namespace prism {
namespace scenario {
namespace {

/// Steps of a JSON Pointer, unescaped. The empty pointer has none.
std::vector<std::string> steps_of(std::string_view pointer) {
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (steps.empty()) {
      continue;  // not a pointer: nothing before the first slash
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      steps.back() += pointer[i];
    }
  }
  return steps;
}

/// Walks JSON text without building anything. It trusts the text (the parser judges it) but never leaves it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  struct Found {
    std::size_t key, value;  // offsets; equal where the value has no key
  };

  std::optional<Found> find(std::string_view pointer) {
    blank();
    if (at_ >= text_.size()) return std::nullopt;
    Found found{at_, at_};
    for (const std::string& step : steps_of(pointer)) {
      at_ = found.value;
      const std::optional<Found> next = peek() == '{'   ? member(step)
                                        : peek() == '[' ? item(step)
                                                        : std::nullopt;
      if (!next) return std::nullopt;
      found = *next;
    }
    return found;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void blank() {
    if (at_ == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  /// Past a string; its raw text without the quotes.
  std::string_view string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view raw = text_.substr(begin, at_ - begin);
    if (at_ < text_.size()) ++at_;
    return raw;
  }

  /// Past any value, nested or not.
  void skip() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
        continue;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return;
        --depth;
        ++at_;
      } else if (c == ',' && depth == 0) {
        return;
      } else {
        ++at_;
        continue;
      }
      if (depth == 0) return;
    }
  }

  /// Whether a raw key, escapes and all, spells `name`.
  static bool spells(std::string_view raw, std::string_view name) {
    if (raw.find('\\') == std::string_view::npos) return raw == name;
    const Json value = Json::parse(in_quotes(raw), nullptr, false);
    return value.is_string() && value.get_ref<const std::string&>() == name;
  }

  /// The last member of that name: of duplicate keys the second is the fault.
  std::optional<Found> member(std::string_view name) {
    std::optional<Found> found;
    ++at_;
    for (blank(); at_ < text_.size() && peek() == '"'; blank()) {
      const std::size_t key = at_;
      const bool match = spells(string(), name);
      blank();
      if (peek() == ':') ++at_;
      blank();
      if (match) found = Found{key, at_};
      skip();
      blank();
      if (peek() != ',') break;
      ++at_;
    }
    return found;
  }

  std::optional<Found> item(std::string_view step) {
    if (step.empty() || step.size() > 9 || step.find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    std::size_t left = 0;
    for (char c : step) left = left * 10 + static_cast<std::size_t>(c - '0');
    ++at_;
    for (blank(); at_ < text_.size() && peek() != ']'; blank()) {
      if (left-- == 0) return Found{at_, at_};
      skip();
      blank();
      if (peek() != ',') break;
      ++at_;
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Position position_at(std::string_view text, std::size_t offset) {
  Position p{1, 1};
  offset = std::min(offset, text.size());
  for (std::size_t i = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; i < offset; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool line_end = byte == '\n' || (byte == '\r' && (i + 1 >= text.size() || text[i + 1] != '\n'));
    if (line_end) {
      ++p.line;
      p.column = 1;
    } else if (byte < 0x80 || byte >= 0xC0) {
      p.column += byte >= 0xF0 ? 2 : 1;  // beyond the basic plane: a surrogate pair
    }
  }
  return p;
}

Position locate_key(std::string_view text, std::string_view pointer) {
  const auto found = Scanner(text).find(pointer);
  return found ? position_at(text, found->key) : Position{0, 0};
}

}  // namespace scenario

Position locate(std::string_view text, std::string_view pointer) {
  const auto found = scenario::Scanner(text).find(pointer);
  return found ? scenario::position_at(text, found->value) : Position{0, 0};
}

void place(std::string_view text, std::vector<Diagnostic>& diagnostics) {
  const bool is_result = locate(text, "/prism_result").line > 0;
  for (Diagnostic& d : diagnostics) {
    if (d.line > 0) continue;
    if (is_result) d.pointer.insert(0, "/scenario");
    const bool about_key = d.code == Code::unknown_key;
    // A value that was derived is not in the text: the nearest object around it is.
    std::string_view pointer = d.pointer;
    for (;;) {
      const Position p = about_key ? scenario::locate_key(text, pointer) : locate(text, pointer);
      d.line = p.line;
      d.column = p.column;
      if (p.line > 0 || pointer.empty()) break;
      pointer = pointer.substr(0, pointer.rfind('/'));
    }
  }
}

}  // namespace prism
