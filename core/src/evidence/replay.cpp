// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "evidence/moments.h"
#include "evidence/op_type.h"
#include "prism/evidence_operators.h"

namespace prism {
namespace {

/// A transfer shorter than this is no clock error but a wrong match; as published.
constexpr double wrong_match_s = -0.010;

}  // namespace

std::vector<double> replay(const ReplayGraph& graph, std::span<const double> time,
                           std::span<const double> gap, int lanes, std::vector<double>* keep_end) {
  const auto width = static_cast<std::size_t>(lanes);
  std::vector<double> own;
  std::vector<double>& end = keep_end ? *keep_end : own;
  end.assign(time.size(), 0);
  std::vector<double> start(width), launch(width), last(width, 0);
  for (std::size_t u = 0; u + 1 < graph.unit_begin.size(); ++u) {
    std::fill(start.begin(), start.end(), 0.0);
    for (std::int32_t m = graph.unit_begin[u]; m < graph.unit_begin[u + 1]; ++m) {
      const auto op = static_cast<std::size_t>(graph.members[static_cast<std::size_t>(m)]);
      std::fill(launch.begin(), launch.end(), 0.0);
      for (std::int32_t b = graph.before_begin[op]; b < graph.before_begin[op + 1]; ++b) {
        const double* before =
            end.data() + static_cast<std::size_t>(graph.before[static_cast<std::size_t>(b)]) * width;
        for (std::size_t i = 0; i < width; ++i) launch[i] = std::max(launch[i], before[i]);
      }
      if (!gap.empty())
        for (std::size_t i = 0; i < width; ++i) launch[i] += gap[op * width + i];
      for (std::size_t i = 0; i < width; ++i) start[i] = std::max(start[i], launch[i]);
    }
    for (std::int32_t m = graph.unit_begin[u]; m < graph.unit_begin[u + 1]; ++m) {
      const auto op = static_cast<std::size_t>(graph.members[static_cast<std::size_t>(m)]);
      for (std::size_t i = 0; i < width; ++i) {
        end[op * width + i] = start[i] + time[op * width + i];
        last[i] = std::max(last[i], end[op * width + i]);
      }
    }
  }
  return last;
}

std::vector<double> transfer_times(const OperatorTrace& trace, const ReplayGraph& graph) {
  std::vector<double> time(trace.duration.size());
  const auto steps = static_cast<std::size_t>(trace.steps());
  for (std::size_t u = 0; u + 1 < graph.unit_begin.size(); ++u) {
    const std::int32_t from = graph.unit_begin[u], to = graph.unit_begin[u + 1];
    for (std::size_t s = 0; s < steps; ++s) {
      double latest = -std::numeric_limits<double>::infinity();
      for (std::int32_t m = from; m < to; ++m)
        latest = std::max(
            latest,
            trace.start[static_cast<std::size_t>(graph.members[static_cast<std::size_t>(m)]) * steps + s]);
      for (std::int32_t m = from; m < to; ++m) {
        const std::size_t i =
            static_cast<std::size_t>(graph.members[static_cast<std::size_t>(m)]) * steps + s;
        const double transfer =
            to - from == 1 ? trace.duration[i] : trace.start[i] + trace.duration[i] - latest;
        time[i] = transfer <= wrong_match_s ? 0 : transfer;
      }
    }
  }
  return time;
}

std::vector<double> launch_gaps(const OperatorTrace& trace, const ReplayGraph& serial, bool known_waiting) {
  const auto steps = static_cast<std::size_t>(trace.steps());
  std::vector<double> gap(trace.start.size(), 0);
  // Ends of the last backward of every worker, by step, ascending.
  std::vector<std::vector<double>> last_backwards(steps);
  for (std::size_t op = 0; op < trace.ops.size(); ++op) {
    const bool last = trace.ops[op].type == OpType::backward_compute &&
                      (op + 1 == trace.ops.size() || trace.ops[op + 1].type != OpType::backward_compute);
    if (last)
      for (std::size_t s = 0; s < steps; ++s)
        last_backwards[s].push_back(trace.end_at(op, static_cast<int>(s)));
  }
  for (auto& ends : last_backwards) std::sort(ends.begin(), ends.end());

  // The clock of a replay starts at 0 in every step: so do the gaps of what nothing precedes.
  std::vector<double> begin(steps, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < trace.start.size(); ++i)
    begin[i % steps] = std::min(begin[i % steps], trace.start[i]);

  for (std::size_t op = 0; op < trace.ops.size(); ++op)
    for (std::size_t s = 0; s < steps; ++s) {
      const double start = trace.start[op * steps + s];
      double before = begin[s];
      for (std::int32_t b = serial.before_begin[op]; b < serial.before_begin[op + 1]; ++b)
        before = std::max(before,
                          trace.end_at(static_cast<std::size_t>(serial.before[static_cast<std::size_t>(b)]),
                                       static_cast<int>(s)));
      if (known_waiting && trace.ops[op].type == OpType::layernorm_grads_all_reduce) {
        const auto& ends = last_backwards[s];
        const auto after = std::upper_bound(ends.begin(), ends.end(), start);
        if (after != ends.begin()) before = std::max(before, *(after - 1));
      }
      gap[op * steps + s] = std::max(0.0, start - before);
    }
  return gap;
}

std::array<double, op_types> ideal_times(const OperatorTrace& trace, std::span<const double> time) {
  std::array<std::vector<double>, op_types> values;
  const auto steps = static_cast<std::size_t>(trace.steps());
  for (std::size_t i = 0; i < time.size(); ++i)
    values[static_cast<std::size_t>(trace.ops[i / steps].type)].push_back(time[i]);
  std::array<double, op_types> ideal;
  for (std::size_t t = 0; t < ideal.size(); ++t) {
    std::vector<double>& v = values[t];
    if (v.empty())
      ideal[t] = std::numeric_limits<double>::quiet_NaN();
    else if (is_idealised_by_mean(static_cast<OpType>(t)))
      ideal[t] = mean_of(v);
    else
      ideal[t] = median_of(v);
  }
  return ideal;
}

std::vector<double> measured_step_times(const OperatorTrace& trace) {
  const auto steps = static_cast<std::size_t>(trace.steps());
  std::vector<double> begin(steps, std::numeric_limits<double>::infinity()),
      end(steps, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < trace.start.size(); ++i) {
    begin[i % steps] = std::min(begin[i % steps], trace.start[i]);
    end[i % steps] = std::max(end[i % steps], trace.start[i] + trace.duration[i]);
  }
  for (std::size_t s = 0; s < steps; ++s) end[s] -= begin[s];
  return end;
}

}  // namespace prism
