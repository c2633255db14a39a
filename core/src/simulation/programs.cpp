// SPDX-License-Identifier: Apache-2.0
#include "simulation/programs.h"

#include <algorithm>
#include <map>
namespace prism {

using Law = LawBook::Law;

std::vector<Leg> legs_of(const std::vector<Segment>& segments) {
  std::vector<Leg> legs(1);
  for (const Segment& s : segments) {
    Leg& leg = legs.back();
    leg.compute.insert(leg.compute.end(), s.compute.begin(), s.compute.end());
    if (s.has_collective) {
      leg.end = &s;
      legs.emplace_back();
    }
  }
  if (legs.back().compute.empty()) legs.pop_back();
  return legs;
}

bool crosses_replicas(const Leg& leg) {
  return leg.end && (leg.end->group == Group::data || leg.end->group == Group::world);
}

bool ends_in_tensor_collective(const std::vector<Segment>& segments) {
  const auto legs = legs_of(segments);
  return !legs.empty() && legs.back().end && is_inside_chunk(legs.back().end->group);
}

HeldRanks larger_masses(const HeldRanks* one, const HeldRanks* other, std::int64_t ranks) {
  HeldRanks masses(static_cast<std::size_t>(ranks), 0.0);
  for (const HeldRanks* held : {one, other})
    for (std::size_t t = 0; held && t < masses.size(); ++t) masses[t] = std::max(masses[t], (*held)[t]);
  return masses;
}

Law felt_above(LawBook& book, Law separate, const std::vector<Law>& follows, const HeldRanks& masses,
               std::int64_t lines) {
  if (lines > 1) return separate;
  std::map<std::pair<Law, Law>, std::int64_t> ranks;
  for (std::size_t t = 0; t < masses.size(); ++t)
    ++ranks[{book.at_quantile_or_above(separate, masses[t]), follows[t]}];
  std::vector<LawBook::RanksApart> parts;
  for (const auto& [laws, count] : ranks) parts.push_back({laws.first, laws.second, count});
  std::reverse(parts.begin(), parts.end());  // what is drawn as usual was there first
  return book.felt(parts);
}

std::vector<float> least_seconds(const LawBook& book, Law law, const HeldRanks& masses, std::int64_t lines) {
  std::vector<float> seconds;
  if (lines == 1 || largest_mass(&masses) == 0) return seconds;
  for (double mass : masses)
    seconds.push_back(mass > 0 ? static_cast<float>(book.table(law).quantile(Mass::below(mass))) : 0.0f);
  return seconds;
}

Law first_compute(LawBook& book, const std::vector<Segment>& segments) {
  const auto legs = legs_of(segments);
  if (legs.empty()) return book.zero();
  std::vector<Law> laws;
  for (const Operator& op : legs[0].compute) laws.push_back(book.of(op));
  return book.sum(laws);
}

void ProgramCompiler::append_compute(Program& program, const std::vector<Operator>& operators, Law follows) {
  if (operators.empty()) return;
  LawBook& book = compiled_->book;
  std::vector<Law> laws;
  for (const Operator& op : operators) laws.push_back(book.of(op));
  if (const Law total = book.sum(laws); total != LawBook::none) {
    const auto apart = follows == LawBook::none ? Causes::until_collective : Causes::weights;
    legs[apart][total] += book.table(total).mean();
    // Slowest of n ranks by one draw: exact because their segment sums are i.i.d.
    append(program, operators, compiled_->book.felt(total, follows, ranks_a_line_), false, false, apart);
    hold(program.draws.back(), operators, total, follows);
    return;
  }
  split = true;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    append(program, {operators[i]}, laws[i], false, false);
    hold(program.draws.back(), {operators[i]}, laws[i]);
  }
}

void ProgramCompiler::hold(Draw& draw, const std::vector<Operator>& operators, Law total, Law follows) const {
  if (!held_) return;
  LawBook& book = compiled_->book;
  Causes& causes = compiled_->causes;
  std::vector<std::pair<Causes::Slot, double>> slots;
  const auto seconds = [&](double mass) {
    double sum = 0;
    for (const Operator& op : operators) sum += causes.held.seconds(op, mass);
    return sum;
  };
  for (const Operator& op : operators)
    slots.emplace_back(causes.slot_of_held(op.kind), causes.held.seconds(op, largest_mass(held_)));
  const Causes::Mix mix = causes.mix(slots);
  const std::int64_t drawn = std::ssize(*held_) - count_held(held_);
  if (compiled_->lines == 1 && drawn == 0) {
    draw.law = book.constant(seconds(largest_mass(held_)));
    draw.mix = mix;
    return;
  }
  draw.held_mix = mix;
  if (compiled_->lines == 1) {
    draw.law = book.felt(total, follows, drawn);
    draw.held_s = {static_cast<float>(seconds(largest_mass(held_)))};
    return;
  }
  for (double mass : *held_) draw.held_s.push_back(mass > 0 ? static_cast<float>(seconds(mass)) : 0.0f);
}

void ProgramCompiler::append_collective(Program& program, const Operator& op, Group group) {
  LawBook& book = compiled_->book;
  append(program, {op}, book.at_quantile_or_above(book.of(op), largest_mass(held_)), true,
         compiled_->workload.leaves_node(group));
}

Program ProgramCompiler::program(const std::vector<Segment>& segments, Law follows) {
  Program result;
  for (const Leg& leg : legs_of(segments)) {
    append_compute(result, leg.compute, leg.end ? LawBook::none : follows);
    if (leg.end) append_collective(result, leg.end->collective, leg.end->group);
  }
  return result;
}

Draw ProgramCompiler::draw(const std::vector<Operator>& operators, Law law, bool collective, bool leaves_node,
                           Causes::Apart apart) const {
  Draw d{law, collective, {}, 0, 0};
  double mean = 0;
  std::vector<std::pair<Causes::Slot, double>> slots;
  for (const Operator& op : operators) {
    slots.emplace_back(compiled_->causes.slot_of(op.kind, leaves_node, apart), compiled_->book.mean(op));
    mean += compiled_->book.mean(op);
    d.median_s += compiled_->book.median(op);
    d.share[static_cast<int>(op.kind)] += compiled_->book.mean(op);
  }
  for (double& s : d.share) s = mean > 0 ? s / mean : 0;
  d.mix = compiled_->causes.mix(slots);
  return d;
}

void ProgramCompiler::append(Program& program, const std::vector<Operator>& operators, Law law,
                             bool collective, bool leaves_node, Causes::Apart apart) {
  program.draws.push_back(draw(operators, law, collective, leaves_node, apart));
  program.median_s += program.draws.back().median_s;
  for (const Operator& op : operators)
    program.median_by_kind[static_cast<int>(op.kind)] += compiled_->book.median(op);
}

Program grouped(LawBook& book, const Program& p) {
  Program result = p;
  result.draws.clear();
  std::vector<std::size_t> count;
  for (const Draw& d : p.draws) {
    std::size_t i = 0;
    while (i < count.size() && !(d.held_s.empty() && result.draws[i].law == d.law &&
                                 result.draws[i].share == d.share && result.draws[i].mix == d.mix))
      ++i;
    if (i == count.size()) {
      result.draws.push_back(d);
      count.push_back(0);
    }
    ++count[i];
  }
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (count[i] == 1) continue;
    const Law together = book.sum(std::vector<Law>(count[i], result.draws[i].law));
    if (together == LawBook::none) return p;
    result.draws[i].law = together;
    result.draws[i].median_s *= static_cast<double>(count[i]);
  }
  return result;
}

}  // namespace prism
