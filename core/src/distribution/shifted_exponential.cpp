// SPDX-License-Identifier: Apache-2.0
// shift + an exponential of mean `scale`: mean shift + scale, sd scale.
#include "distribution/exponential_law.h"
#include "distribution/family.h"

namespace prism::detail {
namespace {

Made make(double shift, double scale) {
  shift = shift > 0 ? shift : 0;  // rounding at the limit of a pair
  return Distribution({"shifted_exponential", [=](Mass m) { return shift + scale * exponential_quantile(m); },
                       shift + scale, scale,
                       [=](double x) { return exponential_mass((x - shift) / scale); }});
}

}  // namespace

Family shifted_exponential_family() {
  const auto native = [](std::span<const double> v) -> Made {
    if (!(v[0] >= 0)) return negative("shift", v[0]);
    if (!(v[1] > 0)) return no_spread("scale", v[1]);
    return make(v[0], v[1]);
  };
  const auto check_cv = [](double cv) {
    return beyond("cv", cv, "at most", 1, "with shift 0 it is the exponential, cv 1");
  };
  return {"shifted_exponential",
          "A fixed part `shift` and an exponential of mean `scale` on top.",
          {parameter_set({{"shift", true}, {"scale", true}}, native),
           median_p95([](double median, double p95) -> Made {
             const double limit = median * (log_20 / log_2);
             if (p95 > limit)
               return beyond("p95", p95, "at most", limit, "with shift 0 p95 is 4.32193 times the median");
             const double scale = (p95 - median) / log_10;
             return make(median - scale * log_2, scale);
           }),
           mean_cv([=](double mean, double cv) -> Made {
             if (cv > 1) return check_cv(cv);
             return make(mean * (1 - cv), mean * cv);
           }),
           median_cv([=](double median, double cv) -> Made {
             if (cv > 1) return check_cv(cv);
             // median = shift + scale log 2 and shift = scale (1 - cv) / cv.
             const double scale = median * cv / (1 - cv + cv * log_2);
             return make(median - scale * log_2, scale);
           })}};
}

}  // namespace prism::detail
