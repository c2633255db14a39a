// SPDX-License-Identifier: Apache-2.0
#include "simulation/programs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

bool same_work(const StageProgram& a, const StageProgram& b) {
  const auto same_operator = [](const Operator& x, const Operator& y) {
    return x.kind == y.kind && x.scale_s == y.scale_s && x.shape == y.shape;
  };
  const auto same_segment = [&](const Segment& x, const Segment& y) {
    return x.has_collective == y.has_collective && x.group == y.group &&
           same_operator(x.collective, y.collective) && same_operator(x.beside, y.beside) &&
           std::equal(x.compute.begin(), x.compute.end(), y.compute.begin(), y.compute.end(), same_operator);
  };
  const auto same = [&](const std::vector<Segment>& x, const std::vector<Segment>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_segment);
  };
  return same(a.forward, b.forward) && same(a.backward, b.backward) && same(a.weight, b.weight);
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
    legs.emplace_back(apart, total);
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

void ProgramCompiler::hold(Draw& draw, const std::vector<Operator>& operators, Law total, Law follows,
                           bool at_pace) const {
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
    // One rank more or less changes little where groups cross: the pace is theirs.
    if (!at_pace) draw.law = book.felt(total, follows, drawn);
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

ProgramCompiler::Walked ProgramCompiler::walked(const std::vector<Segment>& segments) {
  LawBook& book = compiled_->book;
  Walked w{legs_of(segments), {}, {}, {}, {}};
  // What runs since the last wait for a collective beside it, and those that run beside it.
  double hidden_s = 0, earlier_s = 0;
  std::vector<std::pair<Causes::Slot, double>> slots;
  const auto runs = [&](const Operator& op, bool leaves_node) {
    slots.emplace_back(compiled_->causes.slot_of(op.kind, leaves_node), book.mean(op));
  };
  const auto open_window = [&] {
    hidden_s = earlier_s = 0;
    slots.clear();
  };
  bool waited = false;
  const auto add = [&](double& mean, Law law) {
    mean += book.table(law).mean();
    w.variance += book.table(law).sd() * book.table(law).sd();
  };
  for (const Leg& leg : w.legs) {
    std::vector<Law> laws;
    for (const Operator& op : leg.compute) laws.push_back(book.of(op));
    Law one = book.sum(laws);
    const Segment* end = leg.end;
    const Law whole = end ? book.of(end->beside.scale_s > 0 ? end->beside : end->collective) : book.zero();
    // Nor is there a mean and a deviation to go by where one alone is too heavy.
    const auto heavy = [&](Law law) { return book.sum({law, law}) == LawBook::none; };
    if (one == LawBook::none || heavy(one) || heavy(whole)) {
      split = true;
      one = book.zero();
    }
    const Group group = end ? end->group : Group::none;
    const bool beside = end && end->beside.scale_s > 0;
    w.walk.push_back({one, group, whole, beside});
    w.slowest.push_back(book.maximum(one, compiled_->groups.size(group)));
    add(w.compute_s, w.slowest.back());
    const double whole_s = book.table(whole).mean();
    if (std::exchange(waited, beside) && !(beside && one == book.zero())) open_window();
    hidden_s += book.table(w.slowest.back()).mean();
    for (const Operator& op : leg.compute) runs(op, false);
    w.hidden.push_back({hidden_s, earlier_s, beside ? compiled_->causes.mix(slots) : 0});
    w.collective.push_back(beside ? book.beyond(whole, std::max(0.0, hidden_s - earlier_s)) : whole);
    add(w.communication_s, w.collective.back());
    if (beside) {
      earlier_s += whole_s;
    } else if (group == Group::shard) {
      open_window();  // nothing can run beside before their stream is free
    } else if (end) {
      hidden_s += whole_s;
      runs(end->collective, compiled_->workload.leaves_node(group));
    }
  }
  return w;
}

bool ProgramCompiler::crosses(const StageProgram& stage) const {
  const Groups& groups = compiled_->groups;
  return !compiled_->whole_stages && (groups.cross(stage.forward) || groups.cross(stage.backward));
}

Pace ProgramCompiler::pace_of(const Walked& forward, const Walked& backward) const {
  return play_pace(compiled_->book, compiled_->groups, forward.walk, backward.walk,
                   compiled_->workload.micro_batches);
}

double ProgramCompiler::nodes_of(Group kind) {
  double& known = nodes_[static_cast<std::size_t>(kind)];
  if (known > 0) return known;
  // Ranks are in the order of their nodes.
  std::vector<std::int64_t> last(static_cast<std::size_t>(compiled_->groups.ranks()), -1);  // node of a group
  for (std::int64_t i = 0; i < compiled_->groups.ranks(); ++i) {
    const std::int64_t node = compiled_->causes.places.node_of_rank(0, 0, i);
    const auto group = static_cast<std::size_t>(compiled_->groups.of(kind, i));
    known += std::exchange(last[group], node) != node;
  }
  return known;
}

Program ProgramCompiler::at_pace(const StageProgram& stage, Pass pass) {
  LawBook& book = compiled_->book;
  const Walked forward = walked(stage.forward), backward = walked(stage.backward);
  if (split) return {};
  const Pace pace = pace_of(forward, backward);
  const double compute_s = forward.compute_s + backward.compute_s,
               communication_s = forward.communication_s + backward.communication_s,
               variance = forward.variance + backward.variance;
  const double longer = compute_s > 0 ? (pace.mean - communication_s) / compute_s : 1;
  const double wider = pace.sd > 0 && variance > 0 ? pace.sd / std::sqrt(variance) : 1;
  const auto moved = [&](Law law, double by) {
    return book.moved(law, by * book.table(law).mean(), wider * book.table(law).sd());
  };
  const Walked& own = pass == Pass::forward ? forward : backward;
  Program result;
  for (std::size_t i = 0; i < own.legs.size(); ++i) {
    const Leg& leg = own.legs[i];
    const Law one = own.walk[i].compute;
    if (!leg.compute.empty()) {
      legs.emplace_back(Causes::until_collective, one);
      append(result, leg.compute, moved(own.slowest[i], longer), false, false);
      hold(result.draws.back(), leg.compute, one, LawBook::none, true);
    }
    // One that fresh jitter never shows is seen where something makes it longer: a shared factor, a stall.
    if (!leg.end || (!own.walk[i].beside && leg.end->collective.scale_s == 0)) continue;
    const bool leaves_node = compiled_->workload.leaves_node(leg.end->group);
    if (!own.walk[i].beside) {
      append(result, {leg.end->collective},
             book.at_quantile_or_above(moved(own.collective[i], 1), largest_mass(held_)), true, leaves_node);
      result.draws.back().nodes = nodes_of(leg.end->group);
      continue;
    }
    Draw d = draw({leg.end->beside}, own.collective[i], true, leaves_node);
    d.median_s = book.median(leg.end->collective);  // less is left of the medians than of the means
    d.whole = book.at_quantile_or_above(own.walk[i].collective, largest_mass(held_));
    d.hidden_s = static_cast<float>(own.hidden[i].compute_s);
    d.earlier_s = static_cast<float>(own.hidden[i].earlier_s);
    d.hidden_mix = own.hidden[i].mix;
    d.nodes = nodes_of(leg.end->group);
    result.median_s += d.median_s;
    result.median_by_kind[static_cast<int>(leg.end->beside.kind)] += d.median_s;
    result.draws.push_back(std::move(d));
  }
  return result;
}

void ProgramCompiler::append_last(Program& program, const StageProgram& stage) {
  if (!crosses(stage)) return;
  const Walked forward = walked(stage.forward), backward = walked(stage.backward);
  const double last = split ? 0 : pace_of(forward, backward).last;
  std::vector<Operator> compute;
  for (const Leg& leg : backward.legs) compute.insert(compute.end(), leg.compute.begin(), leg.compute.end());
  if (last <= 0 || compute.empty()) return;
  Draw d = draw(compute, compiled_->book.constant(last), false, false);
  d.median_s = 0;
  program.draws.push_back(std::move(d));
}

Program ProgramCompiler::chunk(const StageProgram& stage, Pass pass, Law follows) {
  if (pass == Pass::weight) return program(stage.weight, follows);
  if (crosses(stage)) return at_pace(stage, pass);
  return program(pass == Pass::forward ? stage.forward : stage.backward, LawBook::none);
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
  d.leaves_node = leaves_node;
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
    while (i < count.size() && !(d.held_s.empty() && d.whole == LawBook::none &&
                                 result.draws[i].law == d.law && result.draws[i].share == d.share &&
                                 result.draws[i].mix == d.mix && result.draws[i].nodes == d.nodes))
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
