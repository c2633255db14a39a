// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <nlohmann/json.hpp>

namespace prism::cli {
namespace {

constexpr std::string_view white = " \t\n\r";

std::size_t skip_white(std::string_view text, std::size_t i) {
  const std::size_t next = text.find_first_not_of(white, i);
  return next == std::string_view::npos ? text.size() : next;
}

/// Index behind the string that begins at i.
std::size_t end_of_string(std::string_view text, std::size_t i) {
  for (++i; i < text.size() && text[i] != '"'; ++i)
    if (text[i] == '\\') ++i;
  return std::min(i + 1, text.size());
}

/// Index behind the value that begins at i.
std::size_t end_of_value(std::string_view text, std::size_t i) {
  if (i < text.size() && text[i] == '"') return end_of_string(text, i);
  int depth = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"') {
      i = end_of_string(text, i);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) return i;  // behind a number or a word
      if (--depth == 0) return i + 1;
    }
    if (depth == 0 && (c == ',' || white.find(c) != std::string_view::npos)) return i;
    ++i;
  }
  return i;
}

}  // namespace

Span root_value(std::string_view json) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const std::size_t start =
      json.substr(0, byte_order_mark.size()) == byte_order_mark ? byte_order_mark.size() : 0;
  const std::size_t begin = skip_white(json, start);
  return {begin, end_of_value(json, begin)};
}

std::optional<Span> find_member(std::string_view json, Span object, std::string_view key) {
  if (object.begin >= json.size() || json[object.begin] != '{') return std::nullopt;
  std::size_t i = skip_white(json, object.begin + 1);
  while (i < object.end && json[i] == '"') {
    const Span name{i, end_of_string(json, i)};
    const std::size_t colon = skip_white(json, name.end);
    const std::size_t begin = skip_white(json, colon + 1);
    const Span value{begin, end_of_value(json, begin)};
    if (nlohmann::json::parse(name.of(json)).get<std::string>() == key) return value;
    i = skip_white(json, value.end);
    if (i < object.end && json[i] == ',') i = skip_white(json, i + 1);
  }
  return std::nullopt;
}

std::string with_member(std::string_view json, Span object, std::string_view key, std::string_view value) {
  std::string out(json);
  if (const auto old = find_member(json, object, key)) {
    out.replace(old->begin, old->end - old->begin, value);
    return out;
  }
  const std::size_t last = json.find_last_not_of(white, object.end - 2);  // before the closing brace
  const bool empty = last == object.begin;
  std::string member = empty ? "" : ", ";
  member.append("\"").append(key).append("\": ").append(value);
  out.insert(last + 1, member);
  return out;
}

std::string compact(std::string_view json) {
  std::string out;
  const Span root = root_value(json);
  for (std::size_t i = root.begin; i < root.end;) {
    if (json[i] == '"') {
      const std::size_t end = end_of_string(json, i);
      out.append(json.substr(i, end - i));
      i = end;
    } else {
      if (white.find(json[i]) == std::string_view::npos) out.push_back(json[i]);
      ++i;
    }
  }
  return out;
}

std::string indented(std::string_view json) {
  constexpr std::size_t one_line = 72;
  const std::string text = compact(json);
  const std::string_view view = text;
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] { out.append("\n").append(2 * depth, ' '); };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t end = end_of_string(view, i);
      out.append(view.substr(i, end - i));
      i = end;
      continue;
    }
    if (c == '{' || c == '[') {
      const std::string_view value = view.substr(i, end_of_value(view, i) - i);
      const bool nested = value.find_first_of("{[", 1) != std::string_view::npos;
      if (value.size() == 2 || (!nested && depth > 0 && value.size() <= one_line)) {
        for (std::size_t j = 0; j < value.size();) {
          if (value[j] == '"') {
            const std::size_t end = end_of_string(value, j);
            out.append(value.substr(j, end - j));
            j = end;
            continue;
          }
          out.push_back(value[j]);
          if (value[j] == ',' || value[j] == ':') out.push_back(' ');
          ++j;
        }
        i += value.size();
        continue;
      }
      out.push_back(c);
      ++depth;
      new_line();
    } else if (c == '}' || c == ']') {
      --depth;
      new_line();
      out.push_back(c);
    } else {
      out.push_back(c);
      if (c == ':') out.push_back(' ');
      if (c == ',') new_line();
    }
    ++i;
  }
  return out;
}

}  // namespace prism::cli
