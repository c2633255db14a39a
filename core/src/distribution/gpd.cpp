// SPDX-License-Identifier: Apache-2.0
// Generalised Pareto: upper mass (1 + shape (x - location)/scale)^(-1/shape), e^(-(x - location)/scale) for
// shape 0 (J. Pickands, Annals of Statistics 3, 1975; Coles, "An Introduction to Statistical Modeling of
// Extreme Values", section 4.2): mean location + scale/(1 - shape), sd scale/((1 - shape) sqrt(1 - 2 shape)).
// Shapes of 1 and more have no mean and are refused; from 1/2 on there is no variance. Pairs stand for
// location 0.
#include <cmath>
#include <limits>

#include "distribution/exponential_law.h"
#include "distribution/family.h"
#include "distribution/roots.h"

namespace prism::detail {
namespace {

/// (e^(shape y) - 1)/shape: from an exponential variable y to a GPD one.
double stretch(double y, double shape) { return shape == 0 ? y : expm1_exact(shape * y) / shape; }

Made make(double location, double scale, double shape) {
  const double excess = scale / (1 - shape);
  const double sd = shape < 0.5 ? excess / std::sqrt(1 - 2 * shape) : std::numeric_limits<double>::infinity();
  return Distribution({"gpd",
                       [=](Mass m) { return location + scale * stretch(exponential_quantile(m), shape); },
                       location + excess, sd,
                       [=](double x) {
                         const double v = (x - location) / scale;
                         if (!(v > 0)) return Mass{0, 1};
                         if (shape == 0) return exponential_mass(v);
                         if (shape * v <= -1) return Mass{1, 0};
                         return exponential_mass(log1p_exact(shape * v) / shape);
                       }});
}

Made checked(double location, double scale, double shape) {
  if (!(location >= 0)) return negative("location", location);
  if (!(scale > 0)) return no_spread("scale", scale);
  if (!(shape < 1)) return beyond("shape", shape, "below", 1, "or the mean is infinite");
  return make(location, scale, shape);
}

/// cv^2 = 1/(1 - 2 shape) at location 0.
double shape_of_cv(double cv) { return 0.5 * (1 - 1 / (cv * cv)); }

Made from_median_p95(double median, double p95) {
  if (p95 >= 19 * median) {
    return beyond("p95", p95, "below", 19 * median, "from 19 times the median on the mean is infinite");
  }
  // p95/median - 1 = (20^s - 2^s)/(2^s - 1) = 2^s (10^s - 1)/(2^s - 1), increasing in s.
  const double target = log_exact((p95 - median) / median);
  const auto miss = [target](double s) {
    return s * log_2 + log_exact(stretch(log_10, s) / stretch(log_2, s)) - target;
  };
  // Below -60 the ratio differs from 1 by less than a double can say.
  const double shape = increasing_root(miss, -60.0, 1.0, 1e-15, 1e-15);
  return make(0, median / stretch(log_2, shape), shape);
}

}  // namespace

Family gpd_family() {
  return {"gpd",
          "Generalised Pareto, the law of excesses over a high threshold: heavy tail for shape > 0, "
          "exponential for 0, "
          "bounded for shape < 0; x >= location.",
          {parameter_set({{"location", true}, {"scale", true}, {"shape", false}},
                         [](std::span<const double> v) { return checked(v[0], v[1], v[2]); }),
           parameter_set({{"scale", true}, {"shape", false}},
                         [](std::span<const double> v) { return checked(0, v[0], v[1]); }),
           median_p95(from_median_p95), mean_cv([](double mean, double cv) {
             const double shape = shape_of_cv(cv);
             return make(0, mean * (1 - shape), shape);
           }),
           median_cv([](double median, double cv) {
             const double shape = shape_of_cv(cv);
             return make(0, median / stretch(log_2, shape), shape);
           })}};
}

}  // namespace prism::detail
