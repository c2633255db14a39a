// SPDX-License-Identifier: Apache-2.0
#include "simulation/causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <pcg_random.hpp>

#include "simulation/power_mean.h"

namespace prism {

Places::Places(const Workload& w)
    : ranks(w.tp), pipeline(w.pp), replicas(w.dp), gpus_per_node_(w.gpus_per_node) {
  const bool data_first = w.rank_order == RankOrder::tp_cp_dp_pp;
  stride_of_replica_ = data_first ? ranks : ranks * pipeline;
  stride_of_rank_ = data_first ? ranks * replicas : ranks;
  std::map<std::int64_t, std::int32_t> number;
  std::vector<std::vector<std::int32_t>> list;
  for (std::int64_t d = 0; d < replicas; ++d)
    for (std::int64_t r = 0; r < pipeline; ++r) {
      const std::int64_t first = node_of_rank(d, r, 0), last = node_of_rank(d, r, ranks - 1);
      list.emplace_back();
      for (std::int64_t node = first; node <= last; ++node)
        list.back().push_back(
            number.try_emplace(node, static_cast<std::int32_t>(number.size())).first->second);
      nodes_a_group = std::max(nodes_a_group, last - first + 1);
    }
  nodes = static_cast<std::int64_t>(number.size());
  for (auto& nodes_of_one : list) {
    nodes_of_one.resize(static_cast<std::size_t>(nodes_a_group), nodes_of_one.back());
    node_of_group.insert(node_of_group.end(), nodes_of_one.begin(), nodes_of_one.end());
  }
}

std::int64_t Places::node_of_rank(std::int64_t replica, std::int64_t rank, std::int64_t in_group) const {
  return (replica * stride_of_replica_ + rank * stride_of_rank_ + in_group) / gpus_per_node_;
}

namespace {

Class class_acted_on(std::string_view what) {
  for (int k = 0; k < kind_count; ++k)
    if (what == kind_name(static_cast<Kind>(k))) return class_of(static_cast<Kind>(k));
  return what == "compute" ? Class::compute : Class::communication;
}

bool lasts_at_place(Factor::Scope scope) {
  return scope == Factor::Scope::gpu || scope == Factor::Scope::node || scope == Factor::Scope::replica;
}

/// The ranks of the unit that holds the rank of a what-if, group by group.
std::vector<Causes::Change> ranks_of_unit(const Places& places, const WhatIf& w) {
  std::vector<Causes::Change> changes;
  if (w.unit == WhatIf::Unit::gpu) {
    changes.push_back({places.group(w.dp, w.pp), {static_cast<std::int32_t>(w.tp)}});
    return changes;
  }
  const std::int64_t node = places.node_of_rank(w.dp, w.pp, w.tp);
  for (std::int64_t d = 0; d < places.replicas; ++d)
    for (std::int64_t r = 0; r < places.pipeline; ++r) {
      if (places.node_of_rank(d, r, 0) > node || places.node_of_rank(d, r, places.ranks - 1) < node) continue;
      Causes::Change change{places.group(d, r), {}};
      for (std::int64_t t = 0; t < places.ranks; ++t)
        if (places.node_of_rank(d, r, t) == node) change.ranks.push_back(static_cast<std::int32_t>(t));
      changes.push_back(std::move(change));
    }
  return changes;
}

}  // namespace

Causes::Causes(const Workload& workload) : places(workload), workload_(&workload) {
  static const std::uint64_t family = stream_key("cause");
  for (const Factor& f : workload.causes)
    causes.push_back({f.scope, f.period, class_acted_on(f.what), stream_key(family, stream_key(f.key))});
  slots.emplace_back();
  slot_sets_.emplace_back(0, 0, until_collective);
  mixes.emplace_back();
}

Causes::Slot Causes::slot_of(Kind kind, bool leaves_node, Apart apart) {
  std::uint64_t acting = 0, changing = 0;
  for (std::size_t i = 0; i < workload_->causes.size(); ++i)
    if (varies_by(workload_->causes[i].what, *workload_, kind, leaves_node)) acting |= std::uint64_t{1} << i;
  for (std::size_t i = 0; i < workload_->what_if.size(); ++i)
    if (acts_on(workload_->what_if[i].what, kind, leaves_node)) changing |= std::uint64_t{1} << i;
  if (acting == 0 && changing == 0) return 0;
  const std::tuple set(acting, changing, apart);
  const auto found = std::find(slot_sets_.begin(), slot_sets_.end(), set);
  if (found != slot_sets_.end()) return static_cast<Slot>(found - slot_sets_.begin());
  slot_sets_.push_back(set);
  SlotCauses slot;
  slot.of_class = class_of(kind);
  slot.apart = apart;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (!(acting >> i & 1)) continue;
    slot.causes.push_back(static_cast<std::int32_t>(i));
    slot.wide |= lasts_at_place(causes[i].scope);
    slot.micro_batch |= causes[i].scope == Factor::Scope::micro_batch;
  }
  slots.push_back(std::move(slot));
  return static_cast<Slot>(slots.size()) - 1;
}

