// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace prism::cli {

/// A study's document for people. Its variant 0 was played.
std::string study_text(const nlohmann::ordered_json& study);

}  // namespace prism::cli
