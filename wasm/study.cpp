// SPDX-License-Identifier: Apache-2.0
// Studies (study.d.ts), a module of its own: it holds the whole engine once more, and who asks for no study does not
// download it.
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "binding.h"
#include "prism/report.h"
#include "prism/study_report.h"

namespace {

using emscripten::val;

std::map<int, prism::StudyPlan> studies;
int last_handle = 0;

const prism::StudyPlan& study_of(int handle) {
  const auto found = studies.find(handle);
  if (found == studies.end()) throw std::invalid_argument("unknown study " + std::to_string(handle));
  return found->second;
}

std::string study_plan(const std::string& text, const std::string& question_text) {
  auto question = prism::read_question(question_text);
  auto plan = question ? prism::plan_study(text, *question)
                       : prism::Result<prism::StudyPlan>::faults(std::move(question.diagnostics));
  if (!plan) return R"({"ok":false,"errors":)" + prism::diagnostics_json(plan.diagnostics) + "}";
  std::string answer = R"({"ok":true,"handle":)" + std::to_string(++last_handle) + R"(,"plan":)" +
                       prism::study_plan_json(*plan) + "}";
  studies.emplace(last_handle, std::move(*plan));
  return answer;
}

val study_unit(int handle, double unit) {
  const prism::StudyPlan& plan = study_of(handle);
  if (!(unit >= 0 && unit < static_cast<double>(plan.variants.size())))
    throw std::out_of_range("no unit " + std::to_string(unit) + " in this study");
  return copied_out(prism::run_variant(plan, static_cast<std::int64_t>(unit)));
}

std::string study_finish(int handle, const val& parts) {
  prism::Parts all = parts_in(parts);
  if (all.size() != study_of(handle).variants.size()) throw std::invalid_argument("a study needs all its parts");
  return prism::study_json(study_of(handle), all);
}

void study_release(int handle) { studies.erase(handle); }

}  // namespace

EMSCRIPTEN_BINDINGS(prism_study) {
  emscripten::function("study_plan", &Guarded<study_plan>::call);
  emscripten::function("study_unit", &Guarded<study_unit>::call);
  emscripten::function("study_finish", &Guarded<study_finish>::call);
  emscripten::function("study_release", &Guarded<study_release>::call);
}
