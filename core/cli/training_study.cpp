// SPDX-License-Identifier: Apache-2.0
#include "training_study.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "format.h"
#include "prism/dates.h"
#include "runner.h"
#include "training_text.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr double day = 86400;

TrainingSetup simulated(Job& job, unsigned threads) {
  ProgressLine line;
  const Finished parts = run_job(job, threads, [&](double share) { line.show(share); });
  return training_setup(job, parts.trials, parts.check);
}

ordered_json played(const Planning& planning, unsigned threads) {
  ProgressLine line;
  const Parts parts = run_planning(planning, threads, [&](double share) { line.show(share); });
  return ordered_json::parse(planning_json(planning, parts));
}

/// The answer to a planning question about the first file; none, with the reason printed, if it is refused.
std::optional<ordered_json> answer(const TrainingStudyOptions& o, const ordered_json& question) {
  const auto input = read_input(o.files.front(), o.overrides, o.json);
  if (!input) return std::nullopt;
  const auto planning =
      plan_planning(input->text, question.dump(), [&](Job& job) { return simulated(job, o.threads); });
  if (!planning) {
    print_refusal(planning.diagnostics, *input, o.json);
    return std::nullopt;
  }
  if (!o.json) print_refusal(planning->warnings, *input, false);
  return played(*planning, o.threads);
}

/// The document, or the text made of it.
int show(const ordered_json& document, const std::string& text, bool json) {
  if (json)
    std::cout << document.dump() << "\n";
  else
    std::cout << printable(text, true);
  return done;
}

std::string headline(const ordered_json& document) {
  const auto title = document["title"].get<std::string>();
  return title.empty() ? "" : title + "\n\n";
}

std::string foot(const ordered_json& document) {
  return "\n  " + grouped(document["runs"].get<std::int64_t>()) + " runs of each, seed " +
         document["seed"].get<std::string>() + "; digest " + document["digest"].get<std::string>() + "\n";
}

std::string count_text(const ordered_json& x) {
  return x.is_null() ? "none of those tried" : grouped(static_cast<std::int64_t>(x.get<double>()));
}

std::string low_text(const ordered_json& c) {
  if (!c["interval"][0].is_null()) return count_text(c["interval"][0]) + " to ";
  return c["interval"][1].is_null() ? "" : "up to ";
}

/// "17 (95 % interval 16 to 18); by a point estimate 2"
std::string answer_text(const ordered_json& c) {
  const std::string upper = count_text(c["interval"][1]);
  if (c["or_fewer"])
    return count_text(c["answer"]) + " or fewer: the smallest size tried (95 % interval up to " + upper +
           "); a point estimate, without failures, says " + count_text(c["point_estimate"]) +
           (c["point_estimate"] == c["answer"] ? " or fewer" : "");
  return count_text(c["answer"]) + " (95 % interval " + low_text(c) + upper +
         "); a point estimate, without failures, says " + count_text(c["point_estimate"]);
}

/// Runs that were given up count with the time until then.
std::string at_least(const ordered_json& candidate, double seconds) {
  return (candidate["finished"] < 1 ? "> " : "") + days_text(seconds);
}

std::string candidates_text(const ordered_json& c, const std::string& what, double within_days) {
  Rows rows{{what, "P(in time)", "95 % interval", "mean, days", "95 % within", "goodput"}};
  for (const ordered_json& p : c["candidates"])
    rows.push_back(
        {"  " + grouped(static_cast<std::int64_t>(p["x"].get<double>())), significant(p["probability"], 3),
         significant(p["interval"][0], 3) + " to " + significant(p["interval"][1], 3),
         at_least(p, p["mean_wall_clock_s"]), at_least(p, p["p95_wall_clock_s"]), percent(p["goodput"])});
  return table(rows, "") + "  (in time: within " + significant(within_days, 4) + " days)\n";
}

ordered_json in_time(const TrainingStudyOptions& o, const char* study) {
  return {{"study", study}, {"within_days", o.within_days}, {"probability", o.probability}};
}

/// The i-th file as one of the question's runs; none, with the reason printed, if it is refused.
std::optional<ordered_json> run_of_file(const TrainingStudyOptions& o, std::size_t i) {
  const auto input = read_input(o.files[i], o.overrides, o.json);
  if (!input) return std::nullopt;
  const auto job = prepare(*input, o.json);
  if (!job) return std::nullopt;
  if (!job->scenario.training_run) {
    print_fault("missing_key", input->name + " has no training_run", o.json);
    return std::nullopt;
  }
  if (!o.json) print_refusal(job->warnings, *input, false);
  ordered_json run = {{"scenario", ordered_json::parse(scenario_text(*input))},
                      {"deadline_days", o.deadline_days[i]}};
  if (job->scenario.title.empty()) run["name"] = input->name;
  return run;
}

/// "0.985 (95 % interval 0.970 to 0.994)", by columns.
std::vector<std::string> share_cells(const ordered_json& share) {
  const ordered_json& interval = share["interval"];
  return {significant(share["probability"], 3),
          significant(interval[0], 3) + " to " + significant(interval[1], 3)};
}

