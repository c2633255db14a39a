// SPDX-License-Identifier: Apache-2.0
#include "report/nearest.h"

#include <algorithm>

#include "prism/numerics.h"
#include "prism/workload.h"

namespace prism {
namespace {

double apart(double a, double b) { return a > b ? log_exact(a / b) : log_exact(b / a); }

/// What was fitted or measured for all runs alike; whoever writes another number has another model.
constexpr std::string_view fitted_figures[] = {"/cost_model/gemm_efficiency",
                                               "/cost_model/gemm_overhead_us",
                                               "/cost_model/memory_efficiency",
                                               "/cost_model/attention_efficiency",
                                               "/cost_model/network_efficiency",
                                               "/cost_model/layer_floor_us",
                                               "/cost_model/optimizer_bytes",
                                               "/cluster/intra_node/per_gpu_gbyte_per_s",
                                               "/cluster/inter_node/per_gpu_gbyte_per_s"};

}  // namespace

std::string incomparable(const Scenario& s) {
  if (s.model && s.model->experts) return "none of the measured runs has a mixture of experts";
  if (!s.scale.empty()) return "the scenario multiplies base times";
  for (std::string_view figure : fitted_figures)
    if (std::find(s.own_numbers.begin(), s.own_numbers.end(), figure) != s.own_numbers.end())
      return std::string(figure) + " is the scenario's own";
  return "";
}

std::vector<const Measurement*> nearest_measurements(const Scenario& scenario) {
  if (!scenario.model) return {};
  const double parameters = parameter_count(*scenario.model);
  const auto gpus = static_cast<double>(scenario.parallel.world());
  std::vector<std::pair<double, const Measurement*>> near;
  for (const Measurement& m : measurements()) {
    if (m.gpu != scenario.cluster.gpu.name || m.precision != scenario.precision) continue;
    const double size = apart(m.parameters, parameters), scale = apart(static_cast<double>(m.gpus), gpus);
    if (size > log_exact(4) || scale > log_exact(8)) continue;
    // A layout of another kind counts like half a doubling of the model.
    const auto other = [](std::int64_t row, std::int64_t here) {
      return row != 0 && row != here ? 0.35 : 0.0;
    };
    near.emplace_back(size + 0.5 * scale + other(m.tp, scenario.parallel.tp) +
                          other(m.cp, scenario.parallel.cp) + 0.5 * other(m.pp, scenario.parallel.pp),
                      &m);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Measurement*> list;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i) list.push_back(near[i].second);
  return list;
}

}  // namespace prism
