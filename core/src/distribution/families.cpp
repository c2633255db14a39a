// SPDX-License-Identifier: Apache-2.0
// The registry of families. A new one is a file here and a line below.
#include "distribution/family.h"

namespace prism {

std::span<const Family> families() {
  static const Family table[] = {
      detail::constant_family(),    detail::normal_family(),
      detail::lognormal_family(),   detail::gamma_family(),
      detail::weibull_family(),     detail::uniform_family(),
      detail::exponential_family(), detail::shifted_exponential_family(),
      detail::pareto_family(),      detail::gpd_family(),
  };
  return table;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

}  // namespace prism
