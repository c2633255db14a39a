// SPDX-License-Identifier: Apache-2.0
#include "prism/simulation.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "distribution/standard_normal.h"
#include "simulation/deterministic.h"
#include "simulation/prepared.h"
#include "simulation/residual.h"
#include "simulation/warnings.h"

namespace prism {
namespace {

constexpr std::size_t many_chunks = 1000;
constexpr std::int64_t fewest_simulated = 2;
/// Few enough replicas, or few enough draws of all of them together, are simply all simulated.
constexpr std::int64_t few_replicas = 8;
constexpr double few_draws = 4096;
/// Replicas of which the walk of the critical path is taken.
constexpr std::int64_t attributed_replicas = 4;
constexpr std::int64_t pilot_unit = 256;
/// Steps of the pilot are numbered from here: far beyond any trial.
constexpr std::int64_t pilot_steps = std::int64_t{1} << 40;
/// And those on which the guess is fitted, from here.
constexpr std::int64_t screened_steps = std::int64_t{3} << 40;
/// Steps of runs that are played for themselves, likewise.
constexpr std::int64_t runs_played = 32, steps_a_run = 32, first_run = std::int64_t{1} << 41;

/// The fast path's effort, by the spread of what lasts on a replica over the deviation of what does not, and
/// by how well the latest can be guessed. Measured in docs/design/040-variability.md: where all are alike,
/// the slowest of the rest is one draw, and more simulated ones would only cost time; the more the lasting
/// causes decide, the fewer replicas can be the latest.
Effort effort_of(const Screened& screened, bool alike, bool micro_batch, std::int64_t replicas,
                 std::size_t chunks) {
  if (alike) return {4, 1, 0};
  if (micro_batch || screened.spread < 1) return {8, replicas, replicas};
  // The latest of n sums of what lasts (s) and what does not (1) lies near z(n) sqrt(1 + s^2); of it z(n) s /
  // sqrt(1 + s^2) deviations of what lasts, give or take 1 / sqrt(1 + s^2). Two and a half of those below
  // that nobody is the latest.
  const double s = screened.spread, n = static_cast<double>(replicas);
  const double latest = detail::normal_quantile(Mass::above(1 / n));
  const double share = detail::normal_mass((latest * s - 2.5) / std::sqrt(1 + s * s)).upper;
  const double missed = 200 * screened.guess.miss, played = 8 + missed, depth = 10 + n * share + missed;
  const auto of = [&](double count) { return std::min(replicas, static_cast<std::int64_t>(count)); };
  // Where a replica's end is a sum of many draws, the law of the rest is near enough to normal to speak for
  // all but two.
  return {s >= 2 && chunks >= many_chunks ? fewest_simulated : 4, of(played), of(depth)};
}

/// Pilot simulations: as many as cost little beside the run, and never so few that the slowest of hundreds is
/// guessed.
std::int64_t pilot_units(double draws_a_replica, bool alike, const Simulation& s) {
  // Where what lasts decides, few replicas can be the latest, and what they draw afresh matters less.
  if (!alike && s.screened.spread >= 1) return s.effort.simulated == fewest_simulated ? 1 : 8;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(1.3e8 / (draws_a_replica * pilot_unit)), 64, 512);
}
constexpr std::int64_t check_unit = 16;
constexpr double most_stalls = 700;  // e^-745 is zero, and so would be every probability

/// Trials that are played once more with all replicas: as many as cost little.
std::int64_t check_trials(const Run& run, std::int64_t replicas) {
  return std::min(run.trials, std::clamp<std::int64_t>(4096 / replicas, 8, 64));
}

/// Values of a unit, as the little-endian bytes that cross threads and workers.
static_assert(std::endian::native == std::endian::little);
class Writer {
 public:
  void put(double value) { put(std::span(&value, 1)); }
  void put(std::span<const double> values) {
    const auto added = std::as_bytes(values);
    bytes.insert(bytes.end(), added.begin(), added.end());
  }
  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  bool done() const { return at_ + sizeof(double) > bytes_.size(); }
  double get() {
    double value;
    std::memcpy(&value, &bytes_[at_], sizeof value);
    at_ += sizeof value;
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
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    for (const Draw& d : c.program(i).draws) add(static_cast<std::size_t>(t.rank), d.law);
    if (t.send_slot >= 0) add(static_cast<std::size_t>(t.rank), c.usual.hop_law[c.stream(i)]);
  }
  for (std::size_t r = 0; r < c.usual.before.size(); ++r)
    for (const auto* program : {&c.usual.before[r], &c.usual.after[r]})
      for (const Draw& d : program->draws) add(r, d.law);
  const double together = std::sqrt(*std::max_element(variance.begin(), variance.end()));
  const Mass rare = Mass::above(1e-3 / (static_cast<double>(c.workload.dp) * draws));
  return std::all_of(laws.begin(), laws.end(), [&](LawBook::Law law) {
    const QuantileTable& table = c.book.table(law);
    return table.quantile(rare) - table.mean() <= 4 * together;
  });
}

std::vector<Step> steps_of(std::int64_t first, std::int64_t count) {
  std::vector<Step> steps;
  for (std::int64_t i = first; i < first + count; ++i) steps.push_back({i, i});
  return steps;
}

bool alike(const Compiled& c) { return !c.causes.wide() && !c.causes.micro_batch(); }

}  // namespace

