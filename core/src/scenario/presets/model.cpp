// SPDX-License-Identifier: Apache-2.0
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view llama =
    "Llama Team, The Llama 3 Herd of Models, arXiv 2407.21783, table 3; config.json of the published weights";
constexpr std::string_view gpt3 =
    "Brown et al., Language Models are Few-Shot Learners, arXiv 2005.14165, table 2.1; vocabulary padded to "
    "51,200 as "
    "in Narayanan et al., arXiv 2104.04473";

//                      name              layers hidden  ffn    heads kv  head vocabulary gated tied
constexpr ModelPreset presets[] = {
    {"llama-3.1-405b", 126, 16384, 53248, 128, 8, 128, 128256, true, false, llama},
    {"llama-3.1-70b", 80, 8192, 28672, 64, 8, 128, 128256, true, false, llama},
    {"llama-3.1-8b", 32, 4096, 14336, 32, 8, 128, 128256, true, false, llama},
    {"gpt3-175b", 96, 12288, 49152, 96, 96, 128, 51200, false, true, gpt3},
};

}  // namespace

std::span<const ModelPreset> model_presets() { return presets; }

}  // namespace prism::scenario
