// SPDX-License-Identifier: Apache-2.0
// Studies in JSON: the question as a document, the answer as a document (docs/studies.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prism/study.h"

namespace prism {

/// {"study": name, ...members of StudyQuestion by their names}. Unknown members and names are faults.
Result<StudyQuestion> read_question(std::string_view json);

/// {"study", "axes", "units": [{"name", "at", "work"}], "left_out", "notes"}
std::string study_plan_json(const StudyPlan& plan);

/// The whole answer. `parts`: of all variants, in their order.
std::string study_json(const StudyPlan& plan, const std::vector<std::vector<std::byte>>& parts);

}  // namespace prism