void SimulationDeleter::operator()(Simulation* s) const { delete s; }

std::unique_ptr<Bench> Benches::take(const Simulation& s) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto bench = std::move(idle_.back());
      idle_.pop_back();
      return bench;
    }
  }
  return std::unique_ptr<Bench>(
      new Bench{Player(*s.compiled, *s.stalls, s.run.seed, s.screened.guess), nullptr});
}

Result<SimulationPtr> prepare_simulation(const Workload& workload, const Run& run, TableStore* store) {
  using R = Result<SimulationPtr>;
  auto compiled = compile_workload(workload, store);
  if (!compiled) return R::faults(std::move(compiled.diagnostics));
  SimulationPtr s(new Simulation);
  s->compiled = std::move(*compiled);
  s->run = run;
  s->stalls = std::make_unique<Stalls>(*s->compiled);
  const std::int64_t replicas = s->replicas = s->compiled->workload.dp;
  s->effort = {replicas, 0, 0};
  if (s->stalls->mean_count() > most_stalls)
    return R::fault({Code::too_large, "/variability/stalls",
                     "a replica would be struck by " + std::to_string(s->stalls->mean_count()) +
                         " stalls a step on average; at most " +
                         std::to_string(static_cast<int>(most_stalls)) + " are simulated",
                     "stalls are rare interruptions: describe what is frequent by a factor"});
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
    s->reference = std::make_unique<Reference>(workload);
  } else if (run.engine == "fast" && replicas > few_replicas &&
             unit_draws(*s, Phase::check) / check_unit > few_draws) {
    s->approximate = nearly_normal(*s->compiled);
  }
  if (!s->reference) {
    s->screened.guess = closed_form_guess(*s->compiled);
    if (!alike(*s->compiled)) {
      auto bench = s->benches.take(*s);
      s->screened = bench->player.screen(steps_of(screened_steps, static_cast<std::int64_t>(lane_count)));
      s->benches.give_back(std::move(bench));
    }
  }
  if (s->approximate)
    s->effort = effort_of(s->screened, alike(*s->compiled), s->compiled->causes.micro_batch(), replicas,
                          s->compiled->graph.tasks.size());
  s->attribution_effort = effort_of(s->screened, alike(*s->compiled), s->compiled->causes.micro_batch(),
                                    replicas, s->compiled->graph.tasks.size());
  s->attribution_effort.simulated = std::min(attributed_replicas, replicas);
  for (const Factor& f : workload.causes) s->lasts_a_run |= f.period == Factor::Period::run;
  s->lasts_a_run &= !s->reference;
  if (can_attribute(*s->compiled)) s->attribution_trials = run.attribution_trials;
  s->deterministic = deterministic_step(*s->compiled);

  auto result = R::of(std::move(s));
  result.diagnostics = warnings(*(*result)->compiled);
  return result;
}

