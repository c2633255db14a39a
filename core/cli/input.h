// SPDX-License-Identifier: Apache-2.0
// From a FILE argument to a job, and what is said when it is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "prism/report.h"

namespace prism::cli {

inline constexpr int done = 0, refused = 1, usage = 2;  ///< exit codes

/// Options that replace members of the scenario's `run` section.
struct Overrides {
  std::optional<std::int64_t> trials;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> engine;
};

struct Input {
  std::string name;     ///< as in messages: the path, or "standard input"
  std::string written;  ///< as it is in the file
  std::string text;     ///< with the overrides in it
  Overrides overrides;
};

/// The whole of a file, or of standard input ("-"), up to 256 MB. None on error; errno then says why.
std::optional<std::string> read_text(const std::string& file);

/// Reads FILE ("-" is standard input) and puts the overrides into its `run` section, so that they count as
/// written by the user: in the resolved scenario, in the digest and in a link. Prints why and returns none if
/// it cannot.
std::optional<Input> read_input(const std::string& file, const Overrides& overrides, bool json);

/// The scenario as JSON text: the input itself, or the `scenario` member of a result document.
std::string scenario_text(const Input& input);

/// Prints why and returns none if the scenario is refused.
std::optional<Job> prepare(const Input& input, bool json);

/// The same list at the places of the text as it was written, not as the overrides made it.
std::vector<Diagnostic> as_written(std::vector<Diagnostic> diagnostics, const Input& input);

/// Why the input is refused: a line each on stderr, or the document that refusals give with --json on stdout.
void print_refusal(const std::vector<Diagnostic>& diagnostics, const Input& input, bool json);

/// `FILE:LINE:COLUMN: error: message [pointer]` and the hint on the next line; an overridden member is named
/// by its option.
std::string diagnostic_text(const Diagnostic& diagnostic, const Input& input);

/// A refusal that has no place in a scenario, e.g. an unreadable file: a line on stderr, or the document that
/// refused scenarios give with --json on stdout.
void print_fault(std::string_view code, const std::string& message, bool json);

}  // namespace prism::cli
