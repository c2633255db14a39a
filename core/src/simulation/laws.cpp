// SPDX-License-Identifier: Apache-2.0
#include "simulation/laws.h"

#include <algorithm>

namespace prism {

LawBook::LawBook(const Workload& workload)
    : workload_(&workload), shape_index_(workload.shapes.size(), none) {
  tables_.emplace_back([](Mass) { return 0.0; });
}

LawBook::Law LawBook::add(QuantileTable table) {
  tables_.push_back(std::move(table));
  return static_cast<Law>(tables_.size() - 1);
}

LawBook::Law LawBook::of(const Operator& op) {
  if (op.scale_s == 0) return zero();
  const auto [entry, is_new] = operators_.try_emplace({op.shape, op.scale_s}, none);
  if (is_new) {
    Law& shape = shape_index_[op.shape];
    if (shape == none) {
      shapes_.push_back(tabulate(workload_->shapes[op.shape]));
      shape = static_cast<Law>(shapes_.size() - 1);
    }
    entry->second = add(shapes_[shape].scaled(op.scale_s));
  }
  return entry->second;
}

LawBook::Law LawBook::sum(std::vector<Law> addends) {
  std::erase(addends, zero());
  if (addends.empty()) return zero();
  if (addends.size() == 1) return addends[0];
  std::sort(addends.begin(), addends.end());
  std::vector<std::pair<Law, std::uint64_t>> counted;
  for (Law law : addends) {
    if (counted.empty() || counted.back().first != law) counted.emplace_back(law, 0);
    ++counted.back().second;
  }
  const auto [entry, is_new] = sums_.try_emplace(counted, none);
  if (is_new) {
    std::vector<Addend> parts;
    for (const auto& [law, count] : counted) parts.push_back({&tables_[law], count});
    if (auto total = sum_of(parts)) entry->second = add(std::move(*total));
  }
  return entry->second;
}

LawBook::Law LawBook::maximum(Law law, std::int64_t n) {
  if (n == 1 || tables_[law].is_constant()) return law;
  const auto [entry, is_new] = maxima_.try_emplace({law, n}, none);
  if (is_new) entry->second = add(maximum_of(tables_[law], static_cast<std::uint64_t>(n)));
  return entry->second;
}

}  // namespace prism
