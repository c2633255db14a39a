// SPDX-License-Identifier: Apache-2.0
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view bytedance =
    "ByteDance-Seed/StragglerAnalysis, artifact of arXiv 2505.05713, 64-GPU job without its slow worker: "
    "compute CV 0.015 "
    "to 0.025, reduce-scatter and all-gather CV up to 0.037; pipeline transfers, which have a second mode, "
    "left out";
constexpr std::string_view assumed =
    "assumption: 5 % on compute and 15 % on communication, a textbook setting for a shared cluster";

}  // namespace

const std::vector<VariabilityPreset>& variability_presets() {
  static const std::vector<VariabilityPreset> presets = {
      {"none", "Every operator takes its base time.", {}},
      {"dedicated",
       "Fresh jitter of each operator on a dedicated, healthy cluster. It holds fresh jitter only: no slow "
       "GPUs, no "
       "congestion, no stalls, so the spread of real steps is wider.",
       {{"compute", "operation", "operation", "lognormal", {{"median", 1}, {"cv", 0.02}}, bytedance},
        {"communication", "operation", "operation", "lognormal", {{"median", 1}, {"cv", 0.03}}, bytedance}}},
      {"fresh-5-15",
       "Fresh jitter with a coefficient of variation of 5 % on compute and 15 % on communication.",
       {{"compute", "operation", "operation", "lognormal", {{"median", 1}, {"cv", 0.05}}, assumed},
        {"communication", "operation", "operation", "lognormal", {{"median", 1}, {"cv", 0.15}}, assumed}}},
  };
  return presets;
}

}  // namespace prism::scenario
