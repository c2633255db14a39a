// SPDX-License-Identifier: Apache-2.0
// Upper mass e^(-(x/scale)^shape) (Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" 1,
// chapter 21). With E exponential, X = scale E^(1/shape). Moments are integrals over u = log E, whose density
// e^(u - e^u) is analytic and dies out fast at both ends, so that the trapezoidal rule converges
// exponentially; no gamma function is needed.
#include <cmath>
#include <vector>

#include "distribution/exponential_law.h"
#include "distribution/family.h"
#include "distribution/roots.h"

namespace prism::detail {
namespace {

/// Below this the moments leave the range in which the quadrature is checked; cv there is 429.83.
constexpr double smallest_shape = 0.1;

/// Mean and sd of E^(1/shape), the mean as its difference from 1.
struct Moments {
  double mean_less_1, sd;
};

class LogExponential {
 public:
  LogExponential() {
    for (int i = -first; i <= last; ++i) weight_.push_back(exp_exact(i * step - exp_exact(i * step)) * step);
  }

  Moments moments(double shape) const {
    double mean = 0, square = 0;
    std::vector<double> value(weight_.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      // As a difference from 1, so that small spreads keep their digits.
      value[i] = expm1_exact((static_cast<int>(i) - first) * step / shape);
      mean += weight_[i] * value[i];
    }
    for (std::size_t i = 0; i < value.size(); ++i)
      square += weight_[i] * (value[i] - mean) * (value[i] - mean);
    return {mean, std::sqrt(square)};
  }

 private:
  // u from -40 (mass 4e-18) to 7 (e^7 = 1097, upper mass e^-1097).
  static constexpr int first = 640, last = 112;
  static constexpr double step = 1.0 / 16;
  std::vector<double> weight_;
};

Made make(double shape, double scale) {
  const Moments m = LogExponential().moments(shape);
  return Distribution(
      {"weibull", [=](Mass mass) { return scale * exp_exact(log_exact(exponential_quantile(mass)) / shape); },
       scale * (1 + m.mean_less_1), scale * m.sd,
       [=](double x) {
         if (!(x > 0)) return Mass{0, 1};
         return exponential_mass(exp_exact(shape * log_exact(x / scale)));
       }});
}

ParameterFault shape_too_small(std::string_view parameter, double value, std::string_view relation,
                               double limit) {
  return beyond(parameter, value, relation, limit, "shape 0.1, the smallest taken");
}

/// Shape with the given cv; 0 if it would be below the smallest.
double shape_of_cv(double cv) {
  const LogExponential law;
  // cv falls with the shape, about like pi/(sqrt(6) shape) for large ones; searched in logarithms.
  const auto miss = [&](double log_shape) {
    const Moments m = law.moments(exp_exact(log_shape));
    return log_exact(cv * (1 + m.mean_less_1) / m.sd);
  };
  if (miss(log_exact(smallest_shape)) > 0) return 0;
  return exp_exact(increasing_root(miss, log_exact(smallest_shape), log_exact(2 / cv + 2), 1e-14, 1e-14));
}

}  // namespace

Family weibull_family() {
  const auto native = [](std::span<const double> v) -> Made {
    if (!(v[0] > 0)) return not_positive("shape", v[0]);
    if (!(v[0] >= smallest_shape))
      return beyond("shape", v[0], "at least", smallest_shape, "its cv is 429.83 already");
    if (!(v[1] > 0)) return not_positive("scale", v[1]);
    return make(v[0], v[1]);
  };
  return {"weibull",
          "A power of an exponential: x = scale E^(1/shape); x >= 0.",
          {parameter_set({{"shape", false}, {"scale", true}}, native),
           median_p95([](double median, double p95) -> Made {
             const double shape = log_exact(log_20 / log_2) / log_exact(p95 / median);
             if (shape < smallest_shape) {
               const double limit = median * exp_exact(log_exact(log_20 / log_2) / smallest_shape);
               return shape_too_small("p95", p95, "at most", limit);
             }
             return make(shape, median * exp_exact(-log_exact(log_2) / shape));
           }),
           mean_cv([](double mean, double cv) -> Made {
             const double shape = shape_of_cv(cv);
             if (shape == 0) return shape_too_small("cv", cv, "at most", 429.83);
             return make(shape, mean / (1 + LogExponential().moments(shape).mean_less_1));
           }),
           median_cv([](double median, double cv) -> Made {
             const double shape = shape_of_cv(cv);
             if (shape == 0) return shape_too_small("cv", cv, "at most", 429.83);
             return make(shape, median * exp_exact(-log_exact(log_2) / shape));
           })}};
}

}  // namespace prism::detail
