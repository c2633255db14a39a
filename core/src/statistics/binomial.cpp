// SPDX-License-Identifier: Apache-2.0
#include "statistics/binomial.h"

#include <algorithm>

namespace prism {
namespace {

/// Outcomes less likely than this share of the likeliest one are left out.
constexpr double negligible = 1e-30;

}  // namespace

// Weights grow out from the likeliest outcome by the ratio of neighbours and are divided by their sum. So
// neither factorials nor logarithms are needed, and nothing under- or overflows for any n.
Binomial::Binomial(std::int64_t n, double p) : n_(n) {
  const double odds = p / (1 - p);
  const auto mode = std::min(n, static_cast<std::int64_t>(static_cast<double>(n + 1) * p));

  std::vector<double> down;
  double weight = 1;
  for (std::int64_t k = mode; k > 0 && weight > negligible; --k) {
    weight *= static_cast<double>(k) / (static_cast<double>(n - k + 1) * odds);
    down.push_back(weight);
  }
  first_ = mode - static_cast<std::int64_t>(down.size());
  mass_.assign(down.rbegin(), down.rend());
  mass_.push_back(1);
  weight = 1;
  for (std::int64_t k = mode; k < n && weight > negligible; ++k) {
    weight *= static_cast<double>(n - k) * odds / static_cast<double>(k + 1);
    mass_.push_back(weight);
  }

  double total = 0;
  for (double m : mass_) total += m;
  for (double& m : mass_) m /= total;
}

double Binomial::below(std::int64_t k) const {
  const auto end = std::clamp<std::int64_t>(k - first_, 0, static_cast<std::int64_t>(mass_.size()));
  double sum = 0;
  for (std::int64_t i = 0; i < end; ++i) sum += mass_[static_cast<std::size_t>(i)];
  return sum;
}

double Binomial::at_least(std::int64_t k) const {
  const auto begin = std::clamp<std::int64_t>(k - first_, 0, static_cast<std::int64_t>(mass_.size()));
  double sum = 0;
  for (auto i = static_cast<std::int64_t>(mass_.size()) - 1; i >= begin; --i)
    sum += mass_[static_cast<std::size_t>(i)];
  return sum;
}

std::optional<std::int64_t> Binomial::last_below(double mass) const {
  std::int64_t k = first_;  // P(B < first_) is nothing
  double sum = 0;
  for (double m : mass_) {
    sum += m;
    if (sum > mass) break;
    ++k;
  }
  k = std::min(k, n_);
  if (k < 1) return std::nullopt;
  return k;
}

std::optional<std::int64_t> Binomial::first_at_least(double mass) const {
  std::int64_t k = first_ + static_cast<std::int64_t>(mass_.size());  // P(B >= k) is nothing
  double sum = 0;
  for (auto m = mass_.rbegin(); m != mass_.rend(); ++m) {
    sum += *m;
    if (sum > mass) break;
    --k;
  }
  k = std::max<std::int64_t>(k, 1);
  if (k > n_) return std::nullopt;
  return k;
}

RankInterval quantile_interval(std::int64_t n, double p, double confidence) {
  const Binomial below_quantile(n, p);  // how many of the samples lie below the quantile
  const double tail = (1 - confidence) / 2;
  return {below_quantile.last_below(tail), below_quantile.first_at_least(tail)};
}

std::optional<std::int64_t> guarantee_rank(std::int64_t n, double coverage, double confidence) {
  return Binomial(n, coverage).first_at_least(1 - confidence);
}

ProbabilityInterval probability_interval(std::int64_t hits, std::int64_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  // Bisection on p: the tail probabilities are monotone in it. 60 halvings reach the resolution of a double.
  const auto solve = [&](auto&& is_below_root) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double middle = low + (high - low) / 2;
      if (middle <= 0 || middle >= 1) break;
      (is_below_root(middle) ? low : high) = middle;
    }
    return low + (high - low) / 2;
  };
  return {
      hits == 0 ? 0.0 : solve([&](double p) { return Binomial(n, p).at_least(hits) < tail; }),
      hits == n ? 1.0 : solve([&](double p) { return Binomial(n, p).below(hits + 1) > tail; }),
  };
}

}  // namespace prism
