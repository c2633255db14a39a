// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "study/variants.h"

namespace prism::study {
namespace {

std::set<Kind> kinds_of(const Workload& w) {
  std::set<Kind> kinds;
  const auto add_all = [&](const std::vector<Segment>& list) {
    for (const Segment& s : list) {
      for (const Operator& op : s.compute)
        if (op.scale_s > 0) kinds.insert(op.kind);
      if (s.has_collective && std::max(s.collective.scale_s, s.beside.scale_s) > 0)
        kinds.insert(s.collective.kind);
    }
  };
  for (const StageProgram& stage : w.stages)
    for (const auto* list : {&stage.forward, &stage.backward, &stage.weight}) add_all(*list);
  for (const auto& rank : w.end.rank) add_all(rank);
  if (w.transfers.present && w.transfers.forward.scale_s + w.transfers.backward.scale_s > 0)
    kinds.insert(Kind::send_recv);
  return kinds;
}

}  // namespace

/// Axes: the kind (as in Kind; -1 and -2 are all compute and all communication) and what is done to it, 0
/// silenced, 1 scaled.
std::vector<Diagnostic> plan_sensitivity(StudyPlan& plan) {
  if (!(plan.question.faster > 0 && plan.question.faster < 1))
    return {unfit("a kind is made faster by a factor between 0 and 1, found " +
                  number_text(plan.question.faster))};
  plan.axes = {"kind", "change"};
  add(plan, "as it is", {-3, -1}, {});
  const auto workload = build_workload(plan.base);
  const auto silenced = [&](const std::string& what, double at) {
    add(plan, what + " without variability", {at, 0}, {{"/variability/silenced/-", in_json(what)}});
  };
  const auto scaled = [&](const std::string& what, double at) {
    add(plan, what + " times " + number_text(plan.question.faster), {at, 1},
        {{"/scale/-",
          "{\"what\":" + in_json(what) + ",\"factor\":" + number_text(plan.question.faster) + "}"}});
  };
  for (Kind kind : kinds_of(*workload)) {
    const std::string name(kind_name(kind));
    silenced(name, static_cast<double>(kind));
    scaled(name, static_cast<double>(kind));
  }
  silenced("compute", -1);
  silenced("communication", -2);
  plan.notes.push_back(
      "A kind without variability takes its own and every shared factor at the mean: its work stays. Effects "
      "of kinds do "
      "not add up.");
  return {};
}

}  // namespace prism::study
