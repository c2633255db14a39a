// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "prism/workload.h"

namespace prism {

/// Interned distributions of the engine: equal operators, sums and maxima are tabulated once and share one
/// table, which keeps preparing fast and the sampling tables in cache. A law is an index; addends are ordered
/// by index, that is by first appearance, so results never depend on addresses.
class LawBook {
 public:
  using Law = std::int32_t;
  static constexpr Law none = -1;

  explicit LawBook(const Workload& workload);

  Law zero() const { return 0; }
  Law of(const Operator& op);
  /// Sum of independent laws; `none` if a tail is too heavy to be convolved.
  Law sum(std::vector<Law> addends);
  /// Largest of n independent copies.
  Law maximum(Law law, std::int64_t n);
  Law constant(double seconds);
  /// Largest of independent draws: so many copies of each law.
  Law largest_of(const std::vector<std::pair<Law, std::int64_t>>& parts);
  /// The larger of a draw and a constant.
  Law at_least(Law law, double seconds);
  /// The larger of a draw and its quantile at this lower mass; the law itself at 0.
  Law at_quantile_or_above(Law law, double lower_mass);
  /// A distribution by itself, e.g. of a factor.
  Law of(const Distribution& d) { return add(tabulate(d)); }
  /// A law that exists as a table only.
  Law add(QuantileTable table);

  const QuantileTable& table(Law law) const { return tables_[law]; }
  double mean(const Operator& op) const { return op.scale_s * workload_->shapes[op.shape].mean(); }
  double median(const Operator& op) const { return op.scale_s * workload_->shape_medians[op.shape]; }

 private:
  const Workload* workload_;
  std::vector<QuantileTable> tables_, shapes_;
  std::vector<Law> shape_index_;
  std::map<std::pair<int, double>, Law> operators_;
  std::map<std::vector<std::pair<Law, std::uint64_t>>, Law> sums_;
  std::map<std::pair<Law, std::int64_t>, Law> maxima_;
  std::map<double, Law> constants_;
  std::map<std::pair<Law, double>, Law> raised_;
};

}  // namespace prism