namespace {

std::int64_t units(std::int64_t trials, std::int64_t size) { return (trials + size - 1) / size; }

/// Units of Phase::check in which every replica is simulated; the rest are steps of runs.
std::int64_t exact_units(const Simulation& s) {
  return s.approximate ? units(check_trials(s.run, s.replicas), check_unit) : 0;
}

}  // namespace

std::int64_t unit_count(const Simulation& s, Phase phase) {
  switch (phase) {
    case Phase::pilot:
      return s.approximate ? pilot_units(unit_draws(s, Phase::pilot) / pilot_unit, alike(*s.compiled), s) : 0;
    case Phase::trials:
      return units(s.run.trials, block_trials);
    case Phase::attribution:
      return units(s.attribution_trials, attribution_unit);
    case Phase::check:
      return exact_units(s) + (s.lasts_a_run ? runs_played * steps_a_run / block_trials : 0);
  }
  return 0;
}

double unit_draws(const Simulation& s, Phase phase) {
  const Compiled& c = *s.compiled;
  double chunk = 0, segment = 0;
  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    const double hop = t.send_slot >= 0 && c.workload.transfers.present ? static_cast<double>(c.lines) : 0;
    chunk += 1 + hop;
    for (const Draw& d : c.program(i).draws) segment += d.collective ? 1 : static_cast<double>(c.lines);
    segment += hop;
  }
  const double replica = c.sampling == Sampling::chunk ? chunk : segment;
  const auto shared = static_cast<double>(std::ssize(c.reductions) * data_groups(c.workload));  // of a trial
  switch (phase) {
    case Phase::pilot:
      return pilot_unit * replica;
    case Phase::trials:
      return s.reference ? static_cast<double>(block_trials * s.reference->draws())
                         : static_cast<double>(block_trials) *
                               (static_cast<double>(s.effort.simulated) * replica + shared);
    case Phase::attribution:
      // The recorded pass costs about as much as three others.
      return static_cast<double>(attribution_unit *
                                 (std::min<std::int64_t>(s.replicas, attributed_replicas) + 3)) *
             segment;
    case Phase::check:
      return static_cast<double>(check_unit * s.replicas) * replica;
  }
  return 0;
}

namespace {

std::vector<std::byte> run_unit(const Simulation& s, Phase phase, std::int64_t unit, Bench& bench) {
  const Compiled& c = *s.compiled;
  Player& player = bench.player;
  Writer out;
  auto part = [&](std::int64_t total, std::int64_t size) { return std::min(size, total - unit * size); };
  switch (phase) {
    case Phase::pilot: {
      const std::int64_t steps = pilot_unit / Player::pilot_replicas;
      out.put(player.pilot(steps_of(pilot_steps + unit * steps, steps)));
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
        for (const Trial& t : player.play(steps_of(unit * block_trials, count), s.effort, s.rest)) {
          out.put(t.step_s);
          out.put(t.by_residual ? 1 : 0);
        }
      break;
    }
    case Phase::attribution: {
      const std::int64_t count = part(s.attribution_trials, attribution_unit);
      if (!bench.recording)
        bench.recording =
            std::make_unique<Recording<float>>(c, lane_count, static_cast<std::size_t>(c.lines));
      for (const AttributedTrial& t : attribute(player, steps_of(unit * attribution_unit, count),
                                                s.attribution_effort, *bench.recording)) {
        out.put(t.step_s);
        out.put(t.critical_path);
        out.put(t.compute);
        out.put(t.communication);
      }
      break;
    }
    case Phase::check: {
      if (unit >= exact_units(s)) {
        std::vector<Step> steps;
        for (std::int64_t i = (unit - exact_units(s)) * block_trials; std::ssize(steps) < block_trials; ++i)
          steps.push_back({first_run + i, first_run + i / steps_a_run});
        for (const Trial& t : player.play(steps, s.effort, s.rest)) out.put(t.step_s);
        break;
      }
      const std::int64_t count = part(check_trials(s.run, s.replicas), check_unit);
      for (const Trial& t : player.play(steps_of(unit * check_unit, count), {s.replicas, 0, 0}, {}))
        out.put(t.step_s);
      break;
    }
  }
  return std::move(out.bytes);
}

}  // namespace

