// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "prism/scenario.h"
#include "scenario/json.h"

namespace prism {
namespace {

using scenario::Json;

/// The keys of a JSON Pointer, unescaped.
std::vector<std::string> steps_of(std::string_view pointer) {
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      steps.back() += pointer[++i] == '1' ? '/' : '~';
    } else if (!steps.empty()) {
      steps.back() += pointer[i];
    }
  }
  return steps;
}

bool is_index(const std::string& step) {
  return !step.empty() && step.size() < 9 && step.find_first_not_of("0123456789") == std::string::npos;
}

/// The member or item `step` of `at`, made if it is not there.
Json& into(Json& at, const std::string& step) {
  if (at.is_string()) at = Json{{"preset", at}};
  if (step == "-") {
    if (!at.is_array()) at = Json::array();
    at.push_back(nullptr);
    return at.back();
  }
  if (at.is_array() && is_index(step) && std::stoul(step) < at.size()) return at[std::stoul(step)];
  if (!at.is_object()) at = Json::object();
  return at[step];
}

void apply(Json& document, const Edit& edit) {
  const std::vector<std::string> steps = steps_of(edit.pointer);
  Json* at = &document;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (edit.value.empty()) {
      if (!at->is_object() || !at->contains(steps[i])) return;
      if (i + 1 == steps.size()) {
        at->erase(steps[i]);
        return;
      }
    }
    at = &into(*at, steps[i]);
  }
  Result<Json> value = scenario::parse_json(edit.value);
  *at = value ? std::move(*value) : Json(edit.value);
}

}  // namespace

std::string edited(std::string_view text, const std::vector<Edit>& edits) {
  Result<Json> parsed = scenario::parse_json(text);
  if (!parsed) return std::string(text);
  Json document = parsed->contains("prism_result") ? parsed->at("scenario") : std::move(*parsed);
  for (const Edit& edit : edits) apply(document, edit);
  return document.dump();
}

}  // namespace prism
