// SPDX-License-Identifier: Apache-2.0
// Two log-normals by expectation maximisation (Dempster, Laird, Rubin, JRSS B 39, 1977), on logarithms.
#include <algorithm>
#include <cmath>

#include "evidence/likelihood.h"
#include "prism/numerics.h"

namespace prism {
namespace {

constexpr double half_two_pi_log = 0.91893853320467274;
/// A part narrower than this share of the whole would follow a few equal samples without end.
constexpr double narrowest = 1e-3;
/// Ashman's D: two modes stand apart from 2 on (Ashman, Bird, Zepf, AJ 108, 1994).
constexpr double apart = 2;

struct Part {
  double weight, mean, variance;
  double log_density(double x) const {
    const double d = x - mean;
    return log_exact(weight) - half_two_pi_log - 0.5 * log_exact(variance) - 0.5 * d * d / variance;
  }
};

/// The cut of sorted values that leaves the least spread within the two sides.
std::size_t best_cut(const std::vector<double>& v, double mean) {
  double left = 0, best = -1;
  std::size_t cut = v.size() / 2;
  const double n = static_cast<double>(v.size());
  for (std::size_t i = 1; i < v.size(); ++i) {
    left += v[i - 1] - mean;
    const double k = static_cast<double>(i), between = left * left * (1 / k + 1 / (n - k));
    if (i >= 2 && i + 2 <= v.size() && between > best) best = between, cut = i;
  }
  return cut;
}

Part part_of(const std::vector<double>& v, std::size_t from, std::size_t to, double floor) {
  const double n = static_cast<double>(to - from);
  double mean = 0, variance = 0;
  for (std::size_t i = from; i < to; ++i) mean += v[i] / n;
  for (std::size_t i = from; i < to; ++i) variance += (v[i] - mean) * (v[i] - mean) / n;
  return {n / static_cast<double>(v.size()), mean, std::max(variance, floor)};
}

}  // namespace

std::optional<FamilyFit> fit_two_modes(const SampleMoments& m) {
  if (m.logs.size() < 20 || !(m.log_variance > 0)) return std::nullopt;
  const double floor = narrowest * narrowest * m.log_variance;
  const std::size_t cut = best_cut(m.logs, m.log_mean);
  Part a = part_of(m.logs, 0, cut, floor), b = part_of(m.logs, cut, m.logs.size(), floor);
  double log_likelihood = 0, before = 0;
  for (int round = 0; round < 300; ++round) {
    double n = 0, sum = 0, squares = 0, sum_b = 0, squares_b = 0;
    log_likelihood = 0;
    for (const double x : m.logs) {
      const double la = a.log_density(x), lb = b.log_density(x), top = std::max(la, lb);
      const double ea = exp_exact(la - top), eb = exp_exact(lb - top), share = ea / (ea + eb),
                   y = x - m.log_mean;
      log_likelihood += top + log_exact(ea + eb);
      n += share;
      sum += share * y;
      squares += share * y * y;
      sum_b += (1 - share) * y;
      squares_b += (1 - share) * y * y;
    }
    if (round > 0 && log_likelihood - before < 1e-6) break;
    before = log_likelihood;
    const double rest = m.n - n;
    if (n < 2 || rest < 2) return std::nullopt;
    a = {n / m.n, m.log_mean + sum / n, std::max(squares / n - sum * sum / (n * n), floor)};
    b = {rest / m.n, m.log_mean + sum_b / rest,
         std::max(squares_b / rest - sum_b * sum_b / (rest * rest), floor)};
  }
  if (std::fabs(a.mean - b.mean) < apart * std::sqrt(0.5 * (a.variance + b.variance))) return std::nullopt;
  FamilyFit f;
  f.family = "mixture";
  f.log_likelihood = log_likelihood - m.n * m.log_mean;
  f.parameters = {{"weight", a.weight},
                  {"median", exp_exact(a.mean)},
                  {"log_sd", std::sqrt(a.variance)},
                  {"second_median", exp_exact(b.mean)},
                  {"second_log_sd", std::sqrt(b.variance)}};
  return f;
}

}  // namespace prism
