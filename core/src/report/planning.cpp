// SPDX-License-Identifier: Apache-2.0
#include "prism/planning.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/planning_schedule.h"
#include "report/study_digest.h"
#include "scenario/json.h"
#include "study/bytes.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

constexpr double day_s = 86400;

Diagnostic fault(std::string pointer, std::string message) {
  return {Code::inconsistent, std::move(pointer), std::move(message), ""};
}

std::string name_of(const Planning& p) {
  return std::string(planning_names[static_cast<std::size_t>(p.question.kind)]);
}

Result<PlanningQuestion> read_question_of(std::string_view text) {
  using R = Result<PlanningQuestion>;
  const auto json = scenario::parse_json(text);
  if (!json || !json->is_object()) return R::fault(fault("", "a study's question is a JSON object"));
  PlanningQuestion q;
  const ordered_json* runs = nullptr;
  for (const auto& [key, value] : json->items()) {
    if (key == "study" && value.is_string())
      q.kind = static_cast<PlanningKind>(
          std::find(planning_names.begin(), planning_names.end(), value.get<std::string>()) -
          planning_names.begin());
    else if (key == "within_days" && value.is_number())
      q.within_days = value.get<double>();
    else if (key == "probability" && value.is_number())
      q.probability = value.get<double>();
    else if (key == "most" && value.is_number_integer())
      q.most = value.get<std::int64_t>();
    else if (key == "replicas" && value.is_array() &&
             std::all_of(value.begin(), value.end(),
                         [](const auto& n) { return n.is_number_integer() && n >= 1; }))
      q.replicas = value.template get<std::vector<std::int64_t>>();
    else if (key == "runs" && value.is_array())
      runs = &value;
    else
      return R::fault(fault("/" + key, "this study knows no \"" + key + "\" of this type"));
  }
  if (q.kind == PlanningKind::schedule) return read_runs(runs, std::move(q));
  if (!(q.probability >= 0.001 && q.probability <= 0.999))
    return R::fault(fault("/probability", "the chance of finishing in time is from 0.001 to 0.999"));
  if (q.kind != PlanningKind::checkpoint && !(q.within_days >= 1e-6 && q.within_days <= 1e5))
    return R::fault(fault("/within_days", "in how many days the run must be finished is needed"));
  if (q.most < 0 || q.most > 1000) return R::fault(fault("/most", "up to 1,000 spares are tried"));
  return R::of(q);
}

/// Numbers of replicas that divide the batch, from small to large, up to `most`.
std::vector<std::int64_t> dividing_sizes(const Planning& p, std::int64_t most) {
  const ordered_json batch = (*scenario::parse_json(p.resolved))["batch"];
  const std::int64_t all = batch["global"].get<std::int64_t>() / batch["micro"].get<std::int64_t>();
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= most; ++n)
    if (all % n == 0) sizes.push_back(n);
  return sizes;
}

struct Size {
  std::int64_t dp;
  std::string scenario;
  bool hopeless;  ///< too slow even without failures and without variability
};

/// The same global batch on another number of replicas; none, and noted why, if it cannot be.
std::optional<Size> size_of(Planning& p, std::int64_t dp) {
  Size size{dp, edited(p.resolved, {{"/parallel/dp", std::to_string(dp)}, {"/batch/micro_batches", ""}}),
            false};
  const auto job = prepare_job(size.scenario);
  if (!job) {
    p.left_out.push_back({dp, job.diagnostics.front().message});
    return std::nullopt;
  }
  const double least = deterministic(*job->simulation).step_s * static_cast<double>(p.setup.plan.steps);
  size.hopeless = least > p.question.within_days * day_s;
  return size;
}

/// The sizes asked for; or those that divide the batch, from a quarter of the scenario's own size to four
/// times it and below down to one that cannot be in time: else the smallest of them would look like the
/// answer.
void add_sizes(Planning& p, std::int64_t dp) {
  std::vector<Size> sizes;
  const auto add = [&](std::int64_t n) {
    auto size = size_of(p, n);
    const bool hopeless = size && size->hopeless;
    if (size) sizes.push_back(std::move(*size));
    return hopeless;
  };
  if (!p.question.replicas.empty()) {
    for (std::int64_t n : p.question.replicas) add(n);
  } else {
    const std::vector<std::int64_t> all = dividing_sizes(p, 4 * dp);
    const auto first = std::lower_bound(all.begin(), all.end(), std::max<std::int64_t>(1, dp / 4));
    for (auto n = first; n != all.end(); ++n) add(*n);
    bool reached = !sizes.empty() && sizes.front().hopeless;
    for (auto n = first; !reached && n != all.begin();) reached = add(*--n);
    std::sort(sizes.begin(), sizes.end(), [](const Size& a, const Size& b) { return a.dp < b.dp; });
  }
  for (Size& size : sizes) {
    if (size.dp == dp) p.own = p.scenarios.size();
    p.scenarios.push_back(std::move(size.scenario));
  }
  p.least_size = !sizes.empty() && sizes.front().dp == 1;
}

