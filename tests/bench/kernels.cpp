// SPDX-License-Identifier: Apache-2.0
// Draws a second of the bare loop and of the engine on the same layout (16 ranks, 64 micro-batches), measured
// in turn in one process. One line of JSON for .ci/bench.mjs. Best of the repetitions: on a shared machine
// the others measure the neighbours.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bare_loop.h"
#include "prism/simulation.h"

namespace {

using namespace prism;

constexpr int ranks = 16, micro_batches = 64;

Distribution lognormal(double median, double cv) {
  for (const ParameterSet& set : find_family("lognormal")->sets)
    if (set.parameters[0].name == "median" && set.parameters[1].name == "cv") {
      const double values[] = {median, cv};
      return std::get<Distribution>(set.make(values));
    }
  std::abort();
}

Workload pipeline() {
  Workload w;
  w.pp = ranks;
  w.micro_batches = micro_batches;
  w.schedule = "1f1b";
  w.shapes = {lognormal(1, 0.05), lognormal(0.1, 0.15)};
  for (const Distribution& shape : w.shapes) w.shape_medians.push_back(tabulate(shape).median());
  const Operator compute{"compute", Kind::gemm, 1, 0}, hop{"hop", Kind::send_recv, 1, 1};
  w.stages.resize(ranks);
  for (StageProgram& s : w.stages) {
    s.forward = {{{compute}, false, {}, Group::none}};
    s.backward = {{{compute, compute}, false, {}, Group::none}};
  }
  w.transfers = {true, hop, hop};
  w.end.rank.resize(ranks);
  return w;
}

double seconds_of(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  const Workload workload = pipeline();
  Run run;
  run.trials = block_trials;
  run.engine = "exact";
  run.attribution_trials = 0;
  auto made = prepare_simulation(workload, run);
  if (!made) return 1;
  const Simulation& simulation = **made;
  const SampleTable table = make_sample_table(tabulate(workload.shapes[0]));

  double bare = 1e9, engine = 1e9;
  volatile double sink = 0;
  constexpr int bare_batches = 4;  // as many lanes as one block of trials
  // Half a second of warm-up each, or V8 measures its baseline compiler.
  constexpr int warm_up = 150, repetitions = 150;
  for (int repetition = 0; repetition < warm_up + repetitions; ++repetition) {
    if (repetition == warm_up) bare = engine = 1e9;
    bare = std::min(bare, seconds_of([&] {
                      for (int i = 0; i < bare_batches; ++i)
                        sink = bench::bare_loop(table, ranks, micro_batches,
                                                static_cast<std::uint64_t>(repetition * 1000 + i * 64));
                    }));
    engine = std::min(engine, seconds_of([&] { run_unit(simulation, Phase::trials, 0); }));
  }
  const double bare_draws = bare_batches * static_cast<double>(bench::bare_loop_draws(ranks, micro_batches));
  std::printf("{\"bare_draws_per_s\": %.0f, \"engine_draws_per_s\": %.0f}\n", bare_draws / bare,
              unit_draws(simulation, Phase::trials) / engine);
}
