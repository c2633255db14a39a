// SPDX-License-Identifier: Apache-2.0
#include "result_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "format.h"
#include "training_text.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

/// Keys of the quantiles, in the document's order, and the probability each stands for.
std::vector<std::pair<std::string, double>> quantiles(const ordered_json& step_time) {
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [key, interval] : step_time["intervals"].items()) {
    std::string percent = key.substr(1);
    if (const auto point = percent.find('_'); point != std::string::npos) percent[point] = '.';
    out.emplace_back(key, std::stod(percent) / 100);
  }
  return out;
}

/// Step times in one unit, with as many decimals as the interval of the 95 % quantile allows.
struct Times {
  TimeUnit unit;
  int decimals;
  int headline;  ///< the fewest with which the quantile still lies in that interval
  explicit Times(const ordered_json& t) : unit(TimeUnit::for_size(t["p50"])) {
    const ordered_json& interval = t["intervals"]["p95"];
    const double p95 = t["p95"];
    const auto bound = [&](int side, double unknown) {
      return (interval[side].is_null() ? unknown : interval[side].get<double>()) / unit.seconds;
    };
    decimals = decimals_for(p95 / unit.seconds, bound(1, p95) - bound(0, p95));
    headline = fewest_decimals(p95 / unit.seconds, bound(0, -INFINITY), bound(1, INFINITY), decimals);
  }
  std::string bare(double seconds) const { return fixed(seconds / unit.seconds, decimals); }
  std::string with_unit(double seconds) const { return bare(seconds) + " " + std::string(unit.symbol); }
};

std::string sentence(const ordered_json& t, bool varies, const Times& times) {
  const double fixed_s = t["deterministic"], p95 = t["p95"];
  if (!varies) return "Every step takes " + times.with_unit(p95) + ": nothing in this scenario varies.\n";
  const auto rounded = [&](double x, int decimals) {
    return fixed(x / times.unit.seconds, decimals) + " " + std::string(times.unit.symbol);
  };
  // A step may take far less without variability: three digits of its own, at least.
  const int own = std::max(
      times.headline, fewest_decimals(fixed_s / times.unit.seconds, -INFINITY, INFINITY, times.decimals));
  std::string out = "95 of 100 steps finish within " + rounded(p95, times.headline) +
                    "; without variability the step would take " + rounded(fixed_s, own) + ".\n";
  const ordered_json& g = t["guarantee"];
  if (g["within"].is_null()) {
    out += "There are too few trials for a guarantee: it needs 59.\n";
  } else {
    out += "With " + percent(g["confidence"], 0) + " confidence, at least " + percent(g["coverage"], 0) +
           " of the steps this model describes finish within " + times.with_unit(g["within"]) + ".\n";
  }
  return out;
}

std::string interval_text(const ordered_json& interval, const Times& times) {
  const bool low = !interval[0].is_null(), high = !interval[1].is_null();
  if (low && high) return times.bare(interval[0]) + " to " + times.bare(interval[1]);
  if (low) return "at least " + times.bare(interval[0]);
  if (high) return "at most " + times.bare(interval[1]);
  return "too few trials";
}

std::string step_time_text(const ordered_json& t, const Times& times) {
  std::string out;
  if (t["min"] != t["max"]) {
    Rows rows{{"Step time", std::string(times.unit.symbol), percent(t["confidence"], 0) + " interval"}};
    for (const auto& [key, p] : quantiles(t)) {
      const double upper = 100 * p;
      const std::string name = upper == std::floor(upper) ? fixed(upper, 0) : fixed(upper, 1);
      rows.push_back(
          {"  " + name + " % within", times.bare(t[key]), interval_text(t["intervals"][key], times)});
    }
    const double error = t["mean_standard_error"].get<double>() / times.unit.seconds;
    rows.push_back({"  mean", times.bare(t["mean"]), "± " + significant(error, 2) + " standard error"});
    rows.push_back({"  standard deviation", times.bare(t["sd"]), percent(t["cv"], 2) + " of the mean"});
    rows.push_back({"  smallest, largest", times.bare(t["min"]), times.bare(t["max"])});
    rows.push_back({"  without variability", times.bare(t["deterministic"]), ""});
    out += table(rows, "");
  }
  for (const ordered_json& w : t["within"])
    out += "  P(step <= " + significant(w["x"], 4) + " s) = " + significant(w["probability"], 4) + "  (" +
           significant(w["interval"][0], 4) + " to " + significant(w["interval"][1], 4) + ")\n";
  return out;
}

