// SPDX-License-Identifier: Apache-2.0
#include "evidence_text.h"

#include <algorithm>
#include <cmath>

#include "format.h"

namespace prism::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string time_text(double seconds) {
  const TimeUnit unit = TimeUnit::for_size(std::fabs(seconds));
  return significant(seconds / unit.seconds, 4) + " " + std::string(unit.symbol);
}
std::string signed_percent(double share) { return (share >= 0 ? "+" : "") + percent(share, 2); }
double mean(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

std::string episode_text(const Episode& e, std::size_t all_steps) {
  std::string steps;
  if (e.kind == Episode::Kind::drift)
    return "drift: compute of the first " + std::to_string(e.steps.size()) + " of " +
           std::to_string(all_steps) + " recorded steps takes " + signed_percent(e.lengthens) +
           " against the rest (" + time_text(e.there) + ", then " + time_text(e.usual) + ")\n";
  for (std::size_t i = 0; i < e.steps.size() && i < 8; ++i)
    steps += (i ? ", " : "") + std::to_string(e.steps[i]);
  if (e.steps.size() > 8) steps += ", ...";
  return "cold or stalled: " + e.what + " takes " + time_text(e.there) + " instead of " + time_text(e.usual) +
         " in step " + steps +
         (e.lengthens > 0 ? ", which lengthens it by " + fixed(100 * e.lengthens, 1) + " %\n"
                          : ", hidden behind other work\n");
}

std::string slowdowns(const char* title, std::vector<GroupSlowdown> groups, std::size_t most) {
  if (groups.empty()) return {};
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.mean > b.mean; });
  Rows rows;
  for (std::size_t i = 0; i < groups.size() && i < most; ++i)
    rows.push_back({groups[i].group, fixed(groups[i].mean, 4)});
  return std::string("\n") + title + "\n" + table(rows);
}

std::string judgement_row(const Judgement& j) {
  return "p50 " + signed_percent(j.error(0.5)) + ", p95 " + signed_percent(j.error(0.95)) + ", KS " +
         fixed(j.ks, 3);
}

}  // namespace

std::string account_text(const Account& a) {
  std::string out = a.format + ": " + grouped(a.records) + " records in " +
                    large(static_cast<double>(a.bytes)) + " bytes, " + grouped(a.used) + " used\n";
  Rows rows;
  for (const auto& c : a.kinds) rows.push_back({printable(c.what), grouped(c.count)});
  for (const auto& c : a.ignored) rows.push_back({"not used: " + printable(c.what), grouped(c.count)});
  out += table(rows);
  for (const auto& n : a.notes) out += "  note: " + printable(n) + "\n";
  return out;
}

std::string operator_text(const OperatorTrace& t, const OperatorEvidence& e) {
  const ReplayWhatIf& w = e.answers;
  double worst = 0;
  for (std::size_t s = 0; s < w.measured.size(); ++s)
    worst = std::max(worst, std::fabs(e.serial_s[s] / w.measured[s] - 1));
  std::string out = "\n" + std::to_string(t.replicas) + " replicas x " + std::to_string(t.stages) +
                    " stages, " + std::to_string(t.steps()) + " steps\n";
  Rows rows = {{"measured step, mean", time_text(mean(w.measured))},
               {"replayed without launch gaps", time_text(mean(w.replayed))},
               {"ideal: every operation at its type's usual time", time_text(w.ideal)},
               {"slow-down S, replayed over ideal", fixed(w.slowdown, 3)}};
  if (e.healthy_s > 0) {
    rows.push_back({"slow workers' compute replaced by a peer's", time_text(e.healthy_s)});
    rows.push_back({"measured over that", fixed(mean(w.measured) / e.healthy_s, 3)});
  }
  rows.push_back({"rebuilt graph against measured steps, worst", fixed(100 * worst, 4) + " %"});
  out += table(rows);
  for (const WorkerView& v : e.workers)
    if (v.slow)
      out += "\nslow worker: replica " + std::to_string(v.replica) + ", stage " + std::to_string(v.stage) +
             " (rank " + std::to_string(v.rank) + "): forward x " + fixed(v.forward, 2) + ", backward x " +
             fixed(v.backward, 2) + " of its stage's median\n";
  if (w.by_type.empty()) {
    out += "\nS is below 1.03: there is no slow-down to explain\n";
  } else {
    out += slowdowns("slow-down by what alone is as measured: operation type", w.by_type, 6);
    out += slowdowns("stage", w.by_stage, 8) + slowdowns("replica", w.by_replica, 8);
    out += "\nof the slow-down, goes away when ideal: last stage " + fixed(100 * w.last_stage.removed, 1) +
           " %, slowest " + std::to_string(w.slowest.size()) + " of " + std::to_string(t.workers()) +
           " workers " + fixed(100 * w.slowest_workers.removed, 1) + " %\n";
  }
  const auto& s = e.parts.spread;
  out += "\nspread of compute (coefficient of variation)\n" +
         table({{"one operation, its micro-batch's content included", fixed(100 * s.fresh, 2) + " %"},
                {"a worker in a step", fixed(100 * s.worker_step, 2) + " %"},
                {"a step, all workers together", fixed(100 * s.step, 2) + " %"},
                {"a worker for the whole run", fixed(100 * s.worker, 2) + " %"}});
  if (!e.episodes.empty()) out += "\n";
  for (const Episode& x : e.episodes) out += episode_text(x, t.step_numbers.size());
  return out;
}

