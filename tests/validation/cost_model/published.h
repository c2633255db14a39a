// SPDX-License-Identifier: Apache-2.0
// Published step times of tests/validation/cost_model/rows.json.
#pragma once

#include <string>
#include <vector>

#include "predict.h"

namespace prism::validation {

struct Row {
  std::string name;
  Scenario scenario;
  double measured_s = 0, predicted_s = 0;
  bool held_out = false;    ///< of a group with a fitted number: not one of the rows it was fitted on
  bool calibrates = false;  ///< the row that a factor was taken from: no prediction
  double error() const { return relative(predicted_s, measured_s); }
};

struct Group {
  std::string name, source, convention, fitted, chosen, reported_only;
  double limit_mean = 0, limit_each = 0;
  double compute_scale = 1;
  std::vector<Row> rows;
  Errors errors() const;
};

/// With predictions. `check_files`: medians are compared with the step-time logs they were taken from.
std::vector<Group> published_groups(bool check_files);

}  // namespace prism::validation