std::string input_error_text(const ordered_json& e, const Times& times) {
  const auto range = [&](const char* p) { return times.bare(e[p][0]) + " to " + times.with_unit(e[p][1]); };
  return "  Input error: another " + std::to_string(e["measurements"].get<std::int64_t>()) +
         " measured steps would put p50 at " + range("p50") + " and p95 at " + range("p95") +
         " (95 of 100 refits); more trials do not change that.\n";
}

/// What lasts a run, apart from what changes from step to step; and what the what-ifs come to.
std::string runs_text(const ordered_json& r, const Times& times) {
  std::string out;
  if (const ordered_json& runs = r["runs"]; !runs.is_null()) {
    const ordered_json& median = runs["median_s"];
    out += "Within one run 95 of 100 steps take at most " +
           percent(runs["p95_over_p50_within_a_run"].get<double>() - 1, 2) +
           " more than its median;\nthe median itself lies between " + times.bare(median["p5"]) + " and " +
           times.with_unit(median["p95"]) + " in 90 of 100 runs (" + grouped(runs["runs"]) + " runs of " +
           grouped(runs["steps_per_run"]) + " steps played).\n";
  }
  for (const ordered_json& w : r["what_if"])
    out += "A what-if multiplies times at its place by " + significant(w["multiplier"], 4) + ".\n";
  return out;
}

std::string critical_path_text(const ordered_json& r, const Times& times) {
  const ordered_json& path = r["critical_path"];
  if (path.is_null()) return {};
  Rows rows{{"Where the time goes", "share", std::string(times.unit.symbol), "without variability"}};
  double total = 0, fixed_total = 0;
  for (const ordered_json& k : path["kinds"]) {
    rows.push_back({"  " + k["kind"].get<std::string>(), percent(k["share"]), times.bare(k["mean_s"]),
                    times.bare(k["deterministic_s"])});
    total += k["mean_s"].get<double>();
    fixed_total += k["deterministic_s"].get<double>();
  }
  rows.push_back({"  together", "", times.bare(total), times.bare(fixed_total)});
  // Without the replicas that are not simulated the step is a little shorter than the mean above.
  const bool all = r["engine"]["replicas"] == r["engine"]["replicas_simulated"];
  return table(rows, "") + "  (critical path by operator kind, mean of " + grouped(path["trials"]) +
         " trials" + (all ? "" : " over the simulated replicas") + ")\n";
}

std::string throughput_text(const ordered_json& t) {
  if (t.is_null()) return {};
  return "Throughput at the median step\n" +
         table({{"tokens/s", large(t["tokens_per_s"]), large(t["tokens_per_s_per_gpu"]) + " per GPU"},
                {"model FLOPs", percent(t["mfu"]) + " of peak (MFU)",
                 significant(t["model_tflops_per_s_per_gpu"], 3) + " TFLOP/s per GPU"},
                {"hardware FLOPs", percent(t["hfu"]) + " of peak (HFU)", ""}});
}

std::string memory_text(const ordered_json& m) {
  if (m.is_null()) return {};
  const auto gib = [](const ordered_json& x) { return significant(x, 3) + " GiB"; };
  const ordered_json& r = m["ranks"][m["fullest_rank"].get<std::size_t>()];
  return "Memory of a GPU, estimated\n  " + gib(m["most"]) + " of " + gib(m["gpu"]) + " on pipeline rank " +
         grouped(m["fullest_rank"]) +
         (m["fits"] == "yes"  ? ""
          : m["fits"] == "no" ? ": does not fit"
                              : ": may or may not fit") +
         "\n  parameters " + gib(r["parameters"]) + ", gradients " + gib(r["gradients"]) + ", optimizer " +
         gib(r["optimizer"]) + ", activations " +
         gib(r["activations"].get<double>() + r["working"].get<double>()) + "\n";
}

std::string trust_text(const ordered_json& r) {
  std::string out;
  if (const ordered_json& c = r["calibration"]; !c.is_null())
    out += "Calibrated\n  to a measured " + c["to"].get<std::string>() + " of " +
           significant(c["measured_s"], 4) + " s: " + significant(c["efficiency_factor"], 3) +
           " times the assumed efficiency of compute\n";
  const ordered_json& v = r["validation"];
  if (v.is_null()) return out;
  if (v["nearest"].empty()) return out + "Validation\n  " + v["text"].get<std::string>() + "\n";
  out += "Validation: error of the modelled step in the measured runs most like this one\n";
  Rows rows;
  for (const ordered_json& m : v["nearest"])
    rows.push_back({m["run"].get<std::string>() + (m["fitted"] == true ? " (fitted)" : ""),
                    (m["layouts"] == "several"      ? "± "
                     : m["error"].get<double>() < 0 ? ""
                                                    : "+") +
                        percent(m["error"], 1)});
  return out + table(rows);
}

