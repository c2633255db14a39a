// SPDX-License-Identifier: Apache-2.0
#include "simulation/held.h"

#include <algorithm>

namespace prism {

Held::Held(const Workload& workload, const Places& places) : workload_(&workload) {
  for (const WhatIf& w : workload.what_if) {
    if (w.change != WhatIf::Change::operator_quantile) continue;
    for (const GroupRanks& here : ranks_of_unit(places, w)) {
      HeldRanks& mass =
          groups_.try_emplace(here.group, static_cast<std::size_t>(places.ranks), 0.0).first->second;
      for (std::int32_t t : here.ranks)
        mass[static_cast<std::size_t>(t)] = std::max(mass[static_cast<std::size_t>(t)], w.value);
    }
  }
}

double Held::seconds(const Operator& op, double lower_mass) {
  const auto lasts_at_gpu = [&](const Factor& f) {
    return (f.scope == Factor::Scope::gpu || f.scope == Factor::Scope::node) &&
           varies_by(f.what, *workload_, op.kind, false);
  };
  std::uint64_t acting = 0;
  for (std::size_t i = 0; i < workload_->causes.size(); ++i)
    if (lasts_at_gpu(workload_->causes[i])) acting |= std::uint64_t{1} << i;
  const auto [entry, is_new] = quantiles_.try_emplace({op.shape, acting, lower_mass}, 0);
  if (is_new) {
    Distribution together = workload_->shapes[static_cast<std::size_t>(op.shape)];
    for (std::size_t i = 0; i < workload_->causes.size(); ++i)
      if (acting >> i & 1) together = product_of(together, workload_->causes[i].factor);
    entry->second = together.quantile(Mass::below(lower_mass));
  }
  return op.scale_s * entry->second;
}

double Held::multiplier(const WhatIf& what_if, const Places& places) {
  double held = 0, median = 0;
  const auto add = [&](const std::vector<Segment>& segments, double times) {
    for (const Segment& s : segments)
      for (const Operator& op : s.compute) {
        held += times * seconds(op, what_if.value);
        median += times * op.scale_s * workload_->shape_medians[static_cast<std::size_t>(op.shape)];
      }
  };
  const auto micro_batches = static_cast<double>(workload_->micro_batches);
  for (const GroupRanks& here : ranks_of_unit(places, what_if)) {
    const auto rank = static_cast<std::size_t>(here.group % places.pipeline);
    const auto count = static_cast<double>(here.ranks.size());
    for (std::size_t s = rank; s < workload_->stages.size(); s += static_cast<std::size_t>(places.pipeline))
      for (const auto* pass :
           {&workload_->stages[s].forward, &workload_->stages[s].backward, &workload_->stages[s].weight})
        add(*pass, count * micro_batches);
    add(workload_->end.rank[rank], count);
  }
  return median > 0 ? held / median : 1;
}

double largest_mass(const HeldRanks* ranks) {
  return ranks ? *std::max_element(ranks->begin(), ranks->end()) : 0;
}

std::int64_t count_held(const HeldRanks* ranks) {
  return ranks ? std::count_if(ranks->begin(), ranks->end(), [](double mass) { return mass > 0; }) : 0;
}

}  // namespace prism
