// SPDX-License-Identifier: Apache-2.0
// The whole document: version, doors, parts, echo.
#include "prism/scenario.h"

#include <algorithm>
#include <array>

#include "scenario/parts.h"

namespace prism {
namespace scenario {
namespace {

constexpr std::int64_t format_version = 1;
constexpr std::size_t longest_title = 200;
/// What a scenario may hold beside its version, its title and its source of operators.
constexpr std::array<std::string_view, 10> other_keys = {
    "precision",   "parallel", "batch",       "cluster",      "cost_model",
    "variability", "what_if",  "input_error", "training_run", "run"};
constexpr std::array<std::string_view, 3> precisions = {"bf16", "fp8", "fp4"};

/// `prism` must be there, first, and 1. False: nothing else can be read.
bool read_version(Section& root, const Json& document) {
  const Json* value = root.take("prism");
  if (!value) {
    root.fault(Code::missing_key, "the key \"prism\" is missing", "a scenario starts with \"prism\": 1");
    return false;
  }
  std::int64_t version;
  if (!read_integer(root.notes(), *value, root.at("prism"), {0, 1'000'000}, version)) return false;
  if (version != format_version) {
    root.fault_at("prism", Code::unsupported,
                  "this is scenario format " + shown(version) + "; engine " + std::string(engine_version) +
                      " reads format " + shown(format_version),
                  version > format_version ? "open it with a newer version of Prism" : "formats start at 1");
    return false;
  }
  if (document.begin().key() != "prism")
    root.fault_at(
        "prism", Code::inconsistent,
        "\"prism\" must be the first key, the first is " + in_quotes(excerpt(document.begin().key())));
  root.put("prism", version);
  return true;
}

/// Reads every top-level key. Faults go to the notes.
Scenario read_document(const Json& document, Notes& notes) {
  Scenario to;
  Section root(notes, &document, "");
  if (root.broken() || !read_version(root, document)) return to;
  root.text("title", to.title, longest_title, Assumed<std::string>{""});

  constexpr std::array<std::string_view, 1> reserved = {"trace"};
  const bool model = root.has("model"), operators = root.has("operators");
  const bool job = !operators;
  // Which of the two the other keys belong to must be known, or nothing else is judged.
  if (model && operators) {
    root.fault_at("operators", Code::inconsistent,
                  "\"model\" and \"operators\" are two sources of operators; exactly one is needed",
                  "leave one of the two out");
    return to;
  }
  if (!model && !operators && !root.has("trace")) {
    constexpr std::array<std::string_view, 2> doors = {"model", "operators"};
    root.missing_one_of(doors, "one of \"model\" and \"operators\" is missing");
    for (std::string_view key : doors) root.take(key);
    for (std::string_view key : other_keys) root.take(key);
    root.finish();
    return to;
  }
  root.take("operators");
  const std::size_t before = notes.faults;
  read_model(root, to);
  if (job)
    root.name("precision", to.precision, precisions, "a precision", Assumed<std::string>{to.precision});
  else
    refuse_key(root, "precision", Code::inconsistent,
               "with \"operators\" this has no effect: latencies are given", "leave it out");
  const bool model_known = to.model.has_value() && notes.faults == before;
  if (!job) root.reserve("operators");
  const std::size_t before_layout = notes.faults;
  read_layout(root, to, job, model_known);
  const bool layout_known = notes.faults == before_layout;
  // The stages that operators name are numbered by the layout.
  if (!job && layout_known) read_operators(root, to);
  read_cluster(root, to, job);
  read_variability(root, to, job);
  read_scale(root, to);
  read_what_if(root, to, layout_known);
  read_input_error(root, to);
  for (std::string_view key : reserved)
    refuse_key(root, key, Code::unsupported, in_quotes(key) + " is not computed by this version",
               "leave it out");
  read_training_run(root, to);
  read_run(root, to);
  root.finish();

  if (notes.faults > 0) return to;
  to.resolved = root.echo.dump();
  to.assumptions = std::move(notes.assumptions);
  to.own_numbers = std::move(notes.own_numbers);
  for (Scenario::Assumption& a : to.assumptions) {
    const Json::json_pointer pointer(a.pointer);
    if (root.echo.contains(pointer)) a.value = root.echo.at(pointer).dump();
  }
  return to;
}

/// What keeps a result document from being one this version reads. Its scenario is judged as a scenario.
std::optional<Diagnostic> fault_of_result(std::string_view text, const Json& document) {
  const auto at = [&](std::string pointer, Code code, std::string message, std::string hint = "") {
    const Position p = locate(text, pointer);
    return Diagnostic{
        code, std::move(pointer), std::move(message), std::move(hint), Severity::error, p.line, p.column};
  };
  const Json& version = *find_member(document, "prism_result");
  if (find_member(document, "prism"))
    return at("/prism", Code::inconsistent,
              "\"prism\" starts a scenario and \"prism_result\" a result: exactly one is needed",
              "leave one of the two out");
  if (!version.is_number_integer())
    return at("/prism_result", Code::wrong_type, "expected the integer 1, found " + described(version));
  if (version != format_version)
    return at("/prism_result", Code::unsupported,
              "this is result format " + version.dump() + "; engine " + std::string(engine_version) +
                  " reads format " + shown(format_version),
              version > format_version ? "open it with a newer version of Prism" : "formats start at 1");
  if (!find_member(document, "scenario"))
    return at("", Code::missing_key, "this result holds no \"scenario\" to read");
  return std::nullopt;
}

}  // namespace
}  // namespace scenario

Result<Scenario> read_scenario(std::string_view text) {
  using namespace scenario;
  Result<Json> parsed = parse_json(text);
  if (!parsed) return Result<Scenario>::faults(std::move(parsed.diagnostics));
  Notes notes;
  const Json* document = &*parsed;
  if (find_member(*document, "prism_result")) {
    if (auto fault = fault_of_result(text, *document)) return Result<Scenario>::fault(std::move(*fault));
    document = find_member(*document, "scenario");
  }
  Scenario s = read_document(*document, notes);
  if (notes.faults == 0) return Result<Scenario>::of(std::move(s));
  place(text, notes.diagnostics);
  std::stable_sort(notes.diagnostics.begin(), notes.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                   });
  return Result<Scenario>::faults(std::move(notes.diagnostics));
}

}  // namespace prism
