// SPDX-License-Identifier: Apache-2.0
#include "study_text.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "format.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

/// Seconds as a share of the scenario's own value, with the interval: "-1.25 % (-1.31 to -1.19)".
std::string relative(const ordered_json& difference, double of) {
  const double value = difference["value"], low = difference["interval"][0], high = difference["interval"][1];
  if (value == 0 && low == 0 && high == 0) return "0 %";
  const int decimals = std::clamp(decimals_for(100 * value / of, 100 * (high - low) / of), 2, 5);
  return fixed(100 * value / of, decimals) + " % (" + fixed(100 * low / of, decimals) + " to " +
         fixed(100 * high / of, decimals) + ")";
}

const ordered_json& variant(const ordered_json& study, const ordered_json& index) {
  return study["variants"][index.get<std::size_t>()];
}

std::string verdict(const ordered_json& difference) {
  return difference["differs"].get<bool>() ? "" : "cannot be told from none";
}

std::string sensitivity(const ordered_json& study) {
  const ordered_json& base = study["variants"][0];
  const double mean = base["mean_s"]["value"], sd = base["sd_s"]["value"], p95 = base["p95_s"]["value"];
  Rows rows{{"Without its variability", "mean", "spread (sd)", "p95", "critical path", ""}};
  const ordered_json& kinds = study["answer"]["kinds"];
  for (const ordered_json& k : kinds) {
    const ordered_json& s = k["silenced"];
    rows.push_back({(k["whole_class"].get<bool>() ? "  all " : "  ") + k["kind"].get<std::string>(),
                    relative(s["mean_s"], mean), sd > 0 ? relative(s["sd_s"], sd) : "-",
                    relative(s["p95_s"], p95),
                    k["critical_path_share"].is_null() ? "" : percent(k["critical_path_share"], 1),
                    verdict(s["p95_s"])});
  }
  std::string text = table(rows, "") + "\n";
  rows = {{"Faster, its base times scaled", "mean", "p95"}};
  for (const ordered_json& k : kinds)
    if (k.contains("scaled"))
      rows.push_back({"  " + k["kind"].get<std::string>(), relative(k["scaled"]["mean_s"], mean),
                      relative(k["scaled"]["p95_s"], p95)});
  return text + table(rows, "");
}

std::string placement(const ordered_json& study) {
  Rows rows{{"Slow factor", "best", "worst", "worst / none", "worst / best", "without variability", ""}};
  for (const ordered_json& f : study["answer"]["by_factor"])
    rows.push_back({"  " + significant(f["factor"], 3), variant(study, f["best"])["name"],
                    variant(study, f["worst"])["name"], significant(f["worst_over_none_p95"], 4),
                    significant(f["worst_over_best_p95"], 4),
                    significant(f["worst_over_none_deterministic"], 4),
                    significant(f["worst_over_best_deterministic"], 4)});
  return "Ratios of the p95; beside them those of the step without variability.\n\n" + table(rows, "");
}

std::string scaling(const ordered_json& study) {
  Rows rows{{"GPUs", "p50", "p95", "95 % interval", "p95 / p50", "efficiency at p50", "at p95"}};
  for (const ordered_json& x : study["answer"]["points"][0]["slow_down"])
    rows[0].push_back("P(> " + significant(x, 3) + ")");
  const TimeUnit unit = TimeUnit::for_size(study["variants"][0]["p50_s"]["value"]);
  for (const ordered_json& p : study["answer"]["points"]) {
    const ordered_json& v = variant(study, p["variant"]);
    const ordered_json& range = v["p95_s"]["interval"];
    const double p95 = v["p95_s"]["value"];
    const int decimals =
        decimals_for(p95 / unit.seconds, (range[1].get<double>() - range[0].get<double>()) / unit.seconds);
    const auto time = [&](double s) { return fixed(s / unit.seconds, decimals); };
    rows.push_back({"  " + grouped(static_cast<std::int64_t>(p["gpus"].get<double>())),
                    time(v["p50_s"]["value"]) + " " + std::string(unit.symbol),
                    time(p95) + " " + std::string(unit.symbol), time(range[0]) + " to " + time(range[1]),
                    significant(p["p95_over_p50"], 4), percent(p["efficiency_p50"], 2),
                    percent(p["efficiency_p95"], 2)});
    for (const ordered_json& x : p["probability"]) rows.back().push_back(significant(x, 3));
  }
  return table(rows, "");
}

