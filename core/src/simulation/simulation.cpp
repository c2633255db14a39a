// SPDX-License-Identifier: Apache-2.0
#include "prism/simulation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "simulation/attribution.h"
#include "simulation/deterministic.h"
#include "simulation/finish.h"
#include "simulation/lanes.h"
#include "simulation/reference.h"
#include "simulation/residual.h"

namespace prism {
namespace {

/// Replicas the fast path simulates in every trial; the slowest of the others is one draw. Without lasting
/// causes all replicas are alike, so more of them would only cost time. Few enough replicas are simply all
/// simulated.
constexpr std::int64_t fast_replicas = 4, few_replicas = 8;
constexpr std::int64_t pilot_unit = 1024;

/// Pilot simulations: as many as cost little beside the run, and never so few that the slowest of hundreds is
/// guessed.
std::int64_t pilot_units(double draws_a_replica) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(1.3e8 / (draws_a_replica * pilot_unit)), 16, 128);
}
constexpr std::int64_t check_unit = 16;

/// Trials that are played once more with all replicas: as many as cost little.
std::int64_t check_trials(const Run& run, std::int64_t replicas) {
  return std::min(run.trials, std::clamp<std::int64_t>(32768 / replicas, 4, 64));
}

/// Values of a unit, as the little-endian bytes that cross threads and workers.
class Writer {
 public:
  void put(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  bool done() const { return at_ + 8 > bytes_.size(); }
  double get() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(bytes_[at_++]) << (8 * i);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

/// Whether when a replica is done is a sum of many draws of which none decides alone: the condition of the
/// residual's law. Judged by each law's value at the mass that one of a thousand steps meets, against the
/// deviation of a rank's chunks together. Rare modes and heavy tails fail, and then all replicas are
/// simulated.
bool nearly_normal(const Compiled& c) {
  std::vector<double> variance(static_cast<std::size_t>(c.workload.pp), 0);
  double draws = 0;
  std::vector<LawBook::Law> laws;
  auto add = [&](std::size_t rank, LawBook::Law law) {
    const QuantileTable& table = c.book.table(law);
    variance[rank] += table.sd() * table.sd();
    draws += 1;
    if (std::find(laws.begin(), laws.end(), law) == laws.end()) laws.push_back(law);
  };
  for (const Graph::Task& t : c.graph.tasks) {
    for (const Draw& d : c.program(t).draws) add(static_cast<std::size_t>(t.rank), d.law);
    if (t.send_slot >= 0) add(static_cast<std::size_t>(t.rank), c.hop_law[Compiled::stream(t)]);
  }
  for (std::size_t r = 0; r < c.before.size(); ++r)
    for (const auto* program : {&c.before[r], &c.after[r]})
      for (const Draw& d : program->draws) add(r, d.law);
  const double together = std::sqrt(*std::max_element(variance.begin(), variance.end()));
  const Mass rare = Mass::above(1e-3 / (static_cast<double>(c.workload.dp) * draws));
  return std::all_of(laws.begin(), laws.end(), [&](LawBook::Law law) {
    const QuantileTable& table = c.book.table(law);
    return table.quantile(rare) - table.mean() <= 4 * together;
  });
}

}  // namespace

struct Simulation {
  std::unique_ptr<Compiled> compiled;
  std::unique_ptr<Reference> reference;
  Run run;
  Deterministic deterministic;
  std::int64_t replicas = 1, simulated = 1;
  std::int64_t attribution_trials = 0;
  /// When the latest of the replicas not simulated is done, by row; empty where that never decides.
  std::vector<SampleTable> rest;
  std::uint64_t rest_key = stream_key("replicas not simulated");
};

void SimulationDeleter::operator()(Simulation* s) const { delete s; }

Result<SimulationPtr> prepare_simulation(const Workload& workload, const Run& run) {
  using R = Result<SimulationPtr>;
  auto compiled = compile_workload(workload);
  if (!compiled) return R::faults(std::move(compiled.diagnostics));
  SimulationPtr s(new Simulation);
  s->compiled = std::move(*compiled);
  s->run = run;
  s->replicas = s->simulated = workload.dp;
  if (run.engine == "reference") {
    const std::int64_t world = workload.tp * workload.pp * workload.dp;
    if (world > max_reference_ranks)
      return R::fault({Code::too_large, "/run/engine",
                       "the reference engine plays every rank and takes at most " +
                           std::to_string(max_reference_ranks) + ", found " + std::to_string(world),
                       "use the engine fast or exact"});
    // Programs are written out for every rank: a bound on their length as well.
    const std::int64_t pipelines = world / workload.pp;
    if (static_cast<double>(s->compiled->graph.tasks.size()) * static_cast<double>(pipelines) > 4e6)
      return R::fault(
          {Code::too_large, "/run/engine",
           "the reference engine writes out every chunk of every rank, at most 4,000,000; found " +
               std::to_string(s->compiled->graph.tasks.size()) + " chunks in each of " +
               std::to_string(pipelines) + " pipelines",
           "use the engine fast or exact, or fewer micro-batches"});
    s->reference = std::make_unique<Reference>(s->compiled->workload);
  } else if (run.engine == "fast" && workload.dp > few_replicas) {
    if (nearly_normal(*s->compiled)) s->simulated = fast_replicas;
  }
  if (can_attribute(*s->compiled)) s->attribution_trials = run.attribution_trials;
  s->deterministic = deterministic_step(*s->compiled);

  return R::of(std::move(s));
}

std::int64_t unit_count(const Simulation& s, Phase phase) {
  auto units = [](std::int64_t trials, std::int64_t size) { return (trials + size - 1) / size; };
  const bool approximate = s.simulated < s.replicas;
  switch (phase) {
    case Phase::pilot:
      return approximate ? pilot_units(unit_draws(s, Phase::pilot) / pilot_unit) : 0;
    case Phase::trials:
      return units(s.run.trials, block_trials);
    case Phase::attribution:
      return units(s.attribution_trials, attribution_unit);
    case Phase::check:
      return approximate ? units(check_trials(s.run, s.replicas), check_unit) : 0;
  }
  return 0;
}

double unit_draws(const Simulation& s, Phase phase) {
  const Compiled& c = *s.compiled;
  double chunk = 0, segment = 0;
  for (const Graph::Task& t : c.graph.tasks) {
    const double hop = t.send_slot >= 0 && c.workload.transfers.present ? static_cast<double>(c.lines) : 0;
    chunk += 1 + hop;
    for (const Draw& d : c.program(t).draws) segment += d.collective ? 1 : static_cast<double>(c.lines);
    segment += hop;
  }
  const double replica = c.sampling == Sampling::chunk ? chunk : segment;
  switch (phase) {
    case Phase::pilot:
      return pilot_unit * replica;
    case Phase::trials:
      return s.reference ? static_cast<double>(block_trials * s.reference->draws())
                         : static_cast<double>(block_trials * s.simulated) * replica;
    case Phase::attribution:
      // The recorded pass costs about as much as three others.
      return static_cast<double>(attribution_unit * (std::min(s.replicas, few_replicas) + 3)) * segment;
    case Phase::check:
      return static_cast<double>(check_unit * s.replicas) * replica;
  }
  return 0;
}

namespace {

void simulate(const Compiled& c, Lanes& lanes) {
  if (c.sampling == Sampling::chunk)
    simulate_chunks(c, lanes);
  else
    simulate_segments(c, lanes);
}

/// Plays the (trial, replica) pairs of `count` trials and `replicas` replicas, 64 at a time, and calls
/// use(trial index, lane) with each pair's lane.
template <class Use>
void for_pairs(const Simulation& s, Lanes& lanes, std::int64_t first, std::int64_t count,
               std::int64_t replicas, Use use) {
  const std::int64_t pairs = count * replicas, width = lane_count;
  for (std::int64_t at = 0; at < pairs; at += width) {
    for (std::int64_t k = 0; k < width; ++k) {
      const std::int64_t pair = std::min(at + k, pairs - 1);
      lanes.key[k] = replica_key(s.run.seed, first + pair % count, pair / count);
    }
    simulate(*s.compiled, lanes);
    for (std::int64_t k = 0; k < width && at + k < pairs; ++k)
      use((at + k) % count, static_cast<std::size_t>(k));
  }
}

struct Trial {
  double step_s;
  bool by_residual;  ///< a replica that was not simulated decided
};

std::vector<Trial> play(const Simulation& s, std::int64_t first, std::int64_t count, std::int64_t replicas) {
  const Compiled& c = *s.compiled;
  const auto rows = static_cast<std::size_t>(c.workload.pp * c.lines);
  Lanes lanes(c);
  std::vector<double> meet(rows * static_cast<std::size_t>(count), 0);
  for_pairs(s, lanes, first, count, replicas, [&](std::int64_t trial, std::size_t lane) {
    for (std::size_t row = 0; row < rows; ++row) {
      double& latest = meet[static_cast<std::size_t>(trial) * rows + row];
      latest = std::max(latest, lanes.ends[row * lane_count + lane]);
    }
  });
  std::vector<Trial> trials;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::span<double> ends(&meet[static_cast<std::size_t>(i) * rows], rows);
    std::vector<bool> by_rest(rows, false);
    if (replicas < s.replicas) {
      // One word for all ranks: a replica that is late is late on all of them.
      pcg32_oneseq generator(stream_state(s.run.seed, static_cast<std::uint64_t>(first + i), s.rest_key));
      const std::uint32_t word = generator();
      for (std::size_t row = 0; row < rows; ++row) {
        if (s.rest[row].bucket.empty()) continue;
        const auto rest = static_cast<double>(sample(s.rest[row].bucket.data(), word));
        by_rest[row] = rest > ends[row];
        ends[row] = std::max(ends[row], rest);
      }
    }
    std::size_t decided = 0;
    const double step = finish_step(c, s.run.seed, first + i, ends, nullptr, &decided);
    trials.push_back({step, by_rest[decided]});
  }
  return trials;
}

}  // namespace

