// SPDX-License-Identifier: Apache-2.0
#include "report/planning_schedule.h"

#include <algorithm>
#include <stdexcept>

#include "report/study_digest.h"
#include "scenario/json.h"
#include "study/bytes.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

constexpr double seconds_a_day = 86400;
constexpr std::size_t most_runs = 100;

std::string place_of_run(std::size_t i) { return "/runs/" + std::to_string(i); }

Diagnostic unfit(std::string pointer, std::string message) {
  return {Code::inconsistent, std::move(pointer), std::move(message), ""};
}

/// A value as a message shows it: short, and ASCII, so that the cut splits no character.
std::string found_value(const ordered_json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return value.dump(-1, ' ', true).substr(0, 60);
}

Result<PlannedRun> read_run(const ordered_json& value, const std::string& place) {
  using R = Result<PlannedRun>;
  if (!value.is_object())
    return R::fault(unfit(
        place, "expected an object with \"scenario\" and \"deadline_days\", found " + found_value(value)));
  PlannedRun run;
  for (const auto& [key, member] : value.items()) {
    const std::string pointer = scenario::child(place, key);
    if (key == "scenario") {
      if (!member.is_object())
        return R::fault(unfit(pointer, "expected a scenario, an object, found " + found_value(member)));
      run.scenario = member.dump();
    } else if (key == "deadline_days") {
      if (member.is_number()) run.deadline_days = member.get<double>();
      if (!(run.deadline_days >= 1e-6 && run.deadline_days <= 1e5))
        return R::fault(unfit(pointer,
                              "expected in how many days from now the run must be finished, 1e-6 to "
                              "100,000, found " +
                                  found_value(member)));
    } else if (key == "name" && member.is_string()) {
      run.name = member.get<std::string>();
    } else {
      return R::fault(unfit(pointer, "expected \"scenario\", \"deadline_days\" or a text \"name\", found \"" +
                                         key + "\" with " + found_value(member)));
    }
  }
  if (run.scenario.empty()) return R::fault(unfit(place, "expected \"scenario\", found none"));
  if (run.deadline_days == 0) return R::fault(unfit(place, "expected \"deadline_days\", found none"));
  return R::of(std::move(run));
}

/// The scenario's own faults, at its place in the question.
std::vector<Diagnostic> inside(std::vector<Diagnostic> diagnostics, std::size_t i) {
  for (Diagnostic& d : diagnostics) {
    d.pointer = place_of_run(i) + "/scenario" + d.pointer;
    d.line = d.column = 0;
  }
  return diagnostics;
}

ScheduledRun scheduled_of(std::span<const std::byte> bytes, double deadline_days) {
  study::Reader in(bytes);
  ScheduledRun run{deadline_days * seconds_a_day, in.list(), {}};
  for (double finished : in.list()) run.finished.push_back(finished != 0);
  if (run.wall_s.empty() || run.finished.size() != run.wall_s.size())
    throw std::invalid_argument("a part of the study is missing");
  return run;
}

ordered_json share_json(const Share& share) {
  return {{"probability", share.probability}, {"interval", {share.low, share.high}}};
}

ordered_json order_json(const RunOrder& plan) {
  ordered_json places = ordered_json::array();
  for (const ScheduledPlace& p : plan.places)
    places.push_back({{"run", p.run},
                      {"p50_start_s", p.p50_start_s},
                      {"p95_start_s", p.p95_start_s},
                      {"mean_finish_s", p.mean_finish_s},
                      {"p50_finish_s", p.p50_finish_s},
                      {"p95_finish_s", p.p95_finish_s},
                      {"finished", p.finished},
                      {"met", share_json(p.met)}});
  return {{"places", std::move(places)}, {"all_met", share_json(plan.all_met)}};
}

ordered_json run_json(const PlannedRun& planned, const TrainingSetup& setup) {
  return {{"name", planned.name},
          {"deadline_days", planned.deadline_days},
          {"steps", setup.plan.steps},
          {"gpus", setup.gpus},
          {"seed", std::to_string(setup.seed)}};
}

}  // namespace

