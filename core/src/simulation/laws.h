// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "prism/table_store.h"
#include "prism/workload.h"

namespace prism {

/// Interned distributions of the engine: equal operators, sums and maxima are tabulated once and share one
/// table, which keeps preparing fast and the sampling tables in cache. A law is an index; addends are ordered
/// by index, that is by first appearance, so results never depend on addresses.
class LawBook {
 public:
  using Law = std::int32_t;
  static constexpr Law none = -1;

  /// Tables that the store holds are not made again; without one the book has a store of its own.
  LawBook(const Workload& workload, TableStore* store);

  Law zero() const { return 0; }
  Law of(const Operator& op);
  /// Sum of independent laws; `none` if a tail is too heavy to be convolved.
  Law sum(std::vector<Law> addends);
  /// Largest of n independent copies.
  Law maximum(Law law, std::int64_t n);
  /// Largest of independent draws: so many copies of each law.
  Law largest_of(const std::vector<std::pair<Law, std::int64_t>>& parts);
  Law constant(double seconds);
  /// The larger of a draw and a constant.
  Law at_least(Law law, double seconds);
  /// What is left of a draw after so long.
  Law beyond(Law law, double seconds);
  /// The larger of a draw and its quantile at this lower mass; the law itself at 0.
  Law at_quantile_or_above(Law law, double lower_mass);
  /// The same shape with another mean and deviation.
  Law moved(Law law, double mean, double sd);
  /// The power mean of n independent copies.
  Law power_mean(Law law, std::int64_t n, double exponent);
  /// What a group of n ranks waits for something that each of them goes through separately (a transfer, an
  /// exchange, the gradients of weights) when more work follows on each rank before the group meets. The
  /// group goes on at max(separate + follows), of which max(follows) is drawn elsewhere; the difference is
  /// drawn here with its true mean and variance. `follows` is none where it meets at once.
  Law felt(Law separate, Law follows, std::int64_t n);
  /// The same where some ranks of the group are unlike others. The last part gives its shape.
  struct RanksApart {
    Law separate, follows;
    std::int64_t ranks;
  };
  Law felt(const std::vector<RanksApart>& parts);
  /// A distribution by itself, e.g. of a factor.
  Law of(const Distribution& d);

  /// A number that follows from laws and takes long to find: found once, and kept among the tables.
  double number(const TableName& name, const std::function<double()>& find) const;

  const QuantileTable& table(Law law) const { return *tables_[law]; }
  const TableName& name(Law law) const { return names_[law]; }
  double mean(const Operator& op) const { return op.scale_s * workload_->shapes[op.shape].mean(); }
  double median(const Operator& op) const { return op.scale_s * workload_->shape_medians[op.shape]; }

 private:
  const Workload* workload_;
  TableStore own_;
  TableStore* store_;
  std::vector<TableStore::Table> tables_;
  std::vector<TableName> names_;  ///< of tables_
  struct Shape {
    QuantileTable table;
    TableName name;
  };
  std::vector<std::optional<Shape>> shapes_;  ///< [workload.shapes]
  Law add(TableStore::Table table, const TableName& name);
  Law add(QuantileTable table, const TableName& name);
  std::map<std::pair<int, double>, Law> operators_;
  std::map<std::vector<std::pair<Law, std::uint64_t>>, Law> sums_;
  std::map<std::pair<Law, std::int64_t>, Law> maxima_;
  std::map<double, Law> constants_;
  std::map<std::pair<Law, double>, Law> raised_;
  std::map<std::tuple<Law, Law, std::int64_t>, Law> felt_;
  std::map<std::tuple<Law, double, double>, Law> moved_;
};

}  // namespace prism
