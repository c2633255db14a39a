// SPDX-License-Identifier: Apache-2.0
#include "simulation/laws.h"

#include <algorithm>
#include <cmath>

namespace prism {

LawBook::LawBook(const Workload& workload, TableStore* store)
    : workload_(&workload), store_(store ? store : &own_), shapes_(workload.shapes.size()) {
  add(QuantileTable([](Mass) { return 0.0; }), TableName("zero"));
}

LawBook::Law LawBook::add(TableStore::Table table, const TableName& name) {
  tables_.push_back(std::move(table));
  names_.push_back(name);
  return static_cast<Law>(tables_.size() - 1);
}

LawBook::Law LawBook::add(QuantileTable table, const TableName& name) {
  return add(std::make_shared<const QuantileTable>(std::move(table)), name);
}

LawBook::Law LawBook::of(const Distribution& d) {
  QuantileTable table = tabulate(d);
  const TableName name(table);
  return add(std::move(table), name);
}

LawBook::Law LawBook::of(const Operator& op) {
  if (op.scale_s == 0) return zero();
  const auto [entry, is_new] = operators_.try_emplace({op.shape, op.scale_s}, none);
  if (is_new) {
    auto& shape = shapes_[op.shape];
    if (!shape) {
      QuantileTable table = tabulate(workload_->shapes[op.shape]);
      const TableName name(table);
      shape = Shape{std::move(table), name};
    }
    entry->second =
        add(shape->table.scaled(op.scale_s), TableName("scaled").add(shape->name).add(op.scale_s));
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
    TableName name("sum");
    for (const auto& [law, count] : counted) name.add(names_[law]).add(count);
    auto table = store_->get(name, [&] {
      std::vector<Addend> parts;
      for (const auto& [law, count] : counted) parts.push_back({tables_[law].get(), count});
      return sum_of(parts);
    });
    if (table) entry->second = add(std::move(table), name);
  }
  return entry->second;
}

LawBook::Law LawBook::maximum(Law law, std::int64_t n) {
  if (n == 1 || table(law).is_constant()) return law;
  const auto [entry, is_new] = maxima_.try_emplace({law, n}, none);
  if (is_new) {
    const auto count = static_cast<std::uint64_t>(n);
    const TableName name = TableName("maximum").add(names_[law]).add(count);
    entry->second = add(store_->get(name, [&] { return maximum_of(table(law), count); }), name);
  }
  return entry->second;
}

LawBook::Law LawBook::largest_of(const std::vector<std::pair<Law, std::int64_t>>& parts) {
  if (parts.size() == 1) return maximum(parts[0].first, parts[0].second);
  std::vector<QuantileTable> tables;
  TableName name("largest of");
  for (const auto& [law, n] : parts) {
    const Law one = maximum(law, n);
    tables.push_back(table(one));
    name.add(names_[one]);
  }
  return add(store_->get(name, [&] { return maximum_of(tables); }), name);
}

LawBook::Law LawBook::constant(double seconds) {
  const auto [entry, is_new] = constants_.try_emplace(seconds, none);
  if (is_new)
    entry->second = add(QuantileTable([=](Mass) { return seconds; }), TableName("constant").add(seconds));
  return entry->second;
}

LawBook::Law LawBook::at_least(Law law, double seconds) {
  if (table(law).lowest() >= seconds) return law;
  const auto [entry, is_new] = raised_.try_emplace({law, seconds}, none);
  if (!is_new) return entry->second;
  const auto raised = [&](std::span<const double> knots) {
    std::vector<double> values(knots.begin(), knots.end());
    for (double& x : values) x = std::max(x, seconds);
    return values;
  };
  return entry->second =
             add(QuantileTable(raised(table(law).lower_knots()), raised(table(law).upper_knots())),
                 TableName("at least").add(names_[law]).add(seconds));
}

LawBook::Law LawBook::beyond(Law law, double seconds) {
  const QuantileTable& t = table(law);
  if (t.quantile(Mass::above(1e-9)) <= seconds) return zero();
  return at_least(moved(law, t.mean() - seconds, t.sd()), 0);
}

LawBook::Law LawBook::at_quantile_or_above(Law law, double lower_mass) {
  return lower_mass > 0 ? at_least(law, table(law).quantile(Mass::below(lower_mass))) : law;
}

LawBook::Law LawBook::moved(Law law, double mean, double sd) {
  const QuantileTable& shape = table(law);
  if (shape.is_constant()) return constant(mean);
  const auto [entry, is_new] = moved_.try_emplace({law, mean, sd}, none);
  if (is_new)
    entry->second = add(shape.with_moments(mean, sd), TableName("moved").add(names_[law]).add(mean).add(sd));
  return entry->second;
}

double LawBook::number(const TableName& name, const std::function<double()>& find) const {
  const auto constant = store_->get(name, [&] {
    const double found = find();
    return QuantileTable([=](Mass) { return found; });
  });
  return constant->median();
}

LawBook::Law LawBook::power_mean(Law law, std::int64_t n, double exponent) {
  const auto count = static_cast<std::uint64_t>(n);
  const TableName name = TableName("power mean").add(names_[law]).add(count).add(exponent);
  return add(store_->get(name, [&] { return power_mean_of(table(law), count, exponent); }), name);
}

LawBook::Law LawBook::felt(Law separate, Law follows, std::int64_t n) {
  const auto [entry, is_new] = felt_.try_emplace({separate, follows, n}, none);
  if (is_new) entry->second = felt({{separate, follows, n}});
  return entry->second;
}

LawBook::Law LawBook::felt(const std::vector<RanksApart>& parts) {
  const RanksApart& usual = parts.back();
  const bool alike = parts.size() == 1;
  if (alike && (usual.ranks == 1 || table(usual.separate).is_constant())) return usual.separate;
  std::vector<std::pair<Law, std::int64_t>> alone, after, together;
  for (const RanksApart& part : parts) alone.emplace_back(part.separate, part.ranks);
  for (const RanksApart& part : parts) {
    if (part.follows == none || (alike && table(part.follows).is_constant())) return largest_of(alone);
    after.emplace_back(part.follows, part.ranks);
    together.emplace_back(sum({part.separate, part.follows}), part.ranks);
    if (together.back().first == none) return largest_of(alone);
  }
  const QuantileTable& late = table(largest_of(together));
  const QuantileTable& base = table(largest_of(after));
  const double mean = late.mean() - base.mean();
  const double variance = late.sd() * late.sd() - base.sd() * base.sd();
  const double least = 1e-6 * table(usual.separate).sd();
  return moved(usual.separate, mean, variance > least * least ? std::sqrt(variance) : least);
}

}  // namespace prism
