// SPDX-License-Identifier: Apache-2.0
#include "simulation/step_end.h"

#include <algorithm>

namespace prism {
namespace {

using Law = LawBook::Law;

Diagnostic heavy_tail(const std::string& where) {
  return {Code::unsupported, "/operators",
          "the latencies " + where + " have tails too heavy to be added up in a table",
          "use a family with a lighter tail there"};
}

/// Splits what a rank does after its last backward into what one replica does alone and what follows.
struct Ending {
  std::vector<Leg> before, after;  ///< around the embedding exchange
  const Segment* exchange = nullptr;
  std::vector<std::vector<Leg>> sections;  ///< each ended by a world collective, but the last
};

Ending split_ending(const std::vector<Segment>& segments) {
  Ending e;
  const auto legs = legs_of(segments);
  std::size_t i = 0;
  const bool meets = std::any_of(legs.begin(), legs.end(), crosses_replicas);
  for (; i < legs.size() && !(meets && crosses_replicas(legs[i])); ++i) {
    auto& side = e.exchange ? e.after : e.before;
    if (legs[i].end && legs[i].end->group == Group::embedding) {
      e.exchange = legs[i].end;
      side.push_back({legs[i].compute, nullptr});
    } else {
      side.push_back(legs[i]);
    }
  }
  e.sections.emplace_back();
  // What a rank computes before replicas first meet is its replica's own.
  if (i < legs.size() && !legs[i].compute.empty())
    (e.exchange ? e.after : e.before).push_back({legs[i].compute, nullptr});
  for (const std::size_t first = i; i < legs.size(); ++i) {
    e.sections.back().push_back(i == first ? Leg{{}, legs[i].end} : legs[i]);
    if (legs[i].end && legs[i].end->group == Group::world) e.sections.emplace_back();
  }
  return e;
}

/// The time one rank needs for a section, as the next synchronisation sees it.
/// A data collective joins one tensor rank of all replicas, so within a section the t tensor ranks go
/// separate ways and the d replicas of one of them meet again and again: a segment costs the slowest of d,
/// the section the slowest of t.
bool compile_section(Compiled& compiled, const std::vector<Leg>& legs, std::int64_t ranks_a_line,
                     Section::Rank& out) {
  LawBook& book = compiled.book;
  std::vector<Law> addends;
  BySeconds mean{};
  double total = 0;
  std::vector<std::pair<Causes::Slot, double>> slots;
  auto account = [&](const Operator& op) {
    slots.emplace_back(compiled.causes.slot_of(op.kind, compiled.workload.leaves_node(Group::data)),
                       book.mean(op));
    mean[static_cast<int>(op.kind)] += book.mean(op);
    total += book.mean(op);
    out.median_s += book.median(op);
  };
  for (const Leg& leg : legs) {
    std::vector<Law> compute;
    for (const Operator& op : leg.compute) {
      compute.push_back(book.of(op));
      account(op);
    }
    const Law sum = book.sum(compute);
    if (sum == LawBook::none) return false;
    addends.push_back(book.maximum(sum, compiled.workload.dp));
    if (leg.end && leg.end->group == Group::data) {
      addends.push_back(book.of(leg.end->collective));
      account(leg.end->collective);
    }
  }
  const Law sum = book.sum(addends);
  if (sum == LawBook::none) return false;
  out.one = sum;
  out.law = book.maximum(sum, ranks_a_line);
  out.mean_s = book.table(out.law).mean();
  out.compute_share = 0;
  out.mix = compiled.causes.mix(slots);
  for (int k = 0; k < kind_count; ++k) {
    out.share[k] = total > 0 ? mean[k] / total : 0;
    if (class_of(static_cast<Kind>(k)) == Class::compute) out.compute_share += out.share[k];
  }
  return true;
}

}  // namespace

Law law_after(Compiled& compiled, const Compiled::Stream& weights) {
  const Workload& w = compiled.workload;
  const StageProgram& stage = w.stages[static_cast<std::size_t>(weights.stage)];
  switch (weights.next) {
    case Compiled::Stream::Next::forward:
      return first_compute(compiled.book, stage.forward);
    case Compiled::Stream::Next::backward:
      return first_compute(compiled.book, stage.backward);
    case Compiled::Stream::Next::weight:
      return first_compute(compiled.book, stage.weight);
    case Compiled::Stream::Next::end:
      break;
  }
  const Ending ending = split_ending(w.end.rank[static_cast<std::size_t>(weights.stage % w.pp)]);
  std::vector<Law> laws;
  for (const auto* side : {&ending.before, &ending.after})
    for (const Leg& leg : *side) {
      for (const Operator& op : leg.compute) laws.push_back(compiled.book.of(op));
      if (leg.end) return compiled.book.sum(laws);
    }
  Section::Rank first{};
  if (!compile_section(compiled, ending.sections[0], 1, first)) return LawBook::none;
  laws.push_back(first.one);
  return compiled.book.sum(laws);
}

std::vector<Diagnostic> compile_ending(Compiled& compiled, ProgramCompiler& compiler,
                                       std::int64_t ranks_a_line) {
  const Workload& w = compiled.workload;
  auto unsupported = [](std::string message) {
    return std::vector<Diagnostic>{{Code::unsupported, "/operators", std::move(message), ""}};
  };
  std::vector<Ending> endings;
  for (const auto& segments : w.end.rank) endings.push_back(split_ending(segments));
  for (const Ending& e : endings) {
    if (e.sections.size() != endings[0].sections.size())
      return unsupported("every pipeline rank must take part in the same collectives over the whole job");
    for (const auto& section : e.sections)
      for (const Leg& leg : section)
        if (leg.end && (is_inside_chunk(leg.end->group) || leg.end->group == Group::embedding))
          return unsupported(
              "a tensor or embedding collective after replicas have met at the end of the step");
  }
  compiled.before.resize(endings.size());
  compiled.after.resize(endings.size());
  for (std::size_t r = 0; r < endings.size(); ++r) {
    auto fill = [&](Program& program, const std::vector<Leg>& legs) {
      for (const Leg& leg : legs) {
        compiler.append_compute(program, leg.compute);
        if (leg.end) compiler.append_collective(program, leg.end->collective, leg.end->group);
      }
    };
    fill(compiled.before[r], endings[r].before);
    fill(compiled.after[r], endings[r].after);
  }
  for (std::size_t k = 0; k < endings[0].sections.size(); ++k) {
    Section section;
    for (const Ending& e : endings) {
      Section::Rank rank{};
      if (!compile_section(compiled, e.sections[k], ranks_a_line, rank))
        return {heavy_tail("at the end of the step")};
      section.rank.push_back(rank);
    }
    if (k + 1 < endings[0].sections.size()) {
      const Operator& op = endings[0].sections[k].back().end->collective;
      section.world = true;
      section.world_law = compiled.book.of(op);
      section.world_median_s = compiled.book.median(op);
      section.world_kind = op.kind;
      section.world_mix =
          compiled.causes.mix({{compiled.causes.slot_of(op.kind, w.leaves_node(Group::world)), 1}});
    }
    compiled.sections.push_back(std::move(section));
  }
  if (endings[0].exchange) {
    LawBook& book = compiled.book;
    const Operator& op = endings[0].exchange->collective;
    const auto& rank = compiled.sections[0].rank;
    compiled.embedding_exchange = true;
    compiled.embedding = compiler.draw({op}, book.felt(book.of(op), rank.front().one, ranks_a_line), false,
                                       w.leaves_node(Group::embedding));
    compiled.embedding_last = book.felt(book.of(op), rank.back().one, ranks_a_line);
  }
  return {};
}

}  // namespace prism
