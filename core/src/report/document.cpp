// SPDX-License-Identifier: Apache-2.0
// The result document, in the order of docs/result.schema.json.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "graph/memory.h"
#include "prism/report.h"
#include "report/diagnostics.h"
#include "report/digest.h"
#include "report/nearest.h"
#include "report/training_section.h"
#include "statistics/binomial.h"
#include "statistics/statistics.h"

namespace prism {
namespace {

constexpr double rounding = 0x1p-22;

using nlohmann::ordered_json;

constexpr double confidence = 0.95;
constexpr double guaranteed_coverage = 0.95;

/// JSON has no infinity and no NaN; one in a result is a bug, and a bug is a crash.
double finite(double x) {
  if (!std::isfinite(x)) throw std::logic_error("a reported number is not finite");
  return x;
}

ordered_json bound(std::span<const double> sorted, std::optional<std::int64_t> rank) {
  if (!rank) return nullptr;
  return finite(sorted[static_cast<std::size_t>(*rank - 1)]);
}

ordered_json step_time(const Job& job, std::span<const double> sorted) {
  const auto n = static_cast<std::int64_t>(sorted.size());
  const Moments m = moments(sorted);
  ordered_json out;
  out["deterministic"] = finite(deterministic(*job.simulation).step_s);
  for (const auto& [name, p] : reported_quantiles) out[std::string(name)] = finite(quantile(sorted, p));
  out["mean"] = finite(m.mean);
  out["mean_standard_error"] = finite(m.standard_error);
  out["sd"] = finite(m.sd);
  out["cv"] = m.mean > 0 ? finite(m.sd / m.mean) : 0.0;
  out["min"] = finite(sorted.front());
  out["max"] = finite(sorted.back());

  ordered_json intervals;
  for (const auto& [name, p] : reported_quantiles) {
    const RankInterval ranks = quantile_interval(n, p, confidence);
    intervals[std::string(name)] = {bound(sorted, ranks.low), bound(sorted, ranks.high)};
  }
  out["intervals"] = std::move(intervals);
  out["confidence"] = confidence;
  out["guarantee"] = {{"confidence", confidence},
                      {"coverage", guaranteed_coverage},
                      {"within", bound(sorted, guarantee_rank(n, guaranteed_coverage, confidence))}};

  const Histogram h = histogram(sorted);
  out["histogram"] = {{"edges", h.edges}, {"counts", h.counts}};
  out["ecdf"] = ordered_json::array();
  for (const EcdfPoint& point : ecdf(sorted)) out["ecdf"].push_back({finite(point.x), point.share});

  out["within"] = ordered_json::array();
  for (const double x : job.scenario.run.step_within_s) {
    // Durations are sums of 32-bit floats: a step of 0.1 s is 0.1 rounded to one, and that is within 0.1 s.
    const std::int64_t hits = count_within(sorted, x * (1 + rounding));
    const ProbabilityInterval interval = probability_interval(hits, n, confidence);
    out["within"].push_back({{"x", finite(x)},
                             {"probability", static_cast<double>(hits) / static_cast<double>(n)},
                             {"interval", {interval.low, interval.high}}});
  }
  return out;
}

/// Apart from the intervals, which are sampling error: more trials do not make this one smaller.
ordered_json input_error(const InputError& e, std::span<const double> sorted) {
  const double p50 = quantile(sorted, 0.5), p95 = quantile(sorted, 0.95);
  return {{"measurements", e.measurements},
          {"refits", e.refits},
          {"p50", {finite(e.p50_low * p50), finite(e.p50_high * p50)}},
          {"p95", {finite(e.p95_low * p95), finite(e.p95_high * p95)}}};
}

ordered_json engine(const Job& job, const Outcome& outcome) {
  const EngineAccount a = account(*job.simulation);
  ordered_json out = {{"path", a.path},
                      {"replicas", a.replicas},
                      {"replicas_simulated", a.replicas_simulated},
                      {"varies", a.varies},
                      {"shortlist", a.shortlist},
                      {"group_exponent", finite(a.group_exponent)},
                      {"sampling", a.sampling},
                      {"tasks", a.tasks},
                      {"decided_by_residual", outcome.decided_by_residual},
                      {"check", nullptr}};
  if (outcome.checked_trials > 0)
    out["check"] = {{"trials", outcome.checked_trials},
                    {"mean_difference", finite(outcome.check_mean_difference)},
                    {"standard_error", finite(outcome.check_standard_error)},
                    {"largest_difference", finite(outcome.check_largest_difference)}};
  return out;
}

/// Steps of the same run against one another, and runs against one another: the draws that last a run are the
/// same within one.
ordered_json runs(const Outcome& outcome) {
  if (outcome.steps_a_run == 0) return nullptr;
  std::vector<double> within, medians;
  const auto length = static_cast<std::size_t>(outcome.steps_a_run);
  for (std::size_t from = 0; from + length <= outcome.run_step_s.size(); from += length) {
    std::vector<double> steps(outcome.run_step_s.begin() + static_cast<std::ptrdiff_t>(from),
                              outcome.run_step_s.begin() + static_cast<std::ptrdiff_t>(from + length));
    std::sort(steps.begin(), steps.end());
    medians.push_back(quantile(steps, 0.5));
    for (double x : steps) within.push_back(x / medians.back());
  }
  std::sort(within.begin(), within.end());
  std::sort(medians.begin(), medians.end());
  return {{"runs", medians.size()},
          {"steps_per_run", outcome.steps_a_run},
          {"p95_over_p50_within_a_run", finite(quantile(within, 0.95))},
          {"median_s",
           {{"p5", finite(quantile(medians, 0.05))},
            {"p50", finite(quantile(medians, 0.5))},
            {"p95", finite(quantile(medians, 0.95))}}}};
}

ordered_json critical_path(const Job& job, const Outcome& outcome) {
  if (outcome.attribution_trials == 0) return nullptr;
  const std::vector<double>& fixed = deterministic(*job.simulation).critical_path_s;
  double total = 0;
  for (double s : outcome.critical_path_s) total += s;
  ordered_json kinds = ordered_json::array();
  for (std::size_t k = 0; k < kind_count; ++k) {
    const double mean = outcome.critical_path_s.at(k);
    if (mean == 0 && fixed.at(k) == 0) continue;
    const auto kind = static_cast<Kind>(k);
    kinds.push_back({{"kind", kind_name(kind)},
                     {"class", class_of(kind) == Class::compute ? "compute" : "communication"},
                     {"mean_s", finite(mean)},
                     {"standard_error_s", finite(outcome.critical_path_se_s.at(k))},
                     {"share", total > 0 ? finite(mean / total) : 0.0},
                     {"deterministic_s", finite(fixed[k])}});
  }
  return {{"trials", outcome.attribution_trials}, {"kinds", std::move(kinds)}};
}

ordered_json ranks(const Job& job, const Outcome& outcome) {
  const Workload& w = job.workload;
  const auto& busy = outcome.attribution_trials > 0 ? outcome.rank : deterministic(*job.simulation).rank;
  ordered_json out = ordered_json::array();
  for (std::int64_t r = 0; r < w.pp; ++r) {
    ordered_json layers = ordered_json::array();
    for (std::int64_t s = r; s < w.pp * w.virtual_stages; s += w.pp)
      layers.push_back(w.stages.at(static_cast<std::size_t>(s)).layers);
    const Deterministic::Rank& b = busy.at(static_cast<std::size_t>(r));
    out.push_back({{"pipeline_rank", r},
                   {"layers", std::move(layers)},
                   {"compute_s", finite(b.compute_s)},
                   {"communication_s", finite(b.communication_s)},
                   {"idle_s", finite(std::max(0.0, b.idle_s))}});
  }
  return out;
}

ordered_json layout(const Job& job) {
  const Scenario& s = job.scenario;
  const Workload& w = job.workload;
  const std::int64_t gpus = s.parallel.world();
  const std::int64_t per_node = s.cluster.gpus_per_node;
  std::vector<std::int64_t> layers;
  std::int64_t sum = 0;
  for (const StageProgram& stage : w.stages) {
    layers.push_back(stage.layers);
    sum += stage.layers;
  }
  return {{"gpus", gpus},
          {"nodes", (gpus + per_node - 1) / per_node},
          {"tp", s.parallel.tp},
          {"cp", s.parallel.cp},
          {"pp", s.parallel.pp},
          {"dp", s.parallel.dp},
          {"virtual_stages", w.virtual_stages},
          {"micro_batches", w.micro_batches},
          {"schedule", w.schedule},
          {"layers_per_virtual_stage", layers},
          {"layers", sum}};
}

/// Rates at the median step; MFU and HFU against the dense peak of all GPUs (Chowdhery et al. 2022,
/// arXiv:2204.02311, appendix B).
ordered_json throughput(const Job& job, double median_s) {
  const Workload& w = job.workload;
  if (w.tokens <= 0 || w.peak_flops <= 0 || median_s <= 0) return nullptr;
  const auto gpus = static_cast<double>(job.scenario.parallel.world());
  return {{"tokens_per_step", finite(w.tokens)},
          {"tokens_per_s", finite(w.tokens / median_s)},
          {"tokens_per_s_per_gpu", finite(w.tokens / median_s / gpus)},
          {"model_flops_per_step", finite(w.model_flops)},
          {"hardware_flops_per_step", finite(w.hardware_flops)},
          {"model_tflops_per_s_per_gpu", finite(w.model_flops / median_s / gpus / 1e12)},
          {"mfu", finite(w.model_flops / (median_s * w.peak_flops))},
          {"hfu", finite(w.hardware_flops / (median_s * w.peak_flops))}};
}

ordered_json memory(const Job& job) {
  const auto account = memory_account(job.workload);
  if (!account) return nullptr;
  const auto gib = [](double bytes) { return finite(bytes / 1073741824.0); };
  ordered_json ranks = ordered_json::array();
  for (std::size_t r = 0; r < account->rank.size(); ++r) {
    const MemoryAccount::Rank& rank = account->rank[r];
    ranks.push_back({{"pipeline_rank", r},
                     {"parameters", gib(rank.held.parameters)},
                     {"gradients", gib(rank.held.gradients)},
                     {"optimizer", gib(rank.held.optimizer)},
                     {"activations", gib(rank.activations)},
                     {"working", gib(rank.held.working)},
                     {"total", gib(rank.total())},
                     {"chunks_in_flight", rank.in_flight}});
  }
  const double most = account->rank[account->largest].total();
  constexpr const char* words[] = {"yes", "uncertain", "no"};
  return {
      {"unit", "GiB"},
      {"gpu", gib(job.workload.gpu_memory_bytes)},
      {"most", gib(most)},
      {"fullest_rank", account->largest},
      {"fits", words[static_cast<int>(fit(most, job.workload.gpu_memory_bytes))]},
      {"not_counted",
       "the driver's and the libraries' own memory, communication buffers, fragmentation and what kernels "
       "use in passing"},
      {"ranks", std::move(ranks)}};
}

ordered_json calibration(const Job& job) {
  if (!job.calibration) return nullptr;
  const CalibrationAccount& c = *job.calibration;
  return {{"to", c.median ? "median" : "mean"},
          {"measured_s", finite(c.measured_s)},
          {"efficiency_factor", finite(c.factor)},
          {"trials", c.trials}};
}

/// How far the cost model was off where something like this job was measured.
ordered_json validation(const Scenario& s) {
  if (!s.model) return nullptr;
  ordered_json rows = ordered_json::array();
  const std::string other = incomparable(s);
  if (!other.empty()) return {{"nearest", rows}, {"text", "no measurement near this: " + other}};
  for (const Measurement* m : nearest_measurements(s))
    rows.push_back({{"run", m->run},
                    {"gpus", m->gpus},
                    {"layouts", m->tp == 0 ? "several" : "one"},
                    {"error", finite(m->error)},
                    {"fitted", m->fitted}});
  return {
      {"nearest", rows},
      {"text", rows.empty()
                   ? "no measurement near this: same GPU and precision, a model within four times the size, "
                     "a job within eight times the GPUs"
                   : "modelled / measured - 1, without calibration, in the runs most like this one; of "
                     "several layouts the mean size of it"}};
}

ordered_json what_ifs(const Simulation& s) {
  ordered_json out = ordered_json::array();
  for (double m : account(s).what_if) out.push_back({{"multiplier", finite(m)}});
  return out;
}

ordered_json notes(const Workload& w) {
  ordered_json out = ordered_json::array();
  for (const Workload::Note& n : w.notes) out.push_back({{"about", n.about}, {"text", n.text}});
  return out;
}

ordered_json assumptions(const Scenario& s) {
  ordered_json out = ordered_json::array();
  for (const Scenario::Assumption& a : s.assumptions)
    out.push_back({{"pointer", a.pointer},
                   {"value", ordered_json::parse(a.value)},
                   {"origin", a.origin},
                   {"source", a.source}});
  return out;
}

/// The fast path leaves replicas out: said beside the answer where the trials played again with all of them
/// disagree.
std::optional<Diagnostic> fast_path_off(const Outcome& outcome) {
  constexpr double most = 1e-3;
  const double off = std::abs(outcome.check_mean_difference);
  if (off <= most || off <= 4 * outcome.check_standard_error) return std::nullopt;
  const int tenths = static_cast<int>(1000 * off + 0.5);
  return Diagnostic{Code::inconsistent, "/run/engine",
                    "with every replica simulated the first " + std::to_string(outcome.checked_trials) +
                        " trials take " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
                        " % " + (outcome.check_mean_difference < 0 ? "longer" : "less") +
                        " than the fast engine says",
                    "use the engine exact", Severity::warning};
}

/// Where the time goes is told of a few replicas: said where those are seldom the latest.
std::optional<Diagnostic> account_off(const Simulation& simulation, const Parts& attribution, double median) {
  constexpr double most = 0.02;
  std::vector<double> steps = attributed_steps(simulation, attribution);
  if (steps.empty()) return std::nullopt;
  std::sort(steps.begin(), steps.end());
  const auto n = static_cast<double>(steps.size());
  const auto below =
      static_cast<double>(std::lower_bound(steps.begin(), steps.end(), median) - steps.begin());
  const double off = quantile(steps, 0.5) / median - 1;
  // Four standard errors of a count of heads.
  if (std::abs(off) <= most || std::abs(below - n / 2) <= 2 * std::sqrt(n)) return std::nullopt;
  return Diagnostic{
      Code::inconsistent, "/run/attribution_trials",
      "where the time goes is told of the replicas that are likeliest to be late, and their steps take " +
          std::to_string(static_cast<int>(100 * std::abs(off) + 0.5)) + " % " +
          (off < 0 ? "less" : "longer") + " at the median than those of all",
      "with tails this heavy any replica may be the latest: read its shares as those of a usual replica",
      Severity::warning};
}

}  // namespace

std::string result_json(const Job& job, const Parts& trials, const Parts& attribution, const Parts& check,
                        const Parts& training) {
  const Simulation& simulation = *job.simulation;
  const Outcome outcome = merge(simulation, trials, attribution, check);
  if (outcome.step_s.empty()) throw std::logic_error("a result needs at least one part of trials");
  std::vector<double> sorted = outcome.step_s;
  std::sort(sorted.begin(), sorted.end());

  const auto complete = [&](Phase phase, const Parts& parts) {
    return static_cast<std::int64_t>(parts.size()) == unit_count(simulation, phase);
  };
  const bool partial = !complete(Phase::trials, trials) || !complete(Phase::attribution, attribution) ||
                       !complete(Phase::check, check);

  ordered_json out;
  out["prism_result"] = 1;
  out["engine_version"] = engine_version;
  out["title"] = job.scenario.title;
  out["seed"] = std::to_string(job.scenario.run.seed);
  out["trials"] = outcome.step_s.size();
  out["trials_asked"] = job.scenario.run.trials;
  out["partial"] = partial;
  out["engine"] = engine(job, outcome);
  out["step_time_s"] = step_time(job, sorted);
  if (job.scenario.input_error) out["input_error"] = input_error(*job.scenario.input_error, sorted);
  out["runs"] = runs(outcome);
  out["critical_path"] = critical_path(job, outcome);
  out["ranks"] = ranks(job, outcome);
  out["layout"] = layout(job);
  out["throughput"] = throughput(job, quantile(sorted, 0.5));
  out["memory"] = memory(job);
  out["calibration"] = calibration(job);
  out["validation"] = validation(job.scenario);
  out["what_if"] = what_ifs(simulation);
  std::vector<double> wall_clock;
  if (job.scenario.training_run && !partial)
    out["training_run"] = training_section(job, outcome, training, wall_clock);
  out["notes"] = notes(job.workload);
  std::vector<Diagnostic> warnings = job.warnings;
  if (auto off = fast_path_off(outcome)) warnings.push_back(std::move(*off));
  if (auto off = account_off(simulation, attribution, quantile(sorted, 0.5)))
    warnings.push_back(std::move(*off));
  out["warnings"] = to_json(warnings);
  out["assumptions"] = assumptions(job.scenario);
  const std::string digest =
      partial ? "" : result_digest(engine_version, job.scenario.resolved, outcome.step_s, out, wall_clock);

  // The resolved scenario goes in as the very text that the digest is taken of.
  std::string text = out.dump();
  text.pop_back();
  return text + ",\"scenario\":" + job.scenario.resolved + ",\"digest\":\"" + digest + "\"}";
}

}  // namespace prism
