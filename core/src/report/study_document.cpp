// SPDX-License-Identifier: Apache-2.0
// The answer of a study as a document (docs/studies.md).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "prism/study_report.h"
#include "report/diagnostics.h"
#include "report/study_digest.h"
#include "scenario/json.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Interval& x) {
  if (!std::isfinite(x.value + x.low + x.high)) throw std::logic_error("a reported number is not finite");
  return {{"value", x.value}, {"interval", {x.low, x.high}}};
}

ordered_json to_json(const Difference& d) {
  ordered_json out = to_json(d.seconds);
  out["differs"] = d.differs;
  return out;
}

ordered_json variant_json(const StudyPlan& plan, std::size_t i, const VariantResult& r) {
  const Variant& v = plan.variants[i];
  ordered_json out = {{"name", v.name}};
  for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) out["at"][plan.axes[axis]] = v.at[axis];
  out["fault"] = r.played ? ordered_json(nullptr) : ordered_json(r.fault);
  if (!r.played) return out;
  out["deterministic_s"] = r.deterministic_s;
  out["mean_s"] = to_json(r.mean);
  out["sd_s"] = to_json(r.sd);
  out["p50_s"] = to_json(r.p50);
  out["p95_s"] = to_json(r.p95);
  out["p99_s"] = to_json(r.p99);
  out["difference"] = {{"mean_s", to_json(r.mean_difference)},
                       {"sd_s", to_json(r.sd_difference)},
                       {"p50_s", to_json(r.p50_difference)},
                       {"p95_s", to_json(r.p95_difference)},
                       {"p99_s", to_json(r.p99_difference)}};
  out["p95_from_best_s"] = to_json(r.from_best);
  if (!r.beyond.empty()) out["beyond"] = r.beyond;
  out["quantiles_s"] = r.quantiles;
  return out;
}

/// Kinds by what silencing them takes off the p95, the largest first, with the share of the critical path.
ordered_json sensitivity_answer(const StudyPlan& plan, const StudyResult& r) {
  struct Row {
    std::size_t silenced;
    std::optional<std::size_t> scaled;
    int kind;
  };
  std::vector<Row> rows;
  for (std::size_t i = 1; i < plan.variants.size(); ++i) {
    const int kind = static_cast<int>(plan.variants[i].at[0]);
    if (plan.variants[i].at[1] == 0)
      rows.push_back({i, std::nullopt, kind});
    else if (!rows.empty() && rows.back().kind == kind)
      rows.back().scaled = i;
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return r.variants[a.silenced].p95_difference.seconds.value <
           r.variants[b.silenced].p95_difference.seconds.value;
  });
  ordered_json list = ordered_json::array();
  for (const Row& row : rows) {
    const bool is_class = row.kind < 0;
    const auto kind = static_cast<Kind>(std::max(0, row.kind));
    ordered_json entry;
    entry["kind"] = is_class ? (row.kind == -1 ? "compute" : "communication") : std::string(kind_name(kind));
    entry["whole_class"] = is_class;
    entry["class"] =
        (is_class ? row.kind == -1 : class_of(kind) == Class::compute) ? "compute" : "communication";
    const VariantResult& v = r.variants[row.silenced];
    entry["silenced"] = {{"variant", row.silenced},
                         {"mean_s", to_json(v.mean_difference)},
                         {"sd_s", to_json(v.sd_difference)},
                         {"p95_s", to_json(v.p95_difference)}};
    if (row.scaled) {
      const VariantResult& s = r.variants[*row.scaled];
      entry["scaled"] = {{"variant", *row.scaled},
                         {"mean_s", to_json(s.mean_difference)},
                         {"p95_s", to_json(s.p95_difference)}};
    }
    entry["critical_path_share"] = is_class || r.critical_path.empty()
                                       ? ordered_json(nullptr)
                                       : ordered_json(r.critical_path[static_cast<std::size_t>(row.kind)]);
    list.push_back(std::move(entry));
  }
  return {{"kinds", std::move(list)}};
}

