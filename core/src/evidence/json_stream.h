// SPDX-License-Identifier: Apache-2.0
// A JSON reader fed pieces, in memory bounded by its longest token. Traces in the wild are not quite JSON:
// bare NaN and Infinity, control characters in strings, bytes that are no UTF-8, arrays never closed.
// nlohmann_json, which reads scenarios, refuses all of them and pulls its input instead of being fed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

enum class JsonEvent : std::uint8_t {
  begin_object,
  end_object,
  begin_array,
  end_array,
  key,
  string,
  number,
  literal
};

/// Splits text into events. Numbers arrive as their text, so that none loses digits; bare words arrive as
/// literals.
class JsonStream {
 public:
  static constexpr std::size_t longest_token = 1
                                               << 16;  ///< bytes kept; the rest of a longer token is dropped
  static constexpr std::size_t deepest = 512;

  /// `heard(JsonEvent, std::string_view)` is called for each event. False once the text cannot be JSON.
  template <class Heard>
  bool feed(std::string_view piece, Heard&& heard);
  /// Text may end inside the outermost array: the Chrome trace format allows it.
  enum class End { complete, open_array, early, faulty, empty };
  template <class Heard>
  End finish(Heard&& heard);

  std::int64_t offset() const { return offset_; }   ///< bytes read; at a fault, where it is
  std::int64_t cut_tokens() const { return cut_; }  ///< tokens longer than longest_token
  const std::string& fault() const { return fault_; }
  std::size_t depth() const { return open_.size(); }

 private:
  enum class Inside : std::uint8_t { nothing, string, escape, unicode, bare };
  /// What may come next. Commas are demanded between values, so that a torn file is noticed.
  enum class Expect : std::uint8_t { value, value_or_end, key, key_or_end, colon, comma_or_end, done };

  void keep(char c) {
    if (token_.size() < longest_token)
      token_.push_back(c);
    else if (token_.size() == longest_token && !token_is_cut_)
      token_is_cut_ = true, ++cut_;
  }
  void keep_code_point(unsigned code);
  void escaped(char c);
  void hex(char c);
  bool fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
    return false;
  }
  void after_value() { expect_ = open_.empty() ? Expect::done : Expect::comma_or_end; }
  template <class Heard>
  bool structure(char c, Heard&& heard);
  template <class Heard>
  bool end_string(Heard&& heard);
  template <class Heard>
  bool end_bare(Heard&& heard);

  Inside inside_ = Inside::nothing;
  Expect expect_ = Expect::value;
  std::string token_;
  bool token_is_cut_ = false;
  unsigned code_ = 0, high_surrogate_ = 0;
  int hex_digits_ = 0;
  std::vector<char> open_;
  std::string fault_;
  std::int64_t offset_ = 0, cut_ = 0;
};

inline bool ends_bare_word(char c) {
  return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':' ||
         c == '"' || c == '[' || c == '{';
}

template <class Heard>
bool JsonStream::feed(std::string_view piece, Heard&& heard) {
  if (!fault_.empty()) return false;
  for (std::size_t i = 0; i < piece.size();) {
    if (inside_ == Inside::string) {
      // Most bytes of a trace are plain text inside strings.
      const std::size_t from = i;
      while (i < piece.size() && piece[i] != '"' && piece[i] != '\\') ++i;
      if (token_.size() + (i - from) <= longest_token)
        token_.append(piece.substr(from, i - from));
      else
        for (std::size_t k = from; k < i; ++k) keep(piece[k]);
      offset_ += static_cast<std::int64_t>(i - from);
      if (i == piece.size()) return true;
      ++offset_;
      if (piece[i++] == '\\')
        inside_ = Inside::escape;
      else if (!end_string(heard))
        return false;
      continue;
    }
    const char c = piece[i];
    if (inside_ == Inside::escape)
      escaped(c);
    else if (inside_ == Inside::unicode)
      hex(c);
    else if (inside_ == Inside::bare) {
      if (ends_bare_word(c)) {
        if (!end_bare(heard)) return false;
        continue;  // the same byte again
      }
      keep(c);
    } else if (!structure(c, heard)) {
      return false;
    }
    ++i;
    ++offset_;
  }
  return fault_.empty();
}

