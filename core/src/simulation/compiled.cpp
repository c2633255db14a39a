// SPDX-License-Identifier: Apache-2.0
#include "simulation/compiled.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "simulation/step_end.h"

namespace prism {
namespace {

using Law = LawBook::Law;

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

/// Sampling tables of the laws that are drawn from; the others are only steps on the way.
void make_tables(Compiled& compiled) {
  std::vector<Law> drawn;
  auto add = [&](const Program& p) {
    for (const Draw& d : p.draws) drawn.push_back(d.whole == LawBook::none ? d.law : d.whole);
  };
  for (const Program& p : compiled.programs) add(p);
  const auto add_replica = [&](const Compiled::Replica& replica) {
    for (const Program& p : replica.before) add(p);
    for (const Program& p : replica.after) add(p);
    for (const auto& law : replica.chunk_law) drawn.insert(drawn.end(), law.begin(), law.end());
    drawn.insert(drawn.end(), replica.hop_law.begin(), replica.hop_law.end());
    if (!compiled.embedding_exchange) return;
    drawn.push_back(replica.embedding.law);
    drawn.push_back(replica.embedding_last);
  };
  add_replica(compiled.usual);
  for (const Compiled::Replica& replica : compiled.held) add_replica(replica);
  for (const Causes::Cause& c : compiled.causes.causes) {
    drawn.insert(drawn.end(), c.law.begin(), c.law.end());
    for (const auto& some : c.some) drawn.insert(drawn.end(), some.second.begin(), some.second.end());
  }
  drawn.insert(drawn.end(), compiled.stall_law.begin(), compiled.stall_law.end());
  for (const Section& s : compiled.sections) {
    for (const Section::Rank& r : s.rank) drawn.insert(drawn.end(), r.law.begin(), r.law.end());
    drawn.push_back(s.world_law);
  }
  drawn.insert(drawn.end(), compiled.reduction_law.begin(), compiled.reduction_law.end());
  for (Law law : drawn) {
    compiled.varies |= !compiled.book.table(law).is_constant();
    if (static_cast<std::size_t>(law) >= compiled.tables.size()) compiled.tables.resize(law + 1);
    if (compiled.tables[law].bucket.empty())
      compiled.tables[law] = make_sample_table(compiled.book.table(law));
  }
}

/// What the inner loops read: tables, constants and means.
void make_sources(Compiled& c) {
  const auto make = [&](Compiled::Replica& replica) {
    for (std::size_t k = 0; k < 2; ++k)
      for (Law law : replica.chunk_law[k]) replica.chunk_source[k].push_back(c.source(law));
    for (Law law : replica.hop_law) replica.hop_source.push_back(c.source(law));
  };
  make(c.usual);
  for (Compiled::Replica& replica : c.held) make(replica);
  for (Law law : c.usual.hop_law) c.hop_mean.push_back(static_cast<float>(c.book.table(law).mean()));
  for (const Program& p : c.programs) {
    std::map<Causes::Mix, double> mean;
    for (const Draw& d : p.draws) mean[d.mix] += c.book.table(d.law).mean();
    c.chunk_means.emplace_back();
    for (const auto& [mix, seconds] : mean)
      c.chunk_means.back().push_back({mix, static_cast<float>(seconds)});
  }
}

void pair_means(Compiled& c) {
  std::map<std::tuple<std::int64_t, Pass, std::int32_t, float>, std::int32_t> first;
  for (std::size_t s = 0; s < c.streams.size(); ++s) {
    const auto [stage, pass, next] = c.streams[s];
    const std::tuple means(stage % c.workload.pp, pass, c.usual.program_of[s], c.hop_mean[s]);
    c.same_means.push_back(first.try_emplace(means, static_cast<std::int32_t>(s)).first->second);
  }
}

void sum_ranks(Compiled& c) {
  std::vector<std::map<Causes::Mix, Compiled::RankMix>> ranks(static_cast<std::size_t>(c.workload.pp));
  std::vector<double> chunks(c.streams.size(), 0);
  for (const std::int32_t s : c.stream_of) ++chunks[static_cast<std::size_t>(s)];
  for (std::size_t s = 0; s < c.streams.size(); ++s) {
    auto& rank = ranks[static_cast<std::size_t>(c.streams[s].stage) % ranks.size()];
    const double times = chunks[s];
    const auto add = [&](Causes::Mix mix, Law law) {
      Compiled::RankMix& entry = rank.try_emplace(mix, Compiled::RankMix{mix, 0, 0}).first->second;
      const QuantileTable& table = c.book.table(law);
      entry.mean += times * table.mean();
      entry.variance += times * table.sd() * table.sd();
    };
    for (const Draw& d : c.programs[static_cast<std::size_t>(c.usual.program_of[s])].draws) add(d.mix, d.law);
    if (c.workload.transfers.present) add(c.hop_mix, c.usual.hop_law[s]);
  }
  for (const auto& mixes : ranks) {
    c.rank_mixes.emplace_back();
    for (const auto& entry : mixes) c.rank_mixes.back().push_back(entry.second);
  }
}

void list_kinds(Compiled& compiled) {
  BySeconds share = compiled.reduction_share;
  auto add = [&](const Program& p) {
    for (const Draw& d : p.draws)
      for (int k = 0; k < kind_count; ++k) share[k] += d.share[k];
  };
  for (const auto* programs : {&compiled.programs, &compiled.usual.before, &compiled.usual.after})
    for (const Program& p : *programs) add(p);
  for (int k = 0; k < kind_count; ++k)
    if (share[k] + (compiled.embedding_exchange ? compiled.usual.embedding.share[k] : 0) > 0)
      compiled.kinds.push_back(static_cast<Kind>(k));
}

void name_streams(Compiled& compiled) {
  const std::uint64_t chunk[2] = {stream_key("chunk compute"), stream_key("chunk communication")},
                      segment = stream_key("segment"), hop = stream_key("hop");
  for (const Compiled::Stream& s : compiled.streams) {
    // Weights by what follows are named after the other passes.
    const std::size_t name = static_cast<std::size_t>(s.stage) * 8 + static_cast<std::size_t>(s.pass) +
                             static_cast<std::size_t>(s.next);
    for (std::size_t k = 0; k < 2; ++k) compiled.chunk_key[k].push_back(stream_key(chunk[k], name));
    compiled.segment_key.push_back(stream_key(segment, name));
    compiled.hop_key.push_back(stream_key(hop, name));
  }
  const std::uint64_t before = stream_key("before exchange"), after = stream_key("after exchange");
  for (std::size_t r = 0; r < compiled.usual.before.size(); ++r) {
    compiled.before_key.push_back(stream_key(before, r));
    compiled.after_key.push_back(stream_key(after, r));
  }
  compiled.embedding_key = stream_key("embedding exchange");
  for (std::size_t k = 0; k < compiled.sections.size(); ++k)
    compiled.section_key.push_back(stream_key(stream_key("end of step"), k));
}

/// One law for all compute of a chunk and one for all its communication; false if some do not convolve. With
/// ranks held at a quantile such a class is drawn segment by segment, and so is compute that is held on some
/// ranks only, and communication of which some runs beside compute.
bool sum_chunks(Compiled& compiled, Compiled::Replica& to) {
  struct Part {
    Law law = LawBook::none;
    Causes::Mix mix = 0;
    bool by_segments = false;
  };
  const bool may_stay_apart = &to != &compiled.usual;
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
    const auto any = [&](auto is) { return std::any_of(p.draws.begin(), p.draws.end(), is); };
    const bool apart[2] = {any([](const Draw& d) { return !d.held_s.empty(); }),
                           any([](const Draw& d) { return d.whole != LawBook::none; })};
    parts.emplace_back();
    for (std::size_t k = 0; k < 2; ++k) {
      Part& part = parts.back()[k];
      part = {apart[k] ? LawBook::none : compiled.book.sum(laws[k]), compiled.causes.mix(slots[k])};
      if (part.law != LawBook::none) continue;
      if (!may_stay_apart && !apart[k]) return false;
      part = {compiled.book.zero(), 0, true};
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    to.chunk_law[k].clear();
    to.chunk_mix[k].clear();
    to.by_segments[k].clear();
    for (std::int32_t p : to.program_of) {
      to.chunk_law[k].push_back(parts[p][k].law);
      to.chunk_mix[k].push_back(parts[p][k].mix);
      to.by_segments[k].push_back(parts[p][k].by_segments);
    }
  }
  return true;
}

/// Of what each rank does next, where the group does not meet at once.
Law law_following(Compiled& c, const Compiled::Stream& stream) {
  return stream.pass == Pass::weight ? law_after(c, stream) : LawBook::none;
}

Program program_of(Compiled& c, ProgramCompiler& compiler, const Compiled::Stream& stream) {
  const StageProgram& stage = c.workload.stages[static_cast<std::size_t>(stream.stage)];
  const Program p = compiler.chunk(stage, stream.pass, law_following(c, stream));
  return c.lines == 1 ? grouped(c.book, p) : p;
}

/// Each stream's transfer with ranks held in the sending and in the receiving group.
void hold_transfers(Compiled& c, const std::vector<const HeldRanks*>& held, Compiled::Replica& to) {
  const Workload& w = c.workload;
  to.hop_at_least_s.resize(c.streams.size());
  for (std::size_t s = 0; s < c.streams.size(); ++s) {
    const auto [stage, pass, next] = c.streams[s];
    const std::int64_t receiver = pass == Pass::forward ? stage + 1 : stage - 1;
    if (pass == Pass::weight || receiver < 0 || receiver >= std::ssize(w.stages)) continue;
    const HeldRanks* sends = held[static_cast<std::size_t>(stage % w.pp)];
    const HeldRanks* receives = held[static_cast<std::size_t>(receiver % w.pp)];
    if (!sends && !receives) continue;
    const StageProgram& at = w.stages[static_cast<std::size_t>(receiver)];
    const std::vector<Segment>& program = pass == Pass::forward ? at.forward : at.backward;
    const Law one = c.book.of(pass == Pass::forward ? w.transfers.forward : w.transfers.backward);
    const HeldRanks mass = larger_masses(sends, receives, w.tp);
    std::vector<Law> follows(mass.size(), first_compute(c.book, program));
    for (std::size_t t = 0; receives && t < follows.size(); ++t)
      if ((*receives)[t] > 0) {
        double seconds = 0;
        const auto legs = legs_of(program);
        if (!legs.empty())
          for (const Operator& op : legs[0].compute) seconds += c.causes.held.seconds(op, (*receives)[t]);
        follows[t] = c.book.constant(seconds);
      }
    to.hop_law[s] = felt_above(c.book, one, follows, mass, c.lines);
    to.hop_at_least_s[s] = least_seconds(c.book, one, mass, c.lines);
  }
}

/// What replicas with a place held at a quantile draw.
void hold_replicas(Compiled& c) {
  const auto ranks = static_cast<std::size_t>(c.workload.pp);
  std::map<std::int64_t, std::vector<const HeldRanks*>> held;  // by replica: of each pipeline rank
  for (const auto& [group, masses] : c.causes.held.groups())
    held.try_emplace(group / c.workload.pp, ranks, nullptr)
        .first->second[static_cast<std::size_t>(group % c.workload.pp)] = &masses;
  std::map<std::vector<HeldRanks>, std::size_t> known;
  for (const auto& [replica, of_rank] : held) {
    std::vector<HeldRanks> pattern;
    for (const HeldRanks* masses : of_rank) pattern.push_back(masses ? *masses : HeldRanks{});
    const auto [entry, is_new] = known.try_emplace(pattern, c.held.size());
    c.held_of[replica] = entry->second;
    if (!is_new) continue;
    Compiled::Replica to = c.usual;
    for (std::size_t r = 0; r < ranks; ++r) {
      if (!of_rank[r]) continue;
      ProgramCompiler compiler(c, c.workload.tp / c.lines, of_rank[r]);
      for (std::size_t s = 0; s < c.streams.size(); ++s) {
        if (static_cast<std::size_t>(c.streams[s].stage) % ranks != r) continue;
        to.program_of[s] = static_cast<std::int32_t>(c.programs.size());
        c.programs.push_back(program_of(c, compiler, c.streams[s]));
      }
      compile_alone(c, compiler, r, to);
    }
    if (c.workload.transfers.present) hold_transfers(c, of_rank, to);
    if (c.embedding_exchange) compile_exchange(c, of_rank.front(), of_rank.back(), to);
    c.held.push_back(std::move(to));
  }
}

}  // namespace

Compiled::Compiled(const Workload& w, TableStore* store, bool whole)
    : groups(w),
      workload(whole || groups.replicas() == 1 ? w : folded(w, groups.replicas())),
      whole_stages(whole),
      book(workload, store),
      causes(workload) {}

namespace {

Result<std::unique_ptr<Compiled>> compile(const Workload& workload, TableStore* store, bool whole_stages) {
  using R = Result<std::unique_ptr<Compiled>>;
  auto graph =
      compile_graph({workload.pp, workload.virtual_stages, workload.micro_batches}, workload.schedule);
  if (!graph) return R::faults(std::move(graph.diagnostics));

  auto compiled = std::make_unique<Compiled>(workload, store, whole_stages);
  compiled->graph = std::move(*graph);
  const Workload& w = compiled->workload;
  LawBook& book = compiled->book;

  list_streams(*compiled);

  // The group moves as one if every chunk ends by synchronising it, weights being felt by what follows; or at
  // the pace that was found for it.
  bool joined = true, crossed = false;
  for (const StageProgram& s : w.stages)
    for (const auto* pass : {&s.forward, &s.backward}) {
      joined = joined && ends_in_tensor_collective(*pass);
      crossed = crossed || (!whole_stages && compiled->groups.cross(*pass));
    }
  compiled->lines = w.tp > 1 && !joined && !crossed ? w.tp : 1;
  compiled->sampling = compiled->lines > 1 ? Sampling::rank : Sampling::chunk;

  const auto compile_programs = [&] {
    ProgramCompiler compiler(*compiled, w.tp / compiled->lines);
    compiled->programs.clear();
    compiled->usual.program_of.clear();
    // Equal stages share a program: those of the same work are not compiled again, others are recognised by
    // what they draw.
    struct Done {
      Compiled::Stream stream;
      Law follows;
      std::size_t first_leg, last_leg;
      std::int32_t program;
    };
    std::vector<Done> done;
    std::map<std::vector<std::tuple<Law, bool, BySeconds, Causes::Mix>>, std::int32_t> known;
    for (const Compiled::Stream& stream : compiled->streams) {
      const Law follows = law_following(*compiled, stream);
      const auto& stage = w.stages[static_cast<std::size_t>(stream.stage)];
      const auto same = std::find_if(done.begin(), done.end(), [&](const Done& d) {
        return d.stream.pass == stream.pass && d.follows == follows &&
               same_work(w.stages[static_cast<std::size_t>(d.stream.stage)], stage);
      });
      if (same != done.end()) {
        for (std::size_t i = same->first_leg; i < same->last_leg; ++i)
          compiler.legs.push_back(compiler.legs[i]);
        compiled->usual.program_of.push_back(same->program);
        continue;
      }
      const std::size_t first_leg = compiler.legs.size();
      Program p = program_of(*compiled, compiler, stream);
      std::vector<std::tuple<Law, bool, BySeconds, Causes::Mix>> signature;
      for (const Draw& d : p.draws) signature.emplace_back(d.law, d.collective, d.share, d.mix);
      const auto [entry, is_new] =
          known.try_emplace(signature, static_cast<std::int32_t>(compiled->programs.size()));
      if (is_new) compiled->programs.push_back(std::move(p));
      compiled->usual.program_of.push_back(entry->second);
      done.push_back({stream, follows, first_leg, compiler.legs.size(), entry->second});
    }
    return compiler;
  };
  ProgramCompiler compiler = compile_programs();
  if (compiler.split && crossed) return compile(workload, store, true);
  if (compiler.split && w.tp > 1 && compiled->lines == 1) {
    // Operators that do not convolve are drawn one by one, which needs every rank of the group.
    compiled->lines = w.tp;
    compiled->sampling = Sampling::rank;
    compiler = compile_programs();
  }
  const std::int64_t ranks_a_line = w.tp / compiled->lines;

  if (compiled->sampling == Sampling::chunk && !sum_chunks(*compiled, compiled->usual))
    compiled->sampling = Sampling::segment;

  compiled->usual.hop_law.assign(compiled->streams.size(), book.zero());
  compiled->hop_median_s.assign(compiled->streams.size(), 0);
  if (w.transfers.present) {
    compiled->hop_mix =
        compiled->causes.mix({{compiled->causes.slot_of(Kind::send_recv, w.transfers_leave_node), 1}});
    const Law forward = book.of(w.transfers.forward), backward = book.of(w.transfers.backward);
    const auto hop = [&](Law law, const std::vector<Segment>& receiver) {
      return ranks_a_line == 1 ? law : book.felt(law, first_compute(book, receiver), ranks_a_line);
    };
    for (std::size_t s = 0; s < compiled->streams.size(); ++s) {
      const auto stage = static_cast<std::size_t>(compiled->streams[s].stage);
      const Pass pass = compiled->streams[s].pass;
      if (pass == Pass::forward && stage + 1 < w.stages.size())
        compiled->usual.hop_law[s] = hop(forward, w.stages[stage + 1].forward);
      if (pass == Pass::backward && stage > 0)
        compiled->usual.hop_law[s] = hop(backward, w.stages[stage - 1].backward);
      if (pass != Pass::weight)
        compiled->hop_median_s[s] =
            book.median(pass == Pass::forward ? w.transfers.forward : w.transfers.backward);
    }
  }

  if (auto faults = compile_ending(*compiled, compiler); !faults.empty()) return R::faults(std::move(faults));
  hold_replicas(*compiled);
  if (compiled->sampling == Sampling::chunk)
    for (Compiled::Replica& replica : compiled->held) sum_chunks(*compiled, replica);
  Causes::Legs seconds_of_legs;
  for (const auto& [apart, law] : compiler.legs) seconds_of_legs[apart][law] += book.table(law).mean();
  compiled->causes.prepare(book, compiled->lines, seconds_of_legs);
  for (const Stall& stall : w.stalls) compiled->stall_law.push_back(book.of(stall.duration));
  make_tables(*compiled);
  make_sources(*compiled);
  pair_means(*compiled);
  sum_ranks(*compiled);
  list_kinds(*compiled);
  name_streams(*compiled);
  return R::of(std::move(compiled));
}

}  // namespace

Result<std::unique_ptr<Compiled>> compile_workload(const Workload& workload, TableStore* store) {
  return compile(workload, store, false);
}

}  // namespace prism
