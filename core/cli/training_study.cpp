// SPDX-License-Identifier: Apache-2.0
#include "training_study.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "format.h"
#include "prism/dates.h"
#include "runner.h"
#include "training_text.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr double day = 86400;

std::string days(double seconds) { return fixed(seconds / day, 2); }

/// A scenario with a training run, and the simulated step that it builds on.
struct Study {
  Input input;
  std::string title, resolved;
  TrainingSetup setup;
  TrainingPtr training;
};

bool refuse(const std::vector<Diagnostic>& diagnostics, const Input& input, bool json) {
  bool refused = false;
  for (const Diagnostic& d : diagnostics) refused |= d.severity == Severity::error;
  if (json) {
    if (refused) std::cout << "{\"ok\":false,\"errors\":" << diagnostics_json(diagnostics) << "}\n";
  } else {
    for (const Diagnostic& d : diagnostics) std::cerr << diagnostic_text(d, input) << "\n";
  }
  return refused;
}

TrainingSetup simulated(Job& job, unsigned threads) {
  ProgressLine line;
  const Finished parts = run_job(job, threads, [&](double share) { line.show(share); });
  return training_setup(job, parts.trials, parts.check);
}

std::optional<Study> open_study(const std::string& file, const TrainingStudyOptions& o) {
  const auto input = read_input(file, o.overrides, o.json);
  if (!input) return std::nullopt;
  auto job = prepare(*input, o.json);
  if (!job) return std::nullopt;
  if (!job->scenario.training_run) {
    print_fault("missing_key", input->name + " has no training_run", o.json);
    return std::nullopt;
  }
  Study s{*input, job->scenario.title, job->scenario.resolved, simulated(*job, o.threads), nullptr};
  auto training = prepare_training(s.setup);
  if (refuse(training.diagnostics, *input, o.json) || !training) return std::nullopt;
  s.training = std::move(*training);
  return s;
}

std::vector<RunRecord> simulate(const Training& t, unsigned threads) {
  return merge_training(t, run_training_parts(t, threads, {}));
}

TrainingRunner on_threads(unsigned threads) {
  return [threads](const Training& t) { return simulate(t, threads); };
}

/// The document, or the text made of it.
int show(const ordered_json& document, const std::string& text, bool json) {
  if (json)
    std::cout << document.dump() << "\n";
  else
    std::cout << printable(text, true);
  return done;
}

ordered_json head(const char* study, const Study& s) {
  return {{"prism_study", study},      {"engine_version", engine_version},
          {"title", s.title},          {"seed", std::to_string(s.setup.seed)},
          {"runs", s.setup.plan.runs}, {"gpus", s.setup.gpus}};
}

std::string headline(const Study& s) { return s.title.empty() ? "" : s.title + "\n\n"; }

ordered_json to_json(const Capacity& c) {
  ordered_json list = ordered_json::array();
  for (const Chance& p : c.candidates)
    list.push_back({{"x", p.x},
                    {"probability", p.probability},
                    {"interval", {p.low, p.high}},
                    {"mean_wall_clock_s", p.mean_wall_s},
                    {"p95_wall_clock_s", p.p95_s},
                    {"goodput", p.goodput},
                    {"finished", p.finished}});
  const auto x = [&](int i) {
    return i < 0 ? ordered_json(nullptr) : ordered_json(c.candidates[static_cast<std::size_t>(i)].x);
  };
  return {{"answer", x(c.answer)},
          {"interval", {x(c.perhaps), x(c.surely)}},
          {"point_estimate", x(c.point_estimate)},
          {"candidates", std::move(list)}};
}

std::string count_text(const ordered_json& x) {
  return x.is_null() ? "none of those tried" : grouped(static_cast<std::int64_t>(x.get<double>()));
}

/// "17 (95 % interval 16 to 18); by a point estimate 2"
std::string answer_text(const ordered_json& c) {
  return count_text(c["answer"]) + " (95 % interval " + count_text(c["interval"][0]) + " to " +
         count_text(c["interval"][1]) + "); a point estimate, without failures, says " +
         count_text(c["point_estimate"]);
}

/// Runs that were given up count with the time until then.
std::string at_least(const ordered_json& candidate, double seconds) {
  return (candidate["finished"] < 1 ? "> " : "") + days(seconds);
}

std::string candidates_text(const ordered_json& c, const std::string& what, double within_days) {
  Rows rows{{what, "P(in time)", "95 % interval", "mean, days", "95 % within", "goodput"}};
  for (const ordered_json& p : c["candidates"])
    rows.push_back(
        {"  " + grouped(static_cast<std::int64_t>(p["x"].get<double>())), significant(p["probability"], 3),
         significant(p["interval"][0], 3) + " to " + significant(p["interval"][1], 3),
         at_least(p, p["mean_wall_clock_s"]), at_least(p, p["p95_wall_clock_s"]), percent(p["goodput"])});
  return table(rows, "") + "  (in time: within " + significant(within_days, 4) + " days)\n";
}

