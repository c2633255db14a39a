// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "prism/distribution.h"
#include "prism/numerics.h"

namespace prism {

Distribution stretched(const Distribution& x, double times) {
  const double median = x.median();
  if (times == 1 || x.is_constant() || median <= 0) return x;
  if (times == 0) return Distribution({"constant", [median](Mass) { return median; }, median, 0});
  const auto quantile = [x, times, median](Mass m) {
    return median * pow_exact(x.quantile(m) / median, times);
  };
  if (x.family() == "lognormal") {
    // Again log-normal: kept as such, so that products with others stay in closed form.
    const double cv = x.sd() / x.mean(), variance = times * times * log_exact(1 + cv * cv);
    const double mean = median * exp_exact(variance / 2);
    return Distribution({"lognormal", quantile, mean, mean * std::sqrt(exp_exact(variance) - 1)});
  }
  const QuantileTable table(quantile);
  return Distribution({x.family(), quantile, table.mean(), table.sd()});
}

}  // namespace prism
