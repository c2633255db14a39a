// SPDX-License-Identifier: Apache-2.0
#include "simulation/compiled.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <tuple>

namespace prism {
namespace {

using Law = LawBook::Law;

/// Consecutive compute operators, and the collective that ends them.
struct Leg {
  std::vector<Operator> compute;
  const Segment* end = nullptr;  ///< null: no collective follows
};

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

// Every collective inside a chunk is taken to synchronise all tensor and context ranks of the stage.
bool ends_in_tensor_collective(const std::vector<Segment>& segments) {
  const auto legs = legs_of(segments);
  return !legs.empty() && legs.back().end && is_inside_chunk(legs.back().end->group);
}

/// What a group waits for something that each of its ranks goes through separately (a transfer, an exchange,
/// the gradients of weights) when more work follows on each rank before the group meets. The group goes on at
/// max(separate + follows), of which max(follows) is drawn elsewhere; the difference is drawn here with its
/// true mean and variance.
Law felt_by_group(LawBook& book, Law separate, Law follows, std::int64_t ranks) {
  if (ranks == 1 || book.table(separate).is_constant()) return separate;
  if (follows == LawBook::none || book.table(follows).is_constant()) return book.maximum(separate, ranks);
  const Law both = book.sum({separate, follows});
  if (both == LawBook::none) return book.maximum(separate, ranks);
  const QuantileTable& late = book.table(book.maximum(both, ranks));
  const QuantileTable& base = book.table(book.maximum(follows, ranks));
  const double mean = late.mean() - base.mean();
  const double variance = late.sd() * late.sd() - base.sd() * base.sd();
  const QuantileTable& shape = book.table(separate);
  const double least = 1e-6 * shape.sd();
  return book.add(shape.with_moments(mean, variance > least * least ? std::sqrt(variance) : least));
}

Law first_compute(LawBook& book, const std::vector<Segment>& segments) {
  const auto legs = legs_of(segments);
  if (legs.empty()) return book.zero();
  std::vector<Law> laws;
  for (const Operator& op : legs[0].compute) laws.push_back(book.of(op));
  return book.sum(laws);
}

/// Builds programs for a number of lines that each stand for `ranks_a_line` tensor ranks.
class Compiler {
 public:
  Compiler(Compiled& compiled, std::int64_t ranks_a_line)
      : compiled_(&compiled), ranks_a_line_(ranks_a_line) {}

  /// True once a segment had to be split into its operators because they do not convolve.
  bool split = false;

  /// Laws of compute on one rank between two synchronisations, with their weight in seconds.
  Causes::Legs legs;

  /// `follows`: law of what each rank does next before the group meets; none where it meets at once.
  void append_compute(Program& program, const std::vector<Operator>& operators, Law follows = LawBook::none) {
    if (operators.empty()) return;
    LawBook& book = compiled_->book;
    std::vector<Law> laws;
    for (const Operator& op : operators) laws.push_back(book.of(op));
    if (const Law total = book.sum(laws); total != LawBook::none) {
      const auto apart = follows == LawBook::none ? Causes::until_collective : Causes::weights;
      legs[apart][total] += book.table(total).mean();
      // Slowest of n ranks by one draw: exact because their segment sums are i.i.d.
      append(program, operators, felt(total, follows), false, false, apart);
      return;
    }
    split = true;
    for (std::size_t i = 0; i < operators.size(); ++i) append(program, {operators[i]}, laws[i], false, false);
  }

  void append_collective(Program& program, const Operator& op, Group group) {
    append(program, {op}, compiled_->book.of(op), true, compiled_->workload.leaves_node(group));
  }

  /// `felt_by_group`, once for each pair.
  Law felt(Law separate, Law follows) {
    const auto [entry, is_new] = felt_.try_emplace({separate, follows}, LawBook::none);
    if (is_new) entry->second = felt_by_group(compiled_->book, separate, follows, ranks_a_line_);
    return entry->second;
  }

  Program program(const std::vector<Segment>& segments, Law follows = LawBook::none) {
    Program result;
    for (const Leg& leg : legs_of(segments)) {
      append_compute(result, leg.compute, leg.end ? LawBook::none : follows);
      if (leg.end) append_collective(result, leg.end->collective, leg.end->group);
    }
    return result;
  }

