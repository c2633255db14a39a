// SPDX-License-Identifier: Apache-2.0
// Tables of distributions that were expensive to make, kept for the next scenario: neighbours in a study, or
// before and after a control was moved, share most of theirs. A store spares work and never changes a result.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "prism/distribution.h"

namespace prism {

/// What a table was made from, and how: 128 bits of a strong hash.
class TableName {
 public:
  TableName() = default;
  /// Of a way to make tables, to which its arguments are added in order.
  explicit TableName(std::string_view way);
  /// Of a table by its values.
  explicit TableName(const QuantileTable& table);
  TableName& add(std::uint64_t word);
  TableName& add(double value);
  TableName& add(const TableName& other) { return add(other.high_).add(other.low_); }
  auto operator<=>(const TableName&) const = default;

 private:
  friend class TableStore;
  std::uint64_t high_ = 0, low_ = 0;
};

/// May be used by several threads at once.
class TableStore {
 public:
  using Table =
      std::shared_ptr<const QuantileTable>;  ///< null: there is none, as of a sum whose tail is too heavy
  /// The table of that name; `make` makes it if it is not known.
  Table get(const TableName& name, const std::function<std::optional<QuantileTable>()>& make);

  /// Tables made here since the last call, for the store of another worker.
  std::vector<std::byte> take_new();
  /// What take_new() of another store gave; false, and nothing kept, if it is anything else.
  bool learn(std::span<const std::byte> tables);

 private:
  static constexpr std::size_t most_tables = 512;  ///< 25 kB each; a full store begins anew
  void keep(const TableName& name, Table table);

  std::mutex mutex_;
  std::map<TableName, Table> tables_;
  std::vector<TableName> new_;
};

}  // namespace prism
