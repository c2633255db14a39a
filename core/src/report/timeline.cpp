// SPDX-License-Identifier: Apache-2.0
#include "prism/timeline.h"

#include <algorithm>
#include <numeric>

#include "report/study_digest.h"
#include "scenario/json.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view name = "timeline";
constexpr std::size_t most_masses = 4;

Result<std::vector<double>> read_masses(std::string_view question) {
  using R = Result<std::vector<double>>;
  const auto fault = [](std::string pointer, std::string message) {
    return R::fault({Code::inconsistent, std::move(pointer), std::move(message), ""});
  };
  std::vector<double> masses = {0.5, 0.95};
  const ordered_json json = *scenario::parse_json(question);
  for (const auto& [key, value] : json.items()) {
    if (key == "study") continue;
    if (key != "masses") return fault("/" + key, "a timeline knows no \"" + key + "\"");
    if (!value.is_array() || value.empty() || value.size() > most_masses ||
        !std::all_of(value.begin(), value.end(),
                     [](const auto& m) { return m.is_number() && m > 0.0 && m < 1.0; }))
      return fault("/masses", "one to four numbers between 0 and 1 say which quantiles are shown");
    masses = value.template get<std::vector<double>>();
  }
  return R::of(std::move(masses));
}

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9 + 0.5); }

ordered_json chunks_json(const Graph& graph) {
  std::vector<std::int32_t> rank, stage, pass, micro_batch, waits_for;
  for (const Graph::Task& t : graph.tasks) {
    rank.push_back(t.rank);
    stage.push_back(t.stage);
    pass.push_back(static_cast<std::int32_t>(t.pass));
    micro_batch.push_back(t.micro_batch);
    waits_for.push_back(t.source);
  }
  return {{"rank", rank},
          {"stage", stage},
          {"pass", pass},
          {"micro_batch", micro_batch},
          {"waits_for", waits_for}};
}

/// Where a rank's step goes; sums to the step.
struct RankSeconds {
  double compute = 0, communication = 0, waiting = 0, ended = 0;
};

ordered_json step_json(const Graph& graph, const StepTimeline& step) {
  std::vector<std::int64_t> start, end, wait, communication, transfer;
  std::vector<int> critical;
  std::vector<RankSeconds> ranks(step.alone_s.size());
  for (std::size_t i = 0; i < step.chunk.size(); ++i) {
    const StepTimeline::Chunk& c = step.chunk[i];
    RankSeconds& rank = ranks[static_cast<std::size_t>(graph.tasks[i].rank)];
    const double waited = c.start_s - rank.ended;
    rank.waiting += waited;
    rank.communication += c.communication_s;
    rank.compute += c.end_s - c.start_s - c.communication_s;
    rank.ended = c.end_s;
    start.push_back(nanoseconds(c.start_s));
    end.push_back(nanoseconds(c.end_s));
    wait.push_back(nanoseconds(waited));
    communication.push_back(nanoseconds(c.communication_s));
    transfer.push_back(nanoseconds(c.transfer_s));
    critical.push_back(c.critical);
  }
  ordered_json spent = ordered_json::array();
  for (std::size_t r = 0; r < ranks.size(); ++r)
    spent.push_back({{"compute_s", ranks[r].compute},
                     {"communication_s", ranks[r].communication},
                     {"waiting_s", ranks[r].waiting},
                     {"after_its_chunks_s", step.alone_s[r] - ranks[r].ended},
                     {"with_other_replicas_s", step.step_s - step.alone_s[r]}});
  return {{"step_s", step.step_s},
          {"replica", step.replica},
          {"decided_by_rank", step.rank},
          {"ranks", spent},
          {"start_ns", start},
          {"end_ns", end},
          {"wait_ns", wait},
          {"communication_ns", communication},
          {"transfer_ns", transfer},
          {"critical", critical}};
}

}  // namespace

