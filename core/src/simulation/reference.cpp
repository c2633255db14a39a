// SPDX-License-Identifier: Apache-2.0
#include "simulation/reference.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <pcg_random.hpp>
#include <utility>
#include <vector>

#include "prism/graph.h"
#include "simulation/causes.h"
#include "simulation/groups.h"
#include "simulation/lanes.h"
#include "simulation/step_end.h"

namespace prism {
namespace {

/// One thing a rank does, in the order of its program.
struct Action {
  enum Type { compute, collective, beside, send, receive, complete, reduce } type;
  Operator op;
  Group group = Group::none;
  /// send, receive: which micro-batch's activations or gradients; reduce: which gradients of the rank
  std::int64_t message = -1;
  int direction = 0;  ///< send: 0 forward, 1 backward
  std::int32_t micro_batch = -1;
};

/// The same once everybody's waits are known: an event that can run when it is listed.
struct Event {
  Action::Type type;
  std::int32_t law = -1;  ///< sampling table; -1 takes no time
  double scale = 1;
  std::vector<std::int32_t> ranks;  ///< collective, beside compute or not: all members; else the rank
  double nodes = 0;                 ///< collective: that its members are on
  std::int64_t message = -1;
  std::int32_t link = -1;
  std::int32_t micro_batch = -1;
  std::int32_t receiver = -1;  ///< send
  bool compute = false, leaves_node = false;
  Kind kind = Kind::compute_other;
  Group group = Group::none;
  double median_s = 0;
  int shape = 0;
  double held_s = 0;  ///< compute takes it, others at least it; 0: none that takes part is held
  std::uint64_t causes = 0, what_ifs = 0;  ///< that act on it
};

/// What one trial shares: a value for each unit of each cause.
struct Shared {
  std::vector<std::vector<double>> value;  ///< [cause][unit]
};

}  // namespace

struct Reference::Machine {
  std::int64_t world = 0, messages = 0, links = 0, draws = 0;
  std::vector<SampleTable> laws;
  std::vector<Event> events;
  explicit Machine(const Workload& w) : workload(w), causes(w) {}
  const Workload workload;
  Causes causes;
  std::vector<SampleTable> cause_laws, stall_laws;
  std::vector<double> held_mass;                ///< [rank]: at which operators stand; 0: drawn
  std::vector<std::uint64_t> fixed_by;          ///< [rank]: what-ifs that hold what lasts there
  std::vector<std::uint64_t> changed_by;        ///< [rank]: what-ifs of a factor
  std::vector<double> what_if;                  ///< multiplier
  std::vector<std::vector<double>> stall_mean;  ///< [stall][event], cumulative

  Shared draw(std::uint64_t seed, std::int64_t trial) const;
  double multiplier(const Event& e, const Shared& shared) const;
  double at_rank(const Event& e, std::int32_t rank, const Shared& shared) const;
  std::size_t group_of(std::int64_t rank) const { return static_cast<std::size_t>(rank / workload.tp); }
  std::map<std::size_t, double> draw_stalls(pcg32_oneseq& generator) const;
  void prepare_causes();
  void prepare_stalls();
  void hold_events();
};

void Reference::Machine::prepare_causes() {
  fixed_by.assign(static_cast<std::size_t>(world), 0);
  changed_by.assign(static_cast<std::size_t>(world), 0);
  held_mass.assign(static_cast<std::size_t>(world), 0);
  for (const auto& [group, masses] : causes.held.groups())
    std::copy(masses.begin(), masses.end(), held_mass.begin() + group * workload.tp);
  for (const Factor& f : workload.causes) cause_laws.push_back(make_sample_table(tabulate(f.factor)));
  const Places& places = causes.places;
  for (std::size_t i = 0; i < workload.what_if.size(); ++i) {
    const WhatIf& w = workload.what_if[i];
    std::optional<Distribution> lasting;
    for (std::size_t k = 0; k < workload.causes.size(); ++k) {
      const Factor& f = workload.causes[k];
      if (causes.causes[k].of_class != Class::compute ||
          (f.scope != Factor::Scope::gpu && f.scope != Factor::Scope::node))
        continue;
      lasting = lasting ? product_of(*lasting, f.factor) : f.factor;
    }
    const bool fixes = w.change == WhatIf::Change::node_quantile;
    if (w.change == WhatIf::Change::operator_quantile) {
      what_if.push_back(1);
      continue;
    }
    what_if.push_back(!fixes ? w.value : lasting ? lasting->quantile(Mass::below(w.value)) : 1);
    const std::int64_t node = places.node_of_rank(w.dp, w.pp, w.tp);
    for (std::int64_t rank = 0; rank < world; ++rank) {
      const std::int64_t t = rank % workload.tp, r = rank / workload.tp % workload.pp,
                         d = rank / workload.tp / workload.pp;
      const bool there = w.unit == WhatIf::Unit::gpu ? d == w.dp && r == w.pp && t == w.tp
                                                     : places.node_of_rank(d, r, t) == node;
      if (there) (fixes ? fixed_by : changed_by)[static_cast<std::size_t>(rank)] |= std::uint64_t{1} << i;
    }
  }
}

/// Seconds at which events stand, or that they take at least.
void Reference::Machine::hold_events() {
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& e = events[i];
    double mass = e.receiver >= 0 ? held_mass[static_cast<std::size_t>(e.receiver)] : 0;
    for (std::int32_t rank : e.ranks) mass = std::max(mass, held_mass[static_cast<std::size_t>(rank)]);
    if (mass == 0 || e.law < 0) continue;
    const Distribution& shape = workload.shapes[static_cast<std::size_t>(e.shape)];
    e.held_s = e.compute ? causes.held.seconds({"", e.kind, e.scale, e.shape}, mass)
                         : e.scale * shape.quantile(Mass::below(mass));
  }
}

