// SPDX-License-Identifier: Apache-2.0
#include "workload/layout_rules.h"

#include <numeric>
#include <string>

namespace prism::workload {
namespace {

std::string text(std::int64_t n) { return std::to_string(n); }

/// Every tensor rank has whole heads and whole FFN columns.
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
  const bool plain_ffn = !model.experts || model.experts->dense_first > 0;
  if (plain_ffn && model.ffn_hidden % tp != 0)
    refuse("/parallel/tp", "ffn_hidden", model.ffn_hidden,
           "tensor parallelism splits the FFN's columns evenly");
}

/// Shares of a sequence: causal attention is balanced by giving each context rank one piece from the front
/// and one from the back, so there are 2 * cp pieces; under sequence parallelism tensor ranks share each.
void check_sequence(const Scenario& scenario, std::vector<Diagnostic>& faults) {
  const std::int64_t cp = scenario.parallel.cp, sequence = scenario.batch.sequence;
  const std::int64_t tp = scenario.parallel.sequence_parallel ? scenario.parallel.tp : 1;
  if (cp == 1) {
    if (sequence % tp != 0)
      faults.push_back({Code::not_divisible, "/batch/sequence",
                        "sequence " + text(sequence) + " is not divisible by tp " + text(tp),
                        "sequence parallelism gives every tensor rank an equal share of the tokens"});
    return;
  }
  const std::int64_t unit = cp * std::lcm(std::int64_t{2}, tp);
  if (sequence % unit == 0) return;
  faults.push_back(
      {Code::not_divisible, "/batch/sequence",
       "sequence " + text(sequence) + " is not divisible by " +
           (tp > 1 ? "cp " + text(cp) + " x lcm(2, tp " + text(tp) + ")" : "2 x cp " + text(cp)) + " = " +
           text(unit),
       "a context rank holds two equal pieces of the sequence" +
           std::string(tp > 1 ? ", each shared by the tensor ranks" : "")});
}

void check_experts(const Scenario& scenario, std::vector<Diagnostic>& faults) {
  const Experts& experts = *scenario.model->experts;
  const Parallel& p = scenario.parallel;
  const auto refuse = [&](const char* pointer, const std::string& message, const char* why) {
    faults.push_back({Code::not_divisible, pointer, message, why});
  };
  if (experts.count % p.ep != 0)
    refuse("/parallel/ep", text(experts.count) + " experts are not divisible by ep " + text(p.ep),
           "every expert rank holds equally many experts");
  if (experts.ffn_hidden % p.etp != 0)
    refuse("/parallel/etp",
           "the experts' ffn_hidden " + text(experts.ffn_hidden) + " is not divisible by etp " + text(p.etp),
           "expert tensor parallelism splits an expert's columns evenly");
  if (experts.ffn_hidden * experts.shared % p.tp != 0)
    refuse("/parallel/tp",
           "the shared experts' width " + text(experts.ffn_hidden * experts.shared) +
               " is not divisible by tp " + text(p.tp),
           "tensor parallelism splits their columns evenly");
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

/// A list's layers are written out one by one.
void check_length(const Scenario& scenario, std::vector<Diagnostic>& faults) {
  constexpr std::int64_t most = 2'000'000;
  std::int64_t layers = 0, each = 0;
  for (const std::int64_t n : scenario.parallel.layers_per_virtual_stage) layers += n;
  for (const OperatorSpec& op : scenario.operators) each += op.scope == OperatorSpec::Scope::layer;
  if (each > 0 && layers > most / each)
    faults.push_back({Code::too_large, "/parallel/layers_per_virtual_stage",
                      text(layers) + " layers of " + text(each) + " operators are more than " + text(most) +
                          " operators in a replica",
                      "take operators together, or fewer layers"});
}

}  // namespace

std::vector<Diagnostic> check_layout(const Scenario& scenario) {
  std::vector<Diagnostic> faults;
  if (scenario.model) {
    check_tensor(scenario, faults);
    check_sequence(scenario, faults);
    if (scenario.model->experts) check_experts(scenario, faults);
  }
  check_layers(scenario, faults);
  check_length(scenario, faults);
  return faults;
}

}  // namespace prism::workload
