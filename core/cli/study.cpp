// SPDX-License-Identifier: Apache-2.0
#include "study.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "format.h"
#include "output.h"
#include "prism/study_report.h"
#include "runner.h"
#include "study_text.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;

/// Whole scenarios to compare with: every member of the other one is set, every member that it lacks taken
/// away.
std::optional<NamedChange> other_scenario(const std::string& file, const Input& base, bool json) {
  const auto input = read_input(file, base.overrides, json);
  if (!input) return std::nullopt;
  const auto read = read_scenario(input->text);
  if (!read) {
    print_refusal(read.diagnostics, *input, json);
    return std::nullopt;
  }
  const ordered_json from = ordered_json::parse(edited(base.text, {})),
                     to = ordered_json::parse(edited(input->text, {}));
  NamedChange change{read->title.empty() ? file : read->title, {}};
  for (const auto& [key, value] : from.items())
    if (!to.contains(key)) change.edits.push_back({"/" + key, ""});
  for (const auto& [key, value] : to.items())
    if (!from.contains(key) || from[key] != value) change.edits.push_back({"/" + key, value.dump()});
  return change;
}

bool write_variants(const StudyPlan& plan, const VariantStudyOptions& o) {
  std::vector<std::string> inputs = o.layouts;
  inputs.push_back(o.file);
  const auto name = [&](std::size_t i) { return o.variants_directory + "/" + std::to_string(i) + ".json"; };
  for (std::size_t i = 0; i < plan.variants.size(); ++i)
    if (!spares_inputs(name(i), inputs, o.json)) return false;
  for (std::size_t i = 0; i < plan.variants.size(); ++i)
    if (!write_file(name(i), ordered_json::parse(plan.variants[i].scenario).dump(2) + "\n", o.json))
      return false;
  return true;
}

std::string variants_csv(const ordered_json& study) {
  std::ostringstream out;
  out << "variant";
  for (const ordered_json& axis : study["axes"]) out << "," << axis.get<std::string>();
  out << ",deterministic_s,mean_s,sd_s,p50_s,p95_s,p95_low_s,p95_high_s,p99_s,p95_difference_s,p95_"
         "difference_low_s,"
         "p95_difference_high_s,differs\n";
  for (const ordered_json& v : study["variants"]) {
    if (!v["fault"].is_null()) continue;
    std::string name = v["name"];
    for (char& c : name)
      if (c == '"') c = '\'';
    out << '"' << name << '"';
    for (const auto& [axis, at] : v["at"].items()) out << "," << exact(at);
    const ordered_json& d = v["difference"]["p95_s"];
    for (double x :
         {v["deterministic_s"].get<double>(), v["mean_s"]["value"].get<double>(),
          v["sd_s"]["value"].get<double>(), v["p50_s"]["value"].get<double>(),
          v["p95_s"]["value"].get<double>(), v["p95_s"]["interval"][0].get<double>(),
          v["p95_s"]["interval"][1].get<double>(), v["p99_s"]["value"].get<double>(),
          d["value"].get<double>(), d["interval"][0].get<double>(), d["interval"][1].get<double>()})
      out << "," << exact(x);
    out << "," << (d["differs"].get<bool>() ? 1 : 0) << "\n";
  }
  return out.str();
}

}  // namespace

int study_variants(const VariantStudyOptions& o) {
  const auto input = read_input(o.file, o.overrides, o.json);
  if (!input) return refused;
  StudyQuestion question = o.question;
  for (const std::string& file : o.layouts) {
    auto change = other_scenario(file, *input, o.json);
    if (!change) return refused;
    question.layouts.push_back(std::move(*change));
  }
  const auto plan = plan_study(input->text, question);
  if (!plan) {
    print_refusal(plan.diagnostics, *input, o.json);
    return refused;
  }
  if (!o.json) print_refusal(plan->warnings, *input, false);
  if (!o.variants_directory.empty() && !write_variants(*plan, o)) return refused;
  Parts parts;
  {
    ProgressLine line;
    parts = run_study(*plan, o.threads, [&](double share) { line.show(share); });
  }
  const std::string document = study_json(*plan, parts);
  if (o.json) {
    std::cout << document << "\n";
    return done;
  }
  const ordered_json study = ordered_json::parse(document);
  if (!study["variants"][0]["fault"].is_null()) {
    print_fault("refused", input->name + ": " + study["variants"][0]["fault"].get<std::string>(), o.json);
    return refused;
  }
  std::cout << (o.csv ? variants_csv(study) : printable(study_text(study), true));
  return done;
}

}  // namespace prism::cli
