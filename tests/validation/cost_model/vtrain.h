// SPDX-License-Identifier: Apache-2.0
// Step times of hundreds of layouts on A100, published with vTrain (arXiv 2312.12391,
// github.com/VIA-Research/vTrain).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "predict.h"

namespace prism::validation {

struct Layout {
  Scenario scenario;
  double measured_s = 0;
  std::string size;  ///< e.g. "175B"; empty on one node
};
std::vector<Layout> multi_node();
std::vector<Layout> single_node();

std::vector<double> errors_with(const std::vector<Layout>& layouts,
                                const std::function<void(CostModel&)>& change);

/// gemm_efficiency fitted on random halves of the layouts, the error on the other halves.
struct Halves {
  int splits = 0;
  double mean = 0, least = 0, most = 0;  ///< of the mean |error|
  double fitted_low = 0, fitted_high = 0;
};
Halves random_halves(const std::vector<Layout>& layouts);

}  // namespace prism::validation