void Reference::Machine::prepare_stalls() {
  const auto gpus = static_cast<double>(workload.gpus_per_node);
  const auto group_nodes = static_cast<double>(causes.places.nodes_a_group);
  for (const Stall& stall : workload.stalls) {
    stall_laws.push_back(make_sample_table(tabulate(stall.duration)));
    std::vector<double> cumulative;
    double total = 0;
    for (const Event& e : events) {
      double nodes = 0;
      if (e.compute)
        nodes = 1 / gpus;
      else if (e.type == Action::send)
        nodes = group_nodes / static_cast<double>(workload.tp);
      else if (is_inside_chunk(e.group))
        nodes = e.nodes;
      else if (e.group == Group::data)
        nodes = workload.leaves_node(Group::data) ? static_cast<double>(data_ranks(workload)) : 1;
      else if (e.group == Group::world)
        nodes = std::max(1.0, static_cast<double>(world) / gpus);
      const bool acts = e.law >= 0 && varies_by(stall.what, workload, e.kind, e.leaves_node);
      if (acts) total += stall.per_node_s * nodes * e.median_s;
      cumulative.push_back(total);
    }
    stall_mean.push_back(std::move(cumulative));
  }
}

Shared Reference::Machine::draw(std::uint64_t seed, std::int64_t trial) const {
  Shared shared;
  const Places& places = causes.places;
  for (std::size_t i = 0; i < causes.causes.size(); ++i) {
    const Causes::Cause& cause = causes.causes[i];
    std::vector<double> value;
    const auto draw_from = [&](pcg32_oneseq generator, std::int64_t units) {
      for (; units > 0; --units)
        value.push_back(static_cast<double>(sample(cause_laws[i].bucket.data(), generator())));
    };
    const std::uint64_t key = shared_key(seed, trial, cause.period);
    switch (cause.scope) {
      case Factor::Scope::micro_batch:
        for (std::int64_t d = 0; d < workload.dp; ++d)
          draw_from(pcg32_oneseq(mix64(replica_key(seed, trial, d) ^ cause.key)), workload.micro_batches);
        break;
      case Factor::Scope::replica:
        draw_from(pcg32_oneseq(mix64(key ^ cause.key)), workload.dp);
        break;
      case Factor::Scope::node:
        draw_from(pcg32_oneseq(mix64(key ^ cause.key)), places.nodes);
        break;
      case Factor::Scope::gpu:
        draw_from(pcg32_oneseq(mix64(key ^ cause.key)), world);
        break;
      default:
        draw_from(pcg32_oneseq(mix64(key ^ cause.key)), 1);
    }
    shared.value.push_back(std::move(value));
  }
  return shared;
}

