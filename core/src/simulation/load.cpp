// SPDX-License-Identifier: Apache-2.0
// Who each lane is, and what shared causes make of it.
#include <algorithm>

#include "simulation/lanes.h"

namespace prism {

std::uint64_t replica_name(std::int64_t replica) {
  static const std::uint64_t family = stream_key("replica");
  return stream_key(family, static_cast<std::uint64_t>(replica));
}

std::uint64_t replica_key(std::uint64_t seed, std::int64_t trial, std::int64_t replica) {
  return stream_state(seed, static_cast<std::uint64_t>(trial), replica_name(replica));
}

namespace {

/// Multipliers of every mix at every rank, by lane.
void load_places(const Compiled& c, const SharedDraws& shared, std::span<const Pair> pair, Lanes& lanes) {
  const std::int64_t pp = c.workload.pp;
  // By slot, rank and line.
  std::vector<float> row(static_cast<std::size_t>(pp * c.lines) * lane_count);
  std::fill(lanes.mix.begin(), lanes.mix.end(), 0.0f);
  for (std::size_t s = 0; s < c.causes.slots.size(); ++s) {
    const auto slot = static_cast<Causes::Slot>(s);
    for (std::int64_t r = 0; r < pp; ++r)
      for (std::int64_t l = 0; l < c.lines; ++l) {
        float* to = &row[static_cast<std::size_t>(r * c.lines + l) * lane_count];
        for (std::size_t k = 0; k < lane_count; ++k)
          to[k] = shared.at(slot, c.causes.places.group(pair[k].replica, r), l)[pair[k].step];
      }
    for (std::size_t m = 1; m < c.causes.mixes.size(); ++m)
      for (const auto& [acting, share] : c.causes.mixes[m]) {
        if (acting != slot) continue;
        float* to = &lanes.mix[m * row.size()];
        for (std::size_t i = 0; i < row.size(); ++i) to[i] += share * row[i];
      }
  }
}

/// A transfer takes the larger factor of its two ends.
void load_transfers(const Compiled& c, Lanes& lanes) {
  const auto pp = static_cast<std::size_t>(c.workload.pp), lines = static_cast<std::size_t>(c.lines);
  const auto at = [&](Causes::Mix mix, std::size_t rank) {
    return &lanes.mix[((static_cast<std::size_t>(mix) * pp + rank) * lines) * lane_count];
  };
  if (c.hop_mix != 0)
    for (std::size_t r = 0; r < pp; ++r)
      for (std::size_t backward = 0; backward < 2; ++backward) {
        float* to = &lanes.hop[(2 * r + backward) * lane_count];
        std::copy_n(at(c.hop_mix, r), lane_count, to);
        raise_float_row(to, at(c.hop_mix, (backward ? r + pp - 1 : r + 1) % pp));
      }
  if (c.embedding_exchange && c.usual.embedding.mix != 0) {
    std::copy_n(at(c.usual.embedding.mix, 0), lane_count, lanes.embedding.data());
    raise_float_row(lanes.embedding.data(), at(c.usual.embedding.mix, pp - 1));
  }
}

/// What changes from micro-batch to micro-batch of a replica. `keys`: of the replicas taken together, a row
/// each.
void load_micro_batches(const Compiled& c, const std::vector<std::uint64_t>& keys, Lanes& lanes) {
  const auto m = static_cast<std::size_t>(c.workload.micro_batches);
  const std::size_t replicas = keys.size() / lane_count;
  const auto& causes = c.causes;
  std::vector<std::vector<float>> of_slot(causes.slots.size());
  for (auto& rows : of_slot) rows.assign(m * lane_count, 1.0f);
  for (std::size_t i = 0; i < causes.causes.size(); ++i) {
    if (causes.causes[i].scope != Factor::Scope::micro_batch) continue;
    std::vector<pcg32_oneseq> generator(keys.size());
    std::vector<float> each(keys.size());
    std::vector<const float*> rows;
    for (std::size_t d = 0; d < replicas; ++d) {
      seed_row(&generator[d * lane_count], &keys[d * lane_count], causes.causes[i].key);
      rows.push_back(&each[d * lane_count]);
    }
    float draw[lane_count];
    for (std::size_t b = 0; b < m; ++b) {
      for (std::size_t d = 0; d < replicas; ++d)
        draw_row(&generator[d * lane_count], c.bucket(causes.causes[i].law[Causes::until_collective]),
                 &each[d * lane_count]);
      causes.join(rows, causes.causes[i].of_class == Class::compute, Causes::until_collective, draw);
      for (std::size_t s = 0; s < causes.slots.size(); ++s)
        for (std::int32_t cause : causes.slots[s].causes)
          if (static_cast<std::size_t>(cause) == i) scale_row(&of_slot[s][b * lane_count], draw);
    }
  }
  std::fill(lanes.micro.begin(), lanes.micro.end(), 0.0f);
  for (std::size_t mix = 1; mix < causes.mixes.size(); ++mix)
    for (const auto& [slot, share] : causes.mixes[mix])
      for (std::size_t i = 0; i < m * lane_count; ++i)
        lanes.micro[mix * m * lane_count + i] += share * of_slot[static_cast<std::size_t>(slot)][i];
}

}  // namespace

std::vector<std::span<const Pair>> batches(const Compiled& c, std::vector<Pair>& pairs) {
  if (!c.held.empty())
    std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) {
      return c.held_index(a.replica) < c.held_index(b.replica);
    });
  std::vector<std::span<const Pair>> list;
  for (std::size_t from = 0; from < pairs.size(); from += list.back().size()) {
    std::size_t to = from;
    while (to < std::min(pairs.size(), from + lane_count) &&
           c.held_index(pairs[to].replica) == c.held_index(pairs[from].replica))
      ++to;
    list.push_back(std::span(pairs).subspan(from, to - from));
  }
  return list;
}