/// Spares or intervals to try, on the step simulated once.
Result<std::vector<Candidate>> candidates_of(const Planning& p) {
  using R = Result<std::vector<Candidate>>;
  if (p.question.kind == PlanningKind::checkpoint) return interval_candidates(p.setup);
  auto spares = spare_candidates(p.setup, p.question.most);
  if (spares.empty())
    return R::fault({Code::missing_key, "/training_run",
                     "training_run has no \"spares\" with a repair time; a replacement is always at hand",
                     ""});
  return R::of(std::move(spares));
}

void put(study::Writer& out, const PlayedCandidate& p) {
  const CurvePoint& c = p.curve;
  const LatestStart& l = p.latest;
  for (double x : {c.x, c.mean_wall_s, c.standard_error_s, c.p50_s, c.p95_s, c.goodput, c.finished,
                   static_cast<double>(p.runs), static_cast<double>(p.in_time), p.failure_free_s, l.before_s,
                   l.low_s, l.high_s, l.low_known ? 1.0 : 0.0, l.high_known ? 1.0 : 0.0, l.point_estimate_s,
                   l.exists ? 1.0 : 0.0})
    out.put(x);
}

PlayedCandidate played_of(std::span<const std::byte> bytes) {
  study::Reader in(bytes);
  PlayedCandidate p;
  CurvePoint& c = p.curve;
  for (double* x : {&c.x, &c.mean_wall_s, &c.standard_error_s, &c.p50_s, &c.p95_s, &c.goodput, &c.finished})
    *x = in.number();
  p.runs = static_cast<std::int64_t>(in.number());
  p.in_time = static_cast<std::int64_t>(in.number());
  if (p.runs < 1) throw std::invalid_argument("a part of the study is missing");
  LatestStart& l = p.latest;
  for (double* x : {&p.failure_free_s, &l.before_s, &l.low_s, &l.high_s}) *x = in.number();
  l.low_known = in.number() != 0;
  l.high_known = in.number() != 0;
  l.point_estimate_s = in.number();
  l.exists = in.number() != 0;
  return p;
}

ordered_json curve_json(const CheckpointCurve& curve) {
  ordered_json points = ordered_json::array();
  for (const CurvePoint& p : curve.points)
    points.push_back({{"interval_s", p.x},
                      {"mean_wall_clock_s", p.mean_wall_s},
                      {"standard_error_s", p.standard_error_s},
                      {"p50_wall_clock_s", p.p50_s},
                      {"p95_wall_clock_s", p.p95_s},
                      {"goodput", p.goodput},
                      {"finished", p.finished}});
  return {{"best_interval_s", curve.best_s},   {"exact_interval_s", curve.exact_s},
          {"young_interval_s", curve.young_s}, {"daly_first_order_interval_s", curve.daly_first_s},
          {"daly_interval_s", curve.daly_s},   {"points", std::move(points)}};
}

ordered_json capacity_json(const Capacity& c) {
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

ordered_json latest_json(const LatestStart& l) {
  const auto if_known = [](bool known, double x) { return known ? ordered_json(x) : ordered_json(nullptr); };
  return {{"before_deadline_s", if_known(l.exists, l.before_s)},
          {"interval_s", {if_known(l.low_known, l.low_s), if_known(l.high_known, l.high_s)}},
          {"point_estimate_s", l.point_estimate_s}};
}

}  // namespace

bool is_planning_question(std::string_view question) {
  const auto json = scenario::parse_json(question);
  if (!json || !json->is_object() || !json->contains("study") || !(*json)["study"].is_string()) return false;
  const auto name = (*json)["study"].get<std::string>();
  return std::find(planning_names.begin(), planning_names.end(), name) != planning_names.end();
}

TrainingSetup simulate_step(Job& job) {
  Simulation& s = *job.simulation;
  const auto play = [&](Phase phase) {
    Parts parts;
    for (std::int64_t unit = 0; unit < unit_count(s, phase); ++unit)
      parts.push_back(run_unit(s, phase, unit));
    return parts;
  };
  learn(s, play(Phase::pilot));
  const Parts trials = play(Phase::trials);
  return training_setup(job, trials, play(Phase::check));
}

