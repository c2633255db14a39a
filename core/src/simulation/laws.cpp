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

LawBook::Law LawBook::largest_of(const std::vector<std::pair<Law, std::int64_t>>& parts) {
  if (parts.size() == 1) return maximum(parts[0].first, parts[0].second);
  std::vector<QuantileTable> tables;
  for (const auto& [law, n] : parts) tables.push_back(tables_[maximum(law, n)]);
  return add(maximum_of(tables));
}

LawBook::Law LawBook::constant(double seconds) {
  const auto [entry, is_new] = constants_.try_emplace(seconds, none);
  if (is_new) entry->second = add(QuantileTable([=](Mass) { return seconds; }));
  return entry->second;
}

LawBook::Law LawBook::at_least(Law law, double seconds) {
  if (tables_[law].lowest() >= seconds) return law;
  const auto [entry, is_new] = raised_.try_emplace({law, seconds}, none);
  if (!is_new) return entry->second;
  const auto raised = [&](std::span<const double> knots) {
    std::vector<double> values(knots.begin(), knots.end());
    for (double& x : values) x = std::max(x, seconds);
    return values;
  };
  return entry->second = add({raised(tables_[law].lower_knots()), raised(tables_[law].upper_knots())});
}

LawBook::Law LawBook::at_quantile_or_above(Law law, double lower_mass) {
  return lower_mass > 0 ? at_least(law, tables_[law].quantile(Mass::below(lower_mass))) : law;
}

}  // namespace prism
