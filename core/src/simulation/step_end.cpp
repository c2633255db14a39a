// SPDX-License-Identifier: Apache-2.0
#include "simulation/step_end.h"

#include <algorithm>
#include <map>

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

/// Of the ranks that reduce one gradient, those that are held at a quantile, and at which; 0: none.
struct HeldReplicas {
  std::int64_t count = 0;
  double mass = 0;
  auto operator<=>(const HeldReplicas&) const = default;
};

/// By gradient of a pipeline rank.
std::vector<HeldReplicas> held_replicas(const Compiled& c, std::int64_t rank) {
  std::vector<HeldReplicas> list(static_cast<std::size_t>(data_groups(c.workload)));
  for (const auto& [group, masses] : c.causes.held.groups()) {
    if (group % c.workload.pp != rank) continue;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      HeldReplicas& held = list[i % list.size()];
      held.count += masses[i] > 0;
      held.mass = std::max(held.mass, masses[i]);
    }
  }
  return list;
}

/// Beyond this lower mass a tail that does not convolve is taken at its mean.
constexpr double rare_tail = 0.999;

/// The time that the ranks that reduce one gradient need for a section. What is held there takes its own
/// quantile, and what lasts acts on it as on the others.
Law law_of_section(LawBook& book, const std::vector<Leg>& legs, std::int64_t ranks,
                   const HeldReplicas& held) {
  std::vector<Law> addends, without_tails;
  const auto add = [&](Law law) {
    addends.push_back(law);
    without_tails.push_back(held.mass >= rare_tail ? book.constant(book.table(law).mean()) : law);
  };
  for (const Leg& leg : legs) {
    std::vector<Law> compute;
    double held_s = 0;
    for (const Operator& op : leg.compute) {
      compute.push_back(book.of(op));
      if (held.count > 0) held_s += book.table(compute.back()).quantile(Mass::below(held.mass));
    }
    const Law sum = book.sum(compute);
    if (sum == LawBook::none) return LawBook::none;
    add(held.count == ranks ? book.constant(held_s)
                            : book.at_least(book.maximum(sum, ranks - held.count), held_s));
    if (leg.end && leg.end->group == Group::data)
      add(book.at_quantile_or_above(book.of(leg.end->collective), held.mass));
  }
  const Law total = book.sum(addends);
  return total == LawBook::none && held.mass >= rare_tail ? book.sum(without_tails) : total;
}

/// The time one rank needs for a section, as the next synchronisation sees it.
/// A data collective joins one tensor rank of all replicas and context ranks, so within a section the t
/// tensor ranks go separate ways and the d ranks that reduce one gradient meet again and again: a segment
/// costs the slowest of d, the section the slowest of t.
bool compile_section(Compiled& compiled, const std::vector<Leg>& legs, std::int64_t pipeline_rank,
                     Section::Rank& out) {
  LawBook& book = compiled.book;
  const Workload& w = compiled.workload;
  BySeconds mean{};
  double total = 0;
  std::vector<std::pair<Causes::Slot, double>> slots;
  auto account = [&](const Operator& op) {
    slots.emplace_back(compiled.causes.slot_of(op.kind, w.leaves_node(Group::data)), book.mean(op));
    mean[static_cast<int>(op.kind)] += book.mean(op);
    total += book.mean(op);
    out.median_s += book.median(op);
  };
  for (const Leg& leg : legs) {
    for (const Operator& op : leg.compute) account(op);
    if (leg.end && leg.end->group == Group::data) account(leg.end->collective);
  }
  const std::int64_t together = data_ranks(w), apart = data_groups(w);
  out.one = law_of_section(book, legs, together, {});
  if (out.one == LawBook::none) return false;
  const std::vector<HeldReplicas> held = held_replicas(compiled, pipeline_rank);
  for (std::int64_t line = 0; line < compiled.lines; ++line) {
    std::map<HeldReplicas, std::int64_t> ranks;
    for (std::int64_t t = line % apart; t < apart; t += compiled.lines)
      ++ranks[held[static_cast<std::size_t>(t)]];
    std::vector<std::pair<Law, std::int64_t>> parts;
    for (const auto& [here, count] : ranks)
      parts.emplace_back(law_of_section(book, legs, together, here), count);
    if (std::any_of(parts.begin(), parts.end(), [](const auto& p) { return p.first == LawBook::none; }))
      return false;
    out.law.push_back(book.largest_of(parts));
  }
  out.mean_s = book.table(out.law[0]).mean();
  out.compute_share = 0;
  out.mix = compiled.causes.mix(slots);
  for (int k = 0; k < kind_count; ++k) {
    out.share[k] = total > 0 ? mean[k] / total : 0;
    if (class_of(static_cast<Kind>(k)) == Class::compute) out.compute_share += out.share[k];
  }
  return true;
}