std::vector<std::byte> run_unit(const Simulation& s, Phase phase, std::int64_t unit) {
  assert(unit >= 0 && unit < unit_count(s, phase));
  const Compiled& c = *s.compiled;
  Writer out;
  auto part = [&](std::int64_t total, std::int64_t size) { return std::min(size, total - unit * size); };
  switch (phase) {
    case Phase::pilot: {
      static const std::uint64_t key = stream_key("pilot");
      Lanes lanes(c);
      for (std::int64_t at = 0; at < pilot_unit; at += lane_count) {
        for (std::size_t k = 0; k < lane_count; ++k)
          lanes.key[k] =
              stream_state(s.run.seed, static_cast<std::uint64_t>(unit * pilot_unit + at) + k, key);
        simulate(c, lanes);
        for (std::size_t k = 0; k < lane_count; ++k)
          for (std::size_t row = 0; row < lanes.ends.size() / lane_count; ++row)
            out.put(lanes.ends[row * lane_count + k]);
      }
      break;
    }
    case Phase::trials: {
      const std::int64_t count = part(s.run.trials, block_trials);
      if (s.reference)
        for (std::int64_t i = 0; i < count; ++i) {
          out.put(s.reference->step(s.run.seed, unit * block_trials + i));
          out.put(0);
        }
      else
        for (const Trial& t : play(s, unit * block_trials, count, s.simulated)) {
          out.put(t.step_s);
          out.put(t.by_residual ? 1 : 0);
        }
      break;
    }
    case Phase::attribution: {
      const std::int64_t count = part(s.attribution_trials, attribution_unit);
      for (const AttributedTrial& t :
           attribute(c, s.run.seed, unit * attribution_unit, count, std::min(s.simulated, few_replicas))) {
        out.put(t.step_s);
        for (double seconds : t.critical_path) out.put(seconds);
        for (double seconds : t.compute) out.put(seconds);
        for (double seconds : t.communication) out.put(seconds);
      }
      break;
    }
    case Phase::check: {
      const std::int64_t count = part(check_trials(s.run, s.replicas), check_unit);
      for (const Trial& t : play(s, unit * check_unit, count, s.replicas)) out.put(t.step_s);
      break;
    }
  }
  return std::move(out.bytes);
}