template <class Heard>
bool JsonStream::structure(char c, Heard&& heard) {
  if (c == ' ' || c == '\n' || c == '\r' || c == '\t') return true;
  if (offset_ < 3 && (c == '\xef' || c == '\xbb' || c == '\xbf')) return true;  // byte order mark
  // One value after another, as in a file of JSON lines, is read on.
  const bool value = expect_ == Expect::value || expect_ == Expect::value_or_end ||
                     (expect_ == Expect::done && (c == '{' || c == '['));
  switch (c) {
    case '{':
    case '[':
      if (!value) return fail("a value stands where none may");
      if (open_.size() == deepest) return fail("nested deeper than 512");
      open_.push_back(c);
      heard(c == '{' ? JsonEvent::begin_object : JsonEvent::begin_array, std::string_view{});
      expect_ = c == '{' ? Expect::key_or_end : Expect::value_or_end;
      return true;
    case '}':
    case ']': {
      const char opened = c == '}' ? '{' : '[';
      // A comma before the end is not JSON, but several tracers leave one.
      const bool allowed =
          expect_ == Expect::comma_or_end || expect_ == Expect::key_or_end || expect_ == Expect::value_or_end;
      if (open_.empty() || open_.back() != opened || !allowed)
        return fail(std::string(1, c) + " without its opening");
      open_.pop_back();
      heard(c == '}' ? JsonEvent::end_object : JsonEvent::end_array, std::string_view{});
      after_value();
      return true;
    }
    case ',':
      if (expect_ != Expect::comma_or_end) return fail("a comma stands where none may");
      expect_ = open_.back() == '{' ? Expect::key_or_end : Expect::value_or_end;
      return true;
    case ':':
      if (expect_ != Expect::colon) return fail("a colon stands where none may");
      expect_ = Expect::value;
      return true;
    case '"':
      if (!value && expect_ != Expect::key && expect_ != Expect::key_or_end)
        return fail("a string stands where none may");
      inside_ = Inside::string;
      token_.clear();
      token_is_cut_ = false;
      return true;
    default:
      if (!value) return fail("unexpected text");
      inside_ = Inside::bare;
      token_.assign(1, c);
      token_is_cut_ = false;
      return true;
  }
}

template <class Heard>
bool JsonStream::end_string(Heard&& heard) {
  inside_ = Inside::nothing;
  high_surrogate_ = 0;
  if (expect_ == Expect::key || expect_ == Expect::key_or_end) {
    heard(JsonEvent::key, std::string_view(token_));
    expect_ = Expect::colon;
  } else {
    heard(JsonEvent::string, std::string_view(token_));
    after_value();
  }
  return true;
}

template <class Heard>
bool JsonStream::end_bare(Heard&& heard) {
  inside_ = Inside::nothing;
  const char c = token_[0];
  if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') {
    heard(JsonEvent::number, std::string_view(token_));
  } else {
    static constexpr std::string_view words[] = {"true",     "false", "null", "NaN",      "nan",
                                                 "Infinity", "inf",   "Inf",  "undefined"};
    bool known = false;
    for (const std::string_view w : words) known = known || token_ == w;
    if (!known) return fail("unexpected text \"" + token_.substr(0, 20) + "\"");
    heard(JsonEvent::literal, std::string_view(token_));
  }
  after_value();
  return true;
}

template <class Heard>
JsonStream::End JsonStream::finish(Heard&& heard) {
  if (inside_ == Inside::bare && !end_bare(heard)) return End::faulty;
  if (!fault_.empty()) return End::faulty;
  if (expect_ == Expect::done) return End::complete;
  if (open_.empty()) return End::empty;
  const bool between =
      inside_ == Inside::nothing && (expect_ == Expect::comma_or_end || expect_ == Expect::value_or_end);
  return open_.size() == 1 && open_[0] == '[' && between ? End::open_array : End::early;
}

}  // namespace prism
