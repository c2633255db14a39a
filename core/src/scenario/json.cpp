// SPDX-License-Identifier: Apache-2.0
#include "scenario/json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scenario/positions.h"
#include "scenario/spelling.h"

namespace prism::scenario {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '+' || c == '-';
}

bool names_no_number(std::string_view word) {
  std::string lower;
  for (char c : word) {
    if (c == '+' || c == '-') continue;
    lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

/// Builds the tree from the parser's events and stops at the first fault.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string_view text) : text_(text) {}

  Json root;
  std::optional<Diagnostic> fault;

  bool null() override { return put(nullptr); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(number_integer_t v) override { return put(v); }
  bool number_unsigned(number_unsigned_t v) override { return put(v); }
  bool number_float(number_float_t v, const string_t&) override { return put(v); }
  bool string(string_t& v) override { return put(std::move(v)); }
  bool binary(binary_t&) override { return false; }  // not reached: JSON text has no binary values

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& v) override {
    Level& level = open_.back();
    if (!level.keys.insert(v).second) {
      const std::string pointer = child(here(), v);
      const Position p = locate_key(text_, pointer);
      fault = Diagnostic{Code::duplicate_key,
                         pointer,
                         "the key " + in_quotes(v) + " is given twice in one object",
                         "keep one of the two",
                         Severity::error,
                         p.line,
                         p.column};
      return false;
    }
    level.key = std::move(v);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& e) override {
    std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
    const std::string_view what = e.what();
    if (e.id == 406) {  // a number that no double can hold
      while (at > 0 && is_word(text_[at - 1])) --at;
      const Position p = position_at(text_, at);
      fault = Diagnostic{Code::out_of_range,
                         next(),
                         "the number " + token + " is too large for any use here",
                         "numbers stay below 1.8e308",
                         Severity::error,
                         p.line,
                         p.column};
      return false;
    }
    // A literal such as NaN is one fault, wherever inside it the parser stopped.
    std::size_t begin = at, end = at;
    while (begin > 0 && is_word(text_[begin - 1])) --begin;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    if (names_no_number(word)) {
      const Position p = position_at(text_, begin);
      fault = Diagnostic{Code::not_a_number,
                         next(),
                         std::string(word) + " is not a number; every number must be finite",
                         "give a number or leave the key out",
                         Severity::error,
                         p.line,
                         p.column};
      return false;
    }
    // The parser stops at the end of an unexpected token and inside an invalid literal; readers want the
    // beginning.
    const bool unexpected = what.find(" - unexpected ") != std::string_view::npos;
    const bool literal = what.find("invalid literal") != std::string_view::npos;
    if (unexpected && at < text_.size() && text_[at] == '"' && token.size() <= at + 1)
      at = at + 1 - token.size();
    else if ((unexpected || literal) && begin < end)
      at = begin;
    const Position p = position_at(text_, at);
    fault = Diagnostic{Code::syntax, here(), sentence(what), "", Severity::error, p.line, p.column};
    return false;
  }

 private:
  struct Level {
    Json* container;
    std::unordered_set<std::string> keys;  // a set, so that millions of keys cost linear time
    std::string key;
  };

  /// The parser's own words without its bookkeeping: "[json.exception…] parse error at line 1, column 2:
  /// syntax error while parsing value - …; last read: …".
  static std::string sentence(std::string_view what) {
    std::size_t at = what.find(" - ");
    std::string_view text = at == std::string_view::npos ? what : what.substr(at + 3);
    at = text.find("; last read");
    std::string_view rest;
    if (at != std::string_view::npos) {
      const std::size_t expected = text.find("; expected", at);
      if (expected != std::string_view::npos) rest = text.substr(expected);
      text = text.substr(0, at);
    }
    return "not JSON: " + std::string(text) + std::string(rest);
  }

  std::string here() const {
    std::string pointer;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) pointer = step(pointer, open_[i], -1);
    return pointer;
  }
  /// Pointer of the value that comes next.
  std::string next() const { return open_.empty() ? std::string() : step(here(), open_.back(), 0); }
  static std::string step(const std::string& pointer, const Level& level, int offset) {
    if (level.container->is_object()) return child(pointer, level.key);
    return child(pointer, level.container->size() + static_cast<std::size_t>(offset));
  }

  Json* place(Json&& v) {
    if (open_.empty()) {
      root = std::move(v);
      return &root;
    }
    Level& level = open_.back();
    if (level.container->is_array()) {
      auto& items = level.container->get_ref<Json::array_t&>();
      items.push_back(std::move(v));
      return &items.back();
    }
    // Appended without the library's search for the key, which is linear in the number of members.
    auto& members = level.container->get_ref<Json::object_t&>();
    static_cast<Json::object_t::Container&>(members).emplace_back(level.key, std::move(v));
    return &members.back().second;
  }
  template <class V>
  bool put(V&& v) {
    place(Json(std::forward<V>(v)));
    return true;
  }
  bool open(Json&& container) {
    if (static_cast<int>(open_.size()) >= max_depth) {
      const std::string pointer = next();
      const Position p = locate(text_, pointer);
      fault = Diagnostic{Code::too_deep,
                         pointer,
                         "values are nested deeper than " + std::to_string(max_depth) + " levels",
                         "no key of a scenario needs that",
                         Severity::error,
                         p.line,
                         p.column};
      return false;
    }
    open_.push_back({place(std::move(container)), {}, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  std::vector<Level> open_;  // pointers stay valid: a container grows only while it is the innermost
};

/// A picture, a program, a packed file: its first bytes make no sense as JSON, nor would what is said of
/// them.
std::optional<Diagnostic> not_text(std::string_view text) {
  const bool packed = text.starts_with("\x1f\x8b");
  const std::size_t zero = text.find('\0');
  if (!packed && zero == std::string_view::npos) return std::nullopt;
  return Diagnostic{Code::syntax,
                    "",
                    packed ? "this is not text: it is packed by gzip"
                           : "this is not text: byte " + std::to_string(zero + 1) + " is 0",
                    "a scenario is JSON in UTF-8",
                    Severity::error,
                    1,
                    1};
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (text.size() > max_text_bytes)
    return Result<Json>::fault({Code::too_large, "",
                                "the text has " + std::to_string(text.size()) + " bytes, more than the " +
                                    std::to_string(max_text_bytes) + " that a scenario may have",
                                "", Severity::error, 1, 1});
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return Result<Json>::fault(
        {Code::syntax, "", "the text is empty", "start with { \"prism\": 1 }", Severity::error, 1, 1});
  Builder builder(text);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    if (auto binary = not_text(text)) return Result<Json>::fault(std::move(*binary));
    return Result<Json>::fault(std::move(*builder.fault));
  }
  return Result<Json>::of(std::move(builder.root));
}

const Json* find_member(const Json& object, std::string_view key) {
  const auto* members = object.get_ptr<const Json::object_t*>();
  if (!members) return nullptr;
  for (const auto& member : *members)
    if (member.first == key) return &member.second;
  return nullptr;
}

std::string child(std::string_view pointer, std::string_view key) {
  std::string result(pointer);
  result += '/';
  for (char c : key) {
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  }
  return result;
}

std::string child(std::string_view pointer, std::size_t index) {
  return std::string(pointer) + "/" + std::to_string(index);
}

Json number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53: every whole number below is a double
  if (value > -exact && value < exact && value == static_cast<double>(static_cast<std::int64_t>(value)))
    return Json(static_cast<std::int64_t>(value));
  return Json(value);
}

}  // namespace prism::scenario
