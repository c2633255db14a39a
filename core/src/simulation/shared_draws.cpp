// SPDX-License-Identifier: Apache-2.0
#include "simulation/shared_draws.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace prism {
std::uint64_t shared_key(std::uint64_t seed, std::int64_t step_or_run, Factor::Period period) {
  static const std::uint64_t of_step = stream_key("shared by a step"), of_run = stream_key("shared by a run");
  return stream_state(seed, static_cast<std::uint64_t>(step_or_run),
                      period == Factor::Period::run ? of_run : of_step);
}

SharedDraws::Buffer SharedDraws::buffer(std::int64_t rows) {
  return Buffer(new float[static_cast<std::size_t>(rows) * lane_count]);
}

SharedDraws::SharedDraws(const Compiled& c, const Stalls& stalls)
    : c_(c),
      stalls_(stalls),
      tails_(c.reductions.size() * static_cast<std::size_t>(c.lines) * lane_count),
      wide_slots_of_(c.causes.causes.size()) {
  const Places& places = c.causes.places;
  for (std::size_t s = 0; s < c.causes.slots.size(); ++s) {
    const Causes::SlotCauses& slot = c.causes.slots[s];
    Rows rows;
    rows.wide = slot.wide;
    if (slot.wide && slot.of_class == Class::compute) rows.lines = c.causes.lines;
    if (slot.wide) {
      rows.count = places.groups() * rows.lines;
      rows.worst.resize(static_cast<std::size_t>(places.pipeline) * lane_count);
    }
    rows.value = buffer(rows.count);
    if (!slot.wide) std::fill_n(&rows.value[0], lane_count, 1.0f);
    rows_.push_back(std::move(rows));
    if (slot.wide)
      for (std::int32_t cause : slot.causes)
        wide_slots_of_[cause][slot.apart].push_back(static_cast<std::int32_t>(s));
  }
  if (c.causes.wide()) fixed_.assign(static_cast<std::size_t>(places.groups() * c.causes.lines), 0);
  const std::int64_t ranks_a_line = places.ranks / c.causes.lines;
  for (const Causes::Change& change : c.causes.changes) {
    if (!change.fixes_lasting) continue;
    for (std::int64_t line = 0; line < c.causes.lines; ++line) {
      const auto there = std::count_if(change.ranks.begin(), change.ranks.end(),
                                       [&](std::int32_t t) { return t / ranks_a_line == line; });
      if (there == ranks_a_line) fixed_[static_cast<std::size_t>(change.group * c.causes.lines + line)] = 1;
    }
  }
  if (!fixed_.empty())
    for (const auto& [group, mass] : c.causes.held.groups())
      for (std::int64_t line = 0; line < c.causes.lines; ++line) {
        const auto first = mass.begin() + line * ranks_a_line;
        if (std::find(first, first + ranks_a_line, 0.0) == first + ranks_a_line)
          fixed_[static_cast<std::size_t>(group * c.causes.lines + line)] = 1;
      }
  find_changes();
  nodes_ = buffer(places.nodes);
}

void SharedDraws::multiply(const std::vector<std::int32_t>& slots, std::int64_t group, std::int64_t line,
                           const float* by) {
  for (std::int32_t s : slots) {
    Rows& rows = rows_[static_cast<std::size_t>(s)];
    if (rows.lines == 1 && line > 0) continue;
    scale_row(&rows.value[static_cast<std::size_t>(group * rows.lines + line) * lane_count], by);
  }
}

void SharedDraws::multiply_all(const SlotLists& slots, std::int64_t group, std::int64_t line,
                               const float* by) {
  for (const auto& list : slots) multiply(list, group, line, by);
}