/// What lasts at one rank.
double Reference::Machine::at_rank(const Event& e, std::int32_t rank, const Shared& shared) const {
  double factor = 1;
  const auto place = static_cast<std::size_t>(rank);
  const std::size_t group = group_of(rank);
  const std::int64_t t = rank % workload.tp;
  for (std::size_t i = 0; i < causes.causes.size(); ++i) {
    if (!(e.causes >> i & 1)) continue;
    const bool held = e.compute && (fixed_by[place] != 0 || held_mass[place] > 0);
    switch (causes.causes[i].scope) {
      case Factor::Scope::gpu:
        if (!held) factor *= shared.value[i][place];
        break;
      case Factor::Scope::node: {
        const Places& places = causes.places;
        const auto r = static_cast<std::int64_t>(group) % workload.pp,
                   d = static_cast<std::int64_t>(group) / workload.pp;
        const auto within = places.node_of_rank(d, r, t) - places.node_of_rank(d, r, 0);
        if (!held)
          factor *= shared.value[i][static_cast<std::size_t>(
              places.node_of_group[group * static_cast<std::size_t>(places.nodes_a_group) +
                                   static_cast<std::size_t>(within)])];
        break;
      }
      case Factor::Scope::replica:
        factor *= shared.value[i][group / static_cast<std::size_t>(workload.pp)];
        break;
      default:
        break;
    }
  }
  // Operators held at a quantile have what lasts in it.
  const std::uint64_t fixed = held_mass[place] > 0 ? 0 : fixed_by[place];
  for (std::size_t i = 0; i < what_if.size(); ++i)
    if ((e.what_ifs & (fixed | changed_by[place])) >> i & 1) factor *= what_if[i];
  return factor;
}

double Reference::Machine::multiplier(const Event& e, const Shared& shared) const {
  if (e.causes == 0 && e.what_ifs == 0) return 1;
  double largest = 0;
  for (std::int32_t rank : e.ranks) largest = std::max(largest, at_rank(e, rank, shared));
  if (e.receiver >= 0) largest = std::max(largest, at_rank(e, e.receiver, shared));
  for (std::size_t i = 0; i < causes.causes.size(); ++i) {
    if (!(e.causes >> i & 1)) continue;
    if (causes.causes[i].scope == Factor::Scope::cluster) largest *= shared.value[i][0];
    if (causes.causes[i].scope == Factor::Scope::micro_batch && e.micro_batch >= 0) {
      const std::int64_t d = e.ranks[0] / workload.tp / workload.pp;
      largest *= shared.value[i][static_cast<std::size_t>(d * workload.micro_batches + e.micro_batch)];
    }
  }
  return largest;
}

/// Seconds that stalls add to events: their number is Poisson, their places as likely as their means are
/// large.
std::map<std::size_t, double> Reference::Machine::draw_stalls(pcg32_oneseq& generator) const {
  std::map<std::size_t, double> delay;
  const auto uniform = [&] { return (static_cast<double>(generator()) + 0.5) / 4294967296.0; };
  for (std::size_t i = 0; i < stall_mean.size(); ++i) {
    const std::vector<double>& cumulative = stall_mean[i];
    // Arrivals of a Poisson process on [0, total).
    for (double at = -log_exact(uniform()); at < cumulative.back(); at -= log_exact(uniform())) {
      const auto event = static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), at) -
                                                  cumulative.begin());
      delay[event] += static_cast<double>(sample(stall_laws[i].bucket.data(), generator()));
    }
  }
  return delay;
}

Reference::~Reference() = default;
std::int64_t Reference::draws() const { return machine_->draws; }

