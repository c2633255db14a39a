// SPDX-License-Identifier: Apache-2.0
#include "prism/distribution.h"

namespace prism {
namespace {

/// Inverts a quantile function: bisection on the exponent of the smaller mass, because the tails need
/// relative accuracy.
Mass invert(const std::function<double(Mass)>& quantile, double x) {
  constexpr double floor = 1e-30;
  const bool in_lower = x < quantile({0.5, 0.5});
  // Invariant: the answer's side mass lies in (outer, inner].
  double outer = floor, inner = 0.5;
  const auto reached = [&](double p) {
    return in_lower ? quantile(Mass::below(p)) <= x : quantile(Mass::above(p)) > x;
  };
  if (!reached(outer)) return in_lower ? Mass{0, 1} : Mass{1, 0};
  for (int step = 0; step < 100 && inner - outer > 1e-13 * inner; ++step) {
    const double middle =
        inner > 4 * outer ? exp_exact(0.5 * (log_exact(outer) + log_exact(inner))) : 0.5 * (outer + inner);
    (reached(middle) ? outer : inner) = middle;
  }
  return in_lower ? Mass::below(outer) : Mass::above(outer);
}

}  // namespace

Mass Distribution::mass(double x) const {
  if (law_->mass) return law_->mass(x);
  return invert(law_->quantile, x);
}

}  // namespace prism