bool is_timeline_question(std::string_view question) {
  const auto json = scenario::parse_json(question);
  return json && json->is_object() && json->contains("study") && (*json)["study"] == name;
}

Result<TimelinePlan> plan_timeline(std::string_view text, std::string_view question) {
  using R = Result<TimelinePlan>;
  auto masses = read_masses(question);
  if (!masses) return R::faults(std::move(masses.diagnostics));
  auto job = prepare_job(text);
  if (!job) return R::faults(std::move(job.diagnostics));
  const Simulation& s = *job->simulation;
  const auto refused = [&](Code code, std::string pointer, std::string message, std::string hint) {
    std::vector<Diagnostic> faults = {{code, std::move(pointer), std::move(message), std::move(hint)}};
    place(text, faults);
    return R::faults(std::move(faults));
  };
  if (account(s).path == "reference")
    return refused(Code::unsupported, "/run/engine",
                   "a timeline shows chunks; the reference engine plays ranks",
                   "use the engine fast or exact");
  if (graph_of(s).tasks.size() > max_timeline_chunks)
    return refused(Code::too_large, "/batch",
                   "a timeline shows at most " + std::to_string(max_timeline_chunks) +
                       " chunks of a replica, found " + std::to_string(graph_of(s).tasks.size()),
                   "fewer micro-batches have the same pattern");
  if (unit_count(s, Phase::attribution) == 0)
    return refused(Code::inconsistent, "/run/attribution_trials",
                   "a timeline is one of the attribution trials, and this run has none",
                   "leave attribution_trials away, or set it to 256");
  return R::of({std::move(*job), std::move(*masses)});
}

std::size_t timeline_units(const TimelinePlan& plan) {
  return static_cast<std::size_t>(unit_count(*plan.job.simulation, Phase::attribution));
}

std::vector<std::byte> run_timeline_unit(const TimelinePlan& plan, std::size_t unit) {
  return run_unit(*plan.job.simulation, Phase::attribution, static_cast<std::int64_t>(unit));
}

std::string timeline_plan_json(const TimelinePlan& plan) {
  ordered_json out = {{"study", name}, {"units", ordered_json::array()}, {"notes", ordered_json::array()}};
  for (std::size_t i = 0; i < timeline_units(plan); ++i)
    out["units"].push_back(
        {{"name", "trials"}, {"work", unit_draws(*plan.job.simulation, Phase::attribution)}});
  return out.dump();
}

std::string timeline_json(const TimelinePlan& plan, const Parts& parts) {
  const Simulation& s = *plan.job.simulation;
  const Scenario& scenario = plan.job.scenario;
  const Graph& graph = graph_of(s);
  const std::vector<double> steps = attributed_steps(s, parts);
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return steps[a] != steps[b] ? steps[a] < steps[b] : a < b; });

  ordered_json out;
  out["prism_study"] = name;
  out["engine_version"] = engine_version;
  out["title"] = scenario.title;
  out["seed"] = std::to_string(scenario.run.seed);
  out["trials"] = steps.size();
  out["ranks"] = plan.job.workload.pp;
  out["replicas"] = plan.job.workload.dp;
  out["schedule"] = plan.job.workload.schedule;
  out["passes"] = {"forward", "backward", "weight"};
  out["chunks"] = chunks_json(graph);
  out["steps"] = ordered_json::array();
  for (double mass : plan.masses) {
    const auto at = static_cast<std::size_t>(mass * static_cast<double>(steps.size()));
    const auto trial = static_cast<std::int64_t>(order[at]);
    ordered_json step = {{"mass", mass}, {"trial", trial}};
    step.update(step_json(graph, step_timeline(s, trial)));
    out["steps"].push_back(std::move(step));
  }
  StudyDigest digest;
  digest.text(engine_version);
  digest.text(scenario.resolved);
  for (double x : steps) digest.number(x);
  digest.numbers(out);
  out["digest"] = digest.finish();
  return out.dump();
}

}  // namespace prism
