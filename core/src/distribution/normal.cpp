// SPDX-License-Identifier: Apache-2.0
// The normal law with parameters location and scale under the condition x >= 0 (Johnson, Kotz, Balakrishnan,
// "Continuous Univariate Distributions" 1, section 13.10.1). Mean, median, p95 and cv are those of the
// truncated law.
#include <cmath>
#include <memory>

#include "distribution/density_table.h"
#include "distribution/family.h"
#include "distribution/roots.h"
#include "distribution/standard_normal.h"

namespace prism::detail {
namespace {

/// With a = -location/scale below this, the mass cut off is under 1e-23: the law is the plain normal.
constexpr double no_truncation = -10;
/// At this a the law is exponential up to 1e-8.
constexpr double exponential_limit = 1e4;
/// p95 / median of an exponential: log 20 / log 2.
constexpr double exponential_ratio = 4.32192809488736;

/// Quantiles of a table are good to about this; searching a parameter more finely would follow noise.
constexpr double table_noise = 1e-10;

/// y = x / scale in t = log y, where the lower end is smooth: density y e^(-y^2/2 - a y).
DensityTable log_table(double a) {
  const double mode =
      2 / (a + std::sqrt(a * a + 4));  // root of 1 - y^2 - a y, written without cancellation for a > 0
  const double y = a > 0 ? mode : 0.5 * (std::sqrt(a * a + 4) - a);
  return DensityTable(
      [a](double t) {
        const double v = exp_exact(t);
        return LogDensity{t - v * (0.5 * v + a), 1 - v * (v + a)};
      },
      log_exact(y), 0.25 / std::sqrt(y * y + 1));
}

double y_quantile(const DensityTable& table, Mass m) { return exp_exact(table.quantile(m)); }

Made make(double location, double scale) {
  const double a = -location / scale;
  if (a < no_truncation) {
    return Distribution({"normal",
                         [=](Mass m) {
                           const double x = location + scale * normal_quantile(m);
                           return x > 0 ? x : 0;
                         },
                         location, scale,
                         [=](double x) {
                           if (!(x >= 0)) return Mass{0, 1};
                           return normal_mass((x - location) / scale);
                         }});
  }
  auto table = std::make_shared<const DensityTable>(log_table(a));
  const DensityTable::Moments y = table->moments(exp_exact);
  return Distribution({"normal", [=](Mass m) { return scale * y_quantile(*table, m); }, scale * y.mean,
                       scale * y.sd,
                       [=](double x) {
                         if (!(x > 0)) return Mass{0, 1};
                         return table->mass(log_exact(x / scale));
                       }});
}

/// a with `feature` (increasing in a) equal to target; nothing if the exponential limit does not reach it.
template <class Feature>
std::optional<double> solve_a(Feature feature, double target) {
  const auto miss = [&](double a) { return feature(log_table(a)) - target; };
  if (miss(exponential_limit) < 0) return std::nullopt;
  if (miss(1) < 0) {  // widely truncated: search in log a
    return exp_exact(increasing_root([&](double log_a) { return miss(exp_exact(log_a)); }, 0.0,
                                     log_exact(exponential_limit), table_noise, table_noise));
  }
  return increasing_root(miss, no_truncation, 1.0, table_noise, table_noise);
}

double cv_of(const DensityTable& t) {
  const DensityTable::Moments y = t.moments(exp_exact);
  return y.sd / y.mean;
}

Made from_median_p95(double median, double p95) {
  const double plain_scale = (p95 - median) / normal_p95;
  if (median > -no_truncation * plain_scale) return make(median, plain_scale);
  const auto a = solve_a([](const DensityTable& t) { return y_quantile(t, at_p95) / y_quantile(t, half); },
                         p95 / median);
  if (!a) {
    return beyond("p95", p95, "below", exponential_ratio * median,
                  "a normal truncated at 0 stays below 4.32193 times its median");
  }
  const double scale = median / y_quantile(log_table(*a), half);
  return make(-*a * scale, scale);
}

Made no_such_cv(double cv) { return beyond("cv", cv, "below", 1, "a normal truncated at 0 has no more"); }

}  // namespace

Family normal_family() {
  const auto native = [](std::span<const double> v) -> Made {
    if (!(v[1] > 0)) return no_spread("scale", v[1]);
    if (-v[0] > 1e6 * v[1]) {
      return ParameterFault{"location", "location is " + number(v[0]) +
                                            ", more than a million scales below 0: the part "
                                            "above 0 is an exponential; use \"exponential\""};
    }
    return make(v[0], v[1]);
  };
  return {"normal",
          "Normal with parameters location and scale, truncated at 0; x >= 0.",
          {parameter_set({{"location", true}, {"scale", true}}, native), median_p95(from_median_p95),
           mean_cv([](double mean, double cv) -> Made {
             if (cv * no_truncation > -1) return make(mean, cv * mean);
             const auto a = solve_a(cv_of, cv);
             if (!a) return no_such_cv(cv);
             const double scale = mean / log_table(*a).moments(exp_exact).mean;
             return make(-*a * scale, scale);
           }),
           median_cv([](double median, double cv) -> Made {
             if (cv * no_truncation > -1) return make(median, cv * median);
             const auto a = solve_a(cv_of, cv);
             if (!a) return no_such_cv(cv);
             const double scale = median / y_quantile(log_table(*a), half);
             return make(-*a * scale, scale);
           })}};
}

}  // namespace prism::detail
