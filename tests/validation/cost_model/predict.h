// SPDX-License-Identifier: Apache-2.0
// The core's prediction of a step: every random factor at its median.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "prism/scenario.h"

namespace prism::validation {

using Json = nlohmann::ordered_json;

/// A scenario that must be read; stops the program with its faults otherwise.
Scenario scenario_of(const Json& document);
double step_s(const Scenario& scenario);
/// What all compute must be multiplied with so that the step takes `seconds`.
double compute_scale_for(Scenario scenario, double seconds);

/// Predicted over measured, minus 1.
inline double relative(double predicted, double measured) { return predicted / measured - 1; }

struct Errors {
  double mean = 0, bias = 0, median = 0, median_signed = 0, worst = 0;  ///< worst keeps its sign
  std::size_t count = 0;
};
Errors errors_of(const std::vector<double>& signed_errors);

std::string percent(double share, bool sign = true);
/// Three significant digits, at least one decimal below 100.
std::string seconds(double s);

}  // namespace prism::validation