void load(const Compiled& c, const SharedDraws& shared, const Stalls* stalls, std::uint64_t seed,
          std::span<const Step> steps, std::span<const Pair> pairs, Lanes& lanes) {
  Pair pair[lane_count];
  const auto key_of = [&](std::size_t k, std::int64_t replica) {
    return replica_key(seed, steps[static_cast<std::size_t>(pair[k].step)].trial, replica);
  };
  for (std::size_t k = 0; k < lane_count; ++k) {
    pair[k] = pairs[std::min(k, pairs.size() - 1)];
    lanes.key[k] = key_of(k, pair[k].replica);
  }
  if (c.causes.any()) {
    load_places(c, shared, pair, lanes);
    load_transfers(c, lanes);
    if (!lanes.micro.empty()) {
      const std::int64_t together = c.workload.folded;
      std::vector<std::uint64_t> keys;
      for (std::int64_t d = 0; d < together; ++d)
        for (std::size_t k = 0; k < lane_count; ++k)
          keys.push_back(key_of(k, pair[k].replica * together + d));
      load_micro_batches(c, keys, lanes);
    }
  }
  for (std::size_t row = 0; row * lane_count < lanes.tail.size(); ++row) {
    const auto lines = static_cast<std::size_t>(c.lines);
    const double* tail = shared.tail(row / lines, row % lines);
    for (std::size_t k = 0; k < lane_count; ++k) lanes.tail[row * lane_count + k] = tail[pair[k].step];
  }
  lanes.replica = &c.usual;
  lanes.strikes.clear();
  if (!stalls) return;
  for (std::size_t k = 0; k < std::min(pairs.size(), lane_count); ++k)
    stalls->append(lanes.key[k], static_cast<std::uint8_t>(k), lanes.strikes);
  // Equal places of one lane keep their order: sums of two delays do not depend on it.
  std::stable_sort(lanes.strikes.begin(), lanes.strikes.end(),
                   [](const Strike& a, const Strike& b) { return a.place < b.place; });
}

}  // namespace prism
