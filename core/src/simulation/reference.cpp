// SPDX-License-Identifier: Apache-2.0
#include "simulation/reference.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <pcg_random.hpp>
#include <vector>

#include "prism/graph.h"

namespace prism {
namespace {

/// One thing a rank does, in the order of its program.
struct Step {
  enum Type { compute, collective, send, receive } type;
  Operator op;
  Group group = Group::none;
  std::int64_t message = -1;  ///< send, receive: which micro-batch's activations or gradients
  int direction = 0;          ///< send: 0 forward, 1 backward
};

/// The same once everybody's waits are known: an event that can run when it is listed.
struct Event {
  Step::Type type;
  std::int32_t law = -1;  ///< sampling table; -1 takes no time
  double scale = 1;
  std::vector<std::int32_t> ranks;  ///< collective: all members; else the rank
  std::int64_t message = -1;
  std::int32_t link = -1;
};

}  // namespace

struct Reference::Machine {
  std::int64_t world = 0, messages = 0, links = 0, draws = 0;
  std::vector<SampleTable> laws;
  std::vector<Event> events;
};

Reference::~Reference() = default;
std::int64_t Reference::draws() const { return machine_->draws; }

Reference::Reference(const Workload& w) : machine_(std::make_unique<Machine>()) {
  Machine& machine = *machine_;
  const std::int64_t t_ranks = w.tp, p = w.pp, d_ranks = w.dp, m = w.micro_batches;
  const std::int64_t stages = p * w.virtual_stages;
  machine.world = t_ranks * p * d_ranks;
  auto rank_of = [&](std::int64_t d, std::int64_t r, std::int64_t t) { return (d * p + r) * t_ranks + t; };

  std::map<int, std::int32_t> law_of_shape;
  auto law = [&](const Operator& op) {
    const auto [entry, is_new] = law_of_shape.try_emplace(op.shape, 0);
    if (is_new) {
      entry->second = static_cast<std::int32_t>(machine.laws.size());
      machine.laws.push_back(make_sample_table(tabulate(w.shapes[op.shape])));
    }
    return entry->second;
  };

  // Programs, rank by rank.
  std::vector<std::vector<Step>> programs(machine.world);
  const Schedule* schedule = find_schedule(w.schedule);
  auto message_of = [&](std::int64_t d, std::int64_t t, std::int64_t stage, Pass pass,
                        std::int64_t micro_batch) {
    return (((d * t_ranks + t) * stages + stage) * 2 + (pass == Pass::backward)) * m + micro_batch;
  };
  machine.messages = d_ranks * t_ranks * stages * 2 * m;
  machine.links = machine.world * 2;
  for (std::int64_t d = 0; d < d_ranks; ++d)
    for (std::int64_t r = 0; r < p; ++r)
      for (std::int64_t t = 0; t < t_ranks; ++t) {
        auto& program = programs[rank_of(d, r, t)];
        auto segments = [&](const std::vector<Segment>& list) {
          for (const Segment& s : list) {
            for (const Operator& op : s.compute) program.push_back({Step::compute, op});
            if (s.has_collective) program.push_back({Step::collective, s.collective, s.group});
          }
        };
        for (const ScheduledTask& task : schedule->order({p, w.virtual_stages, m}, r)) {
          const bool forward = task.pass == Pass::forward;
          const std::int64_t from = forward ? task.stage - 1 : task.stage + 1,
                             to = forward ? task.stage + 1 : task.stage - 1;
          if (p > 1 && from >= 0 && from < stages)
            program.push_back(
                {Step::receive, {}, Group::none, message_of(d, t, from, task.pass, task.micro_batch)});
          segments(forward ? w.stages[task.stage].forward : w.stages[task.stage].backward);
          if (p > 1 && to >= 0 && to < stages) {
            const Operator hop = !w.transfers.present ? Operator{}
                                 : forward            ? w.transfers.forward
                                                      : w.transfers.backward;
            program.push_back({Step::send, hop, Group::none,
                               message_of(d, t, task.stage, task.pass, task.micro_batch), forward ? 0 : 1});
          }
        }
        segments(w.end.rank[r]);
      }

  // Play the programs once without times: a rank goes on until it must wait for a message or for the others
  // of a collective. What runs, in that order, is what every trial runs.
  std::vector<std::size_t> next(machine.world, 0);
  std::vector<char> sent(machine.messages, 0);
  auto members = [&](std::int64_t rank, Group group) {
    const std::int64_t t = rank % t_ranks, r = rank / t_ranks % p, d = rank / t_ranks / p;
    std::vector<std::int32_t> list;
    auto add = [&](std::int64_t id) { list.push_back(static_cast<std::int32_t>(id)); };
    if (is_inside_chunk(group))  // taken to synchronise the whole stage
      for (std::int64_t i = 0; i < t_ranks; ++i) add(rank_of(d, r, i));
    else if (group == Group::data)
      for (std::int64_t i = 0; i < d_ranks; ++i) add(rank_of(i, r, t));
    else if (group == Group::embedding)
      for (std::int64_t i : {std::int64_t{0}, p - 1}) add(rank_of(d, i, t));
    else
      for (std::int64_t i = 0; i < machine.world; ++i) add(i);
    return list;
  };
  auto waits_in = [&](std::int64_t rank, Group group) {
    const auto& program = programs[rank];
    return next[rank] < program.size() && program[next[rank]].type == Step::collective &&
           program[next[rank]].group == group;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::int64_t rank = 0; rank < machine.world; ++rank) {
      const auto& program = programs[rank];
      while (next[rank] < program.size()) {
        const Step& s = program[next[rank]];
        Event e;
        e.type = s.type;
        if (s.type != Step::receive && s.op.scale_s > 0) {
          e.law = law(s.op);
          e.scale = s.op.scale_s;
          ++machine.draws;
        }
        e.ranks = {static_cast<std::int32_t>(rank)};
        if (s.type == Step::receive) {
          if (!sent[s.message]) break;
          e.message = s.message;
        } else if (s.type == Step::send) {
          e.message = s.message;
          e.link = static_cast<std::int32_t>(2 * rank + s.direction);
          sent[s.message] = 1;
        } else if (s.type == Step::collective) {
          e.ranks = members(rank, s.group);
          if (!std::all_of(e.ranks.begin(), e.ranks.end(),
                           [&](std::int32_t i) { return waits_in(i, s.group); })) {
            if (e.law >= 0) --machine.draws;
            break;
          }
          for (std::int32_t i : e.ranks)
            if (i != rank) ++next[i];
        }
        ++next[rank];
        machine.events.push_back(std::move(e));
        progress = true;
      }
    }
  }
  for ([[maybe_unused]] std::int64_t rank = 0; rank < machine.world; ++rank)
    assert(next[rank] == programs[rank].size() && "programs must not deadlock");
}