void SharedDraws::draw_cause(std::size_t i) {
  const Causes::Cause& cause = c_.causes.causes[i];
  const Places& places = c_.causes.places;
  const SlotLists& slots = wide_slots_of_[i];
  pcg32_oneseq generator[lane_count];
  seed_row(generator, cause.period == Factor::Period::run ? run_key_ : step_key_, cause.key);
  const SampleTable::Bucket* bucket = c_.bucket(cause.law[Causes::until_collective]);
  float draw[lane_count];
  const bool compute = cause.of_class == Class::compute;
  switch (cause.scope) {
    case Factor::Scope::replica:
      for (std::int64_t d = 0; d < places.replicas; ++d) {
        // Of replicas taken together each has its own.
        std::vector<float> each(static_cast<std::size_t>(c_.workload.folded) * lane_count);
        std::vector<const float*> rows;
        for (std::size_t at = 0; at < each.size(); at += lane_count) {
          draw_row(generator, bucket, &each[at]);
          rows.push_back(&each[at]);
        }
        for (const auto apart : {Causes::until_collective, Causes::weights}) {
          if (slots[apart].empty()) continue;
          c_.causes.join(rows, compute, apart, draw);
          for (std::int64_t r = 0; r < places.pipeline; ++r)
            for (std::int64_t l = 0; l < (compute ? c_.causes.lines : 1); ++l)
              multiply(slots[apart], places.group(d, r), l, draw);
        }
      }
      break;
    case Factor::Scope::gpu:
      for (std::int64_t group = 0; group < places.groups(); ++group)
        for (std::int64_t l = 0; l < (compute ? c_.causes.lines : 1); ++l) {
          // One draw of the group's ranks; what compute of either kind feels of it differs.
          pcg32_oneseq same_word[lane_count];
          if (!slots[Causes::weights].empty()) std::copy_n(generator, lane_count, same_word);
          const HeldRanks* held = compute && c_.causes.lines == 1 ? c_.causes.held.at(group) : nullptr;
          const auto some = cause.some.find(places.ranks - count_held(held));
          const Causes::Cause::Laws& law = held && some != cause.some.end() ? some->second : cause.law;
          draw_row(generator, c_.bucket(law[Causes::until_collective]), draw);
          if (compute && fixed_[static_cast<std::size_t>(group * c_.causes.lines + l)]) continue;
          multiply(slots[Causes::until_collective], group, l, draw);
          if (slots[Causes::weights].empty()) continue;
          draw_row(same_word, c_.bucket(law[Causes::weights]), draw);
          multiply(slots[Causes::weights], group, l, draw);
        }
      break;
    case Factor::Scope::node:
      for (std::int64_t node = 0; node < places.nodes; ++node)
        draw_row(generator, bucket, &nodes_[static_cast<std::size_t>(node) * lane_count]);
      for (std::int64_t group = 0; group < places.groups(); ++group) {
        const std::int32_t* node =
            &places.node_of_group[static_cast<std::size_t>(group * places.nodes_a_group)];
        for (std::int64_t l = 0; l < (compute ? c_.causes.lines : 1); ++l) {
          if (compute && fixed_[static_cast<std::size_t>(group * c_.causes.lines + l)]) continue;
          if (compute && c_.causes.lines > 1) {
            // A line is one rank, on one node.
            const std::int64_t at = l * places.nodes_a_group / c_.causes.lines;
            multiply_all(slots, group, l, &nodes_[static_cast<std::size_t>(node[at]) * lane_count]);
            continue;
          }
          for (const auto apart : {Causes::until_collective, Causes::weights}) {
            if (slots[apart].empty()) continue;
            join_nodes(group, compute, apart, draw);
            multiply(slots[apart], group, l, draw);
          }
        }
      }
      break;
    default:
      break;
  }
}

/// What a group on several nodes takes: the largest, or for compute the power mean. Nodes whose ranks are all
/// held do not count.
void SharedDraws::join_nodes(std::int64_t group, bool compute, Causes::Apart apart, float* out) const {
  const Places& places = c_.causes.places;
  const std::int64_t count = places.nodes_a_group;
  const std::int32_t* node = &places.node_of_group[static_cast<std::size_t>(group * count)];
  const auto row = [&](std::int64_t j) { return &nodes_[static_cast<std::size_t>(node[j]) * lane_count]; };
  const HeldRanks* held = compute ? c_.causes.held.at(group) : nullptr;
  std::vector<const float*> rows;
  for (std::int64_t j = 0; j < count; ++j) {
    const auto first = static_cast<std::ptrdiff_t>(j * places.ranks / count),
               last = static_cast<std::ptrdiff_t>((j + 1) * places.ranks / count);
    if (!held || std::find(held->begin() + first, held->begin() + last, 0.0) != held->begin() + last)
      rows.push_back(row(j));
  }
  if (rows.empty()) rows.push_back(row(0));
  c_.causes.join(rows, compute, apart, out);
}