bool asked(const TrainingStudyOptions& o) {
  if (o.within_days > 0) return true;
  print_fault("missing_option", "--within-days is needed: in how many days the run must be finished", o.json);
  return false;
}

/// The scenario with another number of replicas and the same global batch.
std::string with_replicas(const std::string& resolved, std::int64_t dp) {
  ordered_json s = ordered_json::parse(resolved);
  s["parallel"]["dp"] = dp;
  s["batch"].erase("micro_batches");
  return s.dump();
}

/// Numbers of replicas that divide the batch, from a quarter to four times the scenario's own.
std::vector<std::int64_t> default_replicas(const std::string& resolved) {
  const ordered_json s = ordered_json::parse(resolved);
  const std::int64_t dp = s["parallel"]["dp"];
  const std::int64_t all = s["batch"]["global"].get<std::int64_t>() / s["batch"]["micro"].get<std::int64_t>();
  std::vector<std::int64_t> list;
  for (std::int64_t n = std::max<std::int64_t>(1, dp / 4); n <= 4 * dp; ++n)
    if (all % n == 0) list.push_back(n);
  return list;
}

}  // namespace

int study_checkpoint(const TrainingStudyOptions& o) {
  const auto s = open_study(o.files.front(), o);
  if (!s) return refused;
  const auto curve = checkpoint_curve(s->setup, on_threads(o.threads));
  if (refuse(curve.diagnostics, s->input, o.json) || !curve) return refused;
  ordered_json out = head("checkpoint", *s);
  out["write_s"] = s->setup.plan.tiers.back().write_s;
  out["best_interval_s"] = curve->best_s;
  out["exact_interval_s"] = curve->exact_s;
  out["young_interval_s"] = curve->young_s;
  out["daly_first_order_interval_s"] = curve->daly_first_s;
  out["daly_interval_s"] = curve->daly_s;
  out["points"] = ordered_json::array();
  for (const CurvePoint& p : curve->points)
    out["points"].push_back({{"interval_s", p.x},
                             {"mean_wall_clock_s", p.mean_wall_s},
                             {"standard_error_s", p.standard_error_s},
                             {"p50_wall_clock_s", p.p50_s},
                             {"p95_wall_clock_s", p.p95_s},
                             {"goodput", p.goodput},
                             {"finished", p.finished}});

  std::string text = headline(*s) + "The run is shortest with a checkpoint every " +
                     duration_text(out["best_interval_s"]) + " of training.\n\n";
  Rows rows{{"Interval", "mean, days", "standard error", "95 % within", "goodput"}};
  for (const ordered_json& p : out["points"])
    rows.push_back({"  " + duration_text(p["interval_s"]),
                    fixed(p["mean_wall_clock_s"].get<double>() / day, 3),
                    fixed(p["standard_error_s"].get<double>() / day, 3), days(p["p95_wall_clock_s"]),
                    percent(p["goodput"], 2)});
  text += table(rows, "");
  if (curve->exact_s > 0)
    text +=
        "\nFor memoryless failures and blocking writes alone\n" +
        table({{"exact", duration_text(curve->exact_s), "minimum of Daly's full formula"},
               {"Daly, higher order", duration_text(curve->daly_s),
                "writes shorter than twice the time between failures"},
               {"Daly, first order", duration_text(curve->daly_first_s), "writes much shorter than that"},
               {"Young", duration_text(curve->young_s), "the same, and the write is part of the interval"}});
  return show(out, text, o.json);
}

int study_spares(const TrainingStudyOptions& o) {
  if (!asked(o)) return usage;
  auto s = open_study(o.files.front(), o);
  if (!s) return refused;
  if (!s->setup.plan.spares) {
    print_fault("missing_key",
                s->input.name +
                    ": training_run has no \"spares\" with a repair time; a replacement is always at hand",
                o.json);
    return refused;
  }
  const auto c =
      capacity(spare_candidates(s->setup, o.most), o.within_days * day, o.probability, on_threads(o.threads));
  if (refuse(c.diagnostics, s->input, o.json) || !c) return refused;
  ordered_json out = head("spares", *s);
  out["within_days"] = o.within_days;
  out["asked_probability"] = o.probability;
  out["spares"] = to_json(*c);
  return show(out,
              headline(*s) + "Spare nodes for " + percent(o.probability) +
                  " chance of finishing in time: " + answer_text(out["spares"]) + ".\n\n" +
                  candidates_text(out["spares"], "Spares", o.within_days),
              o.json);
}