double Reference::step(std::uint64_t seed, std::int64_t trial) const {
  const Machine& machine = *machine_;
  static const std::uint64_t key = stream_key("reference");
  pcg32_oneseq generator(stream_state(seed, static_cast<std::uint64_t>(trial), key));
  std::vector<double> now(machine.world, 0), link(machine.links, 0), arrival(machine.messages, 0);
  for (const Event& e : machine.events) {
    const double duration =
        e.law < 0 ? 0 : e.scale * static_cast<double>(sample(machine.laws[e.law].bucket.data(), generator()));
    const std::int32_t rank = e.ranks[0];
    switch (e.type) {
      case Step::compute:
        now[rank] += duration;
        break;
      case Step::receive:
        now[rank] = std::max(now[rank], arrival[e.message]);
        break;
      case Step::send:
        // Queued behind earlier transfers in its direction; the sender does not wait.
        link[e.link] = std::max(link[e.link], now[rank]) + duration;
        arrival[e.message] = link[e.link];
        break;
      case Step::collective: {
        double start = 0;
        for (std::int32_t i : e.ranks) start = std::max(start, now[i]);
        for (std::int32_t i : e.ranks) now[i] = start + duration;
      }
    }
  }
  return *std::max_element(now.begin(), now.end());
}

}  // namespace prism
