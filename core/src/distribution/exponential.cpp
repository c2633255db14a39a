// SPDX-License-Identifier: Apache-2.0
// Upper mass e^(-x/mean); cv 1. One parameter only, so no pair determines it.
#include "distribution/exponential_law.h"
#include "distribution/family.h"

namespace prism::detail {
namespace {

Made make(double mean) {
  return Distribution({"exponential", [=](Mass m) { return mean * exponential_quantile(m); }, mean, mean,
                       [=](double x) { return exponential_mass(x / mean); }});
}

}  // namespace

Family exponential_family() {
  return {"exponential",
          "Waiting time without memory; x >= 0, cv 1.",
          {parameter_set({{"mean", true}},
                         [](std::span<const double> v) -> Made {
                           if (!(v[0] > 0)) return not_positive("mean", v[0]);
                           return make(v[0]);
                         }),
           parameter_set({{"median", true}}, [](std::span<const double> v) -> Made {
             if (!(v[0] > 0)) return not_positive("median", v[0]);
             return make(v[0] / log_2);
           })}};
}

}  // namespace prism::detail
