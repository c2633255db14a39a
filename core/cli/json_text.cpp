// SPDX-License-Identifier: Apache-2.0
#include "json_text.h"

#include <algorithm>
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

/// A compact array or object of plain values with a space behind each comma and colon; none if it holds
/// another one or is too long for a line.
std::optional<std::string> on_one_line(std::string_view value) {
  constexpr std::size_t longest = 72;
  std::string out;
  for (std::size_t i = 0; i < value.size();) {
    const std::size_t end = value[i] == '"' ? end_of_string(value, i) : i + 1;
    if (i > 0 && (value[i] == '{' || value[i] == '[')) return std::nullopt;
    out.append(value.substr(i, end - i));
    if (value[i] == ',' || value[i] == ':') out.push_back(' ');
    i = end;
  }
  if (out.size() > longest) return std::nullopt;
  return out;
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
  const std::string text = compact(json);
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] { out.append("\n").append(2 * depth, ' '); };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t end = c == '"' ? end_of_string(text, i) : i + 1;
    if (c == '{' || c == '[') {
      const std::string_view value = std::string_view(text).substr(i, end_of_value(text, i) - i);
      if (const auto line = depth > 0 || value.size() == 2 ? on_one_line(value) : std::nullopt) {
        out.append(*line);
        i += value.size();
        continue;
      }
      ++depth;
    }
    if (c == '}' || c == ']') {
      --depth;
      new_line();
    }
    out.append(text, i, end - i);
    if (c == ':') out.push_back(' ');
    if (c == ',' || c == '{' || c == '[') new_line();
    i = end;
  }
  return out;
}

}  // namespace prism::cli