Result<PlanningQuestion> read_runs(const ordered_json* list, PlanningQuestion q) {
  using R = Result<PlanningQuestion>;
  if (!list || list->empty() || list->size() > most_runs)
    return R::fault(unfit(list ? "/runs" : "", "expected \"runs\", a list of 1 to " +
                                                   std::to_string(most_runs) + ", found " +
                                                   (list ? std::to_string(list->size()) : "none")));
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto run = read_run((*list)[i], place_of_run(i));
    if (!run) return R::faults(std::move(run.diagnostics));
    q.runs.push_back(std::move(*run));
  }
  return R::of(std::move(q));
}

Result<Planning> plan_schedule(PlanningQuestion q) {
  using R = Result<Planning>;
  Planning p;
  p.question = std::move(q);
  for (std::size_t i = 0; i < p.question.runs.size(); ++i) {
    PlannedRun& run = p.question.runs[i];
    auto job = prepare_job(run.scenario);
    if (!job) return R::faults(inside(std::move(job.diagnostics), i));
    if (!job->scenario.training_run)
      return R::fault(
          {Code::missing_key, place_of_run(i) + "/scenario", "the scenario has no training_run", ""});
    if (run.name.empty()) run.name = job->scenario.title;
    if (run.name.empty()) run.name = "Run " + std::to_string(i + 1);
    p.scenarios.push_back(job->scenario.resolved);
    TrainingSetup& setup = p.setups.emplace_back();
    setup.plan = *job->scenario.training_run;
    setup.seed = job->scenario.run.seed;
    setup.gpus = job->scenario.parallel.world();
    const auto warnings = inside(std::move(job->warnings), i);
    p.warnings.insert(p.warnings.end(), warnings.begin(), warnings.end());
  }
  return R::of(std::move(p));
}

std::vector<std::byte> run_scheduled(const Planning& p, std::size_t unit) {
  auto job = prepare_job(p.scenarios[unit]);
  TrainingSetup setup = simulate_step(*job);
  // Another place in the list, other chance: the same scenario twice is two runs, not one twice.
  setup.seed = stream_key(setup.seed, unit);
  const auto training = prepare_training(std::move(setup));
  if (!training) throw std::runtime_error(training.diagnostics.front().message);
  std::vector<double> wall_s, finished;
  for (const RunRecord& r : run_training(**training)) {
    wall_s.push_back(static_cast<double>(r.wall) / ns_per_s);
    finished.push_back(r.finished ? 1 : 0);
  }
  study::Writer out;
  out.put(wall_s);
  out.put(finished);
  return std::move(out.bytes);
}

std::string schedule_json(const Planning& p, const Parts& parts) {
  std::vector<ScheduledRun> runs;
  ordered_json list = ordered_json::array();
  std::size_t samples = SIZE_MAX;
  for (std::size_t i = 0; i < p.scenarios.size(); ++i) {
    const PlannedRun& planned = p.question.runs[i];
    runs.push_back(scheduled_of(parts.at(i), planned.deadline_days));
    samples = std::min(samples, runs.back().wall_s.size());
    list.push_back(run_json(planned, p.setups[i]));
  }
  ordered_json out = {{"prism_study", "schedule"},
                      {"engine_version", engine_version},
                      {"seed", list[0]["seed"]},
                      {"runs", samples},
                      {"scheduled", list},
                      {"by_p95", order_json(schedule(runs, ScheduleBy::p95))},
                      {"by_mean", order_json(schedule(runs, ScheduleBy::mean))}};
  StudyDigest digest;
  digest.text(engine_version);
  for (const std::string& scenario : p.scenarios) digest.text(scenario);
  digest.numbers(out);
  out["digest"] = digest.finish();
  return out.dump();
}

}  // namespace prism