/// What the what-ifs of each group come to, line by line: constants.
void SharedDraws::find_changes() {
  const Causes& causes = c_.causes;
  const auto ranks = static_cast<std::size_t>(causes.places.ranks);
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const Causes::SlotCauses& slot = causes.slots[s];
    const std::int64_t lines = rows_[s].lines;
    std::map<std::int64_t, std::vector<double>> slowed;  // by group and rank
    for (std::int32_t index : slot.changes) {
      const Causes::Change& change = causes.changes[static_cast<std::size_t>(index)];
      std::vector<double>& factor = slowed.try_emplace(change.group, ranks, 1.0).first->second;
      for (std::int32_t t : change.ranks) factor[static_cast<std::size_t>(t)] *= change.factor;
    }
    for (const auto& [group, factor] : slowed) {
      // Ranks held at a quantile have a slot of their own.
      const HeldRanks* held = slot.of_class == Class::compute ? causes.held.at(group) : nullptr;
      for (std::int64_t line = 0; line < lines; ++line) {
        std::vector<double> of_line;
        for (std::size_t t = 0; t < ranks; ++t)
          if ((lines == 1 || static_cast<std::int64_t>(t) * lines / causes.places.ranks == line) &&
              slot.held == (held && (*held)[t] > 0))
            of_line.push_back(factor[t]);
        if (of_line.empty()) continue;
        // A collective takes the largest factor of its participants; compute of a group, the power mean.
        const double by = slot.of_class == Class::communication || slot.held
                              ? *std::max_element(of_line.begin(), of_line.end())
                              : causes.group_factor(of_line, slot.apart);
        changes_.push_back({s, static_cast<std::size_t>(group * lines + line), static_cast<float>(by)});
      }
    }
  }
}

void SharedDraws::change_places() {
  for (const Change& change : changes_) {
    float* row = &rows_[change.slot].value[change.row * lane_count];
    for (std::size_t k = 0; k < lane_count; ++k) row[k] *= change.by;
  }
}

void SharedDraws::draw(std::uint64_t seed, std::span<const Step> steps) {
  for (std::size_t k = 0; k < lane_count; ++k) {
    const Step& step = steps[std::min(k, steps.size() - 1)];
    step_key_[k] = shared_key(seed, step.trial, Factor::Period::step);
    run_key_[k] = shared_key(seed, step.run, Factor::Period::run);
  }
  if (c_.causes.any()) draw_causes();
  if (!c_.reductions.empty()) draw_tails(seed, steps);
}

void SharedDraws::draw_causes() {
  const Causes& causes = c_.causes;
  // What the whole cluster shares, then what differs from place to place.
  std::vector<float> common(causes.slots.size() * lane_count, 1.0f);
  for (std::size_t i = 0; i < causes.causes.size(); ++i) {
    if (causes.causes[i].scope != Factor::Scope::cluster) continue;
    pcg32_oneseq generator[lane_count];
    float draw[lane_count];
    seed_row(generator, causes.causes[i].period == Factor::Period::run ? run_key_ : step_key_,
             causes.causes[i].key);
    draw_row(generator, c_.bucket(causes.causes[i].law[Causes::until_collective]), draw);
    for (std::size_t s = 0; s < causes.slots.size(); ++s) {
      const auto& list = causes.slots[s].causes;
      if (std::find(list.begin(), list.end(), static_cast<std::int32_t>(i)) != list.end())
        scale_row(&common[s * lane_count], draw);
    }
  }
  for (std::size_t s = 0; s < rows_.size(); ++s)
    for (std::int64_t row = 0; row < rows_[s].count; ++row)
      std::copy_n(&common[s * lane_count], lane_count,
                  &rows_[s].value[static_cast<std::size_t>(row) * lane_count]);
  for (std::size_t i = 0; i < causes.causes.size(); ++i)
    if (std::any_of(wide_slots_of_[i].begin(), wide_slots_of_[i].end(),
                    [](const auto& l) { return !l.empty(); }))
      draw_cause(i);
  change_places();
  const Places& places = causes.places;
  for (Rows& rows : rows_) {
    if (!rows.wide) continue;
    std::fill(rows.worst.begin(), rows.worst.end(), 0.0f);
    for (std::int64_t group = 0; group < places.groups(); ++group)
      for (std::int64_t l = 0; l < rows.lines; ++l)
        raise_float_row(&rows.worst[static_cast<std::size_t>(group % places.pipeline) * lane_count],
                        &rows.value[static_cast<std::size_t>(group * rows.lines + l) * lane_count]);
  }
}

}  // namespace prism
