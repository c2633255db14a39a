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
/// p95 / median of an exponential, log 20 / log 2: what a normal cut ever further out in its tail tends to.
constexpr double exponential_ratio = 4.32192809488736;
/// Quantiles of a table are good to about this; searching a parameter more finely would follow noise.
constexpr double table_noise = 1e-10;

/// The mode of log y, y = x / scale: root of 1 - y^2 - a y, written so that nothing cancels.
double mode_of(double a) {
  const double root = std::sqrt(a * a + 4);
  return a > 0 ? 2 / (a + root) : 0.5 * (root - a);
}

/// y = x / scale in t = log y, where the lower end is smooth: density y e^(-y^2/2 - a y).
DensityTable log_table(double a) {
  const double mode = mode_of(a);
  return DensityTable(
      [a](double t) {
        const double y = exp_exact(t);
        return LogDensity{t - y * (0.5 * y + a), 1 - y * (y + a)};
      },
      log_exact(mode), 0.25 / std::sqrt(mode * mode + 1));
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

/// a for which `feature`, increasing in a, is `target`; nothing if no a below 10,000 reaches it. Searched by
/// the mode m of log y, a = 1/m - m, which spreads the plain normals (m about -a) and the exponentials (m
/// about 1/a) evenly.
template <class Feature>
std::optional<double> solve_a(Feature feature, double target) {
  const auto a_of = [](double log_mode) { return exp_exact(-log_mode) - exp_exact(log_mode); };
  const auto miss = [&](double log_mode) { return target - feature(log_table(a_of(log_mode))); };
  const double low = log_exact(1e-4), high = log_exact(mode_of(no_truncation));
  const double miss_low = miss(low);
  if (miss_low > 0) return std::nullopt;
  return a_of(bracketed_root(miss, low, miss_low, high, miss(high), table_noise, table_noise));
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
