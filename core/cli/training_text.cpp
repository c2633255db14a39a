// SPDX-License-Identifier: Apache-2.0
#include "training_text.h"

#include <algorithm>
#include <vector>

#include "format.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string days(const ordered_json& seconds) { return seconds.is_null() ? "never" : days_text(seconds); }

std::string interval(const ordered_json& i) {
  const bool low = !i[0].is_null(), high = !i[1].is_null();
  if (low && high) return days(i[0]) + " to " + days(i[1]);
  if (low) return "at least " + days(i[0]);
  return high ? "at most " + days(i[1]) : "too few runs";
}

std::string sentence(const ordered_json& t) {
  const std::int64_t runs = t["runs"], finished = t["finished"];
  const ordered_json &wall = t["wall_clock_s"], &finish = t["finish"];
  std::string out = "The training run: ";
  if (wall["p95"].is_null()) {
    const double never = 1 - static_cast<double>(finished) / static_cast<double>(runs);
    out += percent(never) + " of the runs never finish (given up after " +
           duration_text(t["given_up_after_s"]) + " or 100,000 failures)";
  } else {
    out += "95 of 100 runs finish within " + days(wall["p95"]) + " days";
    if (!finish["p95"].is_null()) out += ", by " + finish["p95"].get<std::string>() + " UTC";
    if (finished < runs) out += "; " + grouped(runs - finished) + " of " + grouped(runs) + " never finish";
  }
  return out + "; without failures it would take " + days(wall["failure_free"]) + " days.\n";
}

std::string distribution(const ordered_json& t) {
  const ordered_json& wall = t["wall_clock_s"];
  Rows rows{{"Wall-clock time", "days", percent(wall["confidence"], 0) + " interval"}};
  for (const auto& [key, name] :
       {std::pair("p5", "5"), std::pair("p50", "50"), std::pair("p95", "95"), std::pair("p99", "99")})
    rows.push_back(
        {"  " + std::string(name) + " % within", days(wall[key]), interval(wall["intervals"][key])});
  if (!wall["mean"].is_null())
    rows.push_back(
        {"  mean", days(wall["mean"]),
         "± " + significant(wall["mean_standard_error"].get<double>() / 86400, 2) + " standard error"});
  rows.push_back({"  without failures", days(wall["failure_free"]), ""});
  std::string out = table(rows, "");
  for (const ordered_json& w : t["finish"]["within"])
    out += "  P(finished within " + significant(w["days"], 4) +
           " days) = " + significant(w["probability"], 4) + "  (" + significant(w["interval"][0], 4) +
           " to " + significant(w["interval"][1], 4) + ")\n";
  return out;
}

std::string where(const ordered_json& t) {
  std::vector<ordered_json> parts(t["spent"].begin() + 1, t["spent"].end());
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a["share"] > b["share"]; });
  Rows rows{{"Where the run's time goes", "share", "a run"}};
  rows.push_back(
      {"  productive (goodput)", percent(t["spent"][0]["share"], 2), duration_text(t["spent"][0]["mean_s"])});
  for (const ordered_json& p : parts) {
    if (p["mean_s"] == 0) continue;
    std::string what = p["what"];
    std::replace(what.begin(), what.end(), '_', ' ');
    rows.push_back({"  " + what, percent(p["share"], 2), duration_text(p["mean_s"])});
  }
  return table(rows, "");
}

std::string causes(const ordered_json& t) {
  std::vector<ordered_json> list(t["stops"].begin(), t["stops"].end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a["share"] > b["share"]; });
  Rows rows{{"What stops it", "a run", "lost", "share"}};
  constexpr std::size_t most = 6;
  double count = 0, lost = 0, share = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const ordered_json& s = list[i];
    if (i < most || list.size() == most + 1) {
      rows.push_back({"  " + s["cause"].get<std::string>(), significant(s["mean_count"], 3),
                      duration_text(s["mean_lost_s"]), percent(s["share"], 2)});
      continue;
    }
    count += s["mean_count"].get<double>();
    lost += s["mean_lost_s"].get<double>();
    share += s["share"].get<double>();
  }
  if (list.size() > most + 1)
    rows.push_back({"  " + std::to_string(list.size() - most) + " others", significant(count, 3),
                    duration_text(lost), percent(share, 2)});
  return list.empty() ? "" : table(rows, "");
}

std::string checkpoint(const ordered_json& t) {
  const ordered_json &c = t["checkpoint"], &theory = t["theory"];
  std::string out = "  checkpoint every " + grouped(c["interval_steps"]) + " steps, " +
                    duration_text(c["interval_s"]) + "; writing stops training for " +
                    duration_text(c["write_s"]) + "\n";
  if (theory.is_null()) return out;
  out += "  a failure every " + duration_text(theory["mean_time_between_failures_s"]) + ", " +
         duration_text(theory["recovery_s"]) + " from failure to training\n";
  out += "  best interval: exact " + duration_text(theory["exact_interval_s"]) + ", Daly " +
         duration_text(theory["daly_interval_s"]) + ", Young " + duration_text(theory["young_interval_s"]) +
         " (write much shorter than time between failures)\n";
  if (!theory["exact_goodput"].is_null())
    out += "  goodput by formula, failures and checkpoints only: exact " +
           percent(theory["exact_goodput"], 2) + ", linear " + percent(theory["linear_goodput"], 2) + "\n";
  return out;
}

std::string cost(const ordered_json& t) {
  const ordered_json& c = t["cost"];
  if (c.is_null() || c["p50"].is_null()) return {};
  std::string out =
      "  cost: " + large(c["p50"]) + " " + c["currency"].get<std::string>() + " at the median, ";
  out += c["p95"].is_null() ? "unbounded" : large(c["p95"]);
  out += " at the 95th percentile";
  if (c["energy_mwh"]["p50"] != 0) out += "; " + large(c["energy_mwh"]["p50"]) + " MWh at the median";
  return out + "\n";
}

}  // namespace

std::string days_text(double seconds) {
  const double days = seconds / 86400;
  return days < 1 ? significant(days, 4) : fixed(days, 2);
}

std::string duration_text(double seconds) {
  if (seconds < 120) return significant(seconds, 3) + " s";
  if (seconds < 7200) return significant(seconds / 60, 3) + " min";
  if (seconds < 172800) return significant(seconds / 3600, 3) + " h";
  return significant(seconds / 86400, 3) + " days";
}

std::string training_text(const ordered_json& r) {
  if (!r.contains("training_run")) return {};
  const ordered_json& t = r["training_run"];
  std::string out =
      sentence(t) + "\n" + distribution(t) + "\n" + where(t) + "\n" + causes(t) + checkpoint(t) + cost(t);
  const std::int64_t nodes = t["nodes"];
  return out + "  " + grouped(t["runs"]) + " runs on " + grouped(nodes) + (nodes == 1 ? " node" : " nodes") +
         "; steps of their simulated mean and variance, independent of each other\n";
}

}  // namespace prism::cli
