// SPDX-License-Identifier: Apache-2.0
// Measured values as a distribution of a scenario.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace prism {

/// Seven significant digits: the traces have no more, and a link has little room.
double seven_digits(double x);

/// {"constant": ...} or {"empirical": quantiles} of times, given in seconds.
nlohmann::ordered_json law_of_times(std::vector<double> seconds);
/// {"empirical": ...} of a factor whose values have median 1.
nlohmann::ordered_json law_of_factors(std::vector<double> values);

}  // namespace prism
