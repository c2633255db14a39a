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
ParameterFault no_spread(std::string_view parameter, double value);
/// A spread the family does not have, e.g. beyond(p95, 2.5, "at most", 1.9, "a uniform from 0 has ...").
ParameterFault beyond(std::string_view parameter, double value, std::string_view relation, double limit,
                      std::string_view why);

constexpr Mass half{0.5, 0.5};
constexpr Mass at_p95{0.95, 0.05};

Family constant_family();
Family normal_family();
Family lognormal_family();
Family gamma_family();
Family weibull_family();
Family uniform_family();
Family exponential_family();
Family shifted_exponential_family();
Family pareto_family();
Family gpd_family();

}  // namespace prism::detail
