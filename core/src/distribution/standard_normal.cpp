// SPDX-License-Identifier: Apache-2.0
#include "distribution/standard_normal.h"

#include "distribution/density_table.h"

namespace prism::detail {
namespace {

/// Built once: a constant, computed rather than written down.
const DensityTable& table() {
  static const DensityTable standard([](double z) { return LogDensity{-0.5 * z * z, -z}; }, 0.0, 0.25);
  return standard;
}

}  // namespace

double normal_quantile(Mass m) {
  // By symmetry from the upper side alone, so that the median is 0 exactly and both sides are mirror images.
  if (m.lower == m.upper) return 0;
  return m.lower < m.upper ? -table().quantile({m.upper, m.lower}) : table().quantile(m);
}

Mass normal_mass(double z) {
  if (z >= 0) return table().mass(z);
  const Mass m = table().mass(-z);
  return {m.upper, m.lower};
}

}  // namespace prism::detail