std::vector<std::byte> run_unit(const Simulation& s, Phase phase, std::int64_t unit) {
  assert(unit >= 0 && unit < unit_count(s, phase));
  auto bench = s.benches.take(s);
  auto bytes = run_unit(s, phase, unit, *bench);
  s.benches.give_back(std::move(bench));
  return bytes;
}

void learn(Simulation& s, std::span<const std::vector<std::byte>> pilot_parts) {
  if (!s.approximate) return;
  const Compiled& c = *s.compiled;
  const auto rows = static_cast<std::size_t>(c.workload.pp * c.lines);
  std::vector<std::vector<double>> off(rows);
  std::vector<double> margin(rows, -1);
  for (const auto& part : pilot_parts)
    for (Reader in(part); !in.done();) {
      for (auto& row : off) row.push_back(in.get());
      for (double& most : margin) most = std::max(most, in.get());
    }
  // Where all are alike, one law for the latest of those that are never simulated.
  std::int64_t others = 1;
  if (alike(c)) {
    others = s.replicas - s.effort.simulated;
    for (std::int64_t d : c.causes.changed_replicas()) others -= d >= s.effort.simulated;
  }
  const std::vector<double> scores = normal_scores(off[0].size());
  s.rest.assign(rows, {});
  for (std::size_t row = 0; row < rows; ++row)
    if (margin[row] >= 0 && others > 0) s.rest[row] = Residual(std::move(off[row]), scores).latest_of(others);
}

EngineAccount account(const Simulation& s) {
  EngineAccount a;
  a.path = s.reference ? "reference" : s.approximate ? "fast" : "exact";
  const std::int64_t together = s.compiled->workload.folded;
  a.replicas = s.replicas * together;
  a.replicas_simulated = s.effort.simulated * together;
  a.shortlist = s.approximate ? s.effort.shortlist : 0;
  a.group_exponent =
      s.compiled->causes.uses_exponent ? s.compiled->causes.exponent[Causes::until_collective] : 0;
  a.varies = s.compiled->varies || s.stalls->any();
  a.what_if = s.compiled->causes.what_if_multiplier;
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

std::size_t attribution_width(const Simulation& s) {
  return 1 + kind_count + 2 * static_cast<std::size_t>(s.compiled->workload.pp);
}

}  // namespace

std::vector<double> attributed_steps(const Simulation& s, std::span<const std::vector<std::byte>> parts) {
  std::vector<double> steps;
  for (const auto& part : parts)
    for (Reader in(part); !in.done();) {
      steps.push_back(in.get());
      for (std::size_t i = 1; i < attribution_width(s); ++i) in.get();
    }
  return steps;
}

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
  const Columns c = columns(attribution, attribution_width(s));
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
  const auto exact = std::min(check.size(), static_cast<std::size_t>(exact_units(s)));
  for (const auto& part : check.first(exact))
    for (Reader in(part); !in.done();) {
      const double step = in.get();
      if (relative.size() < o.step_s.size()) relative.push_back(o.step_s[relative.size()] / step - 1);
    }
  for (const auto& part : check.subspan(exact))
    for (Reader in(part); !in.done();) o.run_step_s.push_back(in.get());
  o.steps_a_run = o.run_step_s.empty() ? 0 : steps_a_run;
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
