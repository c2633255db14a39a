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

/// None on error; errno then says why. Streams of the standard library hide the reason, and throw for a
/// folder.
std::optional<std::string> read_all(std::FILE* stream) {
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, stream)) text.append(buffer, n);
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

std::optional<Input> read_input(const std::string& file, const Overrides& overrides, bool json) {
  Input input{file == "-" ? "standard input" : file, {}, overrides};
  errno = 0;
  const auto text = file == "-" ? read_all(stdin) : read_file(file);
  if (!text) {
    print_fault("unreadable", "cannot read " + input.name + ": " + std::strerror(errno), json);
    return std::nullopt;
  }
  input.text = *text;
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
  if (json) {
    std::cout << "{\"ok\":false,\"errors\":" << diagnostics_json(job.diagnostics) << "}\n";
  } else {
    for (const Diagnostic& d : job.diagnostics) std::cerr << diagnostic_text(d, input) << "\n";
  }
  return std::nullopt;
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
