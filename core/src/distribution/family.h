// SPDX-License-Identifier: Apache-2.0
// What the family files share: the parameter pairs that every two-parameter family takes, and their checks.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prism/distribution.h"

namespace prism::detail {

using Made = std::variant<Distribution, ParameterFault>;

/// A number as messages show it: six significant digits.
std::string number(double v);

/// Refuses parameters that are not finite, then makes, then refuses a mean that is zero or too large for a
/// double.
ParameterSet parameter_set(std::vector<Parameter> parameters,
                           std::function<Made(std::span<const double>)> make);
/// Pairs; `make` is called only with median > 0, p95 > median, mean > 0, cv > 0.
ParameterSet median_p95(std::function<Made(double median, double p95)> make);
ParameterSet mean_cv(std::function<Made(double mean, double cv)> make);
ParameterSet median_cv(std::function<Made(double median, double cv)> make);

ParameterFault not_positive(std::string_view parameter, double value);
ParameterFault negative(std::string_view parameter, double value);
/// The pair asks for a spread the family does not have: "<name> <value>: must be below <limit> ...".
ParameterFault too_wide(std::string_view parameter, double value, double limit, std::string_view why);
ParameterFault too_narrow(std::string_view parameter, double value, double limit, std::string_view why);

Family constant_family();
Family normal_family();
Family lognormal_family();
Family gamma_family();

}  // namespace prism::detail
