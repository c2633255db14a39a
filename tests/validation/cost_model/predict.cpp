// SPDX-License-Identifier: Apache-2.0
#include "predict.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "prism/simulation.h"

namespace prism::validation {
namespace {

[[noreturn]] void stop(const std::vector<Diagnostic>& faults, const std::string& about) {
  for (const Diagnostic& d : faults) std::fprintf(stderr, "%s: %s\n", d.pointer.c_str(), d.message.c_str());
  std::fprintf(stderr, "in %s\n", about.c_str());
  std::exit(1);
}

}  // namespace

Scenario scenario_of(const Json& document) {
  auto scenario = read_scenario(document.dump());
  if (!scenario) stop(scenario.diagnostics, document.dump());
  return std::move(*scenario);
}

double step_s(const Scenario& scenario) {
  const auto workload = build_workload(scenario);
  if (!workload) stop(workload.diagnostics, scenario.resolved);
  const auto step = median_step_s(*workload);
  if (!step) stop(step.diagnostics, scenario.resolved);
  return *step;
}

double compute_scale_for(Scenario scenario, double seconds) {
  double low = 0.1, high = 10;  // the step grows with the scale
  for (int i = 0; i < 40; ++i) {
    scenario.cost_model.compute_scale = 0.5 * (low + high);
    (step_s(scenario) < seconds ? low : high) = scenario.cost_model.compute_scale;
  }
  return 0.5 * (low + high);
}

Errors errors_of(const std::vector<double>& signed_errors) {
  Errors e;
  e.count = signed_errors.size();
  if (e.count == 0) return e;
  std::vector<double> sizes, sorted = signed_errors;
  for (const double x : signed_errors) {
    sizes.push_back(std::abs(x));
    e.mean += std::abs(x) / static_cast<double>(e.count);
    e.bias += x / static_cast<double>(e.count);
    if (std::abs(x) > std::abs(e.worst)) e.worst = x;
  }
  std::sort(sizes.begin(), sizes.end());
  std::sort(sorted.begin(), sorted.end());
  const auto middle = [](const std::vector<double>& v) {
    return 0.5 * (v[(v.size() - 1) / 2] + v[v.size() / 2]);
  };
  e.median = middle(sizes);
  e.median_signed = middle(sorted);
  return e;
}

std::string percent(double share, bool sign) {
  char text[32];
  std::snprintf(text, sizeof text, sign ? "%+.1f %%" : "%.1f %%", 100 * share);
  for (std::string s = text; s[0] == '-';) return "−" + s.substr(1);
  return text;
}

std::string seconds(double s) {
  char text[32];
  std::snprintf(text, sizeof text, s < 10 ? "%.3f s" : s < 100 ? "%.2f s" : "%.1f s", s);
  return text;
}

}  // namespace prism::validation
