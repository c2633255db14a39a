// SPDX-License-Identifier: Apache-2.0
// Density x^(shape-1) e^(-x/scale); mean = shape * scale, cv = 1/sqrt(shape) (Johnson, Kotz, Balakrishnan,
// "Continuous Univariate Distributions" 1, chapter 17).
#include <cmath>
#include <memory>

#include "distribution/density_table.h"
#include "distribution/family.h"
#include "distribution/roots.h"

namespace prism::detail {
namespace {

/// e^s - 1 - s without cancellation near 0.
double expm1_rest(double s) {
  if (s > 0.1 || s < -0.1) return expm1_exact(s) - s;
  return s * s *
         (1.0 / 2 +
          s * (1.0 / 6 +
               s * (1.0 / 24 +
                    s * (1.0 / 120 +
                         s * (1.0 / 720 +
                              s * (1.0 / 5040 + s * (1.0 / 40320 + s * (1.0 / 362880 + s / 3628800))))))));
}

/// The gamma law of mean 1 in s = log x. There the density, shape (s - e^s), is smooth and log-concave for
/// every shape, while in x it is infinite at 0 for shapes below 1.
DensityTable log_gamma_table(double shape) {
  return DensityTable(
      [shape](double s) {
        return LogDensity{-shape * expm1_rest(s), -shape * expm1_exact(s)};
      },
      0.0, 0.25 / std::sqrt(shape));
}

/// Quantiles of a table are good to about this; searching a parameter more finely would follow noise.
constexpr double table_noise = 1e-10;

Made make(double shape, double scale) {
  auto table = std::make_shared<const DensityTable>(log_gamma_table(shape));
  const double mean = shape * scale;
  return Distribution({"gamma", [=](Mass m) { return mean * exp_exact(table->quantile(m)); }, mean,
                       std::sqrt(shape) * scale,
                       [=](double x) {
                         if (!(x > 0)) return Mass{0, 1};
                         return table->mass(log_exact(x / mean));
                       }});
}

/// Below this the lower half of the law is 0 for all purposes (median 1e-30 of the mean); cv there is 10.
constexpr double smallest_shape = 0.01, largest_cv = 10;
/// Its cv is the least spread.
constexpr double largest_shape = 1 / (least_spread * least_spread);

Made from_median_p95(double median, double p95) {
  const double target = log_exact(p95 / median);
  // log(p95/median) falls with the shape; search over log shape. For large shapes it is
  // about 1.645/sqrt(shape), for small ones about log(10)/shape.
  const auto miss = [target](double log_shape) {
    const DensityTable t = log_gamma_table(exp_exact(log_shape));
    return log_exact(target / (t.quantile(at_p95) - t.quantile(half)));
  };
  const double widest = log_exact(smallest_shape);
  if (miss(widest) > 0) {
    return ParameterFault{"p95", "p95 is " + number(p95 / median) +
                                     " times the median, too wide for a gamma of shape " +
                                     number(smallest_shape) + ", the smallest taken"};
  }
  const double guess = 1.6449 / target;
  const double narrowest = log_exact(4 * guess * guess + 4);
  const double shape = exp_exact(increasing_root(miss, widest, narrowest, table_noise, table_noise));
  return make(shape, median * exp_exact(-log_gamma_table(shape).quantile(half)) / shape);
}

Made from_median_cv(double median, double cv) {
  const double shape = 1 / (cv * cv);
  return make(shape, median * exp_exact(-log_gamma_table(shape).quantile(half)) / shape);
}

/// Refuses a cv that no shape taken has.
std::function<Made(double, double)> limited(Made (*make_pair)(double, double)) {
  return [make_pair](double location, double cv) -> Made {
    if (cv > largest_cv) return beyond("cv", cv, "at most", largest_cv, "shape 0.01, the smallest taken");
    return make_pair(location, cv);
  };
}

}  // namespace

Family gamma_family() {
  const auto native = [](std::span<const double> v) -> Made {
    if (!(v[0] > 0)) return not_positive("shape", v[0]);
    if (v[0] < smallest_shape)
      return beyond("shape", v[0], "at least", smallest_shape, "its cv is 10 already");
    if (v[0] > largest_shape) {
      return beyond("shape", v[0], "at most", largest_shape,
                    "beyond it there is no spread: use \"constant\"");
    }
    if (!(v[1] > 0)) return not_positive("scale", v[1]);
    return make(v[0], v[1]);
  };
  return {"gamma",
          "Sum of `shape` exponentials of mean `scale`, for any positive shape; x > 0.",
          {parameter_set({{"shape", false}, {"scale", true}}, native), median_p95(from_median_p95),
           mean_cv(limited([](double mean, double cv) { return make(1 / (cv * cv), mean * cv * cv); })),
           median_cv(limited(from_median_cv))}};
}

}  // namespace prism::detail
