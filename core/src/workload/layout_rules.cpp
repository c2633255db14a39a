// SPDX-License-Identifier: Apache-2.0
#include "workload/layout_rules.h"

#include <string>

namespace prism::workload {
namespace {

std::string text(std::int64_t n) { return std::to_string(n); }

/// Every tensor rank has whole heads, whole FFN columns and, under sequence parallelism, an equal share of
/// the tokens.
void check_tensor(const Scenario& scenario, std::vector<Diagnostic>& faults) {
  const Model& model = *scenario.model;
  const std::int64_t tp = scenario.parallel.tp;
  const auto refuse = [&](const char* pointer, const char* what, std::int64_t n, const char* why) {
    faults.push_back({Code::not_divisible, pointer,
                      std::string(what) + " " + text(n) + " is not divisible by tp " + text(tp), why});
  };
  if (model.heads % tp != 0)
    refuse("/parallel/tp", "heads", model.heads, "tensor parallelism gives every rank whole attention heads");
  else if (model.kv_heads % tp != 0 && tp % model.kv_heads != 0)
    refuse("/parallel/tp", "kv_heads", model.kv_heads,
           "every rank has whole key-value heads, or equally many ranks share one");
  if (model.ffn_hidden % tp != 0)
    refuse("/parallel/tp", "ffn_hidden", model.ffn_hidden,
           "tensor parallelism splits the FFN's columns evenly");
  if (scenario.parallel.sequence_parallel && scenario.batch.sequence % tp != 0)
    refuse("/batch/sequence", "sequence", scenario.batch.sequence,
           "sequence parallelism gives every tensor rank an equal share of the tokens");
}

void check_layers(const Scenario& scenario, std::vector<Diagnostic>& faults) {
  const Parallel& parallel = scenario.parallel;
  const std::vector<std::int64_t>& layers = parallel.layers_per_virtual_stage;
  const std::int64_t stages = parallel.pp * parallel.virtual_stages,
                     listed = static_cast<std::int64_t>(layers.size());
  const auto refuse = [&](const std::string& message) {
    faults.push_back({Code::inconsistent, "/parallel/layers_per_virtual_stage", message, ""});
  };
  if (listed != stages)
    return refuse("layers_per_virtual_stage has " + text(listed) + " entries; pp " + text(parallel.pp) +
                  " x virtual_stages " + text(parallel.virtual_stages) + " is " + text(stages));
  std::int64_t sum = 0;
  for (const std::int64_t n : layers) sum += n;
  if (scenario.model && sum != scenario.model->layers)
    refuse("layers_per_virtual_stage sums to " + text(sum) + "; the model has " +
           text(scenario.model->layers) + " layers");
}

}  // namespace

std::vector<Diagnostic> check_layout(const Scenario& scenario) {
  std::vector<Diagnostic> faults;
  if (scenario.model) check_tensor(scenario, faults);
  check_layers(scenario, faults);
  return faults;
}

}  // namespace prism::workload
