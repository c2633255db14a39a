// SPDX-License-Identifier: Apache-2.0
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view bytedance =
    "ByteDance-Seed/StragglerAnalysis, artifact of arXiv 2505.05713, 64-GPU job without its slow worker: compute CV "
    "0.015 to 0.025, reduce-scatter and all-gather CV up to 0.037; pipeline transfers, which have a second mode, left "
    "out";
constexpr std::string_view spatial =
    "assumption: rank-to-rank spread of 1 %, between the 0.3 to 0.4 % of rank means in the artifact of arXiv "
    "2505.05713 and the 8 % between GPUs of one model in arXiv 2208.11035";
constexpr std::string_view textbook =
    "assumption: 5 % on compute and 15 % on communication, a textbook setting for a shared cluster";
constexpr std::string_view eos =
    "assumption, sized on MLPerf Training v3.1 GPT-3 logs of 512 H100 on InfiniBand (11.05 s steps, p99 1.004, worst "
    "step 1.25 of the median): about one step in a hundred loses a tenth of a second";
constexpr std::string_view greyhound =
    "assumption after arXiv 2410.12588 (shared RoCE cluster): congestion is the main cause of slow spells (13 of 16 "
    "slow jobs of 512 to 1,024 GPUs), which last 72 minutes on average and slow the job by a third";
constexpr std::string_view oracle =
    "assumption, sized on the MLPerf Training v4.1 GPT-3 log of 3,072 H100 on RoCE (step CV 6.3 %, p5 0.893, p95 "
    "1.093 of the median) whose step times wander slowly";
constexpr std::string_view lengths =
    "measured forward CV 0.18 to 0.27 and backward CV 0.31 to 0.44 of a job with variable sequence lengths "
    "(arXiv 2505.05713, figures computed from its artifact); one factor of CV 0.3 for both is an assumption";
constexpr std::string_view assembled =
    "assembled, not measured: lasting rank-to-rank compute factors with a p95-p5 range of 9 % of the median (arXiv "
    "2510.15596 reports 9 to 12 % GPU-time variability at 64k GPUs), the rest chosen so that the example of 65,536 "
    "GPUs has the published p5/p50 = 0.989 and p95/p50 = 1.027";

using Parameters = std::vector<std::pair<std::string_view, double>>;

FactorPreset lognormal(std::string_view what, std::string_view scope, std::string_view period, double cv,
                       std::string_view source) {
  return {what, scope, period, "lognormal", Parameters{{"median", 1}, {"cv", cv}}, source};
}
FactorPreset jitter(std::string_view what, double cv, std::string_view source) {
  return lognormal(what, "operation", "operation", cv, source);
}

}  // namespace

const std::vector<VariabilityPreset>& variability_presets() {
  static const std::vector<VariabilityPreset> presets = {
      {"none", "Every operator takes its base time.", {}},
      {"fresh-5-15",
       "Fresh jitter only, with a coefficient of variation of 5 % on compute and 15 % on communication. It "
       "averages out: compare with the presets that have shared causes.",
       {jitter("compute", 0.05, textbook), jitter("communication", 0.15, textbook)}},
      {"dedicated",
       "A dedicated, healthy cluster: fresh jitter of each operator, and GPUs that differ a little from one "
       "another for the whole run. No congestion, no stalls.",
       {jitter("compute", 0.02, bytedance), jitter("communication", 0.03, bytedance),
        lognormal("compute", "gpu", "run", 0.01, spatial)}},
      {"tight-infiniband",
       "A well-kept InfiniBand cluster: steps almost all alike, and a rare one that stalls.",
       {jitter("compute", 0.02, bytedance), jitter("communication", 0.03, bytedance)},
       {{"communication", 0.05, "exponential", {{"mean_s", 0.1}}, eos}}},
      {"shared-congested",
       "A network shared with other jobs: all transfers between nodes slow down together, for long spells.",
       {jitter("compute", 0.02, bytedance), jitter("communication", 0.15, textbook),
        lognormal("compute", "gpu", "run", 0.01, spatial),
        {"inter_node", "cluster", "step", "two_state",
         {{"slow", 2}, {"share", 0.2}, {"dwell_steps", 400}}, greyhound},
        lognormal("inter_node", "cluster", "step", 0.15, greyhound)}},
      {"roce-wandering",
       "The speed of the network between nodes wanders from step to step.",
       {jitter("compute", 0.02, bytedance), jitter("communication", 0.1, textbook),
        lognormal("compute", "gpu", "run", 0.01, spatial),
        {"inter_node", "cluster", "step", "ar1", {{"cv", 0.5}, {"correlation", 0.9}}, oracle}}},
      {"variable-length",
       "Micro-batches of different content: one factor for all the work of a micro-batch of a replica.",
       {jitter("compute", 0.02, bytedance), jitter("communication", 0.03, bytedance),
        lognormal("compute", "micro_batch", "operation", 0.3, lengths)}},
      {"prism-64k",
       "Assembled to show the published step distribution of a 64k-GPU run; which causes it had was not "
       "published.",
       {jitter("compute", 0.02, bytedance), jitter("communication", 0.1, textbook),
        lognormal("compute", "gpu", "run", 0.027, assembled),
        {"communication", "cluster", "step", "ar1", {{"cv", 0.012}, {"correlation", 0.9}}, assembled}},
       {{"communication", 0.1, "exponential", {{"mean_s", 0.057}}, assembled}}},
  };
  return presets;
}

}  // namespace prism::scenario