std::string device_trace_text(const DeviceTrace& t) {
  std::vector<const DeviceTrace::Kernel*> by_time;
  double total = 0;
  for (const auto& k : t.kernels) by_time.push_back(&k), total += k.total_s;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const auto* a, const auto* b) { return a->total_s > b->total_s; });
  std::string out;
  if (t.rank >= 0)
    out +=
        "\nrank " + std::to_string(t.rank) + (t.world_size > 0 ? " of " + grouped(t.world_size) : "") + "\n";
  Rows rows = {{"kernel", "kind", "count", "median", "p95", "share"}};
  for (std::size_t i = 0; i < by_time.size() && i < 15; ++i) {
    const auto& k = *by_time[i];
    std::vector<double> sorted = k.samples;
    std::sort(sorted.begin(), sorted.end());
    rows.push_back({printable(k.name.substr(0, 60)), k.kind, grouped(k.count),
                    time_text(quantile_of_sorted(sorted, 0.5)), time_text(quantile_of_sorted(sorted, 0.95)),
                    fixed(100 * k.total_s / total, 1) + " %"});
  }
  if (!by_time.empty()) out += "\n" + table(rows);
  if (!t.steps.empty()) {
    std::vector<double> seconds;
    for (const auto& s : t.steps) seconds.push_back(s.seconds);
    out += "\n" + std::to_string(t.steps.size()) + " profiler steps, mean " + time_text(mean(seconds)) + "\n";
  }
  return out;
}

std::string matched_text(const MatchedCollectives& m) {
  std::string out = "\ncollectives of " + std::to_string(m.ranks) +
                    " ranks; the shortest duration over the ranks is the transfer\n";
  Rows rows = {{"kernel", "count", "transfer, median", "waiting"}};
  for (const auto& n : m.names) {
    std::vector<double> sorted = n.transfer_s;
    std::sort(sorted.begin(), sorted.end());
    rows.push_back({printable(n.name.substr(0, 60)), grouped(static_cast<std::int64_t>(sorted.size())),
                    time_text(quantile_of_sorted(sorted, 0.5)), fixed(100 * n.waiting_share, 1) + " %"});
  }
  out += table(rows);
  for (const auto& u : m.unmatched)
    out += "  counts differ between the ranks: " + printable(u.substr(0, 80)) + "\n";
  return out;
}

std::string benchmark_text(const CollectiveBenchmark& b) {
  Rows rows = {{"bytes", "time", "algbw GB/s", "busbw GB/s"}};
  for (std::size_t i = 0; i < b.rows.size(); ++i) {
    if (b.rows.size() > 24 && i % (b.rows.size() / 16 + 1) != 0 && i + 1 != b.rows.size()) continue;
    const auto& r = b.rows[i];
    rows.push_back({grouped(r.bytes), time_text(r.out_of_place_s),
                    significant(r.algorithm_bytes_per_s * 1e-9, 4),
                    significant(r.bus_bytes_per_s * 1e-9, 4)});
  }
  std::string out = "\n" + table(rows);
  if (const auto f = fit_latency_bandwidth(b))
    out += "\ntime = " + time_text(f->alpha_s) + " + bytes / " + significant(f->bytes_per_s * 1e-9, 4) +
           " GB/s (algbw; worst row " + fixed(100 * f->worst_error, 0) + " % off)\n";
  return out;
}

