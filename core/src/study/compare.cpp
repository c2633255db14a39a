// SPDX-License-Identifier: Apache-2.0
// Layouts and schedules of one job on its GPUs: those given, or all that divide and fit into memory.
#include <algorithm>
#include <array>

#include "graph/memory.h"
#include "study/variants.h"

namespace prism::study {
namespace {

struct Layout {
  std::int64_t tp, pp, dp, virtual_stages, micro;
  std::string schedule;
  bool recompute;  ///< fully, where it does not fit otherwise
};

std::string name_of(const Layout& l) {
  return "TP" + std::to_string(l.tp) + " PP" + std::to_string(l.pp) + " DP" + std::to_string(l.dp) + " " +
         l.schedule + (l.virtual_stages > 1 ? " v" + std::to_string(l.virtual_stages) : "") + " micro " +
         std::to_string(l.micro) + (l.recompute ? " recompute" : "");
}

/// The rule that spreads the layers most evenly.
const char* layer_rule(std::int64_t layers, std::int64_t stages) {
  if (layers % stages == 0) return "\"even\"";
  if (stages > 1 && (layers + 2) % stages == 0) return "\"one-less-first-and-last\"";
  return layers > stages ? "\"front\"" : nullptr;
}

std::vector<Edit> edits_of(const Layout& l, const Scenario& s, const char* rule) {
  std::vector<Edit> edits{{"/parallel/tp", in_json(l.tp)},
                          {"/parallel/pp", in_json(l.pp)},
                          {"/parallel/dp", in_json(l.dp)},
                          {"/parallel/schedule", in_json(l.schedule)},
                          {"/parallel/virtual_stages", in_json(l.virtual_stages)},
                          {"/parallel/layers_per_virtual_stage", rule},
                          {"/batch/micro_batches", ""},
                          {"/batch/global", in_json(s.batch.global)},
                          {"/batch/micro", in_json(l.micro)}};
  if (l.recompute) edits.push_back({"/parallel/recompute", "\"full\""});
  if (s.parallel.zero > 0)
    edits.push_back({"/parallel/dp_shard", in_json(std::min(l.dp, s.parallel.dp_shard))});
  return edits;
}

/// All that divide. Schedules: 1F1B, ZB-H1 and interleaved with 2, 4 and 8 virtual stages a rank.
std::vector<Layout> layouts_of(const Scenario& s) {
  const std::int64_t world = s.parallel.world() / s.parallel.cp;
  std::vector<Layout> list;
  for (std::int64_t tp = 1; tp <= std::min<std::int64_t>(s.cluster.domain(), 64); tp *= 2)
    for (std::int64_t pp = 1; pp <= s.model->layers + 2; ++pp) {
      if (world % (tp * pp) != 0) continue;
      const std::int64_t dp = world / (tp * pp);
      for (std::int64_t micro = 1; micro <= 4; micro *= 2) {
        if (s.batch.global % (dp * micro) != 0) continue;
        const std::int64_t m = s.batch.global / (dp * micro);
        list.push_back({tp, pp, dp, 1, micro, "1f1b", false});
        if (pp == 1) continue;
        list.push_back({tp, pp, dp, 1, micro, "zb-h1", false});
        for (std::int64_t v = 2; v <= 8; v *= 2)
          if (m % pp == 0 && pp * v <= s.model->layers + 2)
            list.push_back({tp, pp, dp, v, micro, "interleaved-1f1b", false});
      }
    }
  return list;
}

double seconds_of(const std::vector<Segment>& segments) {
  double sum = 0;
  for (const Segment& s : segments) {
    for (const Operator& op : s.compute) sum += op.scale_s;
    if (s.has_collective) sum += s.collective.scale_s;
  }
  return sum;
}

/// (m + (p - 1) / v) micro-batches through the slowest rank, and its end of the step: 1F1B without
/// variability.
double estimate(const Workload& w) {
  std::vector<double> rank(static_cast<std::size_t>(w.pp), 0);
  double end = 0;
  for (std::size_t s = 0; s < w.stages.size(); ++s)
    rank[s % rank.size()] +=
        seconds_of(w.stages[s].forward) + seconds_of(w.stages[s].backward) + seconds_of(w.stages[s].weight);
  for (const auto& segments : w.end.rank) end = std::max(end, seconds_of(segments));
  const double fill = static_cast<double>(w.pp - 1) / static_cast<double>(w.virtual_stages);
  return (static_cast<double>(w.micro_batches) + fill) * *std::max_element(rank.begin(), rank.end()) + end;
}

struct Candidate {
  Layout layout;
  std::vector<Edit> edits;
  double estimate, bytes;
};

std::vector<Diagnostic> enumerate(StudyPlan& plan) {
  const Scenario& base = plan.base;
  if (!base.model)
    return {unfit("layouts are enumerated for a model; a list of operators needs layouts to compare")};
  if (base.model->experts)
    return {unfit("layouts of models with experts are not enumerated: give those to compare")};
  std::vector<Candidate> fitting;
  std::size_t too_large = 0, refused = 0;
  std::vector<Layout> layouts = layouts_of(base);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const Layout l = layouts[i];
    const char* rule = layer_rule(base.model->layers, l.pp * l.virtual_stages);
    if (!rule) {
      ++refused;
      continue;
    }
    std::vector<Edit> edits = edits_of(l, base, rule);
    const auto scenario = read_scenario(edited(plan.text, edits));
    if (!scenario) {
      ++refused;
      continue;
    }
    const auto workload = build_workload(*scenario);
    if (!workload) {
      ++refused;
      continue;
    }
    const auto account = memory_account(*workload);
    const double bytes = account ? account->rank[account->largest].total() : 0;
    if (fit(bytes, workload->gpu_memory_bytes) == Fit::no) {
      if (!l.recompute && base.parallel.recompute != Recompute::full) {
        layouts.push_back(l);
        layouts.back().recompute = true;
      } else {
        ++too_large;
      }
      continue;
    }
    fitting.push_back({l, std::move(edits), estimate(*workload), bytes});
  }
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const Candidate& a, const Candidate& b) { return a.estimate < b.estimate; });
  const std::size_t all = fitting.size(), kept = std::min(all, static_cast<std::size_t>(plan.question.most));
  fitting.resize(kept);
  for (Candidate& c : fitting)
    add(plan, name_of(c.layout), {c.bytes / base.cluster.gpu.memory_bytes}, std::move(c.edits));
  plan.notes.push_back(std::to_string(all) + " layouts divide and fit into memory; " + std::to_string(kept) +
                       " with the least estimated time are played. " + std::to_string(too_large) +
                       " do not fit, " + std::to_string(refused) + " break a rule.");
  plan.notes.push_back(
      "Memory is an estimate that may be off by 15 %: left out is what cannot fit beyond that doubt.");
  return {};
}

}  // namespace

/// Axis: share of a GPU's memory, where it is known.
std::vector<Diagnostic> plan_compare(StudyPlan& plan) {
  if (plan.question.most < 1 || plan.question.most > 1000)
    return {unfit("from 1 to 1000 layouts are compared, found " + std::to_string(plan.question.most))};
  plan.axes = {"memory_share"};
  add(plan, "as it is", {0}, {});
  if (plan.question.layouts.empty()) return enumerate(plan);
  for (const NamedChange& layout : plan.question.layouts) {
    // Another file brings its own trials and seed along: differences are of the same trials.
    std::vector<Edit> edits = layout.edits;
    std::erase_if(edits, [](const Edit& e) { return is_of_run(e.pointer); });
    add(plan, layout.name, {0}, std::move(edits));
  }
  return {};
}

}  // namespace prism::study
