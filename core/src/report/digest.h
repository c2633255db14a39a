// SPDX-License-Identifier: Apache-2.0
// The digest of a result: what two runs compare to know that every number agrees. Layout in docs/digest.md.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace prism {

/// 16 hexadecimal digits. `wall_clock_s`: of every training run, empty without one. `document` is the result
/// document; its members scenario, assumptions, warnings and digest do not count.
std::string result_digest(std::string_view engine, std::string_view resolved_scenario,
                          std::span<const double> step_s, const nlohmann::ordered_json& document,
                          std::span<const double> wall_clock_s = {});

}  // namespace prism
