// SPDX-License-Identifier: Apache-2.0
#include "workload/layout_rules.h"

#include <string>

namespace prism::workload {
namespace {

std::string text(std::int64_t n) { return std::to_string(n); }

}  // namespace

Result<std::vector<std::int64_t>> layers_per_stage(const Scenario& scenario) {
  using List = std::vector<std::int64_t>;
  const Parallel& parallel = scenario.parallel;
  const std::int64_t stages = parallel.pp * parallel.virtual_stages;
  const List& given = parallel.layers_per_virtual_stage;
  const char* const pointer = "/parallel/layers_per_virtual_stage";
  if (given.empty()) {
    if (!scenario.model) return Result<List>::of(List(static_cast<std::size_t>(stages), 1));
    const std::int64_t layers = scenario.model->layers;
    if (layers % stages != 0)
      return Result<List>::fault(
          {Code::not_divisible, pointer,
           text(layers) + " layers cannot be spread evenly over pp * virtual_stages = " + text(parallel.pp) +
               " * " + text(parallel.virtual_stages) + " = " + text(stages) + " virtual stages",
           "give layers_per_virtual_stage: a list, or a named rule"});
    return Result<List>::of(List(static_cast<std::size_t>(stages), layers / stages));
  }
  if (static_cast<std::int64_t>(given.size()) != stages)
    return Result<List>::fault({Code::inconsistent, pointer,
                                "layers_per_virtual_stage has " +
                                    text(static_cast<std::int64_t>(given.size())) +
                                    " entries; pp * virtual_stages = " + text(parallel.pp) + " * " +
                                    text(parallel.virtual_stages) + " = " + text(stages),
                                ""});
  if (scenario.model) {
    std::int64_t sum = 0;
    for (const std::int64_t layers : given) sum += layers;
    if (sum != scenario.model->layers)
      return Result<List>::fault({Code::inconsistent, pointer,
                                  "layers_per_virtual_stage sums to " + text(sum) + "; the model has " +
                                      text(scenario.model->layers) + " layers",
                                  ""});
  }
  return Result<List>::of(given);
}

std::vector<Diagnostic> check_layout(const Scenario& scenario) {
  const Parallel& parallel = scenario.parallel;
  std::vector<Diagnostic> faults;
  const auto divides = [&](const char* pointer, const char* what, std::int64_t value, const char* why) {
    if (value % parallel.tp == 0) return;
    faults.push_back(
        {Code::not_divisible, pointer,
         std::string(what) + " = " + text(value) + " is not divisible by tp = " + text(parallel.tp), why});
  };

  if (parallel.cp > 1)
    faults.push_back({Code::unsupported, "/parallel/cp",
                      "cp = " + text(parallel.cp) + ": context parallelism is not computed by this version",
                      "use \"cp\": 1"});
  if (parallel.zero < 0 || parallel.zero > 1)
    faults.push_back({Code::unsupported, "/parallel/zero",
                      "zero = " + text(parallel.zero) + ": this version computes ZeRO levels 0 and 1", ""});
  if (!scenario.model) return faults;

  const Model& model = *scenario.model;
  divides("/parallel/tp", "heads", model.heads, "tensor parallelism gives every rank whole attention heads");
  if (faults.empty() ||
      faults.back().pointer != "/parallel/tp")  // else kv_heads, which divides heads, says it twice
    divides("/parallel/tp", "kv_heads", model.kv_heads,
            "tensor parallelism gives every rank whole key-value heads");
  divides("/parallel/tp", "ffn_hidden", model.ffn_hidden,
          "tensor parallelism splits the FFN's columns evenly");
  if (parallel.sequence_parallel)
    divides("/batch/sequence", "sequence", scenario.batch.sequence,
            "sequence parallelism gives every tensor rank an equal share of the tokens");
  if (model.kv_heads > 0 && model.heads % model.kv_heads != 0)
    faults.push_back(
        {Code::not_divisible, "/model/kv_heads",
         "heads = " + text(model.heads) + " is not divisible by kv_heads = " + text(model.kv_heads),
         "every key-value head serves an equal number of query heads"});
  return faults;
}

}  // namespace prism::workload
