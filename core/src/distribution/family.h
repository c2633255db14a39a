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

/// Parameters are at most this, so that draws far in a tail stay within the range of float.
inline constexpr double largest = 1e25;
/// A cv, or p95/median - 1, below this is no spread: doubles could not carry it.
inline constexpr double least_spread = 1e-9;

using Made = std::variant<Distribution, ParameterFault>;

/// A number as messages show it: six significant digits.
std::string number(double v);

/// Refuses parameters that are not finite or too large, then makes, then refuses a mean that is too large.
ParameterSet parameter_set(std::vector<Parameter> parameters,
                           std::function<Made(std::span<const double>)> make);
/// Pairs; `make` is called only with a positive median or mean and a spread of `least_spread` or more.
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