/// Variants by their p95, the least first.
std::string ranked(const ordered_json& study) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < study["variants"].size(); ++i)
    if (study["variants"][i]["fault"].is_null()) order.push_back(i);
  const auto p95 = [&](std::size_t i) { return study["variants"][i]["p95_s"]["value"].get<double>(); };
  if (study["prism_study"] == "compare")
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return p95(a) < p95(b); });
  const TimeUnit unit = TimeUnit::for_size(p95(0));
  const std::string symbol(unit.symbol);
  Rows rows{{"Variant", "mean, " + symbol, "p50, " + symbol, "p95, " + symbol, "95 % interval",
             "against \"as it is\", p95", ""}};
  for (std::size_t i : order) {
    const ordered_json& v = study["variants"][i];
    const ordered_json& range = v["p95_s"]["interval"];
    const int decimals =
        decimals_for(p95(i) / unit.seconds, (range[1].get<double>() - range[0].get<double>()) / unit.seconds);
    const auto time = [&](const ordered_json& s) { return fixed(s.get<double>() / unit.seconds, decimals); };
    rows.push_back({"  " + v["name"].get<std::string>(), time(v["mean_s"]["value"]),
                    time(v["p50_s"]["value"]), time(v["p95_s"]["value"]),
                    time(range[0]) + " to " + time(range[1]),
                    i == 0 ? "" : relative(v["difference"]["p95_s"], p95(0)),
                    i == 0 ? "" : verdict(v["difference"]["p95_s"])});
  }
  return table(rows, "");
}

std::string best(const ordered_json& study) {
  const ordered_json& tied = study["tied_with_best_p95"];
  std::string text = "\nLeast p95: " + variant(study, study["best_p95"])["name"].get<std::string>();
  if (tied.size() > 1) {
    text += ". At p95 it cannot be told apart from ";
    for (std::size_t i = 1; i < tied.size() && i <= 5; ++i)
      text += (i > 1 ? "; " : "") + variant(study, tied[i])["name"].get<std::string>();
    if (tied.size() > 6) text += " and " + std::to_string(tied.size() - 6) + " more";
  }
  text += ".\nLeast mean: " + variant(study, study["best_mean"])["name"].get<std::string>() +
          (study["best_mean"] == study["best_p95"] ? ", the same.\n" : ".\n");
  return text;
}

}  // namespace

std::string study_text(const ordered_json& study) {
  const std::string kind = study["prism_study"];
  std::string text = study["title"].get<std::string>();
  if (!text.empty()) text += "\n\n";
  if (kind == "sensitivity")
    text += sensitivity(study);
  else if (kind == "placement")
    text += placement(study);
  else if (kind == "scaling")
    text += scaling(study);
  else
    text += ranked(study);
  if (kind == "compare") text += best(study);
  text += "\n" + grouped(study["trials"]) + " trials of each variant on the same noise, seed " +
          study["seed"].get<std::string>() + "; intervals are 95 %, from " +
          std::to_string(study["blocks"].get<int>()) + " blocks; digest " +
          study["digest"].get<std::string>() + "\n";
  for (const ordered_json& note : study["notes"]) text += note.get<std::string>() + "\n";
  for (const ordered_json& v : study["variants"])
    if (!v["fault"].is_null())
      text += "Not played: " + v["name"].get<std::string>() + ": " + v["fault"].get<std::string>() + "\n";
  for (const ordered_json& l : study["left_out"])
    text += "Left out: " + l["name"].get<std::string>() + ": " + l["why"].get<std::string>() + "\n";
  return text;
}

}  // namespace prism::cli
