// SPDX-License-Identifier: Apache-2.0
#include "timeline.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "format.h"
#include "number_options.h"
#include "prism/timeline.h"
#include "runner.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t waits_shown = 5;

std::string chunk_name(const ordered_json& document, std::size_t i) {
  const ordered_json& c = document["chunks"];
  return document["passes"][c["pass"][i].get<std::size_t>()].get<std::string>() + " of micro-batch " +
         std::to_string(c["micro_batch"][i].get<int>()) + ", stage " +
         std::to_string(c["stage"][i].get<int>());
}

std::string milliseconds(const ordered_json& nanoseconds) {
  return fixed(nanoseconds.get<double>() / 1e6, 3) + " ms";
}

/// The longest waits, and for whom.
std::string waits_text(const ordered_json& document, const ordered_json& step) {
  const ordered_json& chunks = document["chunks"];
  std::vector<std::size_t> order(step["wait_ns"].size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return step["wait_ns"][a].get<std::int64_t>() > step["wait_ns"][b].get<std::int64_t>();
  });
  Rows rows;
  for (std::size_t i : order) {
    if (rows.size() == waits_shown || step["wait_ns"][i] == 0) break;
    const int source = chunks["waits_for"][i];
    const auto from = static_cast<std::size_t>(source);
    rows.push_back(
        {"  rank " + std::to_string(chunks["rank"][i].get<int>()) + " before the " + chunk_name(document, i),
         milliseconds(step["wait_ns"][i]),
         "for rank " + std::to_string(chunks["rank"][from].get<int>()) + ", whose " +
             chunk_name(document, from) + " ended at " + fixed(step["end_ns"][from].get<double>() / 1e9, 4) +
             " s"});
  }
  return rows.empty() ? "" : "\n  Longest waits\n" + table(rows, "  ");
}

std::string step_text(const ordered_json& document, const ordered_json& step) {
  std::string text = "A p" + exact(100 * step["mass"].get<double>()) +
                     " step: " + significant(step["step_s"], 5) + " s (trial " +
                     std::to_string(step["trial"].get<int>()) + "), decided by replica " +
                     std::to_string(step["replica"].get<int>()) + " of " +
                     grouped(document["replicas"].get<std::int64_t>()) + " on pipeline rank " +
                     std::to_string(step["decided_by_rank"].get<int>()) + "\n";
  Rows rows{{"  rank", "compute, s", "collectives, s", "waiting, s", "after its chunks, s",
             "with other replicas, s"}};
  for (std::size_t r = 0; r < step["ranks"].size(); ++r) {
    const ordered_json& s = step["ranks"][r];
    rows.push_back({"  " + std::to_string(r), fixed(s["compute_s"], 4), fixed(s["communication_s"], 4),
                    fixed(s["waiting_s"], 4), fixed(s["after_its_chunks_s"], 4),
                    fixed(s["with_other_replicas_s"], 4)});
  }
  return text + table(rows, "") + waits_text(document, step);
}

std::string chunks_csv(const ordered_json& document) {
  std::string text =
      "quantile,trial,rank,stage,pass,micro_batch,start_s,end_s,wait_s,communication_s,transfer_s,critical,"
      "waits_for_row\n";
  const ordered_json& chunks = document["chunks"];
  for (const ordered_json& step : document["steps"])
    for (std::size_t i = 0; i < chunks["rank"].size(); ++i) {
      const auto seconds = [&](const char* key) { return "," + fixed(step[key][i].get<double>() / 1e9, 9); };
      text += exact(step["mass"]) + "," + step["trial"].dump() + "," + chunks["rank"][i].dump() + "," +
              chunks["stage"][i].dump() + "," +
              document["passes"][chunks["pass"][i].get<std::size_t>()].get<std::string>() + "," +
              chunks["micro_batch"][i].dump() + seconds("start_ns") + seconds("end_ns") + seconds("wait_ns") +
              seconds("communication_ns") + seconds("transfer_ns") + "," + step["critical"][i].dump() + "," +
              chunks["waits_for"][i].dump() + "\n";
    }
  return text;
}

}  // namespace

void add_timeline_study(CLI::App& study, TimelineOptions& o, int& code) {
  CLI::App* command = study.add_subcommand("timeline", "Sampled steps chunk by chunk: who waited for whom");
  command->add_option("FILE", o.file, "Scenario or result document; - reads standard input")->required();
  add_list(command, "--quantiles", o.masses, "Which steps, by their quantile, a list (0.5,0.95)", 0.001,
           0.999);
  command->add_option("--seed", o.overrides.seed, "Seed, instead of the scenario's");
  command->add_option("--threads", o.threads, "Threads; by default as many as the machine has")
      ->check(CLI::Range(1u, 1024u));
  CLI::Option* json = command->add_flag("--json", o.json, "Print the document");
  command->add_flag("--csv", o.csv, "Print one line a chunk")->excludes(json);
  command->callback([&o, &code] { code = study_timeline(o); });
}

int study_timeline(const TimelineOptions& o) {
  const auto input = read_input(o.file, o.overrides, o.json);
  if (!input) return refused;
  ordered_json question = {{"study", "timeline"}};
  if (!o.masses.empty()) question["masses"] = o.masses;
  const auto plan = plan_timeline(input->text, question.dump());
  if (!plan) {
    print_refusal(plan.diagnostics, *input, o.json);
    return refused;
  }
  if (!o.json) print_refusal(plan->job.warnings, *input, false);
  Parts parts;
  {
    ProgressLine line;
    parts = run_timeline(*plan, o.threads, [&](double share) { line.show(share); });
  }
  const std::string answer = timeline_json(*plan, parts);
  if (o.json) {
    std::cout << answer << "\n";
    return done;
  }
  const ordered_json document = ordered_json::parse(answer);
  if (o.csv) {
    std::cout << chunks_csv(document);
    return done;
  }
  std::string text = document["title"].get<std::string>();
  if (!text.empty()) text += "\n\n";
  for (const ordered_json& step : document["steps"]) text += step_text(document, step) + "\n";
  text += "  Of " + grouped(document["trials"].get<std::int64_t>()) +
          " trials drawn operator by operator, seed " + document["seed"].get<std::string>() + "; digest " +
          document["digest"].get<std::string>() + "\n";
  std::cout << printable(text, true);
  return done;
}

}  // namespace prism::cli
