// SPDX-License-Identifier: Apache-2.0
// What statistical tests compare by: moments and quantiles with their standard errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace prism::test {

struct Estimate {
  double value, error;  ///< and its standard error
};

class Sample {
 public:
  explicit Sample(std::vector<double> values) : sorted_(std::move(values)) {
    std::sort(sorted_.begin(), sorted_.end());
    for (double x : sorted_) mean_ += x;
    mean_ /= size();
    for (double x : sorted_) {
      const double d = x - mean_;
      m2_ += d * d;
      m4_ += d * d * d * d;
    }
    m2_ /= size();
    m4_ /= size();
  }

  double size() const { return static_cast<double>(sorted_.size()); }
  const std::vector<double>& sorted() const { return sorted_; }
  Estimate mean() const { return {mean_, std::sqrt(m2_ / size())}; }
  Estimate sd() const {
    const double sd = std::sqrt(m2_);
    return {sd, sd > 0 ? std::sqrt((m4_ - m2_ * m2_) / size()) / (2 * sd) : 0};
  }
  /// The standard error from the distance of the order statistics one binomial standard deviation either
  /// side.
  Estimate quantile(double p) const {
    const double s = std::sqrt(p * (1 - p) * size());
    auto at = [&](double position) {
      const double last = size() - 1;
      return sorted_[static_cast<std::size_t>(std::clamp(position, 0.0, last))];
    };
    return {at(p * (size() - 1)), (at(p * size() + s + 1) - at(p * size() - s - 1)) / 2};
  }

 private:
  std::vector<double> sorted_;
  double mean_ = 0, m2_ = 0, m4_ = 0;
};

/// Largest distance of two empirical distribution functions.
inline double kolmogorov_smirnov(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                         static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return largest;
}

}  // namespace prism::test