std::string step_fit_text(const StepFit& f, const std::vector<double>& seconds) {
  const Distribution law = distribution_of(f);
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  std::string out = "\nstep time of " + std::to_string(f.parameters()) + " parameters\n";
  Rows rows = {{"median", time_text(f.median)}, {"body, sd", fixed(100 * f.body_sd, 3) + " %"}};
  if (f.second_weight > 0)
    rows.push_back({"second mode", fixed(100 * f.second_weight, 1) + " % of steps at " +
                                       fixed(f.second_at, 4) + " of the median"});
  if (f.stall_rate > 0)
    rows.push_back({"stalls", fixed(100 * f.stall_rate, 1) + " % of steps, " + fixed(100 * f.stall_from, 2) +
                                  " % and on average " + fixed(100 * f.stall_size, 2) + " % more"});
  rows.push_back({"one step with the next", "correlation " + fixed(f.correlation, 2) +
                                                (f.correlation > 0.5 ? ": the run wanders" : "")});
  out += table(rows) + "\n";
  Rows quantiles = {{"", "fit", "steps", "error"}};
  for (const double p : {0.05, 0.5, 0.95, 0.99}) {
    const double fitted = law.quantile(Mass::below(p)), seen = quantile_of_sorted(sorted, p);
    quantiles.push_back(
        {"p" + fixed(100 * p, 0), time_text(fitted), time_text(seen), signed_percent(fitted / seen - 1)});
  }
  return out + table(quantiles);
}

std::string fit_text(const Fit& fit) {
  Rows rows = {{"family", "AIC above best", "KS", "parameters"}};
  for (const FamilyFit& f : fit.families) {
    std::string parameters;
    for (const auto& [name, value] : f.parameters)
      parameters += (parameters.empty() ? "" : ", ") + name + " " + significant(value, 5);
    rows.push_back({f.family, fixed(f.aic - fit.families[fit.best].aic, 1), fixed(f.ks, 4), parameters});
  }
  return "\n" + fit_sentence(fit) + "\n" + table(rows);
}

std::string judgement_text(const Judgement& j) {
  Rows quantiles = {{"", "predicted", "observed", "error"}};
  for (const auto& q : j.quantiles)
    quantiles.push_back({"p" + fixed(100 * q.p, 0), time_text(q.predicted), time_text(q.observed),
                         signed_percent(q.predicted / q.observed - 1)});
  return table(quantiles) + "\nKS distance " + fixed(j.ks, 3) + "; a right prediction shows " +
         fixed(j.ks_mean, 3) + " on average with so many steps, and more than this one with probability " +
         fixed(j.ks_p, 2) + "\n";
}

std::string validation_text(const Validation& v) {
  std::string out = std::to_string(v.training.size()) + " steps to fit on, " +
                    std::to_string(v.held_out.size()) + " held out\n\n";
  const Judgement& j = v.prediction;
  out += judgement_text(j) + "p95 of " + std::to_string(v.held_out.size()) +
         " steps drawn from the prediction: " + time_text(j.p95_of_samples) + ", 95 % of them " +
         time_text(j.p95_low) + " to " + time_text(j.p95_high) + "\n\n";
  out += table({{"prediction", judgement_row(j)},
                {"baseline: training steps as they are", judgement_row(v.resampled)},
                {"baseline: constant, their median", "p50 " + signed_percent(v.constant_p50_error) +
                                                         ", p95 " + signed_percent(v.constant_p95_error) +
                                                         ", KS " + fixed(v.constant_ks, 3)},
                {"independent draws by type and stage", judgement_row(v.independent_by_stage)},
                {"independent draws by type", judgement_row(v.independent)}});
  if (!v.episodes.empty()) out += "\n";
  for (const Episode& e : v.episodes) out += episode_text(e, v.training.size() + v.held_out.size());
  return out;
}

}  // namespace prism::cli
