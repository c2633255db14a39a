// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "evidence/graph_builder.h"
#include "evidence/json_text.h"
#include "evidence/moments.h"
#include "prism/evidence_job.h"

namespace prism {
namespace {

constexpr double slow_from = 1.05;
constexpr int refits = 200;

double mean_compute(const OperatorTrace& trace, const OpIndex& of, int worker, OpType type) {
  std::vector<double> all;
  for (int k = 0; k < of.count(worker, type); ++k) {
    const double* row =
        trace.duration.data() + static_cast<std::size_t>(of.at(worker, type, k) * trace.steps());
    all.insert(all.end(), row, row + trace.steps());
  }
  return all.empty() ? 0 : mean_of(all);
}

/// The lower of the two middle ones: of two replicas the faster is the measure.
double lower_median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[(v.size() - 1) / 2];
}

std::vector<WorkerView> view_workers(const OperatorTrace& trace, const ReplayWhatIf& w) {
  const OpIndex of(trace);
  std::vector<WorkerView> views;
  for (int r = 0; r < trace.replicas; ++r)
    for (int s = 0; s < trace.stages; ++s) {
      const int worker = r * trace.stages + s;
      views.push_back({r, s, trace.ranks[static_cast<std::size_t>(worker)],
                       mean_compute(trace, of, worker, OpType::forward_compute),
                       mean_compute(trace, of, worker, OpType::backward_compute), 1, 1, 1, false});
    }
  for (int s = 0; s < trace.stages; ++s) {
    std::vector<double> forward, backward;
    const auto at = [&](int r) -> WorkerView& {
      return views[static_cast<std::size_t>(r * trace.stages + s)];
    };
    for (int r = 0; r < trace.replicas; ++r)
      forward.push_back(at(r).forward_s), backward.push_back(at(r).backward_s);
    for (int r = 0; r < trace.replicas; ++r) {
      if (at(r).forward_s > 0) at(r).forward = at(r).forward_s / lower_median(forward);
      if (at(r).backward_s > 0) at(r).backward = at(r).backward_s / lower_median(backward);
      at(r).slow = at(r).forward > slow_from || at(r).backward > slow_from;
      if (!w.by_replica.empty())
        at(r).slowdown = std::min(w.by_replica[static_cast<std::size_t>(r)].mean,
                                  w.by_stage[static_cast<std::size_t>(s)].mean);
    }
  }
  return views;
}

/// Mean step of the what-if replay with each slow worker's compute replaced by that of the first healthy one
/// of its stage.
double healed_step(const OperatorTrace& trace, const std::vector<WorkerView>& workers) {
  OperatorTrace healed = trace;
  bool any = false;
  for (const WorkerView& w : workers) {
    if (!w.slow) continue;
    for (int r = 0; r < trace.replicas; ++r) {
      const int peer = r * trace.stages + w.stage;
      if (workers[static_cast<std::size_t>(peer)].slow) continue;
      healed = with_compute_of(healed, w.replica * trace.stages + w.stage, peer, 1, 1);
      any = true;
      break;
    }
  }
  if (!any) return 0;
  const auto graph = what_if_graph(healed);
  return graph ? mean_of(replay(*graph, transfer_times(healed, *graph), {}, healed.steps())) : 0;
}

using Json = nlohmann::ordered_json;

Json groups_json(const std::vector<GroupSlowdown>& groups) {
  Json out = Json::array();
  for (const GroupSlowdown& g : groups)
    out.push_back({{"group", g.group}, {"slowdown", g.mean}, {"by_step", g.per_step}});
  return out;
}
Json share_json(const GroupShare& g) {
  return {{"removed", g.removed}, {"alone", g.alone}, {"removed_s", g.removed_s}, {"alone_s", g.alone_s}};
}

Json error_json(const PredictionError& error) {
  return {{"measurements", error.steps},
          {"refits", error.refits},
          {"p50", {error.p50_low, error.p50_high}},
          {"p95", {error.p95_low, error.p95_high}}};
}

}  // namespace

Result<OperatorEvidence> examine(const OperatorTrace& trace) {
  auto e = answers_of(trace);
  if (e) e->input_error = input_error_of(trace, *e);
  return e;
}