/// Gradients that are reduced beside the last backward pass of their stage.
void compile_reductions(Compiled& c, const ProgramCompiler& compiler) {
  const Workload& w = c.workload;
  const std::vector<std::int32_t> completing = completing_tasks(w, c.graph);
  double total = 0;
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const auto s = static_cast<std::size_t>(c.graph.tasks[i].stage);
    if (completing[s] != static_cast<std::int32_t>(i)) continue;
    const std::vector<HeldReplicas> held = held_replicas(c, c.graph.tasks[i].rank);
    for (const double at : completion(w, w.stages[s])) c.complete_at.push_back(at);
    for (const Segment& segment : w.stages[s].reductions) {
      const Operator& op = segment.collective;
      c.completing.push_back(completing[s]);
      c.reductions.push_back(compiler.draw({op}, LawBook::none, true, w.leaves_node(Group::data)));
      c.reduction_share[static_cast<int>(op.kind)] += c.book.mean(op);
      total += c.book.mean(op);
      for (const HeldReplicas& of_group : held)
        c.reduction_law.push_back(c.book.at_quantile_or_above(c.book.of(op), of_group.mass));
    }
  }
  for (double& s : c.reduction_share) s = total > 0 ? s / total : 0;
}

}  // namespace

std::vector<std::int32_t> completing_tasks(const Workload& w, const Graph& graph) {
  std::vector<std::int32_t> last(w.stages.size(), -1);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const StageProgram& stage = w.stages[static_cast<std::size_t>(graph.tasks[i].stage)];
    if (!stage.reductions.empty() && graph.tasks[i].pass == completing_pass(stage))
      last[static_cast<std::size_t>(graph.tasks[i].stage)] = static_cast<std::int32_t>(i);
  }
  return last;
}

std::vector<double> completion(const Workload& w, const StageProgram& stage) {
  std::vector<double> shares(stage.reductions.size(), 0);
  double now = 0;
  std::int32_t done = 0;
  const auto add = [&](const Operator& op) {
    now += op.scale_s * w.shape_medians[static_cast<std::size_t>(op.shape)];
    ++done;
    for (std::size_t k = 0; k < shares.size(); ++k)
      if (stage.complete_after[k] == done) shares[k] = now;
  };
  for (const Segment& s : stage.gradients()) {
    for (const Operator& op : s.compute) add(op);
    if (s.has_collective) add(s.collective);
  }
  for (double& share : shares) share = now > 0 ? share / now : 1;
  return shares;
}

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
  laws.push_back(law_of_section(compiled.book, ending.sections[0], data_ranks(w), {}));
  return laws.back() == LawBook::none ? LawBook::none : compiled.book.sum(laws);
}

void compile_alone(const Compiled& compiled, ProgramCompiler& compiler, std::size_t rank,
                   Compiled::Replica& to) {
  const Ending ending = split_ending(compiled.workload.end.rank[rank]);
  const auto programs = [&](const std::vector<Leg>& legs) {
    Program program;
    for (const Leg& leg : legs) {
      compiler.append_compute(program, leg.compute);
      if (leg.end) compiler.append_collective(program, leg.end->collective, leg.end->group);
    }
    return program;
  };
  to.before[rank] = programs(ending.before);
  compiler.append_last(to.before[rank], compiled.workload.stages[rank]);
  to.after[rank] = programs(ending.after);
}

void compile_exchange(Compiled& compiled, const HeldRanks* first, const HeldRanks* last,
                      Compiled::Replica& to) {
  const Segment* exchange = split_ending(compiled.workload.end.rank[0]).exchange;
  if (!exchange) return;
  LawBook& book = compiled.book;
  const Law law = book.of(exchange->collective);
  const auto& rank = compiled.sections[0].rank;
  const HeldRanks mass = larger_masses(first, last, compiled.workload.tp);
  const auto felt = [&](Law follows) {
    return felt_above(book, law, std::vector<Law>(mass.size(), follows), mass, compiled.lines);
  };
  to.embedding.law = felt(rank.front().one);
  to.embedding_last = felt(rank.back().one);
  to.embedding_at_least_s = least_seconds(book, law, mass, compiled.lines);
}

std::vector<Diagnostic> compile_ending(Compiled& compiled, ProgramCompiler& compiler) {
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
  compiled.usual.before.resize(endings.size());
  compiled.usual.after.resize(endings.size());
  for (std::size_t r = 0; r < endings.size(); ++r) compile_alone(compiled, compiler, r, compiled.usual);
  double largest = 0;  // every rank takes part in what the whole job does
  for (const auto& group : compiled.causes.held.groups())
    largest = std::max(largest, largest_mass(&group.second));
  for (std::size_t k = 0; k < endings[0].sections.size(); ++k) {
    Section section;
    for (std::size_t r = 0; r < endings.size(); ++r) {
      Section::Rank rank{};
      if (!compile_section(compiled, endings[r].sections[k], static_cast<std::int64_t>(r), rank))
        return {heavy_tail("at the end of the step")};
      section.rank.push_back(std::move(rank));
    }
    if (k + 1 < endings[0].sections.size()) {
      const Operator& op = endings[0].sections[k].back().end->collective;
      section.world = true;
      section.world_law = compiled.book.at_quantile_or_above(compiled.book.of(op), largest);
      section.world_median_s = compiled.book.median(op);
      section.world_kind = op.kind;
      section.world_mix =
          compiled.causes.mix({{compiled.causes.slot_of(op.kind, w.leaves_node(Group::world)), 1}});
    }
    compiled.sections.push_back(std::move(section));
  }
  if (endings[0].exchange) {
    const Operator& op = endings[0].exchange->collective;
    compiled.embedding_exchange = true;
    compiled.usual.embedding = compiler.draw({op}, LawBook::none, false, w.leaves_node(Group::embedding));
    compile_exchange(compiled, nullptr, nullptr, compiled.usual);
  }
  compile_reductions(compiled, compiler);
  return {};
}

}  // namespace prism
