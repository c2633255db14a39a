// SPDX-License-Identifier: Apache-2.0
// Milliseconds of one deterministic estimate, from the scenario's text to the step's seconds, by number of
// GPUs. One line of JSON for .ci/bench.mjs. Best of the repetitions: on a shared machine the others measure
// the neighbours.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "prism/simulation.h"

namespace {

std::string llama_405b(int dp, int micro_batches) {
  return R"({"prism": 1, "model": "llama-3.1-405b", "parallel": {"tp": 8, "pp": 16, "dp": )" +
         std::to_string(dp) +
         R"(, "schedule": "interleaved-1f1b", "virtual_stages": 8,
             "layers_per_virtual_stage": "one-less-first-and-last", "zero": 1, "sequence_parallel": true},
             "batch": {"micro": 1, "micro_batches": )" +
         std::to_string(micro_batches) + R"(, "sequence": 8192},
             "cluster": {"gpu": "h100-sxm"}, "variability": "dedicated"})";
}

double milliseconds_of(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  const auto scenario = prism::read_scenario(text);
  const auto workload = prism::build_workload(*scenario);
  const volatile double step_s = *prism::median_step_s(*workload);
  (void)step_s;
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  struct Case {
    int dp, micro_batches;
  };
  const char* separator = "{";
  for (const Case c : {Case{1, 16}, {8, 16}, {128, 16}, {1024, 16}, {1024, 128}}) {
    const std::string text = llama_405b(c.dp, c.micro_batches);
    double best = 1e9;
    for (int i = 0; i < 60; ++i) best = std::min(best, milliseconds_of(text));
    std::printf("%s\"%d GPUs, %d micro-batches\": %.3f", separator, 128 * c.dp, c.micro_batches, best);
    separator = ", ";
  }
  std::printf("}\n");
}
