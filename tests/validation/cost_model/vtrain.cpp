// SPDX-License-Identifier: Apache-2.0
#include "vtrain.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "measured.h"

namespace prism::validation {
namespace {

/// `row` starts at global_batch: global, micro, hidden, heads, layers, sequence, tp, dp, pp, milliseconds.
Layout layout(const double* row, const char* recompute) {
  const auto whole = [&](int i) { return static_cast<std::int64_t>(row[i]); };
  const Json document = {
      {"prism", 1},
      {"model",
       {{"layers", whole(4)},
        {"hidden", whole(2)},
        {"ffn_hidden", 4 * whole(2)},
        {"heads", whole(3)},
        {"vocabulary", 51200},
        {"tied_embeddings", true}}},
      {"parallel", {{"tp", whole(6)}, {"pp", whole(8)}, {"dp", whole(7)}, {"recompute", recompute}}},
      {"batch", {{"global", whole(0)}, {"micro", whole(1)}, {"sequence", whole(5)}}},
      {"cluster", {{"gpu", "a100-80gb-sxm"}, {"inter_node", {{"per_gpu_gbit_per_s", 100}}}}},
  };
  return {scenario_of(document), row[9] * 1e-3, ""};
}

}  // namespace

std::vector<Layout> multi_node() {
  std::vector<Layout> all;
  for (const auto& row : measured_rows("iteration-times/a100_multi_node.csv")) {
    all.push_back(layout(row.data() + 2, "full"));
    char text[16];
    std::snprintf(text, sizeof text, "%gB", row[0]);
    all.back().size = text;
  }
  return all;
}

std::vector<Layout> single_node() {
  std::vector<Layout> all;
  for (const auto& row : measured_rows("iteration-times/a100_single_node.csv"))
    all.push_back(layout(row.data() + 1, "none"));
  return all;
}

std::vector<double> errors_with(const std::vector<Layout>& layouts,
                                const std::function<void(CostModel&)>& change) {
  std::vector<double> errors;
  for (const Layout& l : layouts) {
    Scenario s = l.scenario;
    change(s.cost_model);
    errors.push_back(relative(step_s(s), l.measured_s));
  }
  return errors;
}

Halves random_halves(const std::vector<Layout>& layouts) {
  std::map<double, std::vector<double>> by_efficiency;
  for (int i = 0; i <= 16; ++i) {
    const double e = 0.72 + 0.01 * i;
    by_efficiency[e] = errors_with(layouts, [&](CostModel& c) { c.gemm_efficiency = e; });
  }
  Halves halves;
  halves.splits = 100;
  halves.least = halves.fitted_low = 1;
  std::mt19937 random(1);
  std::vector<std::size_t> order(layouts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int split = 0; split < halves.splits; ++split) {
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
    const auto part = [&](const std::vector<double>& errors, bool first) {
      std::vector<double> chosen;
      for (std::size_t i = 0; i < order.size(); ++i)
        if ((i < order.size() / 2) == first) chosen.push_back(errors[order[i]]);
      return errors_of(chosen);
    };
    // The efficiency whose median signed error is nearest to none: robust against two odd layouts.
    double best = 0, least = 1;
    for (const auto& [e, errors] : by_efficiency)
      if (const double off = std::abs(part(errors, true).median_signed); off < least) least = off, best = e;
    const double mean = part(by_efficiency[best], false).mean;
    halves.mean += mean / halves.splits;
    halves.least = std::min(halves.least, mean);
    halves.most = std::max(halves.most, mean);
    halves.fitted_low = std::min(halves.fitted_low, best);
    halves.fitted_high = std::max(halves.fitted_high, best);
  }
  return halves;
}

}  // namespace prism::validation
