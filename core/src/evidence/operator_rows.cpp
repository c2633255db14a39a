// SPDX-License-Identifier: Apache-2.0
#include "evidence/operator_rows.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "evidence/faults.h"

namespace prism {
namespace {

auto identity(const OperatorRow& r) { return std::tuple(r.replica, r.stage, r.type); }

/// Where each step's rows begin; one more than steps.
std::vector<std::size_t> step_bounds(const std::vector<OperatorRow>& rows) {
  std::vector<std::size_t> bounds;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i == 0 || rows[i].step != rows[i - 1].step) bounds.push_back(i);
  bounds.push_back(rows.size());
  return bounds;
}

bool same_operations(const OperatorRow* a, const OperatorRow* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (identity(a[i]) != identity(b[i])) return false;
  return true;
}

/// The step whose operations most steps have: of the most frequent number of rows, the first.
std::size_t typical_step(const std::vector<std::size_t>& bounds) {
  std::vector<std::size_t> sizes;
  for (std::size_t s = 0; s + 1 < bounds.size(); ++s) sizes.push_back(bounds[s + 1] - bounds[s]);
  std::vector<std::size_t> sorted = sizes;
  std::sort(sorted.begin(), sorted.end());
  std::size_t best = 0, best_count = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j < sorted.size() && sorted[j] == sorted[i]) ++j;
    if (j - i >= best_count) best = sorted[i], best_count = j - i;
    i = j;
  }
  return static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), best) - sizes.begin());
}

/// Every replica runs the same program.
std::optional<Diagnostic> replicas_differ(const OperatorTrace& trace) {
  const std::size_t n = trace.ops.size() / static_cast<std::size_t>(trace.replicas);
  bool same = n * static_cast<std::size_t>(trace.replicas) == trace.ops.size();
  for (std::size_t i = 0; same && i < trace.ops.size(); ++i) {
    const TraceOp &a = trace.ops[i % n], &b = trace.ops[i];
    same =
        a.stage == b.stage && a.type == b.type && a.index == b.index && b.replica == static_cast<int>(i / n);
  }
  if (same) return std::nullopt;
  return evidence_fault(
      Code::inconsistent,
      "the replicas (dp_rank) differ in the operations they do; the graph is rebuilt only where "
      "all replicas run the same program");
}

/// Why no row was used: the reason that most rows have.
Diagnostic nothing_usable(const Account& account) {
  const auto most = std::max_element(account.ignored.begin(), account.ignored.end(),
                                     [](const auto& a, const auto& b) { return a.count < b.count; });
  const std::string rows = std::to_string(account.records) + " rows";
  if (most == account.ignored.end())
    return evidence_fault(Code::missing_key, "there is no row of an operation");
  const bool types = most->what.find("unknown type") != std::string::npos;
  return evidence_fault(
      Code::missing_key,
      "none of " + rows + " can be used; of " + std::to_string(most->count) + ": " + most->what,
      types ? "optype should be forward-compute, backward-compute, forward-send and so on" : "");
}

}  // namespace

Result<OperatorTrace> tabulate_rows(std::vector<OperatorRow> rows, Account& account) {
  using Fault = Result<OperatorTrace>;
  if (rows.empty()) return Fault::fault(nothing_usable(account));
  // seq_id counts within a type; where a trace lacks it, or repeats it, the start decides.
  std::sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
    return std::tie(a.step, a.replica, a.stage, a.type, a.seq, a.start, a.duration) <
           std::tie(b.step, b.replica, b.stage, b.type, b.seq, b.start, b.duration);
  });
  const std::vector<std::size_t> bounds = step_bounds(rows);
  const std::size_t typical = typical_step(bounds);
  const OperatorRow* const first = rows.data() + bounds[typical];
  const std::size_t n = bounds[typical + 1] - bounds[typical];

  OperatorTrace trace;
  std::vector<std::size_t> kept;
  for (std::size_t s = 0; s + 1 < bounds.size(); ++s) {
    const std::size_t size = bounds[s + 1] - bounds[s];
    if (size == n && same_operations(rows.data() + bounds[s], first, n))
      kept.push_back(bounds[s]);
    else
      account.ignore("rows of steps that lack operations other steps have", static_cast<std::int64_t>(size));
  }
  if (kept.size() + 1 < bounds.size())
    account.notes.push_back(std::to_string(bounds.size() - 1 - kept.size()) + " of " +
                            std::to_string(bounds.size() - 1) + " steps are incomplete and left out");
  for (std::size_t i = 0; i < n; ++i) {
    const OperatorRow& r = first[i];
    const bool again = i > 0 && identity(r) == identity(first[i - 1]);
    trace.ops.push_back({r.replica, r.stage, r.type, again ? trace.ops.back().index + 1 : 0});
    trace.replicas = std::max(trace.replicas, r.replica + 1);
    trace.stages = std::max(trace.stages, r.stage + 1);
  }
  trace.ranks.assign(static_cast<std::size_t>(trace.workers()), -1);
  for (std::size_t i = 0; i < n; ++i)
    trace.ranks[static_cast<std::size_t>(trace.worker(trace.ops[i]))] = first[i].rank;
  for (int w = 0; w < trace.workers(); ++w)
    if (trace.ranks[static_cast<std::size_t>(w)] < 0)
      return Fault::fault(evidence_fault(
          Code::inconsistent, "no rows of replica " + std::to_string(w / trace.stages) + ", stage " +
                                  std::to_string(w % trace.stages) + ", though there are " +
                                  std::to_string(trace.replicas) + " replicas and " +
                                  std::to_string(trace.stages) + " stages in the file"));
  if (const auto fault = replicas_differ(trace)) return Fault::fault(*fault);
  for (const std::size_t from : kept) trace.step_numbers.push_back(rows[from].step);
  trace.start.resize(n * kept.size());
  trace.duration.resize(n * kept.size());
  for (std::size_t s = 0; s < kept.size(); ++s)
    for (std::size_t i = 0; i < n; ++i) {
      trace.start[i * kept.size() + s] = rows[kept[s] + i].start;
      trace.duration[i * kept.size() + s] = rows[kept[s] + i].duration;
    }
  account.used = static_cast<std::int64_t>(n * kept.size());
  for (int t = 0; t < op_types; ++t) {
    const auto count = std::count_if(trace.ops.begin(), trace.ops.end(),
                                     [&](const TraceOp& op) { return static_cast<int>(op.type) == t; });
    if (count > 0)
      account.recognise(op_type_name(static_cast<OpType>(t)), count * static_cast<std::int64_t>(kept.size()));
  }
  return Fault::of(std::move(trace));
}

}  // namespace prism
