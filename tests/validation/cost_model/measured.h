// SPDX-License-Identifier: Apache-2.0
// Measured data that is no part of the project: read from the folder that PRISM_MEASURED_DATA names.
#pragma once

#include <string>
#include <vector>

namespace prism::validation {

/// Numbers of a CSV file after its header; columns that are no numbers are NaN. Stops the program without it.
std::vector<std::vector<double>> measured_rows(const std::string& file);
/// Lines of a text file.
std::vector<std::string> measured_lines(const std::string& file);
/// Median step of a step-time log, its runs' first two steps left out: the mean of the runs' medians.
double median_step_s(const std::string& file);

}  // namespace prism::validation