  Draw draw(const std::vector<Operator>& operators, Law law, bool collective, bool leaves_node,
            Causes::Apart apart = Causes::until_collective) const {
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

 private:
  void append(Program& program, const std::vector<Operator>& operators, Law law, bool collective,
              bool leaves_node, Causes::Apart apart = Causes::until_collective) {
    program.draws.push_back(draw(operators, law, collective, leaves_node, apart));
    program.median_s += program.draws.back().median_s;
    for (const Operator& op : operators)
      program.median_by_kind[static_cast<int>(op.kind)] += compiled_->book.median(op);
  }

  Compiled* compiled_;
  std::int64_t ranks_a_line_;
  std::map<std::pair<Law, Law>, Law> felt_;
};

/// Equal draws of a chunk taken together: a chunk of the one line is the sum of its draws in any order, so n
/// equal ones are one draw of their sum. Those that do not convolve stay apart.
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

/// Streams of the graph's chunks.
void list_streams(Compiled& compiled) {
  using Stream = Compiled::Stream;
  const auto& tasks = compiled.graph.tasks;
  std::vector<Stream> of_task;
  std::vector<Stream::Next> next(static_cast<std::size_t>(compiled.workload.pp), Stream::Next::end);
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const Graph::Task& t = tasks[i];
    auto& after = next[static_cast<std::size_t>(t.rank)];
    of_task.push_back({t.stage, t.pass, t.pass == Pass::weight ? after : Stream::Next::forward});
    after = static_cast<Stream::Next>(t.pass);
  }
  std::reverse(of_task.begin(), of_task.end());
  compiled.streams = of_task;
  std::sort(compiled.streams.begin(), compiled.streams.end());
  compiled.streams.erase(std::unique(compiled.streams.begin(), compiled.streams.end()),
                         compiled.streams.end());
  for (const Stream& s : of_task)
    compiled.stream_of.push_back(static_cast<std::int32_t>(
        std::lower_bound(compiled.streams.begin(), compiled.streams.end(), s) - compiled.streams.begin()));
}

/// Law of what a rank does after these weights before its group meets.
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

std::vector<Diagnostic> compile_ending(Compiled& compiled, Compiler& compiler, std::int64_t ranks_a_line) {
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
    compiled.embedding = compiler.draw({op}, felt_by_group(book, book.of(op), rank.front().one, ranks_a_line),
                                       false, w.leaves_node(Group::embedding));
    compiled.embedding_last = felt_by_group(book, book.of(op), rank.back().one, ranks_a_line);
  }
  return {};
}

/// Sampling tables of the laws that are drawn from; the others are only steps on the way.
void make_tables(Compiled& compiled) {
  std::vector<Law> drawn;
  auto add = [&](const Program& p) {
    for (const Draw& d : p.draws) drawn.push_back(d.law);
  };
  for (const Program& p : compiled.programs) add(p);
  for (const Program& p : compiled.before) add(p);
  for (const Program& p : compiled.after) add(p);
  for (const auto& law : compiled.chunk_law) drawn.insert(drawn.end(), law.begin(), law.end());
  for (const Causes::Cause& c : compiled.causes.causes)
    drawn.insert(drawn.end(), std::begin(c.law), std::end(c.law));
  drawn.insert(drawn.end(), compiled.stall_law.begin(), compiled.stall_law.end());
  drawn.insert(drawn.end(), compiled.hop_law.begin(), compiled.hop_law.end());
  if (compiled.embedding_exchange) {
    drawn.push_back(compiled.embedding.law);
    drawn.push_back(compiled.embedding_last);
  }
  for (const Section& s : compiled.sections) {
    for (const Section::Rank& r : s.rank) drawn.push_back(r.law);
    drawn.push_back(s.world_law);
  }
  for (Law law : drawn) {
    compiled.varies |= !compiled.book.table(law).is_constant();
    if (static_cast<std::size_t>(law) >= compiled.tables.size()) compiled.tables.resize(law + 1);
    if (compiled.tables[law].bucket.empty())
      compiled.tables[law] = make_sample_table(compiled.book.table(law));
  }
}

/// What the inner loops read: tables, constants and means.
void make_sources(Compiled& c) {
  for (std::size_t k = 0; k < 2; ++k)
    for (Law law : c.chunk_law[k]) c.chunk_source[k].push_back(c.source(law));
  for (Law law : c.hop_law) {
    c.hop_source.push_back(c.source(law));
    c.hop_mean.push_back(static_cast<float>(c.book.table(law).mean()));
  }
  for (const Program& p : c.programs) {
    std::map<Causes::Mix, double> mean;
    for (const Draw& d : p.draws) mean[d.mix] += c.book.table(d.law).mean();
    c.chunk_means.emplace_back();
    for (const auto& [mix, seconds] : mean)
      c.chunk_means.back().push_back({mix, static_cast<float>(seconds)});
  }
}

void sum_ranks(Compiled& c) {
  std::vector<std::map<Causes::Mix, Compiled::RankMix>> ranks(static_cast<std::size_t>(c.workload.pp));
  for (std::size_t s = 0; s < c.program_of.size(); ++s) {
    auto& rank = ranks[static_cast<std::size_t>(c.streams[s].stage) % ranks.size()];
    const auto times =
        static_cast<double>(std::count(c.stream_of.begin(), c.stream_of.end(), static_cast<std::int32_t>(s)));
    const auto add = [&](Causes::Mix mix, Law law) {
      Compiled::RankMix& entry = rank.try_emplace(mix, Compiled::RankMix{mix, 0, 0}).first->second;
      const QuantileTable& table = c.book.table(law);
      entry.mean += times * table.mean();
      entry.variance += times * table.sd() * table.sd();
    };
    for (const Draw& d : c.programs[static_cast<std::size_t>(c.program_of[s])].draws) add(d.mix, d.law);
    if (c.workload.transfers.present) add(c.hop_mix, c.hop_law[s]);
  }
  for (const auto& mixes : ranks) {
    c.rank_mixes.emplace_back();
    for (const auto& entry : mixes) c.rank_mixes.back().push_back(entry.second);
  }
}

void list_kinds(Compiled& compiled) {
  BySeconds share{};
  auto add = [&](const Program& p) {
    for (const Draw& d : p.draws)
      for (int k = 0; k < kind_count; ++k) share[k] += d.share[k];
  };
  for (const auto* programs : {&compiled.programs, &compiled.before, &compiled.after})
    for (const Program& p : *programs) add(p);
  for (int k = 0; k < kind_count; ++k)
    if (share[k] + (compiled.embedding_exchange ? compiled.embedding.share[k] : 0) > 0)
      compiled.kinds.push_back(static_cast<Kind>(k));
}

void name_streams(Compiled& compiled) {
  const std::uint64_t chunk = stream_key("chunk compute"), segment = stream_key("segment"),
                      hop = stream_key("hop");
  for (const Compiled::Stream& s : compiled.streams) {
    // Weights by what follows are named after the other passes.
    const std::size_t name = static_cast<std::size_t>(s.stage) * 8 + static_cast<std::size_t>(s.pass) +
                             static_cast<std::size_t>(s.next);
    compiled.chunk_key.push_back(stream_key(chunk, name));
    compiled.segment_key.push_back(stream_key(segment, name));
    compiled.hop_key.push_back(stream_key(hop, name));
  }
  const std::uint64_t before = stream_key("before exchange"), after = stream_key("after exchange");
  for (std::size_t r = 0; r < compiled.before.size(); ++r) {
    compiled.before_key.push_back(stream_key(before, r));
    compiled.after_key.push_back(stream_key(after, r));
  }
  compiled.embedding_key = stream_key("embedding exchange");
  for (std::size_t k = 0; k < compiled.sections.size(); ++k)
    compiled.section_key.push_back(stream_key(stream_key("end of step"), k));
}

/// One law for all compute of a chunk and one for all its communication; false if some do not convolve.
bool sum_chunks(Compiled& compiled) {
  struct Part {
    Law law;
    Causes::Mix mix;
  };
  std::vector<std::array<Part, 2>> parts;
  for (const Program& p : compiled.programs) {
    std::array<std::vector<Law>, 2> laws;
    std::array<std::vector<std::pair<Causes::Slot, double>>, 2> slots;
    for (const Draw& d : p.draws) {
      laws[d.collective].push_back(d.law);
      const double mean = compiled.book.table(d.law).mean();
      if (d.mix == 0) slots[d.collective].emplace_back(0, mean);
      for (const auto& [slot, share] : compiled.causes.mixes[d.mix])
        slots[d.collective].emplace_back(slot, mean * static_cast<double>(share));
    }
    parts.emplace_back();
    for (std::size_t k = 0; k < 2; ++k) {
      parts.back()[k] = {compiled.book.sum(laws[k]), compiled.causes.mix(slots[k])};
      if (parts.back()[k].law == LawBook::none) return false;
    }
  }
  for (std::int32_t p : compiled.program_of)
    for (std::size_t k = 0; k < 2; ++k) {
      compiled.chunk_law[k].push_back(parts[p][k].law);
      compiled.chunk_mix[k].push_back(parts[p][k].mix);
    }
  return true;
}

}  // namespace

