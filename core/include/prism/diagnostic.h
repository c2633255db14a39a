// SPDX-License-Identifier: Apache-2.0
// The one error type of the core. A bad input is data and travels as a list of these; a bug is a crash.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prism {

/// What kind of fault a diagnostic reports. The set is closed; `code_name` gives the word used in JSON.
enum class Code {
  syntax,         ///< not JSON
  duplicate_key,  ///< an object names a key twice
  too_deep,       ///< nested deeper than 64
  too_large,      ///< more than 8 MB of text, or a number of tasks or trials beyond the stated limit
  not_a_number,   ///< NaN or an infinity where a finite number is needed
  unknown_key,    ///< a key no part of the schema knows
  missing_key,    ///< a required key is absent
  wrong_type,     ///< e.g. a string where a number is needed
  out_of_range,   ///< a value outside its stated range
  unknown_name,   ///< a preset, family, kind or schedule that does not exist
  inconsistent,   ///< two values contradict each other (batch equation, world size, ...)
  not_divisible,  ///< a divisibility rule is broken
  impossible_distribution,  ///< parameters no member of the family has
  unsupported,              ///< understood, but this engine version does not compute it
};
std::string_view code_name(Code code);

enum class Severity { error, warning };

/// One fault, at one place in the user's text.
struct Diagnostic {
  Code code;
  std::string pointer;  ///< JSON Pointer (RFC 6901) to the value at fault, or to the object that lacks a key
  std::string message;  ///< what was expected and what was found, one sentence, numbers included
  std::string hint;     ///< what to do about it; may be empty
  Severity severity = Severity::error;
  int line = 0;    ///< 1-based line in the text; 0 while unknown
  int column = 0;  ///< 1-based column in UTF-16 code units (what editors count); 0 while unknown
};

/// A value, or the reasons why there is none. Warnings may stand beside a value.
template <class T>
struct Result {
  std::optional<T> value;
  std::vector<Diagnostic> diagnostics;

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  T& operator*() { return *value; }
  const T* operator->() const { return &*value; }
  T* operator->() { return &*value; }

  static Result of(T v) { return {std::move(v), {}}; }
  static Result fault(Diagnostic d) { return {std::nullopt, {std::move(d)}}; }
  static Result faults(std::vector<Diagnostic> d) { return {std::nullopt, std::move(d)}; }
};

}  // namespace prism
