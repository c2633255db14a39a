// SPDX-License-Identifier: Apache-2.0
// The result document for people and for spreadsheets. Everything shown is taken from the document.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace prism::cli {

/// Some forty lines: the answer as a sentence first.
std::string result_text(const nlohmann::ordered_json& result);
/// quantile,probability,step_time_s,low_s,high_s; a bound that does not exist is empty.
std::string quantile_csv(const nlohmann::ordered_json& result);

}  // namespace prism::cli