int study_capacity(const TrainingStudyOptions& o) {
  if (!asked(o)) return usage;
  const auto s = open_study(o.files.front(), o);
  if (!s) return refused;
  const LatestStart start = latest_start(*s->training, simulate(*s->training, o.threads), o.probability);

  std::vector<Candidate> candidates;
  ordered_json left_out = ordered_json::array();
  for (std::int64_t dp : o.replicas.empty() ? default_replicas(s->resolved) : o.replicas) {
    auto job = prepare_job(with_replicas(s->resolved, dp));
    if (!job) {
      left_out.push_back({{"dp", dp}, {"why", job.diagnostics.front().message}});
      continue;
    }
    TrainingSetup setup = simulated(*job, o.threads);
    candidates.push_back({static_cast<double>(setup.gpus), std::move(setup)});
  }
  const auto c = capacity(candidates, o.within_days * day, o.probability, on_threads(o.threads));
  if (refuse(c.diagnostics, s->input, o.json) || !c) return refused;

  ordered_json out = head("capacity", *s);
  out["within_days"] = o.within_days;
  out["asked_probability"] = o.probability;
  out["gpu_count"] = to_json(*c);
  out["left_out"] = std::move(left_out);
  const auto if_known = [](bool known, double x) { return known ? ordered_json(x) : ordered_json(nullptr); };
  out["latest_start"] = {
      {"before_deadline_s", if_known(start.exists, start.before_s)},
      {"interval_s", {if_known(start.low_known, start.low_s), if_known(start.high_known, start.high_s)}},
      {"point_estimate_s", start.point_estimate_s}};

  std::string text = headline(*s) + "GPUs for " + percent(o.probability) + " chance of finishing within " +
                     significant(o.within_days, 4) + " days: " + answer_text(out["gpu_count"]) + ".\n";
  text += "On the scenario's own " + grouped(s->setup.gpus) + " GPUs: ";
  if (start.exists) {
    const auto bound = [](bool known, double x) { return known ? days(x) : std::string("unknown"); };
    text += "start " + days(start.before_s) + " days before the deadline (95 % interval " +
            bound(start.low_known, start.low_s) + " to " + bound(start.high_known, start.high_s) +
            "); a point estimate, without failures, says " + days(start.point_estimate_s);
  } else {
    text += "fewer than " + percent(o.probability) + " of the runs ever finish";
  }
  text += ".\n\n" + candidates_text(out["gpu_count"], "GPUs", o.within_days);
  for (const ordered_json& l : out["left_out"])
    text += "  dp " + std::to_string(l["dp"].get<std::int64_t>()) +
            " left out: " + l["why"].get<std::string>() + "\n";
  return show(out, text, o.json);
}

int study_schedule(const TrainingStudyOptions& o) {
  if (o.deadline_days.size() != o.files.size()) {
    print_fault("missing_option",
                "--deadline-days needs one number for each file: " + std::to_string(o.files.size()) +
                    " files, " + std::to_string(o.deadline_days.size()) + " deadlines",
                o.json);
    return usage;
  }
  std::vector<ScheduledRun> runs;
  for (std::size_t i = 0; i < o.files.size(); ++i) {
    auto s = open_study(o.files[i], o);
    if (!s) return refused;
    // Another place in the list, other chance: the same file twice is two runs, not one twice.
    s->setup.seed = stream_key(s->setup.seed, i);
    auto training = prepare_training(s->setup);
    if (!training) return refused;
    runs.push_back({s->title.empty() ? o.files[i] : s->title, o.deadline_days[i] * day,
                    simulate(**training, o.threads)});
  }
  ordered_json out = {{"prism_study", "schedule"}, {"engine_version", engine_version}};
  std::string text;
  for (const auto& [by, name] : {std::pair(ScheduleBy::p95, "p95"), std::pair(ScheduleBy::mean, "mean")}) {
    const RunOrder plan = schedule(runs, by);
    ordered_json list = ordered_json::array();
    Rows rows{{std::string("Ordered by ") + name + " finish", "deadline, day", "P(met)", "95 % interval",
               "mean finish", "95 % within"}};
    for (std::size_t k = 0; k < plan.order.size(); ++k) {
      const ScheduledRun& r = runs[static_cast<std::size_t>(plan.order[k])];
      list.push_back({{"title", r.name},
                      {"deadline_days", r.deadline_s / day},
                      {"probability", plan.met[k]},
                      {"interval", {plan.low[k], plan.high[k]}},
                      {"mean_finish_s", plan.mean_finish_s[k]},
                      {"p95_finish_s", plan.p95_finish_s[k]}});
      rows.push_back({"  " + r.name, significant(r.deadline_s / day, 4), significant(plan.met[k], 3),
                      significant(plan.low[k], 3) + " to " + significant(plan.high[k], 3),
                      days(plan.mean_finish_s[k]), days(plan.p95_finish_s[k])});
    }
    out[std::string("by_") + name] = {{"all_met", plan.all_met}, {"order", std::move(list)}};
    text += table(rows, "") + "  all deadlines met: " + percent(plan.all_met) + "\n\n";
  }
  text +=
      "  One run after the other on one cluster; first the one that must start earliest by its own p95 (or "
      "mean).\n";
  return show(out, text, o.json);
}

}  // namespace prism::cli