std::string order_text(const ordered_json& document, const std::string& by) {
  const ordered_json& order = document["by_" + by];
  Rows rows{{"Ordered by " + by + " finish", "deadline, day", "P(met)", "95 % interval", "start, half within",
             "finish, half within", "95 % within"}};
  for (const ordered_json& p : order["places"]) {
    const ordered_json& run = document["scheduled"][p["run"].get<std::size_t>()];
    const auto met = share_cells(p["met"]);
    rows.push_back({"  " + run["name"].get<std::string>(), significant(run["deadline_days"], 4), met[0],
                    met[1], days_text(p["p50_start_s"]), at_least(p, p["p50_finish_s"]),
                    at_least(p, p["p95_finish_s"])});
  }
  const auto all = share_cells(order["all_met"]);
  return table(rows, "") + "  all deadlines met: " + all[0] + " (95 % interval " + all[1] + ")\n\n";
}

std::string latest_start_text(const ordered_json& document) {
  const ordered_json& start = document["latest_start"];
  const auto bound = [](const ordered_json& s) {
    return s.is_null() ? "unknown" : days_text(s.get<double>());
  };
  std::string text = "On the scenario's own " + grouped(document["gpus"].get<std::int64_t>()) + " GPUs: ";
  if (start["before_deadline_s"].is_null())
    return text + "fewer than " + percent(document["asked_probability"]) + " of the runs ever finish.\n";
  return text + "start " + days_text(start["before_deadline_s"]) +
         " days before the deadline (95 % interval " + bound(start["interval_s"][0]) + " to " +
         bound(start["interval_s"][1]) + "); a point estimate, without failures, says " +
         days_text(start["point_estimate_s"]) + ".\n";
}

}  // namespace

int study_checkpoint(const TrainingStudyOptions& o) {
  const auto document = answer(o, {{"study", "checkpoint"}});
  if (!document) return refused;
  const ordered_json& curve = (*document)["curve"];
  std::string text = headline(*document) + "The run is shortest with a checkpoint every " +
                     duration_text(curve["best_interval_s"]) + " of training.\n\n";
  Rows rows{{"Interval", "mean, days", "standard error", "95 % within", "goodput"}};
  for (const ordered_json& p : curve["points"])
    rows.push_back({"  " + duration_text(p["interval_s"]),
                    fixed(p["mean_wall_clock_s"].get<double>() / day, 3),
                    fixed(p["standard_error_s"].get<double>() / day, 3), days_text(p["p95_wall_clock_s"]),
                    percent(p["goodput"], 2)});
  text += table(rows, "");
  if (curve["exact_interval_s"] > 0)
    text += "\nFor memoryless failures and blocking writes alone\n" +
            table({{"exact", duration_text(curve["exact_interval_s"]), "minimum of Daly's full formula"},
                   {"Daly, higher order", duration_text(curve["daly_interval_s"]),
                    "writes shorter than twice the time between failures"},
                   {"Daly, first order", duration_text(curve["daly_first_order_interval_s"]),
                    "writes much shorter than that"},
                   {"Young", duration_text(curve["young_interval_s"]),
                    "the same, and the write is part of the interval"}});
  return show(*document, text + foot(*document), o.json);
}

int study_spares(const TrainingStudyOptions& o) {
  ordered_json question = in_time(o, "spares");
  question["most"] = o.most;
  const auto document = answer(o, question);
  if (!document) return refused;
  const ordered_json& found = (*document)["capacity"];
  return show(*document,
              headline(*document) + "Spare nodes for " + percent(o.probability) +
                  " chance of finishing in time: " + answer_text(found) + ".\n\n" +
                  candidates_text(found, "Spares", o.within_days) + foot(*document),
              o.json);
}

int study_capacity(const TrainingStudyOptions& o) {
  ordered_json question = in_time(o, "capacity");
  if (!o.replicas.empty()) question["replicas"] = o.replicas;
  const auto document = answer(o, question);
  if (!document) return refused;
  const ordered_json& found = (*document)["capacity"];
  std::string text = headline(*document) + "GPUs for " + percent(o.probability) +
                     " chance of finishing within " + significant(o.within_days, 4) +
                     " days: " + answer_text(found) + ".\n";
  if (document->contains("latest_start")) text += latest_start_text(*document);
  text += "\n" + candidates_text(found, "GPUs", o.within_days);
  for (const ordered_json& l : (*document)["left_out"])
    text += "  dp " + std::to_string(l["dp"].get<std::int64_t>()) +
            " left out: " + l["why"].get<std::string>() + "\n";
  return show(*document, text + foot(*document), o.json);
}

int study_schedule(const TrainingStudyOptions& o) {
  if (o.deadline_days.size() != o.files.size()) {
    print_fault("missing_option",
                "--deadline-days needs one number for each file: " + std::to_string(o.files.size()) +
                    " files, " + std::to_string(o.deadline_days.size()) + " deadlines",
                o.json);
    return usage;
  }
  ordered_json question = {{"study", "schedule"}, {"runs", ordered_json::array()}};
  for (std::size_t i = 0; i < o.files.size(); ++i) {
    auto run = run_of_file(o, i);
    if (!run) return refused;
    question["runs"].push_back(std::move(*run));
  }
  const auto planning = plan_planning("", question.dump());
  if (!planning) {
    const Diagnostic& d = planning.diagnostics.front();
    print_fault(code_name(d.code), d.message + " [" + d.pointer + "]", o.json);
    return refused;
  }
  const ordered_json document = played(*planning, o.threads);
  std::string text = order_text(document, "p95");
  if (o.files.size() > 1) text += order_text(document, "mean");
  text +=
      "  One run after the other on one cluster; first the one that must start earliest by its own p95 (or "
      "mean).\n";
  return show(document, text + foot(document), o.json);
}

}  // namespace prism::cli
