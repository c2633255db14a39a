// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "evidence/json_text.h"
#include "prism/evidence_timeline.h"

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

/// Ends and times of one step.
struct Replayed {
  std::vector<double> time, end;
};

Replayed replayed(const ReplayGraph& graph, std::vector<double> time) {
  Replayed r{std::move(time), {}};
  replay(graph, r.time, {}, 1, &r.end);
  return r;
}

/// Walks back from the last end: to the member of the unit that launched last, and on to its latest
/// predecessor.
std::vector<bool> critical_path(const ReplayGraph& graph, const Replayed& r) {
  std::vector<std::size_t> unit_of(r.end.size());
  for (std::size_t u = 0; u + 1 < graph.unit_begin.size(); ++u)
    for (std::int32_t m = graph.unit_begin[u]; m < graph.unit_begin[u + 1]; ++m)
      unit_of[static_cast<std::size_t>(graph.members[static_cast<std::size_t>(m)])] = u;
  std::vector<bool> critical(r.end.size(), false);
  auto at = static_cast<std::int32_t>(std::max_element(r.end.begin(), r.end.end()) - r.end.begin());
  while (at >= 0) {
    critical[static_cast<std::size_t>(at)] = true;
    const std::size_t u = unit_of[static_cast<std::size_t>(at)];
    std::int32_t latest = -1;
    for (std::int32_t m = graph.unit_begin[u]; m < graph.unit_begin[u + 1]; ++m) {
      const auto op = static_cast<std::size_t>(graph.members[static_cast<std::size_t>(m)]);
      for (std::int32_t b = graph.before_begin[op]; b < graph.before_begin[op + 1]; ++b) {
        const std::int32_t before = graph.before[static_cast<std::size_t>(b)];
        if (latest < 0 || r.end[static_cast<std::size_t>(before)] > r.end[static_cast<std::size_t>(latest)])
          latest = before;
      }
    }
    at = latest;
  }
  return critical;
}

double microseconds(double seconds) {
  return static_cast<double>(static_cast<std::int64_t>(seconds * 1e9 + 0.5)) * 1e-3;
}

}  // namespace

std::string timeline_json(const OperatorTrace& trace, int step) {
  const auto graph = what_if_graph(trace);
  if (!graph) return {};
  const auto steps = static_cast<std::size_t>(trace.steps());
  const auto all = transfer_times(trace, *graph);
  const auto ideal_of = ideal_times(trace, all);
  std::vector<double> own(trace.ops.size()), ideal(trace.ops.size());
  double begin = std::numeric_limits<double>::infinity();
  for (std::size_t op = 0; op < trace.ops.size(); ++op) {
    own[op] = all[op * steps + static_cast<std::size_t>(step)];
    ideal[op] = ideal_of[static_cast<std::size_t>(trace.ops[op].type)];
    begin = std::min(begin, trace.start_at(op, step));
  }
  Json events = Json::array();
  const auto name_process = [&](int pid, const std::string& name) {
    events.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", pid}, {"args", {{"name", name}}}});
    for (int w = 0; w < trace.workers(); ++w)
      events.push_back({{"ph", "M"},
                        {"name", "thread_name"},
                        {"pid", pid},
                        {"tid", w},
                        {"args",
                         {{"name", "replica " + std::to_string(w / trace.stages) + ", stage " +
                                       std::to_string(w % trace.stages)}}}});
  };
  const auto add = [&](int pid, std::size_t op, double from, double lasts,
                       const std::vector<bool>* critical) {
    const TraceOp& o = trace.ops[op];
    Json e = {{"ph", "X"},
              {"name", op_type_name(o.type)},
              {"cat", is_compute(o.type) ? "compute" : "other"},
              {"pid", pid},
              {"tid", trace.worker(o)},
              {"ts", microseconds(from)},
              {"dur", microseconds(std::max(lasts, 0.0))},
              {"args", {{"index", o.index}}}};
    if (critical) e["args"]["critical"] = static_cast<bool>((*critical)[op]);
    events.push_back(std::move(e));
  };
  name_process(0, "measured, step " + std::to_string(trace.step_numbers[static_cast<std::size_t>(step)]));
  for (std::size_t op = 0; op < trace.ops.size(); ++op)
    add(0, op, trace.start_at(op, step) - begin, trace.duration[op * steps + static_cast<std::size_t>(step)],
        nullptr);
  int pid = 1;
  for (const auto& [name, time] :
       {std::pair{"replayed without launch gaps", own}, std::pair{"ideal", ideal}}) {
    const Replayed r = replayed(*graph, time);
    const auto critical = critical_path(*graph, r);
    name_process(pid, name);
    for (std::size_t op = 0; op < trace.ops.size(); ++op)
      add(pid, op, std::max(r.end[op] - r.time[op], 0.0), r.time[op], &critical);
    ++pid;
  }
  return evidence_dump({{"displayTimeUnit", "ms"}, {"traceEvents", events}});
}

}  // namespace prism
