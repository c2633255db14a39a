// SPDX-License-Identifier: Apache-2.0
// The training run for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace prism::cli {

/// The section of a result; empty without a training run.
std::string training_text(const nlohmann::ordered_json& result);

/// 47 s, 12.4 min, 3.1 h, 54.2 days.
std::string duration_text(double seconds);
/// Days, to a hundredth; less than one to four digits.
std::string days_text(double seconds);

}  // namespace prism::cli
