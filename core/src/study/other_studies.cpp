// SPDX-License-Identifier: Apache-2.0
// Studies whose variants follow from a list: variability by class, and any number of the scenario.
#include <cstdlib>

#include "study/variants.h"

namespace prism::study {
namespace {

Edit spread(const char* what, double times) {
  return {"/variability/spread/-",
          "{\"what\":\"" + std::string(what) + "\",\"times\":" + number_text(times) + "}"};
}

}  // namespace

/// Axes: multiples of compute and of communication variability, scale of compute times.
std::vector<Diagnostic> plan_scale_variability(StudyPlan& plan) {
  const StudyQuestion& q = plan.question;
  for (double x : q.times)
    if (!(x >= 0 && x <= 10)) return {unfit("variability is multiplied by 0 to 10, found " + number_text(x))};
  if (!(q.faster_compute > 0 && q.faster_compute <= 1000))
    return {unfit("compute times are multiplied by more than 0, found " + number_text(q.faster_compute))};
  plan.axes = {"compute", "communication", "compute_time"};
  add(plan, "as it is", {1, 1, 1}, {});
  std::vector<double> scales{1};
  if (q.faster_compute != 1) scales.push_back(q.faster_compute);
  for (double scale : scales)
    for (double compute : q.times)
      for (double communication : q.times) {
        if (scale == 1 && compute == 1 && communication == 1) continue;
        std::vector<Edit> edits;
        if (compute != 1) edits.push_back(spread("compute", compute));
        if (communication != 1) edits.push_back(spread("communication", communication));
        if (scale != 1)
          edits.push_back({"/scale/-", "{\"what\":\"compute\",\"factor\":" + number_text(scale) + "}"});
        add(plan,
            "compute " + number_text(compute) + " x, communication " + number_text(communication) + " x" +
                (scale != 1 ? ", compute times " + number_text(scale) : ""),
            {compute, communication, scale}, std::move(edits));
      }
  plan.notes.push_back(
      "Variability times k: every factor f with median 1 becomes f^k, stalls come k times as often, medians "
      "stay.");
  return {};
}

/// Axis: the value.
std::vector<Diagnostic> plan_sweep(StudyPlan& plan) {
  const StudyQuestion& q = plan.question;
  if (q.pointer.empty() || q.pointer[0] != '/')
    return {unfit("a sweep needs the JSON Pointer of a number, such as /batch/micro; found \"" + q.pointer +
                  "\"")};
  if (is_of_run(q.pointer))
    return {unfit("a sweep leaves run alone: its variants are compared trial by trial; found \"" + q.pointer +
                  "\"")};
  if (q.values.empty()) return {unfit("a sweep needs values")};
  plan.axes = {q.pointer};
  add(plan, "as it is", {0}, {});
  // Of the batch equation, what is not swept and is not a degree gives way.
  std::vector<Edit> first;
  if (q.pointer == "/parallel/dp" || q.pointer == "/batch/micro")
    first.push_back({"/batch/micro_batches", ""});
  if (q.pointer == "/parallel/dp" || q.pointer == "/batch/micro")
    first.push_back({"/batch/global", std::to_string(plan.base.batch.global)});
  if (q.pointer == "/batch/micro_batches") first.push_back({"/batch/global", ""});
  if (q.pointer == "/batch/global") first.push_back({"/batch/micro_batches", ""});
  if (!first.empty() && q.pointer != "/parallel/dp")
    first.push_back({"/parallel/dp", std::to_string(plan.base.parallel.dp)});
  for (const std::string& value : q.values) {
    std::vector<Edit> edits = first;
    edits.push_back({q.pointer, value});
    add(plan, q.pointer + " = " + value, {std::strtod(value.c_str(), nullptr)}, std::move(edits));
  }
  return {};
}

}  // namespace prism::study
