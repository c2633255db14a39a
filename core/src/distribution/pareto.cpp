// SPDX-License-Identifier: Apache-2.0
// Upper mass (minimum/x)^shape for x >= minimum: mean shape minimum/(shape - 1), cv^2 = 1/(shape (shape - 2))
// (Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" 1, chapter 20). Shapes of 1 and less
// have no mean, so no expected step time, and are refused; shapes of 2 and less have no variance.
#include <cmath>
#include <limits>

#include "distribution/exponential_law.h"
#include "distribution/family.h"

namespace prism::detail {
namespace {

Made make(double minimum, double shape) {
  const double mean = shape / (shape - 1) * minimum;
  const double sd =
      shape > 2 ? mean / std::sqrt(shape * (shape - 2)) : std::numeric_limits<double>::infinity();
  return Distribution({"pareto", [=](Mass m) { return minimum * exp_exact(exponential_quantile(m) / shape); },
                       mean, sd,
                       [=](double x) {
                         if (!(x > minimum)) return Mass{0, 1};
                         return exponential_mass(shape * log_exact(x / minimum));
                       }});
}

/// 1 + sqrt(1 + 1/cv^2) without overflow for tiny cv.
double shape_of_cv(double cv) { return 1 + std::sqrt(1 + cv * cv) / cv; }

}  // namespace

Family pareto_family() {
  const auto native = [](std::span<const double> v) -> Made {
    if (!(v[0] > 0)) return not_positive("minimum", v[0]);
    if (!(v[1] > 1)) return beyond("shape", v[1], "above", 1, "or the mean is infinite");
    return make(v[0], v[1]);
  };
  return {"pareto",
          "Power-law tail: the probability to exceed x is (minimum/x)^shape; x >= minimum.",
          {parameter_set({{"minimum", true}, {"shape", false}}, native),
           median_p95([](double median, double p95) -> Made {
             if (p95 >= 10 * median) {
               return beyond("p95", p95, "below", 10 * median,
                             "from 10 times the median on the mean is infinite");
             }
             const double shape = log_10 / log_exact(p95 / median);
             return make(median * exp_exact(-log_2 / shape), shape);
           }),
           mean_cv([](double mean, double cv) {
             const double shape = shape_of_cv(cv);
             return make(mean * ((shape - 1) / shape), shape);
           }),
           median_cv([](double median, double cv) {
             const double shape = shape_of_cv(cv);
             return make(median * exp_exact(-log_2 / shape), shape);
           })}};
}

}  // namespace prism::detail
