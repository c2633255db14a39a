// SPDX-License-Identifier: Apache-2.0
#include "simulation/causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "simulation/power_mean.h"
#include "simulation/rows.h"

namespace prism {

namespace {

Class class_acted_on(std::string_view what) {
  for (int k = 0; k < kind_count; ++k)
    if (what == kind_name(static_cast<Kind>(k))) return class_of(static_cast<Kind>(k));
  return what == "compute" ? Class::compute : Class::communication;
}

bool lasts_at_place(Factor::Scope scope) {
  return scope == Factor::Scope::gpu || scope == Factor::Scope::node || scope == Factor::Scope::replica;
}

/// Whether ranks of one group draw it apart. Of replicas taken together each has its own.
bool differs_in_group(const Causes::Cause& c, bool folded) {
  const bool of_replica = c.scope == Factor::Scope::replica || c.scope == Factor::Scope::micro_batch;
  return c.scope == Factor::Scope::gpu || (folded && of_replica);
}

bool lasts_at_gpu(const Causes::Cause& c) {
  return c.of_class == Class::compute && (c.scope == Factor::Scope::gpu || c.scope == Factor::Scope::node);
}

}  // namespace

Causes::Causes(const Workload& workload) : places(workload), held(workload, places), workload_(&workload) {
  static const std::uint64_t family = stream_key("cause");
  for (const Factor& f : workload.causes)
    causes.push_back({f.scope, f.period, class_acted_on(f.what), stream_key(family, stream_key(f.key))});
  slots.emplace_back();
  slot_sets_.emplace_back(0, 0, until_collective, false);
  mixes.emplace_back();
}

Causes::Slot Causes::slot_of(Kind kind, bool leaves_node, Apart apart) {
  return slot_of(kind, leaves_node, apart, false);
}
Causes::Slot Causes::slot_of_held(Kind kind) { return slot_of(kind, false, until_collective, true); }

Causes::Slot Causes::slot_of(Kind kind, bool leaves_node, Apart apart, bool is_held) {
  std::uint64_t acting = 0, changing = 0;
  for (std::size_t i = 0; i < workload_->causes.size(); ++i)
    if (varies_by(workload_->causes[i].what, *workload_, kind, leaves_node) &&
        !(is_held && lasts_at_gpu(causes[i])))
      acting |= std::uint64_t{1} << i;
  for (std::size_t i = 0; i < workload_->what_if.size(); ++i)
    if (workload_->what_if[i].change != WhatIf::Change::operator_quantile &&
        acts_on(workload_->what_if[i].what, kind, leaves_node))
      changing |= std::uint64_t{1} << i;
  if (acting == 0 && changing == 0) return 0;
  const std::tuple set(acting, changing, apart, is_held);
  const auto found = std::find(slot_sets_.begin(), slot_sets_.end(), set);
  if (found != slot_sets_.end()) return static_cast<Slot>(found - slot_sets_.begin());
  slot_sets_.push_back(set);
  SlotCauses slot;
  slot.of_class = class_of(kind);
  slot.apart = apart;
  slot.held = is_held;
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
  const bool folded = workload_->folded > 1;
  const bool needs_exponent =
      ranks_a_line > 1 &&
      (!workload_->what_if.empty() || std::any_of(causes.begin(), causes.end(), [&](const Cause& c) {
        return lasts_at_gpu(c) || (c.of_class == Class::compute && differs_in_group(c, folded));
      }));
  if (needs_exponent) {
    // Sampled with all that lasts on a rank: one log-normal of the same spread.
    double variance = 0;
    for (std::size_t i = 0; i < causes.size(); ++i)
      if (causes[i].of_class == Class::compute && differs_in_group(causes[i], folded)) {
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
    const auto of_ranks = [&](std::int64_t ranks) {
      Cause::Laws law;
      law.fill(one);
      for (std::size_t apart = 0; apart < law.size(); ++apart)
        if (ranks > 1 && (apart == until_collective || !legs[apart].empty()))
          law[apart] = book.power_mean(one, ranks, exponent[apart]);
      return law;
    };
    cause.law.fill(one);
    if (cause.scope != Factor::Scope::gpu) continue;
    if (cause.of_class == Class::communication) {
      cause.law.fill(book.maximum(one, places.ranks));
      continue;
    }
    cause.law = of_ranks(ranks_a_line);
    if (lines > 1) continue;
    for (const auto& group : held.groups()) {
      const std::int64_t drawn = places.ranks - count_held(&group.second);
      if (drawn > 0 && !cause.some.contains(drawn)) cause.some[drawn] = of_ranks(drawn);
    }
  }

  // What-ifs, in the user's order.
  for (std::size_t i = 0; i < workload_->what_if.size(); ++i) {
    const WhatIf& w = workload_->what_if[i];
    if (w.change == WhatIf::Change::operator_quantile) {
      what_if_multiplier.push_back(held.multiplier(w, places));
      continue;
    }
    double factor = w.value;
    if (w.change != WhatIf::Change::factor) {
      std::optional<Distribution> lasting;
      for (std::size_t k = 0; k < causes.size(); ++k) {
        if (!lasts_at_gpu(causes[k])) continue;
        const Distribution& f = workload_->causes[k].factor;
        lasting = lasting ? product_of(*lasting, f) : f;
      }
      factor = lasting ? lasting->quantile(Mass::below(w.value)) : 1;
    }
    what_if_multiplier.push_back(factor);
    for (GroupRanks& here : ranks_of_unit(places, w)) {
      Change change{here.group, std::move(here.ranks), factor, w.change != WhatIf::Change::factor};
      const auto index = static_cast<std::int32_t>(changes.size());
      for (std::size_t s = 0; s < slots.size(); ++s)
        if ((std::get<1>(slot_sets_[s]) >> i & 1) && !(slots[s].held && change.fixes_lasting)) {
          slots[s].changes.push_back(index);
          slots[s].wide = true;
        }
      changes.push_back(std::move(change));
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
  for (const auto& group : held.groups()) list.push_back(group.first / places.pipeline);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

double Causes::group_factor(const std::vector<double>& factors, Apart apart) const {
  const auto [least, largest] = std::minmax_element(factors.begin(), factors.end());
  if (*least == *largest) return *largest;
  const double k = exponent[apart];
  // Relative to the largest, so that powers stay finite.
  double mean = 0;
  for (double f : factors) mean += pow_exact(f / *largest, k) / static_cast<double>(factors.size());
  return *largest * pow_exact(mean, 1 / k);
}

void Causes::join(const std::vector<const float*>& rows, bool compute, Apart apart, float* out) const {
  std::copy_n(rows[0], lane_count, out);
  if (rows.size() == 1) return;
  for (const float* row : rows) raise_float_row(out, row);
  if (!compute) return;
  const double k = exponent[apart];
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    const auto largest = static_cast<double>(out[lane]);
    double mean = 0;
    for (const float* row : rows)
      mean += pow_exact(static_cast<double>(row[lane]) / largest, k) / static_cast<double>(rows.size());
    out[lane] = static_cast<float>(largest * pow_exact(mean, 1 / k));
  }
}

}  // namespace prism
