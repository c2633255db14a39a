// SPDX-License-Identifier: Apache-2.0
// X = median * e^(log_sd Z), Z standard normal (Johnson, Kotz, Balakrishnan, "Continuous Univariate
// Distributions" 1, chapter 14): mean = median e^(s^2/2), cv^2 = e^(s^2) - 1.
#include <cmath>

#include "distribution/family.h"
#include "distribution/standard_normal.h"

namespace prism::detail {
namespace {

/// Draws far in the tail must stay within the range of float; the mean is 5e21 medians here already.
constexpr double widest = 10;

/// `parameter` is the one that decides log_sd.
Made make(double median, double log_sd, std::string_view parameter) {
  if (!(log_sd >= 0.1 * least_spread)) return no_spread(parameter, log_sd);
  if (log_sd > widest) {
    return ParameterFault{parameter, std::string(parameter) +
                                         " gives the logarithm a standard deviation of " + number(log_sd) +
                                         "; at most " + number(widest) + " is taken"};
  }
  const double mean = median * exp_exact(0.5 * log_sd * log_sd);
  const double sd = mean * std::sqrt(expm1_exact(log_sd * log_sd));
  return Distribution({"lognormal", [=](Mass m) { return median * exp_exact(log_sd * normal_quantile(m)); },
                       mean, sd,
                       [=](double x) {
                         if (!(x > 0)) return Mass{0, 1};
                         return normal_mass(log_exact(x / median) / log_sd);
                       }});
}

double log_sd_of_cv(double cv) { return std::sqrt(log1p_exact(cv * cv)); }

}  // namespace

Family lognormal_family() {
  const auto native = [](std::span<const double> v) -> Made {
    if (!(v[0] > 0)) return not_positive("median", v[0]);
    return make(v[0], v[1], "log_sd");
  };
  return {"lognormal",
          "The logarithm is normal with standard deviation log_sd; x > 0.",
          {parameter_set({{"median", true}, {"log_sd", false}}, native),
           median_p95([](double median, double p95) {
             return make(median, log_exact(p95 / median) / normal_p95, "p95");
           }),
           mean_cv([](double mean, double cv) {
             const double s = log_sd_of_cv(cv);
             return make(mean * exp_exact(-0.5 * s * s), s, "cv");
           }),
           median_cv([](double median, double cv) { return make(median, log_sd_of_cv(cv), "cv"); })}};
}

}  // namespace prism::detail
