// SPDX-License-Identifier: Apache-2.0
// Distributions given by data: straight lines between points of the quantile function.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "distribution/family.h"

namespace prism {
namespace {

/// A quantile function that is straight between points; both masses of a point are stored, because 1 - p
/// would lose the upper one.
class Polyline {
 public:
  Polyline(std::vector<Mass> at, std::vector<double> value) : at_(std::move(at)), value_(std::move(value)) {}

  double quantile(Mass m) const {
    const bool in_lower = m.lower < m.upper;
    const auto to = std::partition_point(at_.begin(), at_.end(), [&](const Mass& a) {
      return in_lower ? a.lower < m.lower : a.upper > m.upper;
    });
    if (to == at_.end()) return value_.back();
    const std::size_t i = static_cast<std::size_t>(to - at_.begin());
    if (i == 0) return value_.front();
    const double part = in_lower ? (m.lower - at_[i - 1].lower) / (at_[i].lower - at_[i - 1].lower)
                                 : (at_[i - 1].upper - m.upper) / (at_[i - 1].upper - at_[i].upper);
    return value_[i - 1] + part * (value_[i] - value_[i - 1]);
  }

  Mass mass(double x) const {
    const std::size_t i =
        static_cast<std::size_t>(std::upper_bound(value_.begin(), value_.end(), x) - value_.begin());
    if (i == 0) return {0, 1};
    if (i == value_.size()) return {1, 0};
    const double part = (x - value_[i - 1]) / (value_[i] - value_[i - 1]);
    const Mass &a = at_[i - 1], &b = at_[i];
    return {a.lower + part * (b.lower - a.lower), a.upper + part * (b.upper - a.upper)};
  }

  /// Uniform between neighbouring points. About the first value, so that equal values give an sd of exactly
  /// 0.
  void measure(double& mean, double& sd) const {
    const double origin = value_.front();
    double first = 0, second = 0;
    for (std::size_t i = 1; i < value_.size(); ++i) {
      first += weight(i) * 0.5 * ((value_[i - 1] - origin) + (value_[i] - origin));
    }
    for (std::size_t i = 1; i < value_.size(); ++i) {
      const double u = value_[i - 1] - origin - first, v = value_[i] - origin - first;
      second += weight(i) * (u * u + u * v + v * v);
    }
    mean = origin + first;
    sd = std::sqrt(second / 3.0);
  }

 private:
  double weight(std::size_t i) const {
    return at_[i].lower < 0.5 ? at_[i].lower - at_[i - 1].lower : at_[i - 1].upper - at_[i].upper;
  }
  std::vector<Mass> at_;  ///< ascending from {0, 1} to {1, 0}
  std::vector<double> value_;
};

Distribution empirical(Polyline line) {
  double mean = 0, sd = 0;
  line.measure(mean, sd);
  auto shared = std::make_shared<const Polyline>(std::move(line));
  return Distribution({"empirical", [shared](Mass m) { return shared->quantile(m); }, mean, sd,
                       [shared](double x) { return shared->mass(x); }});
}

std::string place(std::string_view what, std::size_t i) {
  return std::string(what) + " " + std::to_string(i + 1);
}

}  // namespace

std::variant<Distribution, ParameterFault> make_empirical(std::span<const double> samples) {
  if (samples.size() < 2) {
    return ParameterFault{"samples", "at least 2 samples are needed, not " + std::to_string(samples.size())};
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!(samples[i] >= 0 && samples[i] <= detail::largest)) {
      return ParameterFault{"samples", place("sample", i) + " must be a number from 0 to 1e+25, not " +
                                           detail::number(samples[i])};
    }
  }
  std::vector<double> value(samples.begin(), samples.end());
  std::sort(value.begin(), value.end());
  // Order statistic k of n stands at (k - 1)/(n - 1).
  const std::size_t n = value.size();
  std::vector<Mass> at(n);
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = {static_cast<double>(i) / static_cast<double>(n - 1),
             static_cast<double>(n - 1 - i) / static_cast<double>(n - 1)};
  }
  return empirical(Polyline(std::move(at), std::move(value)));
}

std::variant<Distribution, ParameterFault> make_empirical_quantiles(std::span<const double> masses,
                                                                    std::span<const double> values) {
  if (masses.size() != values.size()) {
    return ParameterFault{"values", "there are " + std::to_string(values.size()) + " values for " +
                                        std::to_string(masses.size()) + " masses"};
  }
  if (masses.size() < 2 || masses.front() != 0 || masses.back() != 1) {
    return ParameterFault{"masses",
                          "masses must begin with 0 and end with 1, the smallest and the largest value"};
  }
  std::vector<Mass> at;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (i > 0 && !(masses[i] > masses[i - 1])) {
      return ParameterFault{"masses", place("mass", i) + ", " + detail::number(masses[i]) +
                                          ", must be above the one before, " + detail::number(masses[i - 1])};
    }
    if (!(values[i] >= 0 && values[i] <= detail::largest)) {
      return ParameterFault{"values", place("value", i) + " must be a number from 0 to 1e+25, not " +
                                          detail::number(values[i])};
    }
    if (i > 0 && values[i] < values[i - 1]) {
      return ParameterFault{"values", place("value", i) + ", " + detail::number(values[i]) +
                                          ", must not be below the one before, " +
                                          detail::number(values[i - 1])};
    }
    at.push_back({masses[i], 1 - masses[i]});
  }
  return empirical(Polyline(std::move(at), {values.begin(), values.end()}));
}

}  // namespace prism
