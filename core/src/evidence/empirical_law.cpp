// SPDX-License-Identifier: Apache-2.0
#include "evidence/empirical_law.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "prism/evidence.h"

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t few = 64;  ///< samples that are written as they are
/// Where a quantile may stand, dense towards the ends. Between those written the law is straight.
constexpr double masses[] = {0,    0.001, 0.005, 0.01, 0.02, 0.05, 0.1,   0.15, 0.2,   0.25,  0.3,
                             0.35, 0.4,   0.45,  0.5,  0.55, 0.6,  0.65,  0.7,  0.75,  0.8,   0.85,
                             0.9,  0.925, 0.95,  0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.999, 1};
constexpr std::size_t count = std::size(masses), middle = 14;
static_assert(masses[middle] == 0.5);
constexpr std::size_t most = 20;

/// The masses that matter: the one farthest from the straight line between its neighbours is added until none
/// is off by a thousandth of the median. A grid that is the same for all smears rare slow values over
/// ordinary ones.
std::set<std::size_t> chosen(const std::vector<double>& value) {
  std::set<std::size_t> in = {0, middle, count - 1};
  const double tolerance = 1e-3 * value[middle];
  while (in.size() < most) {
    std::size_t worst = 0;
    double off = tolerance;
    for (auto right = std::next(in.begin()); right != in.end(); ++right) {
      const std::size_t a = *std::prev(right), b = *right;
      for (std::size_t i = a + 1; i < b; ++i) {
        const double share = (masses[i] - masses[a]) / (masses[b] - masses[a]);
        const double error = std::fabs(value[a] + share * (value[b] - value[a]) - value[i]);
        if (error > off) worst = i, off = error;
      }
    }
    if (worst == 0) break;
    in.insert(worst);
  }
  return in;
}

Json quantiles(const std::vector<double>& sorted) {
  std::vector<double> value;
  for (const double p : masses) value.push_back(quantile_of_sorted(sorted, p));
  Json list = Json::array();
  for (const std::size_t i : chosen(value)) list.push_back({masses[i], seven_digits(value[i])});
  return list;
}

}  // namespace

double seven_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", x);
  return std::strtod(text, nullptr);
}

Json law_of_times(std::vector<double> seconds) {
  for (double& x : seconds) x = std::max(x, 0.0) * 1e3;
  std::sort(seconds.begin(), seconds.end());
  if (seconds.front() == seconds.back()) return {{"constant", {{"value_ms", seven_digits(seconds[0])}}}};
  return {{"empirical", {{"quantiles_ms", quantiles(seconds)}}}};
}

Json law_of_factors(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (values.size() > few) return {{"empirical", {{"quantiles", quantiles(values)}}}};
  for (double& x : values) x = seven_digits(x);
  return {{"empirical", {{"samples", values}}}};
}

}  // namespace prism
