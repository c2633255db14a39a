// SPDX-License-Identifier: Apache-2.0
// `training_run`. Parts that a run may lack hold the word "none" where they are absent.
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "prism/dates.h"
#include "scenario/parts.h"
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

using Every = CheckpointTier::Every;

constexpr std::int64_t most_steps = 1'000'000'000, most_runs = 100'000;
constexpr std::size_t most_causes = 64, longest_cause_name = 100;
constexpr double minute = 60, hour = 3600, day = 86400;
constexpr Limits<double> minutes{0, 1e6}, some_minutes{0, 1e6, true}, hours{0, 1e4};
constexpr Limits<double> rates{0, 1e6}, shares{0, 1}, seconds{0, 1e6};

Assumed<double> assumption(double value, std::string why) {
  return {value, "default", "assumption: " + std::move(why)};
}

/// A part that may be "none" or absent. nullopt: there is none, or a fault has been reported.
template <class Read>
void optional_part(Section& run, std::string_view key, std::string_view absent, Read read) {
  const Json* value = run.take(key);
  if (!value) {
    run.put_assumed(key, absent, "default");
    return;
  }
  if (value->is_string()) {
    if (value->get_ref<const std::string&>() == absent)
      run.put(key, absent);
    else
      run.fault_at(key, Code::unknown_name,
                   "expected an object or the word " + in_quotes(absent) + ", found " + described(*value));
    return;
  }
  if (!value->is_object()) {
    run.fault_at(key, Code::wrong_type,
                 "expected an object or the word " + in_quotes(absent) + ", found " + described(*value));
    return;
  }
  Section s(run.notes(), value, run.at(key));
  read(s);
  s.finish();
  run.put(key, std::move(s.echo));
}

bool read_cause(Notes& notes, const Json& value, const std::string& pointer, std::set<std::string>& names,
                std::vector<FailureCause>& to, Json& echo) {
  Section s(notes, &value, pointer);
  if (s.broken()) return false;
  FailureCause c;
  if (s.text("name", c.name, longest_cause_name) && !names.insert(c.name).second)
    s.fault_at("name", Code::inconsistent, "there is another cause named " + in_quotes(c.name));
  const bool by_node = s.has("per_1000_node_days"), by_job = s.has("per_day");
  if (!by_node && !by_job) {
    constexpr std::array<std::string_view, 2> either = {"per_1000_node_days", "per_day"};
    s.missing_one_of(either, "a rate is missing: \"per_1000_node_days\" or \"per_day\" (of the whole job)");
  }
  if (by_node)
    s.real("per_1000_node_days", c.per_1000_node_days, rates);
  else
    s.take("per_1000_node_days");
  if (by_job)
    s.real("per_day", c.per_day, rates);
  else
    s.take("per_day");
  double detection = 0, restart = 0;
  s.real("detection_min", detection, minutes);
  s.real("restart_min", restart, minutes);
  s.real("replacement", c.replacement, shares, assumption(0, "the node is used again"));
  std::string source;
  if (s.has("source"))
    s.text("source", source, 500);
  else
    s.take("source");
  s.finish();
  c.detection_s = detection * minute;
  c.restart_s = restart * minute;
  to.push_back(std::move(c));
  echo.push_back(std::move(s.echo));
  return true;
}

void read_causes(Section& s, const Json& list, TrainingPlan& to) {
  const std::string at = s.at("causes");
  Json echo = Json::array();
  if (!is_array(s.notes(), list, at, 0, most_causes)) return;
  std::set<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!read_cause(s.notes(), list[i], child(at, i), names, to.causes, echo)) return;
  s.put("causes", std::move(echo));
}

Json written_out(const FailurePreset& preset) {
  Json list = Json::array();
  for (const FailureCausePreset& c : preset.causes)
    list.push_back({{"name", c.name},
                    {"per_1000_node_days", number(c.per_1000_node_days)},
                    {"detection_min", number(c.detection_min)},
                    {"restart_min", number(c.restart_min)},
                    {"replacement", number(c.replacement)},
                    {"source", c.source}});
  return list;
}

