// SPDX-License-Identifier: Apache-2.0
#include "prism/table_store.h"

#include <cstring>
#include <utility>

#include "prism/numerics.h"

namespace prism {
namespace {

constexpr std::size_t knots = QuantileTable::half + 1;
constexpr std::size_t side_bytes = knots * sizeof(double);

template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

TableName::TableName(std::string_view way) : high_(stream_key(way)), low_(mix64(~high_)) {}

TableName::TableName(const QuantileTable& table) : TableName("values") {
  for (const auto side : {table.lower_knots(), table.upper_knots()})
    for (const double value : side) add(value);
}

TableName& TableName::add(std::uint64_t word) {
  high_ = mix64(high_ ^ word);
  low_ = mix64(low_ + (word ^ 0x9e3779b97f4a7c15u));
  return *this;
}

TableName& TableName::add(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return add(bits);
}

TableStore::Table TableStore::get(const TableName& name,
                                  const std::function<std::optional<QuantileTable>()>& make) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = tables_.find(name); known != tables_.end()) return known->second;
  }
  auto made = make();
  const Table table = made ? std::make_shared<const QuantileTable>(std::move(*made)) : nullptr;
  const std::lock_guard lock(mutex_);
  keep(name, table);
  new_.push_back(name);
  return table;
}

void TableStore::keep(const TableName& name, Table table) {
  if (tables_.size() >= most_tables) {
    tables_.clear();
    new_.clear();
  }
  tables_.insert_or_assign(name, std::move(table));
}

std::vector<std::byte> TableStore::take_new() {
  const std::lock_guard lock(mutex_);
  std::vector<std::byte> bytes;
  for (const TableName& name : new_) {
    const auto& table = tables_.at(name);
    const std::uint64_t head[] = {name.high_, name.low_, table ? 1u : 0u};
    append<std::uint64_t>(bytes, head);
    if (!table) continue;
    append(bytes, table->lower_knots());
    append(bytes, table->upper_knots());
  }
  new_.clear();
  return bytes;
}

bool TableStore::learn(std::span<const std::byte> bytes) {
  std::vector<std::pair<TableName, Table>> learned;
  while (!bytes.empty()) {
    std::uint64_t head[3];
    if (bytes.size() < sizeof head) return false;
    std::memcpy(head, bytes.data(), sizeof head);
    bytes = bytes.subspan(sizeof head);
    TableName name;
    name.high_ = head[0];
    name.low_ = head[1];
    Table table;
    if (head[2] != 0) {
      if (bytes.size() < 2 * side_bytes) return false;
      std::vector<double> side[2];
      for (auto& values : side) {
        values.resize(knots);
        std::memcpy(values.data(), bytes.data(), side_bytes);
        bytes = bytes.subspan(side_bytes);
      }
      table = std::make_shared<const QuantileTable>(std::move(side[0]), std::move(side[1]));
    }
    learned.emplace_back(name, std::move(table));
  }
  const std::lock_guard lock(mutex_);
  for (auto& [name, table] : learned) keep(name, std::move(table));
  return true;
}

}  // namespace prism
