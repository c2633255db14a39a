// SPDX-License-Identifier: Apache-2.0
#include "study/paired.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "distribution/standard_normal.h"
#include "statistics/binomial.h"
#include "statistics/statistics.h"

namespace prism::study {
namespace {

constexpr double two_sided = 0.025;

/// The quantile of type 7 of what is left when a block is taken out of the sorted sample, read from the
/// nearer end.
class Remaining {
 public:
  Remaining(const std::vector<double>& sorted, const std::vector<std::int32_t>& block, std::int32_t out,
            std::size_t count)
      : sorted_(sorted), block_(block), out_(out), count_(count) {}

  double quantile(double p) const {
    const double place = p * static_cast<double>(count_ - 1);
    const auto rank = std::min(static_cast<std::size_t>(place), count_ - 1);
    const double low = at(rank), high = rank + 1 < count_ ? at(rank + 1) : low;
    return low + (place - static_cast<double>(rank)) * (high - low);
  }

 private:
  double at(std::size_t rank) const {
    std::size_t from_top = count_ - 1 - rank;
    for (std::size_t i = sorted_.size(); i-- > 0;)
      if (block_[i] != out_ && from_top-- == 0) return sorted_[i];
    return sorted_.front();
  }

  const std::vector<double>& sorted_;
  const std::vector<std::int32_t>& block_;
  std::int32_t out_;
  std::size_t count_;
};

double sd_of(double squares, double n) { return n > 1 ? std::sqrt(std::max(0.0, squares) / (n - 1)) : 0; }

std::vector<double> column(const Blocked& x, Statistic s) {
  std::vector<double> list;
  for (const Statistics& one : x.without) list.push_back(one[static_cast<std::size_t>(s)]);
  return list;
}

Interval around(double value, double error, std::size_t blocks) {
  const double half = error > 0 ? student(two_sided, static_cast<double>(blocks - 1)) * error : 0;
  return {value, value - half, value + half};
}

}  // namespace

std::int64_t block_count(std::size_t trials) {
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(trials)));
  return std::clamp<std::int64_t>(root / 2, 4, 20);
}

Blocked::Blocked(std::span<const double> step_s) {
  const std::size_t n = step_s.size();
  const auto blocks = static_cast<std::size_t>(block_count(n));
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return step_s[a] < step_s[b] || (step_s[a] == step_s[b] && a < b);
  });
  std::vector<std::int32_t> block(n);
  std::vector<double> size(blocks, 0), sum(blocks, 0), square(blocks, 0);
  const double mean = sum_compensated(step_s) / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto b = i * blocks / n;
    const double x = step_s[i] - mean;
    size[b] += 1;
    sum[b] += x;
    square[b] += x * x;
  }
  for (std::size_t i = 0; i < n; ++i) {
    sorted.push_back(step_s[order[i]]);
    block[i] = static_cast<std::int32_t>(static_cast<std::size_t>(order[i]) * blocks / n);
  }
  const double all_sum = sum_compensated(sum), all_square = sum_compensated(square);
  const auto fill = [&](Statistics& to, std::int32_t out, double count, double s, double q) {
    const Remaining rest(sorted, block, out, static_cast<std::size_t>(count));
    to = {mean + s / count, sd_of(q - s * s / count, count), rest.quantile(0.5), rest.quantile(0.95),
          rest.quantile(0.99)};
  };
  const auto total = static_cast<double>(n);
  fill(all, -1, total, all_sum, all_square);
  without.resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b)
    fill(without[b], static_cast<std::int32_t>(b), total - size[b], all_sum - sum[b], all_square - square[b]);
}

double jackknife_error(std::span<const double> without) {
  const auto n = static_cast<double>(without.size());
  const double mean = sum_compensated(without) / n;
  double square = 0;
  for (double x : without) square += (x - mean) * (x - mean);
  return std::sqrt((n - 1) / n * square);
}

Interval interval_of(const Blocked& sample, Statistic s) {
  double p = 0;
  if (s == Statistic::p50) p = 0.5;
  if (s == Statistic::p95) p = 0.95;
  if (s == Statistic::p99) p = 0.99;
  if (p == 0) return jackknife_interval(sample, s);
  const RankInterval ranks =
      quantile_interval(static_cast<std::int64_t>(sample.sorted.size()), p, 1 - 2 * two_sided);
  if (!ranks.low || !ranks.high) return jackknife_interval(sample, s);
  const auto at = [&](std::int64_t rank) { return sample.sorted[static_cast<std::size_t>(rank - 1)]; };
  return {sample.all[static_cast<std::size_t>(s)], at(*ranks.low), at(*ranks.high)};
}

Interval jackknife_interval(const Blocked& sample, Statistic s) {
  return around(sample.all[static_cast<std::size_t>(s)], jackknife_error(column(sample, s)),
                sample.without.size());
}

Difference difference_of(const Blocked& x, const Blocked& y, Statistic s, std::size_t comparisons) {
  if (x.without.size() != y.without.size() || x.sorted.size() != y.sorted.size())
    throw std::logic_error("samples of different numbers of trials have no trials in common");
  const auto k = static_cast<std::size_t>(s);
  std::vector<double> without;
  for (std::size_t b = 0; b < x.without.size(); ++b) without.push_back(x.without[b][k] - y.without[b][k]);
  const double value = x.all[k] - y.all[k], error = jackknife_error(without);
  const double wide = student(two_sided / static_cast<double>(std::max<std::size_t>(1, comparisons)),
                              static_cast<double>(without.size() - 1));
  return {around(value, error, without.size()), value != 0 && std::fabs(value) > wide * error};
}

double student(double q, double freedom) {
  const double z = detail::normal_quantile(Mass::above(q)), z2 = z * z, n = freedom;
  const double g1 = (z2 + 1) * z / 4, g2 = ((5 * z2 + 16) * z2 + 3) * z / 96,
               g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384,
               g4 = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * z / 92160;
  return z + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
}

}  // namespace prism::study
