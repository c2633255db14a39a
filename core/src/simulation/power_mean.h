// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/laws.h"

namespace prism {

/// The exponent k for which a group of n ranks with lasting factors g behaves as one rank of factor
/// ((g1^k + ... + gn^k) / n)^(1/k): least squares of log E[max g x] over groups of log-normal factors of
/// deviation `lasting`. `legs`: laws of x, and their weights. Large where nothing else varies: then the
/// slowest rank decides.
double fitted_exponent(const LawBook& book, const std::vector<std::pair<LawBook::Law, double>>& legs,
                       std::int64_t n, double lasting);

}  // namespace prism