void learn(Simulation& s, std::span<const std::vector<std::byte>> pilot_parts) {
  if (s.simulated == s.replicas) return;
  const Compiled& c = *s.compiled;
  const auto lines = static_cast<std::size_t>(c.lines),
             rows = static_cast<std::size_t>(c.workload.pp) * lines;
  std::vector<std::vector<double>> ends(rows);
  for (const auto& part : pilot_parts)
    for (Reader in(part); !in.done();)
      for (auto& row : ends) row.push_back(in.get());
  std::vector<double> low, high;  // between which a row with its first section ends, by far
  for (std::size_t row = 0; row < rows; ++row) {
    const auto n = static_cast<double>(ends[row].size());
    const double mean = sum_compensated(ends[row]) / n;
    double square = 0;
    for (double x : ends[row]) square += (x - mean) * (x - mean);
    const double sd = std::sqrt(square / n);
    const QuantileTable& section = c.book.table(c.sections[0].rank[row / lines].law);
    low.push_back(mean - 8 * sd + section.lowest());
    high.push_back(mean + 12 * sd + section.quantile(Mass::above(1e-9)));
  }
  const double surely = *std::max_element(low.begin(), low.end());
  const std::vector<double> scores = normal_scores(ends[0].size());
  s.rest.assign(rows, {});
  for (std::size_t row = 0; row < rows; ++row)
    if (high[row] >= surely)
      s.rest[row] = Residual(std::move(ends[row]), scores).latest_of(s.replicas - s.simulated);
}

