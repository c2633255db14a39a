// SPDX-License-Identifier: Apache-2.0
#include "simulation/programs.h"

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
    return;
  }
  split = true;
  for (std::size_t i = 0; i < operators.size(); ++i) append(program, {operators[i]}, laws[i], false, false);
}

void ProgramCompiler::append_collective(Program& program, const Operator& op, Group group) {
  append(program, {op}, compiled_->book.of(op), true, compiled_->workload.leaves_node(group));
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
    while (i < count.size() && !(result.draws[i].law == d.law && result.draws[i].share == d.share &&
                                 result.draws[i].mix == d.mix))
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