void read_failures(Section& run, TrainingPlan& to) {
  Notes& notes = run.notes();
  const auto names = preset_names(failure_presets());
  const Json* value = run.require("failures");
  if (!value) return;
  auto opened = open_preset(notes, *value, run.at("failures"), names, "a failure preset");
  if (!opened) return;
  Section& s = opened->section;
  const Json* causes = s.take("causes");
  const bool named = !opened->preset.empty();
  if (opened->preset.empty()) s.put_assumed("preset", opened->preset = "none", "default");
  if (causes && causes->is_array() && causes->empty() && (!named || opened->preset != "none")) {
    s.fault_at("causes", Code::inconsistent, "the list holds no cause of failures",
               "for a run without failures write \"failures\": \"none\"");
  } else if (causes) {
    read_causes(s, *causes, to);
  } else {
    const FailurePreset& p = *find_preset(failure_presets(), opened->preset);
    read_causes(s, written_out(p), to);
    if (p.causes.empty()) notes.assume(s.at("causes"), "preset " + opened->preset, {});
    for (std::size_t i = 0; i < p.causes.size(); ++i)
      notes.assume(child(s.at("causes"), i), "preset " + opened->preset, std::string(p.causes[i].source));
  }
  s.boolean("during_recovery", to.failures_during_recovery,
            Assumed<bool>{true, "default", "J. T. Daly, FGCS 22 (2006) 303: failures strike at any time"});
  s.finish();
  run.put("failures", std::move(s.echo));
}

/// `every_steps`, `every_min`, or `every`: "best".
void read_interval(Section& s, CheckpointTier& to) {
  const bool steps = s.has("every_steps"), time = s.has("every_min"), word = s.has("every");
  const int given = steps + time + word;
  if (given > 1)
    s.fault_at(steps ? "every_steps" : "every_min", Code::inconsistent, "the interval is given twice",
               "keep one of every_steps, every_min and every");
  constexpr std::array<std::string_view, 1> words = {"best"};
  if (steps || given > 1)
    to.every = Every::steps;
  else if (time)
    to.every = Every::time;
  if (given > 1) {
    for (std::string_view key : {"every_steps", "every_min", "every"}) s.take(key);
  } else if (steps) {
    s.take("every_min"), s.take("every");
    s.integer("every_steps", to.every_steps, {1, most_steps});
  } else if (time) {
    s.take("every_steps"), s.take("every");
    double every = 0;
    s.real("every_min", every, some_minutes);
    to.every_s = every * minute;
  } else {
    s.take("every_steps"), s.take("every_min");
    std::string best;
    s.name("every", best, words, "an interval",
           Assumed<std::string>{"best", "default", "the optimum for memoryless failures"});
  }
}

void read_checkpoint(Section& run, TrainingPlan& to) {
  Section s(run.notes(), run.take("checkpoint"), run.at("checkpoint"));
  CheckpointTier last;
  read_interval(s, last);
  s.real("write_s", last.write_s, seconds,
         Assumed<double>{40, "default",
                         "BLOOM-176B: 2.3 TB in 40 s "
                         "(github.com/bigscience-workshop/bigscience, tr11-176B-ml chronicles)"});
  s.real("background_s", last.background_s, seconds, Assumed<double>{0});
  s.boolean("last", to.last_checkpoint, Assumed<bool>{false});
  optional_part(s, "local", "none", [&](Section& l) {
    CheckpointTier tier;
    read_interval(l, tier);
    l.real("write_s", tier.write_s, seconds);
    l.real("background_s", tier.background_s, seconds, Assumed<double>{0});
    l.real("survives", tier.survives, shares);
    to.tiers.push_back(tier);
  });
  s.finish();
  to.tiers.push_back(last);
  run.put("checkpoint", std::move(s.echo));
}