Result<Planning> plan_planning(std::string_view text, std::string_view question, const StepRunner& step) {
  using R = Result<Planning>;
  auto q = read_question_of(question);
  if (!q) return R::faults(std::move(q.diagnostics));
  if (q->kind == PlanningKind::schedule) return plan_schedule(std::move(*q));
  auto job = prepare_job(text);
  if (!job) return R::faults(std::move(job.diagnostics));
  if (!job->scenario.training_run)
    return R::fault({Code::missing_key, "", "the scenario has no training_run", ""});
  Planning p;
  p.question = *q;
  p.title = job->scenario.title;
  p.resolved = job->scenario.resolved;
  p.setup.plan = *job->scenario.training_run;
  p.setup.seed = job->scenario.run.seed;
  p.setup.gpus = job->scenario.parallel.world();
  p.warnings = job->warnings;
  if (p.question.kind == PlanningKind::capacity) {
    add_sizes(p, job->scenario.parallel.dp);
    if (p.scenarios.empty())
      return R::fault(fault("/parallel/dp", "no size can be tried; the first: " + p.left_out.front().why));
    return R::of(std::move(p));
  }
  p.setup = step(*job);
  auto training = prepare_training(p.setup);
  if (!training) return R::faults(std::move(training.diagnostics));
  p.warnings.insert(p.warnings.end(), training.diagnostics.begin(), training.diagnostics.end());
  auto candidates = candidates_of(p);
  if (!candidates) return R::faults(std::move(candidates.diagnostics));
  p.candidates = std::move(*candidates);
  return R::of(std::move(p));
}

std::size_t planning_units(const Planning& p) { return std::max(p.candidates.size(), p.scenarios.size()); }

std::vector<std::byte> run_planning_unit(const Planning& p, std::size_t unit) {
  if (p.question.kind == PlanningKind::schedule) return run_scheduled(p, unit);
  Candidate candidate;
  if (p.question.kind == PlanningKind::capacity) {
    candidate.setup = simulate_step(*prepare_job(p.scenarios[unit]));
    candidate.x = static_cast<double>(candidate.setup.gpus);
  } else {
    candidate = p.candidates[unit];
  }
  const auto played = play_candidate(candidate, p.question.within_days * day_s, p.question.probability);
  if (!played) throw std::runtime_error(played.diagnostics.front().message);
  study::Writer out;
  put(out, *played);
  return std::move(out.bytes);
}

std::string planning_plan_json(const Planning& p) {
  ordered_json out = {
      {"study", name_of(p)}, {"units", ordered_json::array()}, {"notes", ordered_json::array()}};
  for (const Diagnostic& d : p.warnings) out["notes"].push_back(d.message);
  for (std::size_t i = 0; i < planning_units(p); ++i)
    out["units"].push_back({{"name", std::to_string(i)}, {"work", 1}});
  return out.dump();
}

std::string planning_json(const Planning& p, const Parts& parts) {
  if (p.question.kind == PlanningKind::schedule) return schedule_json(p, parts);
  std::vector<PlayedCandidate> played;
  for (const auto& part : parts) played.push_back(played_of(part));
  ordered_json out = {{"prism_study", name_of(p)}, {"engine_version", engine_version},
                      {"title", p.title},          {"seed", std::to_string(p.setup.seed)},
                      {"runs", p.setup.plan.runs}, {"gpus", p.setup.gpus}};
  if (p.question.kind == PlanningKind::checkpoint) {
    const auto curve = checkpoint_curve_of(p.setup, played);
    if (!curve) throw std::logic_error("a training run that was played is refused");
    out["write_s"] = p.setup.plan.tiers.back().write_s;
    out["curve"] = curve_json(*curve);
  } else {
    const PlanningQuestion& q = p.question;
    out["within_days"] = q.within_days;
    out["asked_probability"] = q.probability;
    Capacity found = capacity_of(played, q.within_days * day_s, q.probability);
    // Whether fewer would do was not looked at: then nothing is known from below.
    const bool edge = q.kind == PlanningKind::capacity && !p.least_size;
    if (edge && found.perhaps == 0) found.perhaps = -1;
    out["capacity"] = capacity_json(found);
    out["capacity"]["or_fewer"] = edge && found.answer == 0;
    if (q.kind == PlanningKind::capacity) {
      out["left_out"] = ordered_json::array();
      for (const auto& [dp, why] : p.left_out) out["left_out"].push_back({{"dp", dp}, {"why", why}});
      if (p.own) out["latest_start"] = latest_json(played.at(*p.own).latest);
    }
  }
  StudyDigest digest;
  digest.text(engine_version);
  digest.text(p.resolved);
  digest.numbers(out);
  out["digest"] = digest.finish();
  return out.dump();
}

}  // namespace prism
