// SPDX-License-Identifier: Apache-2.0
#include "report/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "prism/simulation.h"
#include "statistics/statistics.h"

namespace prism {
namespace {

constexpr std::int64_t most_trials = 4 * block_trials;
constexpr double least_scale = 1e-3, largest_scale = 1e3;
/// From here one more step of the proportion, which leaves some thousandth of the error, needs no look.
constexpr double near_enough = 1e-3;

std::string seconds(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g s", s);
  return text;
}

/// Median (or mean) of the first trials with this scale.
Result<double> simulated(Scenario& scenario, double scale) {
  scenario.cost_model.compute_scale = scale;
  const auto workload = build_workload(scenario);
  if (!workload) return Result<double>::faults(workload.diagnostics);
  const auto simulation = prepare_simulation(*workload, scenario.run);
  if (!simulation) return Result<double>::faults(simulation.diagnostics);
  Simulation& s = **simulation;
  std::vector<std::vector<std::byte>> pilot, trials;
  for (std::int64_t u = 0; u < unit_count(s, Phase::pilot); ++u)
    pilot.push_back(run_unit(s, Phase::pilot, u));
  if (!pilot.empty()) learn(s, pilot);
  const std::int64_t units = std::min(unit_count(s, Phase::trials), most_trials / block_trials);
  for (std::int64_t u = 0; u < units; ++u) trials.push_back(run_unit(s, Phase::trials, u));
  std::vector<double> steps = merge(s, trials, {}, {}).step_s;
  std::sort(steps.begin(), steps.end());
  return Result<double>::of(scenario.cost_model.calibration == Calibration::median ? quantile(steps, 0.5)
                                                                                   : moments(steps).mean);
}

/// The scale with which the step without variability takes so long, or the nearest one that is looked at.
/// Places made slower are left out: only the proportion to the simulated step matters.
double scale_of(Scenario scenario, double step_s) {
  double low = least_scale, high = largest_scale;
  for (int i = 0; i < 48; ++i) {
    const double middle = std::sqrt(low * high);
    scenario.cost_model.compute_scale = middle;
    auto workload = build_workload(scenario);
    if (!workload) break;
    workload->what_if.clear();
    const auto step = median_step_s(*workload);
    if (!step) break;
    (*step < step_s ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

/// The end of the range of step times that the target lies beyond, in words; nothing if it lies inside.
std::string reachable(Scenario& scenario, double target) {
  const auto fastest = simulated(scenario, least_scale), slowest = simulated(scenario, largest_scale);
  if (fastest && target < *fastest)
    return ": with compute a thousand times as fast it takes " + seconds(*fastest);
  if (slowest && target > *slowest)
    return ": with compute a thousand times as slow it takes " + seconds(*slowest);
  return "";
}

}  // namespace

Result<CalibrationAccount> calibrate(Scenario& scenario) {
  using R = Result<CalibrationAccount>;
  const double target = scenario.cost_model.calibrate_to_s;
  CalibrationAccount account;
  account.median = scenario.cost_model.calibration == Calibration::median;
  account.measured_s = target;
  account.trials = std::min(scenario.run.trials, most_trials);
  // Simulated and deterministic step keep nearly the same proportion at any scale: so the deterministic one,
  // which costs next to nothing, says where the simulated one meets the target. Kept between the scales known
  // to be too small and too large.
  double low = least_scale, high = largest_scale, aim = target;
  for (int i = 0; i < 40 && high / low > 1 + 1e-9; ++i) {
    double scale = scale_of(scenario, aim);
    if (!(scale > low && scale < high)) scale = std::sqrt(low * high);
    const auto step = simulated(scenario, scale);
    if (!step) return R::faults(step.diagnostics);
    (*step < target ? low : high) = scale;
    aim *= target / *step;
    if (std::abs(*step / target - 1) > near_enough) continue;
    scenario.cost_model.compute_scale = scale_of(scenario, aim);
    account.factor = 1 / scenario.cost_model.compute_scale;
    return R::of(std::move(account));
  }
  return R::fault(
      {Code::inconsistent, "/cost_model/calibrate",
       "no efficiency of compute makes the step take " + seconds(target) + reachable(scenario, target),
       "communication and waiting are not calibrated: see network_efficiency, links and overlap"});
}

}  // namespace prism
