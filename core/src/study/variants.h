// SPDX-License-Identifier: Apache-2.0
// How studies make variants. A study is one function that fills a plan whose base is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prism/study.h"
#include "prism/workload.h"

namespace prism::study {

/// Adds the base with these edits, or notes why it is left out. True if it was added.
bool add(StudyPlan& plan, std::string name, std::vector<double> at, std::vector<Edit> edits);
/// The first error's message.
std::string first_error(const std::vector<Diagnostic>& diagnostics);
/// A fault of the question itself.
Diagnostic unfit(std::string message, std::string hint = {});
/// Whether an edit changes trials, seed or engine, which all variants have in common.
bool is_of_run(std::string_view pointer);
/// As few digits as it takes to read the number back.
std::string number_text(double x);
inline std::string in_json(const std::string& text) { return "\"" + text + "\""; }
inline std::string in_json(std::int64_t n) { return std::to_string(n); }

// One a study; each returns what is wrong with the question.
std::vector<Diagnostic> plan_sensitivity(StudyPlan& plan);
std::vector<Diagnostic> plan_placement(StudyPlan& plan);
std::vector<Diagnostic> plan_scaling(StudyPlan& plan);
std::vector<Diagnostic> plan_compare(StudyPlan& plan);
std::vector<Diagnostic> plan_scale_variability(StudyPlan& plan);
std::vector<Diagnostic> plan_sweep(StudyPlan& plan);

}  // namespace prism::study
