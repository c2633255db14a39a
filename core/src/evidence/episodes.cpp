// SPDX-License-Identifier: Apache-2.0
// Cold or stalled steps, and drift: what no distribution of single operations can say.
#include <algorithm>
#include <cmath>

#include "evidence/moments.h"
#include "evidence/op_type.h"
#include "prism/evidence_prediction.h"

namespace prism {
namespace {

constexpr double cold_factor = 5;      ///< times the usual transfer
constexpr double cold_share = 0.005;   ///< and at least this share of the step time
constexpr double drift_share = 0.005;  ///< a change of mean compute smaller than this is no drift
constexpr double drift_t = 6;  ///< Student's t of the best split; the split is chosen, so 2 would be common

/// Longest over the workers, of a type's transfers summed over a worker's step.
std::vector<double> transfer_by_step(const OperatorTrace& trace, const std::vector<double>& transfer,
                                     OpType type) {
  const auto steps = static_cast<std::size_t>(trace.steps());
  std::vector<double> longest(steps, 0);
  std::vector<double> of_worker(static_cast<std::size_t>(trace.workers()) * steps, 0);
  for (std::size_t op = 0; op < trace.ops.size(); ++op) {
    if (trace.ops[op].type != type) continue;
    double* row = of_worker.data() + static_cast<std::size_t>(trace.worker(trace.ops[op])) * steps;
    for (std::size_t s = 0; s < steps; ++s) row[s] += transfer[op * steps + s];
  }
  for (std::size_t i = 0; i < of_worker.size(); ++i)
    longest[i % steps] = std::max(longest[i % steps], of_worker[i]);
  return longest;
}

/// The transfers with those of one type at their usual length.
std::vector<double> at_usual(const OperatorTrace& trace, std::vector<double> transfer, OpType type) {
  const auto steps = static_cast<std::size_t>(trace.steps());
  for (std::size_t op = 0; op < trace.ops.size(); ++op) {
    if (trace.ops[op].type != type) continue;
    const auto row = transfer.begin() + static_cast<std::ptrdiff_t>(op * steps);
    const double usual = median_of({row, row + trace.steps()});
    std::fill(row, row + trace.steps(), usual);
  }
  return transfer;
}

void find_cold(const OperatorTrace& trace, const ReplayGraph& serial, std::vector<Episode>& out) {
  const auto transfer = transfer_times(trace, serial);
  const auto gap = launch_gaps(trace, serial, true);
  const auto step = replay(serial, transfer, gap, trace.steps());
  const double usual_step = median_of(step);
  for (int t = 0; t < op_types; ++t) {
    const auto type = static_cast<OpType>(t);
    if (is_compute(type) || type == OpType::gc || type == OpType::optimizer) continue;
    const auto longest = transfer_by_step(trace, transfer, type);
    const double usual = median_of(longest);
    Episode e{Episode::Kind::cold_or_stalled, {}, std::string(op_type_name(type)), usual, 0, 0};
    std::vector<std::size_t> where;
    for (std::size_t s = 0; s < longest.size(); ++s)
      if (longest[s] > cold_factor * usual && longest[s] - usual > cold_share * usual_step)
        where.push_back(s);
    // What happens in every fourth step is no episode.
    if (where.empty() || where.size() * 4 > longest.size()) continue;
    const auto without = replay(serial, at_usual(trace, transfer, type), gap, trace.steps());
    for (const std::size_t s : where) {
      e.steps.push_back(trace.step_numbers[s]);
      e.there += longest[s] / static_cast<double>(where.size());
      e.lengthens += (step[s] / without[s] - 1) / static_cast<double>(where.size());
    }
    if (e.lengthens < cold_share) e.lengthens = 0;
    out.push_back(e);
  }
}

void find_drift(const OperatorTrace& trace, std::vector<Episode>& out) {
  const auto steps = static_cast<std::size_t>(trace.steps());
  std::vector<double> compute(steps, 0);
  std::size_t n = 0;
  for (std::size_t op = 0; op < trace.ops.size(); ++op) {
    if (!is_compute(trace.ops[op].type)) continue;
    ++n;
    for (std::size_t s = 0; s < steps; ++s) compute[s] += trace.duration[op * steps + s];
  }
  if (n == 0 || steps < 8) return;
  for (double& c : compute) c /= static_cast<double>(n);
  double best = 0;
  std::size_t at = 0;
  for (std::size_t k = 2; k + 2 <= steps; ++k) {
    const std::vector<double> a(compute.begin(), compute.begin() + static_cast<std::ptrdiff_t>(k));
    const std::vector<double> b(compute.begin() + static_cast<std::ptrdiff_t>(k), compute.end());
    const double within =
        variance_of(a) * static_cast<double>(k - 1) + variance_of(b) * static_cast<double>(steps - k - 1);
    const double error = std::sqrt(within / static_cast<double>(steps - 2) *
                                   (1 / static_cast<double>(k) + 1 / static_cast<double>(steps - k)));
    const double t = std::fabs(mean_of(a) - mean_of(b)) / error;
    if (t > best) best = t, at = k;
  }
  if (best < drift_t) return;
  const std::vector<double> a(compute.begin(), compute.begin() + static_cast<std::ptrdiff_t>(at));
  const std::vector<double> b(compute.begin() + static_cast<std::ptrdiff_t>(at), compute.end());
  if (std::fabs(mean_of(a) / mean_of(b) - 1) < drift_share) return;
  Episode e{Episode::Kind::drift, {}, "compute", mean_of(b), mean_of(a), mean_of(a) / mean_of(b) - 1};
  e.steps.assign(trace.step_numbers.begin(), trace.step_numbers.begin() + static_cast<std::ptrdiff_t>(at));
  out.push_back(e);
}

}  // namespace

std::vector<Episode> find_episodes(const OperatorTrace& trace, const ReplayGraph& serial) {
  std::vector<Episode> out;
  find_cold(trace, serial, out);
  find_drift(trace, out);
  return out;
}

}  // namespace prism