Reference::Reference(const Workload& w) : machine_(std::make_unique<Machine>(w)) {
  Machine& machine = *machine_;
  const std::int64_t t_ranks = w.tp, p = w.pp, d_ranks = w.dp, m = w.micro_batches;
  const std::int64_t stages = p * w.virtual_stages;
  const Groups groups(w);
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
  std::vector<std::vector<Action>> programs(machine.world);
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
        // Of gradients beside compute: no compute waits for them, so they can stand at the end of the
        // program.
        std::vector<Action> reductions;
        const auto reduce = [&] {
          for (Action& a : reductions) program.push_back(std::move(a));
          reductions.clear();
        };
        // `completes`: the stage whose gradients this pass completes, if any.
        auto segments = [&](const std::vector<Segment>& list, const StageProgram* completes = nullptr) {
          std::int32_t done = 0;
          const auto push = [&](Action action) {
            program.push_back(std::move(action));
            ++done;
            for (std::size_t k = 0; completes && k < completes->reductions.size(); ++k) {
              if (completes->complete_after[k] != done) continue;
              program.push_back({Action::complete, {}});
              reductions.push_back(
                  {Action::reduce, completes->reductions[k].collective, Group::data, std::ssize(reductions)});
            }
          };
          for (const Segment& s : list) {
            if (s.group == Group::data || s.group == Group::world) reduce();
            for (const Operator& op : s.compute) push({Action::compute, op});
            if (s.beside.scale_s > 0)
              push({Action::beside, s.beside, s.group});
            else if (s.has_collective)
              push({Action::collective, s.collective, s.group});
          }
        };
        const auto of_micro_batch = [&](std::size_t from, std::int32_t micro_batch) {
          for (; from < program.size(); ++from) program[from].micro_batch = micro_batch;
        };
        const std::vector<ScheduledTask> order = schedule->order({p, w.virtual_stages, m}, r);
        const auto completes = [&](const ScheduledTask& task) {
          return task.pass == completing_pass(w.stages[task.stage]);
        };
        std::vector<std::size_t> last(stages, 0);  // by stage, what completes its gradients
        for (std::size_t i = 0; i < order.size(); ++i)
          if (completes(order[i])) last[order[i].stage] = i;
        for (const ScheduledTask& task : order) {
          const bool forward = task.pass == Pass::forward;
          const std::size_t first = program.size();
          const std::int64_t from = forward ? task.stage - 1 : task.stage + 1,
                             to = forward ? task.stage + 1 : task.stage - 1;
          const bool passes_on = p > 1 && task.pass != Pass::weight;
          if (passes_on && from >= 0 && from < stages)
            program.push_back(
                {Action::receive, {}, Group::none, message_of(d, t, from, task.pass, task.micro_batch)});
          const StageProgram& stage = w.stages[task.stage];
          segments(forward                       ? stage.forward
                   : task.pass == Pass::backward ? stage.backward
                                                 : stage.weight,
                   &task == &order[last[task.stage]] ? &stage : nullptr);
          if (passes_on && to >= 0 && to < stages) {
            const Operator hop = !w.transfers.present ? Operator{}
                                 : forward            ? w.transfers.forward
                                                      : w.transfers.backward;
            program.push_back({Action::send, hop, Group::none,
                               message_of(d, t, task.stage, task.pass, task.micro_batch), forward ? 0 : 1});
          }
          of_micro_batch(first, task.micro_batch);
        }
        segments(w.end.rank[r]);
        reduce();
      }

  // Play the programs once without times: a rank goes on until it must wait for a message or for the others
  // of a collective. What runs, in that order, is what every trial runs.
  std::vector<std::size_t> next(machine.world, 0);
  std::vector<char> sent(machine.messages, 0);
  auto members = [&](std::int64_t rank, Group group) {
    const std::int64_t t = rank % t_ranks, r = rank / t_ranks % p, d = rank / t_ranks / p;
    std::vector<std::int32_t> list;
    auto add = [&](std::int64_t id) { list.push_back(static_cast<std::int32_t>(id)); };
    if (is_inside_chunk(group)) {
      const std::int64_t first = d / groups.replicas() * groups.replicas(),
                         own = groups.of(group, (d - first) * t_ranks + t);
      for (std::int64_t i = 0; i < groups.ranks(); ++i)
        if (groups.of(group, i) == own) add(rank_of(first + i / t_ranks, r, i % t_ranks));
    } else if (group == Group::data)
      for (std::int64_t i = 0; i < d_ranks * t_ranks; ++i) {
        if (i % data_groups(w) == t % data_groups(w)) add(rank_of(i / t_ranks, r, i % t_ranks));
      }
    else if (group == Group::embedding)
      for (std::int64_t i : {std::int64_t{0}, p - 1}) add(rank_of(d, i, t));
    else
      for (std::int64_t i = 0; i < machine.world; ++i) add(i);
    return list;
  };
  auto waits_in = [&](std::int64_t rank, Group group) {
    const auto& program = programs[rank];
    return next[rank] < program.size() && program[next[rank]].group == group;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::int64_t rank = 0; rank < machine.world; ++rank) {
      const auto& program = programs[rank];
      while (next[rank] < program.size()) {
        const Action& s = program[next[rank]];
        Event e;
        e.type = s.type;
        if (s.type != Action::receive && s.op.scale_s > 0) {
          e.law = law(s.op);
          e.scale = s.op.scale_s;
          ++machine.draws;
        }
        e.ranks = {static_cast<std::int32_t>(rank)};
        e.micro_batch = s.micro_batch;
        e.compute = s.type == Action::compute;
        e.kind = s.op.kind;
        e.shape = s.op.shape;
        e.group = s.group;
        e.leaves_node = s.type == Action::send ? w.transfers_leave_node : w.leaves_node(s.group);
        e.median_s = s.op.scale_s * w.shape_medians[static_cast<std::size_t>(s.op.shape)];
        for (std::size_t i = 0; i < w.causes.size(); ++i)
          if (varies_by(w.causes[i].what, w, e.kind, e.leaves_node)) e.causes |= std::uint64_t{1} << i;
        for (std::size_t i = 0; i < w.what_if.size(); ++i)
          if (acts_on(w.what_if[i].what, e.kind, e.leaves_node)) e.what_ifs |= std::uint64_t{1} << i;
        if (s.type == Action::reduce) e.message = s.message;
        if (s.type == Action::receive) {
          if (!sent[s.message]) break;
          e.message = s.message;
        } else if (s.type == Action::send) {
          e.message = s.message;
          e.link = static_cast<std::int32_t>(2 * rank + s.direction);
          const std::int64_t t = rank % t_ranks, r = rank / t_ranks % p, d = rank / t_ranks / p;
          e.receiver = static_cast<std::int32_t>(rank_of(d, (s.direction == 0 ? r + 1 : r + p - 1) % p, t));
          sent[s.message] = 1;
        } else if (s.group != Group::none) {
          e.ranks = members(rank, s.group);
          if (!std::all_of(e.ranks.begin(), e.ranks.end(),
                           [&](std::int32_t i) { return waits_in(i, s.group); })) {
            if (e.law >= 0) --machine.draws;
            break;
          }
          std::int64_t node = -1;  // members are in the order of their nodes
          for (std::int32_t i : e.ranks) {
            if (i != rank) ++next[i];
            const std::int64_t own =
                machine.causes.places.node_of_rank(i / t_ranks / p, i / t_ranks % p, i % t_ranks);
            e.nodes += own != std::exchange(node, own);
          }
        }
        ++next[rank];
        machine.events.push_back(std::move(e));
        progress = true;
      }
    }
  }
  machine.prepare_causes();
  machine.prepare_stalls();
  machine.hold_events();
  for ([[maybe_unused]] std::int64_t rank = 0; rank < machine.world; ++rank)
    assert(next[rank] == programs[rank].size() && "programs must not deadlock");
}