Causes::Mix Causes::mix(const std::vector<std::pair<Slot, double>>& shares) {
  std::map<Slot, double> together;
  double sum = 0;
  for (const auto& [slot, share] : shares) {
    together[slot] += share;
    sum += share;
  }
  std::vector<std::pair<Slot, float>> mix;
  if (sum > 0)
    for (const auto& [slot, share] : together)
      if (share > 0) mix.emplace_back(slot, static_cast<float>(share / sum));
  if (mix.empty() || (mix.size() == 1 && mix[0].first == 0)) return 0;
  const auto found = std::find(mixes.begin(), mixes.end(), mix);
  if (found != mixes.end()) return static_cast<Mix>(found - mixes.begin());
  mixes.push_back(std::move(mix));
  return static_cast<Mix>(mixes.size()) - 1;
}

void Causes::prepare(LawBook& book, std::int64_t line_count, const Legs& legs) {
  lines = line_count;
  const std::int64_t ranks_a_line = places.ranks / lines;
  const bool needs_exponent =
      ranks_a_line > 1 &&
      (!workload_->what_if.empty() || std::any_of(causes.begin(), causes.end(), [](const Cause& c) {
        return c.of_class == Class::compute &&
               (c.scope == Factor::Scope::gpu || c.scope == Factor::Scope::node);
      }));
  if (needs_exponent) {
    // Sampled with all that lasts on a rank: one log-normal of the same spread.
    double variance = 0;
    for (std::size_t i = 0; i < causes.size(); ++i)
      if (causes[i].of_class == Class::compute && causes[i].scope == Factor::Scope::gpu) {
        const Distribution& f = workload_->causes[i].factor;
        variance += f.sd() * f.sd() / (f.mean() * f.mean());
      }
    uses_exponent = true;
    lasting_cv = std::sqrt(variance);
    double weight = 0;
    for (const auto& [law, seconds] : legs[until_collective]) {
      fresh_cv += seconds * book.table(law).sd() / std::max(book.table(law).mean(), 1e-300);
      weight += seconds;
    }
    if (weight > 0) fresh_cv /= weight;
    for (int apart = 0; apart < apart_count; ++apart)
      exponent[apart] =
          fitted_exponent(book, {legs[apart].begin(), legs[apart].end()}, ranks_a_line, lasting_cv);
  }
  for (std::size_t i = 0; i < causes.size(); ++i) {
    Cause& cause = causes[i];
    const LawBook::Law one = book.of(workload_->causes[i].factor);
    for (int apart = 0; apart < apart_count; ++apart) {
      cause.law[apart] = one;
      if (cause.scope != Factor::Scope::gpu) continue;
      if (cause.of_class == Class::communication)
        cause.law[apart] = book.maximum(one, places.ranks);
      else if (ranks_a_line > 1 && (apart == until_collective || !legs[apart].empty()))
        cause.law[apart] = book.power_mean(one, ranks_a_line, exponent[apart]);
    }
  }

  // What-ifs, in the user's order.
  for (std::size_t i = 0; i < workload_->what_if.size(); ++i) {
    const WhatIf& w = workload_->what_if[i];
    double factor = w.value;
    if (w.change != WhatIf::Change::factor) {
      std::optional<Distribution> lasting;
      for (std::size_t k = 0; k < causes.size(); ++k) {
        if (causes[k].of_class != Class::compute ||
            (causes[k].scope != Factor::Scope::gpu && causes[k].scope != Factor::Scope::node))
          continue;
        const Distribution& f = workload_->causes[k].factor;
        lasting = lasting ? product_of(*lasting, f) : f;
      }
      factor = lasting ? lasting->quantile(Mass::below(w.value)) : 1;
    }
    what_if_multiplier.push_back(factor);
    for (Change change : ranks_of_unit(places, w)) {
      change.factor = factor;
      change.fixes_lasting = w.change != WhatIf::Change::factor;
      const auto index = static_cast<std::int32_t>(changes.size());
      changes.push_back(std::move(change));
      for (std::size_t s = 0; s < slots.size(); ++s)
        if (std::get<1>(slot_sets_[s]) >> i & 1) {
          slots[s].changes.push_back(index);
          slots[s].wide = true;
        }
    }
  }
}

bool Causes::outside_measured_range() const {
  if (!uses_exponent || lasting_cv == 0 || fresh_cv == 0) return false;
  const double ratio = lasting_cv / fresh_cv;
  const std::int64_t ranks_a_line = places.ranks / lines;
  return (ranks_a_line >= 64 && ratio > 1) || (fresh_cv >= 0.2 && ratio > 0.5);
}

bool Causes::wide() const {
  return std::any_of(slots.begin(), slots.end(), [](const SlotCauses& s) { return s.wide; });
}

bool Causes::micro_batch() const {
  return std::any_of(slots.begin(), slots.end(), [](const SlotCauses& s) { return s.micro_batch; });
}

std::vector<std::int64_t> Causes::changed_replicas() const {
  std::vector<std::int64_t> list;
  for (const Change& c : changes) list.push_back(c.group / places.pipeline);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

double Causes::group_factor(double factor, std::int64_t slowed, std::int64_t of, Apart apart) const {
  if (slowed == of) return factor;
  const double k = exponent[apart];
  const double share = static_cast<double>(slowed) / static_cast<double>(of);
  // Relative to the larger one, so that powers stay finite.
  const double largest = std::max(1.0, factor);
  return largest *
         pow_exact((1 - share) * pow_exact(1 / largest, k) + share * pow_exact(factor / largest, k), 1 / k);
}

}  // namespace prism
