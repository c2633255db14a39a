// SPDX-License-Identifier: Apache-2.0
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view llama31 =
    "Llama Team, The Llama 3 Herd of Models, arXiv 2407.21783, table 3; config.json of the published weights";
constexpr std::string_view llama3 = "config.json of the published weights (meta-llama/Meta-Llama-3)";
constexpr std::string_view llama2 =
    "Touvron et al., Llama 2, arXiv 2307.09288; config.json of the published weights";
constexpr std::string_view gpt3 =
    "Brown et al., Language Models are Few-Shot Learners, arXiv 2005.14165, table 2.1; vocabulary padded to "
    "51,200 as in Narayanan et al., arXiv 2104.04473";
constexpr std::string_view megatron =
    "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, arXiv 2205.05198, "
    "table 3; vocabulary 51,200";
constexpr std::string_view mixtral =
    "Jiang et al., Mixtral of Experts, arXiv 2401.04088, table 1; config.json of the published weights";
constexpr std::string_view mixtral_large =
    "config.json of the published weights (mistralai/Mixtral-8x22B-v0.1)";
constexpr std::string_view deepseek =
    "DeepSeek-AI, DeepSeek-V3 Technical Report, arXiv 2412.19437, section 4.2; config.json of the published "
    "weights; the multi-token prediction module is left out";
constexpr std::string_view qwen25 = "Qwen Team, Qwen2.5, arXiv 2412.15115; config.json of the published weights";
constexpr std::string_view qwen3 =
    "Qwen Team, Qwen3, arXiv 2505.09388, table 2; config.json of the published weights";

//                      name              layers hidden  ffn    heads kv  head vocabulary gated tied
constexpr ModelPreset presets[] = {
    {"llama-3.1-405b", 126, 16384, 53248, 128, 8, 128, 128256, true, false, llama31},
    {"llama-3.1-70b", 80, 8192, 28672, 64, 8, 128, 128256, true, false, llama31},
    {"llama-3.1-8b", 32, 4096, 14336, 32, 8, 128, 128256, true, false, llama31},
    {"gpt3-175b", 96, 12288, 49152, 96, 96, 128, 51200, false, true, gpt3},
    {"gpt-22b", 48, 6144, 24576, 64, 64, 96, 51200, false, true, megatron},
    {"gpt-530b", 105, 20480, 81920, 128, 128, 160, 51200, false, true, megatron},
    {"gpt-1t", 128, 25600, 102400, 160, 160, 160, 51200, false, true, megatron},
    {"llama-3-70b", 80, 8192, 28672, 64, 8, 128, 128256, true, false, llama3},
    {"llama-3-8b", 32, 4096, 14336, 32, 8, 128, 128256, true, false, llama3},
    {"llama-2-70b", 80, 8192, 28672, 64, 8, 128, 32000, true, false, llama2},
    {"llama-2-13b", 40, 5120, 13824, 40, 40, 128, 32000, true, false, llama2},
    {"llama-2-7b", 32, 4096, 11008, 32, 32, 128, 32000, true, false, llama2},
    {"mixtral-8x7b", 32, 4096, 14336, 32, 8, 128, 32000, true, false, mixtral, {8, 2, 14336, 0, 0}},
    {"mixtral-8x22b", 56, 6144, 16384, 48, 8, 128, 32768, true, false, mixtral_large, {8, 2, 16384, 0, 0}},
    {"deepseek-v3", 61, 7168, 18432, 128, 128, 128, 129280, true, false, deepseek, {256, 8, 2048, 1, 3},
     {1536, 512, 64, 128}},
    {"qwen2.5-72b", 80, 8192, 29568, 64, 8, 128, 152064, true, false, qwen25},
    {"qwen3-235b-a22b", 94, 4096, 12288, 64, 4, 128, 151936, true, false, qwen3, {128, 8, 1536, 0, 0}},
};

}  // namespace

std::span<const ModelPreset> model_presets() { return presets; }

}  // namespace prism::scenario
