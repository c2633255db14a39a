// SPDX-License-Identifier: Apache-2.0
// Measured step times of large runs have a body narrower than 1.5 %, sometimes a second mode a few percent
// below it, and rare stalls up to several times the median (MLPerf Training logs; see docs/evidence.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "evidence/faults.h"
#include "evidence/json_text.h"
#include "evidence/moments.h"
#include "prism/evidence_steps.h"

namespace prism {
namespace {

constexpr double body_reach = 3.5;          ///< standard deviations; what lies further out is no body
constexpr double least_second_mode = 0.01;  ///< of the steps
constexpr double quartiles_apart = 1.349;   ///< of a normal law, in standard deviations
constexpr double log_2 = 0.69314718055994531;

/// The spread of what lies within reach of 1, where 1 is the median; found by repeating.
double body_spread(const std::vector<double>& relative) {
  double sd = (quantile_of_sorted(relative, 0.75) - quantile_of_sorted(relative, 0.25)) / quartiles_apart;
  for (int i = 0; i < 20; ++i) {
    std::vector<double> body;
    for (const double r : relative)
      if (std::fabs(r - 1) < body_reach * sd) body.push_back(r);
    if (body.size() < 2) break;
    const double next = std::sqrt(variance_of(body) * static_cast<double>(body.size() - 1) /
                                  static_cast<double>(body.size()));
    if (std::fabs(next - sd) < 1e-9) break;
    sd = next;
  }
  return std::max(sd, 1e-7);
}

double next_step_correlation(const std::vector<double>& v) {
  const double mean = mean_of(v);
  double together = 0, all = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    all += (v[i] - mean) * (v[i] - mean);
    if (i > 0) together += (v[i] - mean) * (v[i - 1] - mean);
  }
  return all > 0 ? together / all : 0;
}

using Made = std::variant<Distribution, ParameterFault>;

/// The law of a fit, or why steps so far apart have none.
Made made(const StepFit& f) {
  std::vector<double> weights;
  std::vector<Distribution> parts;
  std::optional<ParameterFault> fault;
  const auto add = [&](double weight, const char* family, std::array<double, 2> values) {
    Made part = find_family(family)->sets[0].make(values);
    if (const auto* why = std::get_if<ParameterFault>(&part)) {
      fault = *why;
      return;
    }
    weights.push_back(weight);
    parts.push_back(std::get<Distribution>(std::move(part)));
  };
  add(1 - f.second_weight - f.stall_rate, "normal", {f.median * f.body_at, f.median * f.body_sd});
  if (f.second_weight > 0) add(f.second_weight, "normal", {f.median * f.second_at, f.median * f.body_sd});
  if (f.stall_rate > 0)
    add(f.stall_rate, "shifted_exponential", {f.median * (1 + f.stall_from), f.median * f.stall_size});
  if (fault) return *fault;
  if (parts.size() == 1) return parts[0];
  return make_mixture(weights, parts);
}

Result<StepFit> unfit(const ParameterFault& fault) {
  return Result<StepFit>::fault(
      evidence_fault(Code::impossible_distribution, "no distribution describes these steps: " + fault.message,
                     "look for steps in another unit, and for entries that are no steps"));
}

}  // namespace