EngineAccount account(const Simulation& s) {
  EngineAccount a;
  a.path = s.reference ? "reference" : s.simulated < s.replicas ? "fast" : "exact";
  a.replicas = s.replicas;
  a.replicas_simulated = s.simulated;
  a.sampling = s.reference                                 ? "rank"
               : s.compiled->sampling == Sampling::chunk   ? "chunk"
               : s.compiled->sampling == Sampling::segment ? "segment"
                                                           : "rank";
  a.tasks = static_cast<std::int64_t>(s.compiled->graph.tasks.size());
  return a;
}

const Deterministic& deterministic(const Simulation& s) { return s.deterministic; }

namespace {

/// Mean and standard error, by position, of rows of equal length.
struct Columns {
  std::vector<double> mean, error;
  std::int64_t rows = 0;
};

Columns columns(std::span<const std::vector<std::byte>> parts, std::size_t width) {
  Columns c;
  std::vector<std::vector<double>> values(width);
  for (const auto& part : parts)
    for (Reader in(part); !in.done(); ++c.rows)
      for (auto& column : values) column.push_back(in.get());
  const auto n = static_cast<double>(c.rows);
  for (const auto& column : values) {
    const double mean = c.rows ? sum_compensated(column) / n : 0;
    double square = 0;
    for (double x : column) square += (x - mean) * (x - mean);
    c.mean.push_back(mean);
    c.error.push_back(c.rows > 1 ? std::sqrt(square / (n - 1) / n) : 0);
  }
  return c;
}

}  // namespace

Outcome merge(const Simulation& s, std::span<const std::vector<std::byte>> trials,
              std::span<const std::vector<std::byte>> attribution,
              std::span<const std::vector<std::byte>> check) {
  Outcome o;
  for (const auto& part : trials)
    for (Reader in(part); !in.done();) {
      o.step_s.push_back(in.get());
      o.decided_by_residual += in.get() != 0;
    }

  const auto ranks = static_cast<std::size_t>(s.compiled->workload.pp);
  const Columns c = columns(attribution, 1 + kind_count + 2 * ranks);
  o.attribution_trials = c.rows;
  if (c.rows > 0) {
    o.critical_path_s.assign(c.mean.begin() + 1, c.mean.begin() + 1 + kind_count);
    o.critical_path_se_s.assign(c.error.begin() + 1, c.error.begin() + 1 + kind_count);
    for (std::size_t r = 0; r < ranks; ++r) {
      const double compute = c.mean[1 + kind_count + r], communication = c.mean[1 + kind_count + ranks + r];
      o.rank.push_back({compute, communication, c.mean[0] - compute - communication});
    }
  }

  std::vector<double> relative;
  for (const auto& part : check)
    for (Reader in(part); !in.done();) {
      const double exact = in.get();
      if (relative.size() < o.step_s.size()) relative.push_back(o.step_s[relative.size()] / exact - 1);
    }
  o.checked_trials = static_cast<std::int64_t>(relative.size());
  if (!relative.empty()) {
    const auto n = static_cast<double>(relative.size());
    o.check_mean_difference = sum_compensated(relative) / n;
    double square = 0;
    for (double x : relative) {
      square += (x - o.check_mean_difference) * (x - o.check_mean_difference);
      o.check_largest_difference = std::max(o.check_largest_difference, x < 0 ? -x : x);
    }
    o.check_standard_error = n > 1 ? std::sqrt(square / (n - 1) / n) : 0;
  }
  return o;
}

}  // namespace prism
