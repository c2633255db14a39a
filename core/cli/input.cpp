// SPDX-License-Identifier: Apache-2.0
#include "input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "format.h"
#include "json_text.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;

/// Far above what a scenario may have, so that its reader says what is wrong; but an end, for what has none.
constexpr std::size_t most_bytes = 256'000'000;

/// Streams of the standard library hide the reason of an error, and throw for a folder.
std::optional<std::string> read_all(std::FILE* stream) {
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, stream)) {
    text.append(buffer, n);
    if (text.size() > most_bytes) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
  if (std::ferror(stream)) return std::nullopt;
  return text;
}

std::optional<std::string> read_file(const std::string& path) {
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  const std::unique_ptr<std::FILE, Close> stream(std::fopen(path.c_str(), "rb"));
  if (!stream) return std::nullopt;
  return read_all(stream.get());
}

std::optional<Span> scenario_span(std::string_view text) {
  const Span root = root_value(text);
  if (!find_member(text, root, "prism_result")) return root;
  return find_member(text, root, "scenario");
}

/// Leaves text alone that the reader will refuse: its messages are better.
std::string with_run_member(std::string text, std::string_view key, std::string_view value) {
  auto scenario = scenario_span(text);
  if (!scenario || text[scenario->begin] != '{') return text;
  auto run = find_member(text, *scenario, "run");
  if (!run)
    return with_member(text, *scenario, "run", "{\"" + std::string(key) + "\": " + std::string(value) + "}");
  if (text[run->begin] != '{') return text;
  return with_member(text, *run, key, value);
}

void apply(const Overrides& overrides, std::string& text) {
  if (!overrides.trials && !overrides.seed && !overrides.engine) return;
  if (!nlohmann::json::accept(text)) return;
  if (overrides.trials) text = with_run_member(text, "trials", std::to_string(*overrides.trials));
  if (overrides.seed) text = with_run_member(text, "seed", "\"" + std::to_string(*overrides.seed) + "\"");
  if (overrides.engine) text = with_run_member(text, "engine", nlohmann::json(*overrides.engine).dump());
}

std::string option_at_fault(const Diagnostic& d, const Overrides& o) {
  if (o.trials && d.pointer == "/run/trials") return "--trials";
  if (o.seed && d.pointer == "/run/seed") return "--seed";
  if (o.engine && d.pointer == "/run/engine") return "--engine";
  return {};
}

}  // namespace

std::optional<std::string> read_text(const std::string& file) {
  errno = 0;
  return file == "-" ? read_all(stdin) : read_file(file);
}

std::optional<Input> read_input(const std::string& file, const Overrides& overrides, bool json) {
  Input input{file == "-" ? "standard input" : file, {}, {}, overrides};
  const auto text = read_text(file);
  if (!text) {
    print_fault("unreadable", "cannot read " + input.name + ": " + std::strerror(errno), json);
    return std::nullopt;
  }
  input.written = input.text = *text;
  apply(overrides, input.text);
  return input;
}

std::string scenario_text(const Input& input) {
  const auto span = scenario_span(input.text);
  return std::string(span ? span->of(input.text) : std::string_view(input.text));
}

std::optional<Job> prepare(const Input& input, bool json) {
  Result<Job> job = prepare_job(input.text);
  if (job) return std::move(job.value);
  print_refusal(job.diagnostics, input, json);
  return std::nullopt;
}

std::vector<Diagnostic> as_written(std::vector<Diagnostic> diagnostics, const Input& input) {
  if (input.written == input.text) return diagnostics;
  const std::vector<Diagnostic> there = read_scenario(input.written).diagnostics;
  for (Diagnostic& d : diagnostics)
    for (const Diagnostic& w : there)
      if (w.code == d.code && w.pointer == d.pointer) {
        d.line = w.line;
        d.column = w.column;
      }
  return diagnostics;
}

void print_refusal(const std::vector<Diagnostic>& diagnostics, const Input& input, bool json) {
  const auto placed = as_written(diagnostics, input);
  if (json)
    std::cout << "{\"ok\":false,\"errors\":" << diagnostics_json(placed) << "}\n";
  else
    for (const Diagnostic& d : placed) std::cerr << diagnostic_text(d, input) << "\n";
}

std::string diagnostic_text(const Diagnostic& d, const Input& input) {
  std::string where = option_at_fault(d, input.overrides);
  if (where.empty()) {
    where = input.name;
    if (d.line > 0) where += ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
  }
  std::string out = where + (d.severity == Severity::error ? ": error: " : ": warning: ") + d.message;
  if (!d.pointer.empty()) out += " [" + d.pointer + "]";
  if (!d.hint.empty()) out += "\n  hint: " + d.hint;
  return printable(out, true);
}

void print_fault(std::string_view code, const std::string& message, bool json) {
  if (json) {
    const ordered_json error = {{"code", code},        {"pointer", ""}, {"message", message}, {"hint", ""},
                                {"severity", "error"}, {"line", 0},     {"column", 0}};
    const ordered_json document = {{"ok", false}, {"errors", ordered_json::array({error})}};
    std::cout << document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
  } else {
    std::cerr << "prism: " << printable(message) << "\n";
  }
}

}  // namespace prism::cli
