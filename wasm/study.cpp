// SPDX-License-Identifier: Apache-2.0
// Studies (study.d.ts), a module of its own: it holds the whole engine once more, and who asks for no study
// does not download it.
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "binding.h"
#include "prism/planning.h"
#include "prism/study_report.h"
#include "prism/timeline.h"

namespace {

using emscripten::val;

using Held = std::variant<prism::StudyPlan, prism::Planning, prism::TimelinePlan>;
std::map<int, Held> studies;
int last_handle = 0;

const Held& study_of(int handle) {
  const auto found = studies.find(handle);
  if (found == studies.end()) throw std::invalid_argument("unknown study " + std::to_string(handle));
  return found->second;
}

std::size_t units_of(const Held& held) {
  if (const auto* plan = std::get_if<prism::StudyPlan>(&held)) return plan->variants.size();
  if (const auto* plan = std::get_if<prism::TimelinePlan>(&held)) return prism::timeline_units(*plan);
  return prism::planning_units(std::get<prism::Planning>(held));
}

std::string refused(const std::vector<prism::Diagnostic>& diagnostics) {
  return R"({"ok":false,"errors":)" + prism::diagnostics_json(diagnostics) + "}";
}

std::string kept(Held held, const std::string& plan) {
  studies.emplace(++last_handle, std::move(held));
  return R"({"ok":true,"handle":)" + std::to_string(last_handle) + R"(,"plan":)" + plan + "}";
}

std::string study_plan(const std::string& text, const std::string& question_text) {
  if (prism::is_planning_question(question_text)) {
    auto planning = prism::plan_planning(text, question_text);
    if (!planning) return refused(planning.diagnostics);
    const std::string plan = prism::planning_plan_json(*planning);
    return kept(std::move(*planning), plan);
  }
  if (prism::is_timeline_question(question_text)) {
    auto timeline = prism::plan_timeline(text, question_text);
    if (!timeline) return refused(timeline.diagnostics);
    const std::string plan = prism::timeline_plan_json(*timeline);
    return kept(std::move(*timeline), plan);
  }
  auto question = prism::read_question(question_text);
  auto plan = question ? prism::plan_study(text, *question)
                       : prism::Result<prism::StudyPlan>::faults(std::move(question.diagnostics));
  if (!plan) return refused(plan.diagnostics);
  const std::string described = prism::study_plan_json(*plan);
  return kept(std::move(*plan), described);
}

val study_unit(int handle, double unit) {
  const Held& held = study_of(handle);
  if (!(unit >= 0 && unit < static_cast<double>(units_of(held))))
    throw std::out_of_range("no unit " + std::to_string(unit) + " in this study");
  if (const auto* plan = std::get_if<prism::StudyPlan>(&held))
    return copied_out(prism::run_variant(*plan, static_cast<std::int64_t>(unit)));
  if (const auto* plan = std::get_if<prism::TimelinePlan>(&held))
    return copied_out(prism::run_timeline_unit(*plan, static_cast<std::size_t>(unit)));
  return copied_out(
      prism::run_planning_unit(std::get<prism::Planning>(held), static_cast<std::size_t>(unit)));
}

std::string study_finish(int handle, const val& parts) {
  const Held& held = study_of(handle);
  prism::Parts all = parts_in(parts);
  if (all.size() != units_of(held)) throw std::invalid_argument("a study needs all its parts");
  if (const auto* plan = std::get_if<prism::StudyPlan>(&held)) return prism::study_json(*plan, all);
  if (const auto* plan = std::get_if<prism::TimelinePlan>(&held)) return prism::timeline_json(*plan, all);
  return prism::planning_json(std::get<prism::Planning>(held), all);
}

void study_release(int handle) { studies.erase(handle); }

}  // namespace

EMSCRIPTEN_BINDINGS(prism_study) {
  emscripten::function("study_plan", &Guarded<study_plan>::call);
  emscripten::function("study_unit", &Guarded<study_unit>::call);
  emscripten::function("study_finish", &Guarded<study_finish>::call);
  emscripten::function("study_release", &Guarded<study_release>::call);
}
