// SPDX-License-Identifier: Apache-2.0
// Every value from low to high alike: mean (low + high)/2, sd (high - low)/sqrt(12).
#include <cmath>

#include "distribution/family.h"

namespace prism::detail {
namespace {

Made make(double low, double high) {
  const double width = high - low;
  return Distribution(
      {"uniform", [=](Mass m) { return m.lower < m.upper ? low + width * m.lower : high - width * m.upper; },
       low + 0.5 * width, width / std::sqrt(12.0),
       [=](double x) {
         if (!(x > low)) return Mass{0, 1};
         if (x >= high) return Mass{1, 0};
         return Mass{(x - low) / width, (high - x) / width};
       }});
}

Made from_cv(double mean, double cv) {
  const double limit = 1 / std::sqrt(3.0);
  if (cv > limit) return beyond("cv", cv, "at most", limit, "a uniform from 0 has 1/sqrt(3)");
  const double radius = cv * std::sqrt(3.0) * mean;
  const double low = mean - radius;
  return make(low > 0 ? low : 0, mean + radius);
}

}  // namespace

Family uniform_family() {
  const auto native = [](std::span<const double> v) -> Made {
    if (!(v[0] >= 0)) return negative("low", v[0]);
    if (v[1] == v[0])
      return ParameterFault{"high", "high equals low, " + number(v[0]) + ": for no spread use \"constant\""};
    if (!(v[1] > v[0])) {
      return ParameterFault{"high", "high must be above low, " + number(v[0]) + ", but is " + number(v[1])};
    }
    return make(v[0], v[1]);
  };
  return {"uniform",
          "Every value from low to high alike; low >= 0.",
          {parameter_set({{"low", true}, {"high", true}}, native),
           median_p95([](double median, double p95) -> Made {
             if (p95 > 1.9 * median)
               return beyond("p95", p95, "at most", 1.9 * median,
                             "a uniform from 0 has 1.9 times its median");
             const double radius = (p95 - median) / 0.9;
             const double low = median - radius;
             return make(low > 0 ? low : 0, median + radius);
           }),
           mean_cv(from_cv), median_cv(from_cv)}};
}

}  // namespace prism::detail