Result<OperatorEvidence> answers_of(const OperatorTrace& trace) {
  const auto answers = what_if(trace);
  if (!answers) return Result<OperatorEvidence>::faults(answers.diagnostics);
  const auto serial = serial_graph(trace);
  if (!serial) return Result<OperatorEvidence>::faults(serial.diagnostics);
  OperatorEvidence e;
  e.answers = *answers;
  e.parts = decompose(trace, *serial);
  e.episodes = find_episodes(trace, *serial);
  e.workers = view_workers(trace, e.answers);
  e.serial_s = replay(*serial, e.parts.transfer, launch_gaps(trace, *serial, false), trace.steps());
  e.healthy_s = healed_step(trace, e.workers);
  return Result<OperatorEvidence>::of(std::move(e));
}

PredictionError input_error_of(const OperatorTrace& trace, const OperatorEvidence& evidence) {
  return prediction_error(trace, *serial_graph(trace), evidence.parts, refits, 1);
}

std::string input_error_json(const PredictionError& error) { return evidence_dump(error_json(error)); }

std::string operator_evidence_json(const OperatorTrace& trace, const OperatorEvidence& e,
                                   const Account& account) {
  const ReplayWhatIf& w = e.answers;
  Json workers = Json::array(), ideal = Json::object(), episodes = Json::array(), slowest = Json::array();
  for (const WorkerView& v : e.workers)
    workers.push_back({{"replica", v.replica},
                       {"stage", v.stage},
                       {"rank", v.rank},
                       {"forward_s", v.forward_s},
                       {"backward_s", v.backward_s},
                       {"forward", v.forward},
                       {"backward", v.backward},
                       {"slowdown", v.slowdown},
                       {"slow", v.slow}});
  for (int t = 0; t < op_types; ++t)
    if (w.ideal_time[static_cast<std::size_t>(t)] == w.ideal_time[static_cast<std::size_t>(t)])
      ideal[std::string(op_type_name(static_cast<OpType>(t)))] = w.ideal_time[static_cast<std::size_t>(t)];
  for (const Episode& x : e.episodes)
    episodes.push_back({{"kind", x.kind == Episode::Kind::drift ? "drift" : "cold_or_stalled"},
                        {"what", x.what},
                        {"steps", x.steps},
                        {"usual_s", x.usual},
                        {"there_s", x.there},
                        {"changes_the_step_by", x.lengthens}});
  for (const int s : w.slowest)
    slowest.push_back({{"replica", s / trace.stages},
                       {"stage", s % trace.stages},
                       {"rank", trace.ranks[static_cast<std::size_t>(s)]}});
  const auto& spread = e.parts.spread;
  Json all = {{"prism_evidence", 1},
              {"kind", "operator_trace"},
              {"account", evidence_account(account)},
              {"layout", {{"dp", trace.replicas}, {"pp", trace.stages}}},
              {"steps", trace.step_numbers},
              {"measured_s", w.measured},
              {"replayed_s", w.replayed},
              {"serial_s", e.serial_s},
              {"ideal_s", w.ideal},
              {"healthy_s", e.healthy_s > 0 ? Json(e.healthy_s) : Json(nullptr)},
              {"slowdown", w.slowdown},
              {"slowdown_by_step", w.step_slowdown},
              {"launch_slowdown", w.launch_slowdown},
              {"by_type", groups_json(w.by_type)},
              {"by_stage", groups_json(w.by_stage)},
              {"by_replica", groups_json(w.by_replica)},
              {"last_stage", share_json(w.last_stage)},
              {"slowest_workers", share_json(w.slowest_workers)},
              {"slowest", slowest},
              {"ideal_time_s", ideal},
              {"workers", workers},
              {"spread",
               {{"fresh_and_content", spread.fresh},
                {"all_content", spread.content},
                {"worker_and_step", spread.worker_step},
                {"step_level", spread.step},
                {"worker", spread.worker}}}};
  if (e.input_error.refits > 0) all["input_error"] = error_json(e.input_error);
  all["episodes"] = episodes;
  return evidence_dump(all);
}

}  // namespace prism