void read_spares(Section& run, TrainingPlan& to) {
  optional_part(run, "spares", "unlimited", [&](Section& s) {
    Spares spares;
    double repair = 0;
    s.integer("nodes", spares.nodes, {0, 100'000});
    s.real("repair_h", repair, hours);
    std::string law;
    constexpr std::array<std::string_view, 2> laws = {"exponential", "constant"};
    if (s.name("repair_law", law, laws, "a law of repair times", Assumed<std::string>{"exponential"}))
      spares.exponential = law == "exponential";
    s.integer("crews", spares.crews, {0, 100'000}, Assumed<std::int64_t>{0});
    spares.repair_s = repair * hour;
    to.spares = spares;
  });
}

void read_interruptions(Section& run, TrainingPlan& to) {
  optional_part(run, "preemption", "none", [&](Section& s) {
    Preemption p;
    double away = 0, restart = 0;
    s.real("per_day", p.per_day, {0, 1000});
    s.real("away_min", away, some_minutes);
    s.real("restart_min", restart, minutes);
    s.boolean("checkpoint_first", p.checkpoint_first, Assumed<bool>{true});
    p.away_s = away * minute;
    p.restart_s = restart * minute;
    to.preemption = p;
  });
  optional_part(run, "maintenance", "none", [&](Section& s) {
    double every = 0, lasting = 0, restart = 0;
    s.real("every_h", every, {0.1, 1e4});
    s.real("lasting_min", lasting, minutes);
    s.real("restart_min", restart, minutes);
    to.maintenance = Maintenance{every * hour, lasting * minute, restart * minute};
  });
  optional_part(run, "fail_slow", "none", [&](Section& s) {
    FailSlow f;
    double notice = 0, restart = 0;
    s.real("per_1000_node_days", f.per_1000_node_days, rates);
    s.real("severity", f.severity, {1, 1000});
    s.real("notice_min", notice, minutes);
    s.boolean("evict", f.evict, Assumed<bool>{true});
    s.real("restart_min", restart, minutes);
    f.notice_s = notice * minute;
    f.restart_s = restart * minute;
    to.fail_slow = f;
  });
  optional_part(run, "elastic", "none", [&](Section& s) {
    Elastic e;
    double reconfigure = 0;
    s.real("reconfigure_min", reconfigure, minutes);
    s.integer("most_replicas_out", e.most_replicas_out, {1, 10'000}, Assumed<std::int64_t>{8});
    e.reconfigure_s = reconfigure * minute;
    to.elastic = e;
  });
  optional_part(run, "warm_up", "none", [&](Section& s) {
    s.integer("steps", to.warm_up.steps, {1, 1'000'000});
    s.real("factor", to.warm_up.factor, {1, 1000});
  });
}

void read_cost(Section& run, TrainingPlan& to) {
  optional_part(run, "cost", "none", [&](Section& s) {
    Cost c;
    s.real("per_gpu_hour", c.per_gpu_hour, {0, 1e6});
    s.text("currency", c.currency, 20, Assumed<std::string>{"USD"});
    s.real("power_w_per_gpu", c.power_w_per_gpu, {0, 1e5}, Assumed<double>{0});
    s.real("per_kwh", c.per_kwh, {0, 1e4},
           Assumed<double>{0, "default", "the price of a GPU-hour includes energy"});
    std::string source;
    s.text("source", source, 500, Assumed<std::string>{""});
    to.cost = c;
  });
}

void read_dates(Section& run, TrainingPlan& to) {
  if (run.text("start", to.start, 20, Assumed<std::string>{""}) && !to.start.empty() && !minutes_of(to.start))
    run.fault_at("start", Code::out_of_range,
                 "expected a date from 1970 to 2999 like 2026-01-31 or 2026-01-31T09:00 (UTC), found " +
                     in_quotes(excerpt(to.start)));
  Json echo = Json::array();
  if (const Json* list = run.take("finish_within_days")) {
    const std::string at = run.at("finish_within_days");
    if (!is_array(run.notes(), *list, at, 0, 64)) return;
    for (std::size_t i = 0; i < list->size(); ++i) {
      double x;
      if (!read_real(run.notes(), (*list)[i], child(at, i), {0, 1e5, true}, x)) return;
      to.finish_within_s.push_back(x * day);
      echo.push_back(number(x));
    }
    run.put("finish_within_days", std::move(echo));
  } else {
    run.put_assumed("finish_within_days", std::move(echo), "default");
  }
}

}  // namespace

void read_training_run(Section& root, Scenario& to) {
  const Json* value = root.take("training_run");
  if (!value) return;
  Section s(root.notes(), value, root.at("training_run"));
  if (s.broken()) return;
  TrainingPlan plan;
  s.integer("steps", plan.steps, {1, most_steps});
  s.integer("runs", plan.runs, {2, most_runs, false, Code::too_large}, Assumed<std::int64_t>{plan.runs});
  read_dates(s, plan);
  double first_start = 0;
  s.real("first_start_min", first_start, minutes, Assumed<double>{0});
  plan.first_start_s = first_start * minute;
  read_failures(s, plan);
  read_checkpoint(s, plan);
  read_spares(s, plan);
  read_interruptions(s, plan);
  read_cost(s, plan);
  s.real("give_up_times", plan.give_up_times, {1, 1e6, true}, Assumed<double>{plan.give_up_times});
  s.finish();
  root.put("training_run", std::move(s.echo));
  to.training_run = std::move(plan);
}

}  // namespace prism::scenario