/// 0, 1 × 126, 0 for a list with long runs.
std::string runs(const ordered_json& list) {
  std::string out;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t j = i;
    while (j < list.size() && list[j] == list[i]) ++j;
    if (!out.empty()) out += ", ";
    if (j - i > 1) out += std::to_string(j - i) + " × ";
    out += grouped(list[i]);
    i = j;
  }
  return out;
}

std::string layout_text(const ordered_json& l) {
  const auto n = [&](const char* key) { return grouped(l[key]); };
  const auto count = [&](const char* key, const std::string& one) {
    return n(key) + " " + one + (l[key] == 1 ? "" : "s");
  };
  std::string out = "Layout\n  " + count("gpus", "GPU") + " on " + count("nodes", "node") + ": tp " +
                    n("tp") + " × cp " + n("cp") + " × pp " + n("pp") + " × dp " + n("dp") + "\n";
  out += "  " + l["schedule"].get<std::string>() + ", " + count("virtual_stages", "virtual stage") +
         " a rank, " + n("micro_batches") + " micro-batches a replica\n";
  const ordered_json& list = l["layers_per_virtual_stage"];
  const bool equal =
      std::all_of(list.begin(), list.end(), [&](const ordered_json& x) { return x == list[0]; });
  out += "  " + count("layers", "layer") + "; " +
         (equal ? grouped(list[0]) + " in every virtual stage" : "by virtual stage: " + runs(list)) + "\n";
  return out;
}

std::string account_text(const ordered_json& r) {
  const ordered_json& e = r["engine"];
  const std::string path = e["path"];
  std::string out = "How it was computed\n  " + grouped(r["trials"]) + " trials, seed " +
                    r["seed"].get<std::string>() + ", engine " + r["engine_version"].get<std::string>() +
                    "\n  " + path + " path: " + grouped(e["replicas_simulated"]) + " of " +
                    grouped(e["replicas"]) + " replicas simulated in every trial";
  if (path == "fast") out += "; one of the others decided " + grouped(e["decided_by_residual"]) + " trials";
  out += "\n";
  if (const ordered_json& c = e["check"]; !c.is_null())
    out += "  error of the fast path in the mean: " + percent(c["mean_difference"], 4) + " ± " +
           percent(c["standard_error"], 4) + " (" + grouped(c["trials"]) +
           " trials again with every replica)\n";
  for (const ordered_json& w : r["warnings"])
    if (w["pointer"] == "/run/engine" || w["pointer"] == "/run/attribution_trials")
      out += "  warning: " + w["message"].get<std::string>() + "\n";
  if (r["partial"] == true) out += "  partial: " + grouped(r["trials_asked"]) + " trials were asked for\n";
  out += "  digest " + r["digest"].get<std::string>() + "\n";
  if (const std::size_t n = r["assumptions"].size(); n > 0)
    out += "  " + grouped(static_cast<std::int64_t>(n)) + " values were assumed; prism check lists them\n";
  return out;
}

}  // namespace

std::string result_text(const ordered_json& r) {
  const ordered_json& t = r["step_time_s"];
  const Times times(t);
  const std::string title = r["title"];
  std::string out;
  for (const std::string& part :
       {title.empty() ? title : title + "\n", sentence(t, r["engine"]["varies"], times),
        step_time_text(t, times), r.contains("input_error") ? input_error_text(r["input_error"], times) : "",
        runs_text(r, times), training_text(r), critical_path_text(r, times), throughput_text(r["throughput"]),
        memory_text(r["memory"]), trust_text(r), layout_text(r["layout"]), account_text(r)}) {
    if (part.empty()) continue;
    if (!out.empty()) out += "\n";
    out += part;
  }
  return printable(out, true);
}

std::string quantile_csv(const ordered_json& r) {
  const ordered_json& t = r["step_time_s"];
  const auto cell = [](const ordered_json& x) { return x.is_null() ? std::string() : exact(x); };
  std::string out = "quantile,probability,step_time_s,low_s,high_s\n";
  for (const auto& [key, p] : quantiles(t)) {
    const ordered_json& interval = t["intervals"][key];
    out += key + "," + significant(p, 3) + "," + exact(t[key]) + "," + cell(interval[0]) + "," +
           cell(interval[1]) + "\n";
  }
  return out;
}

}  // namespace prism::cli
