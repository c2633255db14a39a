// SPDX-License-Identifier: Apache-2.0
// A workload compiled for the engine: what each chunk draws, what a rank does after its last backward, and
// the sampling tables. Lines are the tensor ranks that are propagated one by one: 1 where every chunk ends in
// a collective of its whole tensor group (then the group moves as one), else all of them.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "prism/graph.h"
#include "prism/simulation.h"
#include "simulation/causes.h"
#include "simulation/pace.h"

namespace prism {

using BySeconds = std::array<double, kind_count>;  ///< seconds, or shares of them, by operator kind

/// One draw of the segment path.
struct Draw {
  LawBook::Law law;
  bool collective;  ///< synchronises the lines and takes the same time on all; else a draw for each line
  BySeconds share;  ///< of the draw's mean, by kind; sums to 1
  double median_s;  ///< of the operators together: what the deterministic step takes
  Causes::Mix mix;  ///< shared causes that multiply it
  /// Compute where ranks stand at a quantile: by line, what they take there; 0: none. They end the line's
  /// draw, or are its other ranks and it takes the larger. Empty where none is held, and where all of one
  /// line are: then the law is a constant.
  std::vector<float> held_s = {};
  Causes::Mix held_mix = 0;
  /// A collective beside compute: drawn whole, less what the compute beside it takes that no earlier
  /// collective has filled. `law` is that of the rest.
  LawBook::Law whole = LawBook::none;
  float hidden_s = 0, earlier_s = 0;
  Causes::Mix hidden_mix = 0;
  /// Where groups cross: nodes that the groups of a collective are on, each counted by itself.
  double nodes = 0;
  bool leaves_node = false;  ///< of a collective
};

/// What a chunk, or a rank after its last backward, draws. The order matters only where there are several
/// lines.
struct Program {
  std::vector<Draw> draws;
  double median_s = 0;
  BySeconds median_by_kind{};
};

/// A section of the end of the step, from one synchronisation of all replicas to the next.
struct Section {
  struct Rank {
    LawBook::Law one;  ///< of the time from the section's start to its end on one tensor rank
    std::vector<LawBook::Law>
        law;               ///< [lines]; the same on the slowest of the ranks that the line stands for
    double mean_s;         ///< of the first one
    double median_s;       ///< of the operators
    BySeconds share;       ///< of the mean, by kind
    double compute_share;  ///< of the mean, of class compute
    Causes::Mix mix;
  };
  std::vector<Rank> rank;  ///< [pp]
  bool world = false;      ///< ended by a collective over the whole job
  LawBook::Law world_law = 0;
  double world_median_s = 0;
  Kind world_kind = Kind::all_reduce;
  Causes::Mix world_mix = 0;
};

enum class Sampling { chunk, segment, rank };

struct Compiled {
  /// Replicas that meet inside a chunk are taken together, unless `whole_stages` is asked for.
  Compiled(const Workload& w, TableStore* store, bool whole_stages);
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  Groups groups;
  Workload workload;
  /// Collectives inside a chunk are taken to synchronise all ranks of a stage of one replica.
  bool whole_stages;
  LawBook book;
  Causes causes;
  Graph graph;
  Sampling sampling = Sampling::chunk;
  std::int64_t lines = 1;

  /// Chunks that draw from the same laws: those of a stage and pass, and for weights, which end without a
  /// collective, with the same successor on the rank.
  struct Stream {
    enum class Next { forward, backward, weight, end };
    std::int32_t stage;
    Pass pass;
    Next next;  ///< of weights; else forward
    auto operator<=>(const Stream&) const = default;
  };
  std::vector<Stream> streams;          ///< that occur, in order
  std::vector<std::int32_t> stream_of;  ///< [tasks]

  /// Without a spread a law is not drawn: its bucket is null and its value here.
  struct Source {
    const SampleTable::Bucket* bucket;
    float constant;
    bool is_zero() const { return !bucket && constant == 0; }
  };
  /// What a replica draws, until replicas meet.
  struct Replica {
    // By stream.
    std::vector<std::int32_t> program_of;  ///< index into programs
    /// With Sampling::chunk: one draw for all compute of a chunk, and one for all its communication.
    std::array<std::vector<LawBook::Law>, 2> chunk_law;
    std::array<std::vector<Causes::Mix>, 2> chunk_mix;
    std::array<std::vector<Source>, 2> chunk_source;
    std::array<std::vector<char>, 2> by_segments;  ///< the class is drawn segment by segment all the same
    std::vector<LawBook::Law> hop_law;             ///< of the transfer that the chunk sends
    std::vector<Source> hop_source;
    std::vector<std::vector<float>> hop_at_least_s;  ///< by line, where several are propagated; empty: 0

