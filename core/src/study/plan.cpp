// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "graph/memory.h"
#include "prism/table_store.h"
#include "scenario/json.h"
#include "study/variants.h"

namespace prism {
namespace study {

std::string first_error(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics)
    if (d.severity == Severity::error) return d.message;
  return "it is refused";
}

Diagnostic unfit(std::string message, std::string hint) {
  return {Code::inconsistent, "", std::move(message), std::move(hint)};
}

bool is_of_run(std::string_view pointer) { return pointer == "/run" || pointer.starts_with("/run/"); }

std::string number_text(double x) { return scenario::number(x).dump(); }

bool add(StudyPlan& plan, std::string name, std::vector<double> at, std::vector<Edit> edits) {
  Variant v{std::move(name), std::move(edits), std::move(at), {}, 1};
  v.scenario = edited(plan.text, v.edits);
  const auto scenario = read_scenario(v.scenario);
  const auto workload = scenario ? build_workload(*scenario) : Result<Workload>::faults(scenario.diagnostics);
  if (!workload) {
    plan.left_out.push_back({v.name, first_error(workload.diagnostics)});
    return false;
  }
  const auto chunks =
      static_cast<double>(workload->stages.size()) * static_cast<double>(workload->micro_batches);
  v.work = chunks * static_cast<double>(scenario->run.trials);
  plan.variants.push_back(std::move(v));
  return true;
}

namespace {

using Planner = std::vector<Diagnostic> (*)(StudyPlan&);
constexpr std::array<Planner, study_names.size()> planners{
    plan_sensitivity, plan_placement, plan_scaling, plan_compare, plan_scale_variability, plan_sweep};

}  // namespace
}  // namespace study

Result<StudyPlan> plan_study(std::string_view text, const StudyQuestion& question) {
  using R = Result<StudyPlan>;
  auto base = read_scenario(text);
  if (!base) return R::faults(std::move(base.diagnostics));
  if (base->run.trials < least_study_trials)
    return R::fault({Code::out_of_range, "/run/trials",
                     "a study needs at least " + std::to_string(least_study_trials) + " trials, found " +
                         std::to_string(base->run.trials),
                     "its intervals come from blocks of trials"});
  auto workload = build_workload(*base);
  if (!workload) {
    place(text, workload.diagnostics);
    return R::faults(std::move(workload.diagnostics));
  }
  StudyPlan plan{
      question, std::move(*base), edited(text, {}), {}, {}, {}, {}, {}, std::make_shared<TableStore>()};
  plan.warnings = std::move(workload.diagnostics);
  if (auto warning = check_memory(*workload)) plan.warnings.push_back(std::move(*warning));
  place(text, plan.warnings);
  auto faults = study::planners[static_cast<std::size_t>(question.kind)](plan);
  if (faults.empty() && plan.variants.size() < 2)
    faults.push_back(study::unfit("nothing is left to compare" +
                                  (plan.left_out.empty() ? std::string() : ": " + plan.left_out[0].why)));
  if (!faults.empty()) return R::faults(std::move(faults));
  return R::of(std::move(plan));
}

}  // namespace prism
