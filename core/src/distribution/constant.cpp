// SPDX-License-Identifier: Apache-2.0
#include "distribution/family.h"

namespace prism::detail {

Family constant_family() {
  const auto make = [](std::span<const double> v) -> Made {
    const double value = v[0];
    if (!(value >= 0)) return negative("value", value);
    return Distribution({"constant", [value](Mass) { return value; }, value, 0,
                         [value](double x) {
                           return x < value ? Mass{0, 1} : Mass{1, 0};
                         }});
  };
  return {"constant", "Always the same value; no spread.", {parameter_set({{"value", true}}, make)}};
}

}  // namespace prism::detail