/// By slow factor: best and worst position, by p95 and without variability.
ordered_json placement_answer(const StudyPlan& plan, const StudyResult& r) {
  ordered_json list = ordered_json::array();
  const VariantResult& none = r.variants[0];
  for (double factor : plan.question.slow) {
    int best = -1, worst = -1;
    double least = 0, most = 0;
    for (std::size_t i = 1; i < plan.variants.size(); ++i) {
      const VariantResult& v = r.variants[i];
      if (plan.variants[i].at[0] != factor || !v.played) continue;
      const auto index = static_cast<int>(i);
      if (best < 0 || v.p95.value < r.variants[static_cast<std::size_t>(best)].p95.value) best = index;
      if (worst < 0 || v.p95.value > r.variants[static_cast<std::size_t>(worst)].p95.value) worst = index;
      least = least == 0 ? v.deterministic_s : std::min(least, v.deterministic_s);
      most = std::max(most, v.deterministic_s);
    }
    if (best < 0) continue;
    const double best_p95 = r.variants[static_cast<std::size_t>(best)].p95.value,
                 worst_p95 = r.variants[static_cast<std::size_t>(worst)].p95.value;
    list.push_back({{"factor", factor},
                    {"best", best},
                    {"worst", worst},
                    {"worst_over_none_p95", worst_p95 / none.p95.value},
                    {"worst_over_best_p95", worst_p95 / best_p95},
                    {"worst_over_none_deterministic", most / none.deterministic_s},
                    {"worst_over_best_deterministic", most / least}});
  }
  return {{"by_factor", std::move(list)}};
}

/// Points with their efficiency: work a GPU and second, relative to the first point.
ordered_json scaling_answer(const StudyPlan& plan, const StudyResult& r) {
  ordered_json points = ordered_json::array();
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    const VariantResult& v = r.variants[i];
    if (!v.played) continue;
    if (!first) first = i;
    const VariantResult& start = r.variants[*first];
    const double gpus = plan.variants[i].at[0], gpus_ratio = plan.variants[*first].at[0] / gpus;
    const double by = plan.question.strong ? gpus_ratio : 1;
    points.push_back({{"variant", i},
                      {"gpus", gpus},
                      {"efficiency_p50", by * start.p50.value / v.p50.value},
                      {"efficiency_p95", by * start.p50.value / v.p95.value},
                      {"p95_over_p50", v.p95.value / v.p50.value},
                      {"slow_down", plan.question.slow_down},
                      {"probability", v.beyond}});
  }
  return {{"points", std::move(points)}};
}

ordered_json answer(const StudyPlan& plan, const StudyResult& r) {
  switch (plan.question.kind) {
    case StudyKind::sensitivity:
      return sensitivity_answer(plan, r);
    case StudyKind::placement:
      return placement_answer(plan, r);
    case StudyKind::scaling:
      return scaling_answer(plan, r);
    default:
      return ordered_json::object();
  }
}

ordered_json left_out(const StudyPlan& plan) {
  ordered_json out = ordered_json::array();
  for (const StudyPlan::LeftOut& l : plan.left_out) out.push_back({{"name", l.name}, {"why", l.why}});
  return out;
}

std::string study_name(const StudyPlan& plan) {
  return std::string(study_names[static_cast<std::size_t>(plan.question.kind)]);
}

}  // namespace

std::string study_plan_json(const StudyPlan& plan) {
  ordered_json out = {{"study", study_name(plan)}, {"axes", plan.axes}, {"units", ordered_json::array()}};
  for (const Variant& v : plan.variants)
    out["units"].push_back({{"name", v.name}, {"at", v.at}, {"work", v.work}});
  out["left_out"] = left_out(plan);
  out["notes"] = plan.notes;
  return out.dump();
}

std::string study_json(const StudyPlan& plan, const std::vector<std::vector<std::byte>>& parts) {
  std::vector<VariantRun> runs;
  for (const auto& part : parts) runs.push_back(variant_run(part));
  const StudyResult r = reduce_study(plan, runs);

  ordered_json out;
  out["prism_study"] = study_name(plan);
  out["engine_version"] = engine_version;
  out["title"] = plan.base.title;
  out["seed"] = std::to_string(plan.base.run.seed);
  out["trials"] = r.trials;
  out["blocks"] = r.blocks;
  out["confidence"] = 0.95;
  out["axes"] = plan.axes;
  out["masses"] = study_masses();
  out["variants"] = ordered_json::array();
  for (std::size_t i = 0; i < r.variants.size(); ++i)
    out["variants"].push_back(variant_json(plan, i, r.variants[i]));
  out["best_mean"] = r.best_mean;
  out["best_p95"] = r.best_p95;
  out["tied_with_best_p95"] = r.tied;
  out["answer"] = !r.variants[0].played ? ordered_json(nullptr) : answer(plan, r);

  StudyDigest digest;
  digest.text(engine_version);
  digest.text(plan.base.resolved);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    digest.text(plan.variants[i].scenario);
    for (double x : runs[i].step_s) digest.number(x);
  }
  digest.numbers(out);
  out["left_out"] = left_out(plan);
  out["notes"] = plan.notes;
  out["warnings"] = to_json(plan.warnings);
  for (std::size_t i = 0; i < runs.size(); ++i)
    out["variants"][i]["scenario"] = *scenario::parse_json(plan.variants[i].scenario);
  out["digest"] = digest.finish();
  return out.dump();
}

}  // namespace prism