Result<StepFit> fit_steps(const std::vector<double>& seconds) {
  if (seconds.size() < 20)
    return Result<StepFit>::fault(
        evidence_fault(Code::out_of_range,
                       "at least 20 steps are needed for a fit; found " + std::to_string(seconds.size())));
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  if (!(sorted.front() > 0))
    return Result<StepFit>::fault(evidence_fault(Code::out_of_range, "step times must be above 0"));
  StepFit f;
  f.median = quantile_of_sorted(sorted, 0.5);
  std::vector<double> relative = sorted;
  for (double& r : relative) r /= f.median;
  f.body_sd = body_spread(relative);
  f.stall_from = body_reach * f.body_sd;

  std::vector<double> below, stalls, body;
  for (const double r : relative) {
    if (r <= 1 - f.stall_from)
      below.push_back(r);
    else if (r >= 1 + f.stall_from)
      stalls.push_back(r - 1 - f.stall_from);
    else
      body.push_back(r);
  }
  const double n = static_cast<double>(relative.size());
  // Counts by Laplace's rule: with 5 % below, p5 lies on an edge, and one step more or less decides.
  if (static_cast<double>(below.size()) >= least_second_mode * n) {
    f.second_weight = static_cast<double>(below.size() + 1) / (n + 2);
    f.second_at = quantile_of_sorted(below, 0.5);
  }
  if (!stalls.empty()) {
    f.stall_rate = static_cast<double>(stalls.size() + 1) / (n + 2);
    // By the median excess: the mean follows the one worst stall of a run.
    f.stall_size = std::max(quantile_of_sorted(stalls, 0.5) / log_2, 1e-7);
  }
  f.correlation = next_step_correlation(seconds);
  if (!body.empty()) f.body_at = mean_of(body);
  // The parts overlap; moved as a whole, so that the median of the fit is the median of the steps.
  const Made first = made(f);
  if (const auto* fault = std::get_if<ParameterFault>(&first)) return unfit(*fault);
  const double off = std::get<Distribution>(first).median() / f.median;
  f.body_at /= off;
  if (f.second_weight > 0) f.second_at /= off;
  const Made moved = made(f);
  if (const auto* fault = std::get_if<ParameterFault>(&moved)) return unfit(*fault);
  return Result<StepFit>::of(f);
}

Distribution distribution_of(const StepFit& f) { return std::get<Distribution>(made(f)); }

std::string distribution_json(const StepFit& f) {
  using Json = nlohmann::ordered_json;
  Json parts = Json::array();
  const auto add = [&](double weight, const char* family, Json parameters) {
    parts.push_back({{"weight", weight}, {family, std::move(parameters)}});
  };
  add(1 - f.second_weight - f.stall_rate, "normal",
      {{"location_s", f.median * f.body_at}, {"scale_s", f.median * f.body_sd}});
  if (f.second_weight > 0)
    add(f.second_weight, "normal",
        {{"location_s", f.median * f.second_at}, {"scale_s", f.median * f.body_sd}});
  if (f.stall_rate > 0)
    add(f.stall_rate, "shifted_exponential",
        {{"shift_s", f.median * (1 + f.stall_from)}, {"scale_s", f.median * f.stall_size}});
  if (parts.size() == 1) {
    parts[0].erase("weight");
    return evidence_dump(parts[0]);
  }
  return evidence_dump({{"mixture", parts}});
}

std::vector<double> settled_steps(const StepLog& log, std::size_t warm_up) {
  std::vector<double> all;
  for (const auto& run : log.runs)
    if (run.seconds.size() > 20 + warm_up)
      all.insert(all.end(), run.seconds.begin() + static_cast<std::ptrdiff_t>(warm_up), run.seconds.end());
  return all;
}

std::string step_evidence_json(const StepFit& f, const std::vector<double>& seconds, const Account& account,
                               const Judgement* judgement) {
  using Json = nlohmann::ordered_json;
  const Distribution law = distribution_of(f);
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  Json quantiles = Json::array();
  for (const double p : {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99})
    quantiles.push_back(
        {{"p", p}, {"fit_s", law.quantile(Mass::below(p))}, {"steps_s", quantile_of_sorted(sorted, p)}});
  Json out = {{"prism_evidence", 1},
              {"kind", "step_times"},
              {"account", evidence_account(account)},
              {"steps", seconds.size()},
              {"parameters", f.parameters()},
              {"median_s", f.median},
              {"body_sd", f.body_sd},
              {"second_weight", f.second_weight},
              {"second_at", f.second_at},
              {"stall_rate", f.stall_rate},
              {"stall_from", f.stall_from},
              {"stall_size", f.stall_size},
              {"correlation", f.correlation},
              {"quantiles", quantiles},
              {"distribution", Json::parse(distribution_json(f))}};
  if (judgement) out["prediction"] = evidence_judgement(*judgement);
  return evidence_dump(out);
}

}  // namespace prism