    // After the last backward.
    std::vector<Program> before, after;       ///< [pp]; around the exchange of tied-embedding gradients
    Draw embedding{};                         ///< on the first rank
    LawBook::Law embedding_last = 0;          ///< the same exchange as the last rank feels it
    std::vector<float> embedding_at_least_s;  ///< as for hops
  };
  Replica usual;
  /// Replicas with a place that is held at a quantile, those alike together.
  std::vector<Replica> held;
  std::map<std::int64_t, std::size_t> held_of;  ///< by replica, index into `held`
  /// -1 for the usual ones.
  std::int64_t held_index(std::int64_t replica) const {
    const auto found = held_of.find(replica);
    return found == held_of.end() ? -1 : static_cast<std::int64_t>(found->second);
  }
  const Replica& replica(std::int64_t d) const {
    const std::int64_t index = held_index(d);
    return index < 0 ? usual : held[static_cast<std::size_t>(index)];
  }
  std::vector<Program> programs;  ///< distinct ones
  /// By program: means of a chunk's draws, one a mix; and of the transfers, by stream.
  struct MeanPart {
    Causes::Mix mix;
    float seconds;
  };
  std::vector<std::vector<MeanPart>> chunk_means;
  std::vector<float> hop_mean;
  /// By stream, the first whose chunks and transfers have the same means on the same rank.
  std::vector<std::int32_t> same_means;
  /// By rank: mean and variance of all that its chunks draw under one mix.
  struct RankMix {
    Causes::Mix mix;
    double mean, variance;
  };
  std::vector<std::vector<RankMix>> rank_mixes;
  Source source(LawBook::Law law) const {
    const QuantileTable& table = book.table(law);
    if (table.is_constant()) return {nullptr, static_cast<float>(table.median())};
    return {bucket(law), 0};
  }
  std::vector<double> hop_median_s;  ///< by stream
  Causes::Mix hop_mix = 0;

  bool embedding_exchange = false;
  std::vector<Section> sections;  ///< at least one

  /// What reduces gradients beside compute, in the order of the chunks that complete them.
  std::vector<Draw> reductions;             ///< but for their laws
  std::vector<LawBook::Law> reduction_law;  ///< [reductions * data groups]
  std::vector<std::int32_t> completing;     ///< [reductions]; task of that chunk
  std::vector<double> complete_at;          ///< [reductions]; share of its time, when they are
  BySeconds reduction_share{};              ///< of all reductions, by kind
  /// Whether the reduction is of gradients that this task completes.
  bool completes(std::size_t task, std::size_t reduction) const {
    return reduction < completing.size() && static_cast<std::size_t>(completing[reduction]) == task;
  }
  std::size_t rank_of(std::size_t reduction) const {
    return static_cast<std::size_t>(graph.tasks[completing[reduction]].rank);
  }

  std::vector<LawBook::Law> stall_law;  ///< [stalls], of a stall's duration

  bool varies = false;              ///< whether some law that is drawn has a spread
  std::vector<Kind> kinds;          ///< that occur: what a recording keeps apart
  std::vector<SampleTable> tables;  ///< [law], empty where the law is not drawn from
  const SampleTable::Bucket* bucket(LawBook::Law law) const { return tables[law].bucket.data(); }

  /// Identities of the random streams within a replica, by cause; by stream for chunks, by rank for the
  /// ending.
  std::array<std::vector<std::uint64_t>, 2> chunk_key;  ///< compute, communication
  std::vector<std::uint64_t> segment_key, hop_key, before_key, after_key;
  std::uint64_t embedding_key = 0;
  std::vector<std::uint64_t> section_key;  ///< [sections], of a trial

  std::size_t stream(std::size_t task) const { return static_cast<std::size_t>(stream_of[task]); }
  /// Index of what a chunk sends: by rank and direction.
  static std::size_t send(const Graph::Task& t) {
    return static_cast<std::size_t>(2 * t.rank + (t.pass == Pass::backward));
  }
  const Program& program(const Replica& replica, std::size_t task) const {
    return programs[replica.program_of[stream(task)]];
  }
  const Program& program(std::size_t task) const { return program(usual, task); }
};

Result<std::unique_ptr<Compiled>> compile_workload(const Workload& workload, TableStore* store);

}  // namespace prism
