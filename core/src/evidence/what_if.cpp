// SPDX-License-Identifier: Apache-2.0
// The published what-if answers (arXiv 2505.05713, section 4): slow-downs by group, M_S and M_W.
#include <algorithm>
#include <functional>
#include <numeric>

#include "evidence/moments.h"
#include "evidence/op_type.h"
#include "prism/evidence_operators.h"

namespace prism {
namespace {

constexpr double worth_explaining = 1.03;

std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] / b[i];
  return out;
}

/// Sends and receives of a direction are one type to the published analysis.
std::string type_group(OpType type) {
  if (type == OpType::forward_send || type == OpType::forward_recv) return "forward-pp-comm";
  if (type == OpType::backward_send || type == OpType::backward_recv) return "backward-pp-comm";
  return std::string(op_type_name(type));
}

class Questions {
 public:
  Questions(const OperatorTrace& trace, const ReplayGraph& graph)
      : trace_(trace),
        graph_(graph),
        time_(transfer_times(trace, graph)),
        ideal_of_(ideal_times(trace, time_)) {
    replayed_ = replay(graph_, time_, {}, trace_.steps());
    std::vector<double> one(trace_.ops.size());
    for (std::size_t op = 0; op < one.size(); ++op) one[op] = ideal_at(op);
    ideal_ = replay(graph_, one, {}, 1)[0];
  }
  const std::vector<double>& replayed() const { return replayed_; }
  double ideal() const { return ideal_; }
  const std::array<double, op_types>& ideal_of() const { return ideal_of_; }

  using Chosen = std::function<bool(const TraceOp&)>;
  /// Step times with the measured times of the chosen operations and the ideal ones of the others.
  std::vector<double> only(const Chosen& chosen) const {
    const auto steps = static_cast<std::size_t>(trace_.steps());
    std::vector<double> mixed(time_.size());
    for (std::size_t op = 0; op < trace_.ops.size(); ++op) {
      const bool measured = chosen(trace_.ops[op]);
      for (std::size_t s = 0; s < steps; ++s)
        mixed[op * steps + s] = measured ? time_[op * steps + s] : ideal_at(op);
    }
    return replay(graph_, mixed, {}, trace_.steps());
  }
  GroupSlowdown slowdown(std::string name, const Chosen& chosen) const {
    std::vector<double> step = only(chosen);
    const double mean = mean_of(step) / ideal_;
    for (double& s : step) s /= ideal_;
    return {std::move(name), mean, std::move(step)};
  }
  GroupShare share(const Chosen& chosen) const {
    GroupShare g;
    g.removed_s = mean_of(only([&](const TraceOp& op) { return !chosen(op); }));
    g.alone_s = mean_of(only(chosen));
    const double all = mean_of(replayed_);
    g.removed = (all - g.removed_s) / (all - ideal_);
    g.alone = (g.alone_s - ideal_) / (all - ideal_);
    return g;
  }

 private:
  double ideal_at(std::size_t op) const { return ideal_of_[static_cast<std::size_t>(trace_.ops[op].type)]; }
  const OperatorTrace& trace_;
  const ReplayGraph& graph_;
  std::vector<double> time_, replayed_;
  std::array<double, op_types> ideal_of_;
  double ideal_ = 0;
};

/// The 3 % of workers whose replica and stage both slow the job down most; ties go to the lower rank.
std::vector<int> slowest_workers(const OperatorTrace& trace, const std::vector<GroupSlowdown>& by_replica,
                                 const std::vector<GroupSlowdown>& by_stage) {
  std::vector<int> workers(static_cast<std::size_t>(trace.workers()));
  std::iota(workers.begin(), workers.end(), 0);
  const auto score = [&](int w) {
    return std::min(by_replica[static_cast<std::size_t>(w / trace.stages)].mean,
                    by_stage[static_cast<std::size_t>(w % trace.stages)].mean);
  };
  std::sort(workers.begin(), workers.end(), [&](int a, int b) {
    if (score(a) != score(b)) return score(a) > score(b);
    const auto rank = [&](int w) { return trace.ranks[static_cast<std::size_t>(w)]; };
    return std::pair(rank(a), a) < std::pair(rank(b), b);
  });
  workers.resize((workers.size() * 3 + 99) / 100);
  return workers;
}

}  // namespace

Result<ReplayWhatIf> what_if(const OperatorTrace& trace) {
  const auto graph = what_if_graph(trace);
  if (!graph) return Result<ReplayWhatIf>::faults(graph.diagnostics);
  const Questions ask(trace, *graph);

  ReplayWhatIf w;
  w.measured = measured_step_times(trace);
  w.replayed = ask.replayed();
  w.ideal = ask.ideal();
  w.ideal_time = ask.ideal_of();
  w.slowdown = mean_of(w.replayed) / w.ideal;
  w.launch_slowdown = mean_of(w.measured) / mean_of(w.replayed);
  w.step_slowdown = w.replayed;
  for (double& s : w.step_slowdown) s /= w.ideal;
  w.step_launch_slowdown = ratios(w.measured, w.replayed);

  for (int s = 0; s < trace.stages; ++s)
    w.by_stage.push_back(ask.slowdown(std::to_string(s), [&](const TraceOp& op) { return op.stage == s; }));
  for (int r = 0; r < trace.replicas; ++r)
    w.by_replica.push_back(
        ask.slowdown(std::to_string(r), [&](const TraceOp& op) { return op.replica == r; }));
  std::vector<std::string> groups;
  for (int t = 0; t < op_types; ++t) {
    const auto type = static_cast<OpType>(t);
    const bool occurs =
        w.ideal_time[static_cast<std::size_t>(t)] == w.ideal_time[static_cast<std::size_t>(t)];
    if (occurs && std::find(groups.begin(), groups.end(), type_group(type)) == groups.end())
      groups.push_back(type_group(type));
  }
  if (w.slowdown >= worth_explaining)
    for (const std::string& g : groups)
      w.by_type.push_back(ask.slowdown(g, [&](const TraceOp& op) { return type_group(op.type) == g; }));

  w.slowest = slowest_workers(trace, w.by_replica, w.by_stage);
  w.last_stage = ask.share([&](const TraceOp& op) { return op.stage == trace.stages - 1; });
  w.slowest_workers = ask.share([&](const TraceOp& op) {
    return std::find(w.slowest.begin(), w.slowest.end(), trace.worker(op)) != w.slowest.end();
  });
  if (w.slowdown < worth_explaining) w.by_stage.clear(), w.by_replica.clear();
  return Result<ReplayWhatIf>::of(std::move(w));
}

}  // namespace prism