Result<std::unique_ptr<Compiled>> compile_workload(const Workload& workload) {
  using R = Result<std::unique_ptr<Compiled>>;
  auto graph =
      compile_graph({workload.pp, workload.virtual_stages, workload.micro_batches}, workload.schedule);
  if (!graph) return R::faults(std::move(graph.diagnostics));

  auto compiled = std::make_unique<Compiled>(workload);
  compiled->graph = std::move(*graph);
  const Workload& w = compiled->workload;
  LawBook& book = compiled->book;

  list_streams(*compiled);

  // The group moves as one only if every chunk ends by synchronising it; weights are only felt by what
  // follows.
  bool joined = true;
  for (const StageProgram& s : w.stages)
    joined = joined && ends_in_tensor_collective(s.forward) && ends_in_tensor_collective(s.backward);
  compiled->lines = w.tp > 1 && !joined ? w.tp : 1;
  compiled->sampling = compiled->lines > 1 ? Sampling::rank : Sampling::chunk;

  const auto compile = [&] {
    Compiler compiler(*compiled, w.tp / compiled->lines);
    compiled->programs.clear();
    compiled->program_of.clear();
    // Equal stages share a program: recognised by what they draw.
    std::map<std::vector<std::tuple<Law, bool, BySeconds, Causes::Mix>>, std::int32_t> known;
    for (const Compiled::Stream& stream : compiled->streams) {
      const StageProgram& s = w.stages[static_cast<std::size_t>(stream.stage)];
      Program p = stream.pass == Pass::forward    ? compiler.program(s.forward)
                  : stream.pass == Pass::backward ? compiler.program(s.backward)
                                                  : compiler.program(s.weight, law_after(*compiled, stream));
      if (compiled->lines == 1) p = grouped(book, p);
      std::vector<std::tuple<Law, bool, BySeconds, Causes::Mix>> signature;
      for (const Draw& d : p.draws) signature.emplace_back(d.law, d.collective, d.share, d.mix);
      const auto [entry, is_new] =
          known.try_emplace(signature, static_cast<std::int32_t>(compiled->programs.size()));
      if (is_new) compiled->programs.push_back(std::move(p));
      compiled->program_of.push_back(entry->second);
    }
    return compiler;
  };
  Compiler compiler = compile();
  if (compiler.split && w.tp > 1 && compiled->lines == 1) {
    // Operators that do not convolve are drawn one by one, which needs every rank of the group.
    compiled->lines = w.tp;
    compiled->sampling = Sampling::rank;
    compiler = compile();
  }
  const std::int64_t ranks_a_line = w.tp / compiled->lines;

  if (compiled->sampling == Sampling::chunk && !sum_chunks(*compiled)) compiled->sampling = Sampling::segment;

  compiled->hop_law.assign(compiled->streams.size(), book.zero());
  compiled->hop_median_s.assign(compiled->streams.size(), 0);
  if (w.transfers.present) {
    compiled->hop_mix =
        compiled->causes.mix({{compiled->causes.slot_of(Kind::send_recv, w.transfers_leave_node), 1}});
    const Law forward = book.of(w.transfers.forward), backward = book.of(w.transfers.backward);
    const auto hop = [&](Law law, const std::vector<Segment>& receiver) {
      return ranks_a_line == 1 ? law : compiler.felt(law, first_compute(book, receiver));
    };
    for (std::size_t s = 0; s < compiled->streams.size(); ++s) {
      const auto stage = static_cast<std::size_t>(compiled->streams[s].stage);
      const Pass pass = compiled->streams[s].pass;
      if (pass == Pass::forward && stage + 1 < w.stages.size())
        compiled->hop_law[s] = hop(forward, w.stages[stage + 1].forward);
      if (pass == Pass::backward && stage > 0)
        compiled->hop_law[s] = hop(backward, w.stages[stage - 1].backward);
      if (pass != Pass::weight)
        compiled->hop_median_s[s] =
            book.median(pass == Pass::forward ? w.transfers.forward : w.transfers.backward);
    }
  }

  if (auto faults = compile_ending(*compiled, compiler, ranks_a_line); !faults.empty())
    return R::faults(std::move(faults));
  compiled->causes.prepare(book, compiled->lines, compiler.legs);
  for (const Stall& stall : w.stalls) compiled->stall_law.push_back(book.of(stall.duration));
  make_tables(*compiled);
  make_sources(*compiled);
  sum_ranks(*compiled);
  list_kinds(*compiled);
  name_streams(*compiled);
  return R::of(std::move(compiled));
}

}  // namespace prism
