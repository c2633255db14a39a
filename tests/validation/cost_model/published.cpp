// SPDX-License-Identifier: Apache-2.0
#include "published.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "measured.h"

namespace prism::validation {
namespace {

double measured_seconds(const Json& row, const Scenario& s, bool check_files) {
  if (row.contains("tokens_per_s_per_gpu"))
    return static_cast<double>(s.batch.global * s.batch.sequence) / static_cast<double>(s.parallel.world()) /
           row["tokens_per_s_per_gpu"].get<double>();
  const double stated = row["seconds"];
  if (check_files && row.contains("file")) {
    const double logged = median_step_s(row["file"]);
    if (std::abs(logged / stated - 1) > 0.001) {
      std::fprintf(stderr, "%s: the log's median is %.4f s, the row says %.4f s\n",
                   row["file"].get<std::string>().c_str(), logged, stated);
      std::exit(1);
    }
  }
  return stated;
}

}  // namespace

Errors Group::errors() const {
  std::vector<double> judged;
  for (const Row& r : rows)
    if (!r.calibrates) judged.push_back(r.error());
  return errors_of(judged);
}

std::vector<Group> published_groups(bool check_files) {
  std::ifstream in(std::string(PRISM_SOURCE_DIR) + "/tests/validation/cost_model/rows.json");
  const Json file = Json::parse(in);
  std::vector<Group> groups;
  for (const Json& g : file["groups"]) {
    Group group;
    group.name = g["name"];
    group.source = g["source"];
    group.convention = g["convention"];
    group.fitted = g["fitted"];
    group.chosen = g["chosen"];
    group.reported_only = g.value("reported_only", "");
    if (g.contains("limits")) {
      group.limit_mean = g["limits"]["mean"];
      group.limit_each = g["limits"]["each"];
    }
    for (const Json& r : g["rows"]) {
      Json document = g["base"];
      document.merge_patch(r["change"]);
      Row row;
      row.name = r["name"];
      row.held_out = r.value("held_out", false);
      row.scenario = scenario_of(document);
      row.measured_s = measured_seconds(r, row.scenario, check_files);
      group.rows.push_back(std::move(row));
    }
    if (g.contains("calibrate")) {
      Row& row = group.rows.at(g["calibrate"]);
      row.calibrates = true;
      group.compute_scale = compute_scale_for(row.scenario, row.measured_s);
    }
    if (g.contains("calibrate_as"))
      for (const Group& other : groups)
        if (other.name == g["calibrate_as"]) group.compute_scale = other.compute_scale;
    for (Row& row : group.rows) {
      row.scenario.cost_model.compute_scale = group.compute_scale;
      row.predicted_s = step_s(row.scenario);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace prism::validation