double Reference::step(std::uint64_t seed, std::int64_t trial) const {
  const Machine& machine = *machine_;
  static const std::uint64_t key = stream_key("reference");
  pcg32_oneseq generator(stream_state(seed, static_cast<std::uint64_t>(trial), key));
  std::vector<double> now(machine.world, 0), link(machine.links, 0), arrival(machine.messages, 0);
  // The stream of collectives beside compute: when it is free, when compute went on after the last of them,
  // and whether anything has been computed since.
  std::vector<double> free(machine.world, 0), since(machine.world, 0);
  std::vector<char> waited(machine.world, 0);
  // When gradients are complete, in their order, and when the stream of their reductions is free.
  std::vector<std::vector<double>> complete(machine.world);
  std::vector<double> reduced(machine.world, 0);
  const Shared shared = machine.draw(seed, trial);
  const std::map<std::size_t, double> delay = machine.draw_stalls(generator);
  for (std::size_t i = 0; i < machine.events.size(); ++i) {
    const Event& e = machine.events[i];
    double duration =
        e.law < 0 ? 0 : e.scale * static_cast<double>(sample(machine.laws[e.law].bucket.data(), generator()));
    if (e.held_s > 0) duration = e.compute ? e.held_s : std::max(duration, e.held_s);
    if (duration > 0) duration *= machine.multiplier(e, shared);
    if (const auto found = delay.find(i); found != delay.end()) duration += found->second;
    const std::int32_t rank = e.ranks[0];
    switch (e.type) {
      case Action::compute:
        if (waited[rank]) since[rank] = now[rank];
        waited[rank] = 0;
        now[rank] += duration;
        break;
      case Action::beside: {
        double start = 0;
        for (std::int32_t member : e.ranks) start = std::max({start, since[member], free[member]});
        for (std::int32_t member : e.ranks) {
          free[member] = start + duration;
          now[member] = std::max(now[member], free[member]);
          waited[member] = 1;
        }
        break;
      }
      case Action::complete:
        complete[rank].push_back(now[rank]);
        break;
      case Action::reduce: {
        double end = 0;
        for (std::int32_t member : e.ranks)
          end = std::max({end, complete[member][e.message] + duration, reduced[member] + duration});
        for (std::int32_t member : e.ranks) now[member] = std::max(now[member], reduced[member] = end);
        break;
      }
      case Action::receive:
        now[rank] = std::max(now[rank], arrival[e.message]);
        break;
      case Action::send:
        // Queued behind earlier transfers in its direction; the sender does not wait.
        link[e.link] = std::max(link[e.link], now[rank]) + duration;
        arrival[e.message] = link[e.link];
        break;
      case Action::collective: {
        double start = 0;
        for (std::int32_t member : e.ranks) start = std::max(start, now[member]);
        for (std::int32_t member : e.ranks) now[member] = start + duration;
        if (e.group == Group::shard)
          for (std::int32_t member : e.ranks) free[member] = start + duration;
      }
    }
  }
  return *std::max_element(now.begin(), now.end());
}

}  // namespace prism
