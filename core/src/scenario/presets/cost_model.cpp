// SPDX-License-Identifier: Apache-2.0
// The assumed numbers of the cost model. They trade against each other (efficiency, overhead and memory
// efficiency above all): never read one alone as a fact about the hardware.
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view a100_fit =
    "assumption: fitted to step times on A100 published with vTrain (arXiv 2312.12391), 16-bit training";
constexpr std::string_view h100_fit =
    "assumption: fitted to the step times of Llama 3 405B on H100 (arXiv 2407.21783, table 4), BF16";
constexpr std::string_view not_fitted = "assumption: as for h100-sxm; not fitted to a run on this GPU";
constexpr std::string_view overhead =
    "assumption: stands for tile tails, gaps and small kernels without an operator of their own; fitted on "
    "A100 (arXiv "
    "2312.12391) and kept in seconds";
constexpr std::string_view memory =
    "assumption: fused element-wise kernels reach 0.5 to 0.8 of the data sheet's bandwidth";
constexpr std::string_view unfused =
    "assumption: the A100 runs that the other values were fitted to did not use flash attention";
constexpr std::string_view flash = "assumption: training on this GPU uses flash attention";
constexpr std::string_view flash_rate =
    "assumption: FlashAttention-2 reaches 0.5 to 0.6 of the dense peak, forward and backward (arXiv "
    "2307.08691)";
constexpr std::string_view nvlink_a100 =
    "assumption: 0.8; all-reduce over NVLink sustains 235 of 300 GB/s (sweep on 8 A100 published with "
    "vTrain, arXiv 2312.12391)";
constexpr std::string_view nvlink =
    "assumption: 0.8; all-reduce over NVLink is taken to sustain about 370 of 450 GB/s";
constexpr std::string_view floor_time =
    "assumption: launching one layer's kernels from the host, without CUDA graphs; fitted on A100 (arXiv "
    "2312.12391)";
constexpr std::string_view gradients =
    "assumption: gradients are reduced in 32 bits, as Megatron-LM does by default";
constexpr std::string_view adam =
    "assumption: Adam in mixed precision reads and writes about 30 bytes a parameter";
constexpr std::string_view exposed = "assumption: nothing is hidden";

constexpr std::string_view fp8_fit =
    "assumption: fitted to the median steps of GPT-3 175B and Llama 3.1 405B in FP8 on H100 (MLPerf Training "
    "v3.1, v4.1, v5.0), together with tp_overlap";
constexpr std::string_view fp8_blackwell =
    "assumption: as for h100-sxm in FP8; not fitted to a run on this GPU";
constexpr std::string_view fp4_guess = "assumption: as for FP8; no run in FP4 was compared with";
constexpr std::string_view half_hidden =
    "assumption: Transformer Engine overlaps the tensor-parallel collectives with products; half is taken as "
    "hidden, a choice made together with gemm_efficiency on the FP8 runs on H100";
constexpr std::string_view mostly_hidden =
    "assumption: the optimizer's gathers and the gradients' reductions run beside forward and backward "
    "passes, as in NVIDIA's FP8 runs; chosen on those on H100";

constexpr std::string_view paired =
    "assumption: Megatron-LM sends one way while it receives the other way, so half of the two transfers of a "
    "slot is waited for";

constexpr CostModelPreset a100{
    "a100-80gb-sxm",     "bf16",          {0.80, a100_fit},    {110, overhead}, {0.65, memory},
    {0, unfused},        {0.55, flash_rate}, {0.80, nvlink_a100}, {1150, floor_time}, {4, gradients},
    {30, adam},          {0, exposed},    {0, exposed}, {0.5, paired}};
constexpr CostModelPreset h100{
    "h100-sxm",          "bf16",          {0.64, h100_fit},    {110, overhead}, {0.65, memory},
    {1, flash},          {0.55, flash_rate}, {0.80, nvlink},      {1150, floor_time}, {4, gradients},
    {30, adam},          {0, exposed},    {0, exposed}, {0.5, paired}};

/// The entry for another GPU or precision: the same but for the efficiency.
constexpr CostModelPreset as(CostModelPreset p, std::string_view gpu, Figure efficiency) {
  p.gpu = gpu;
  p.gemm_efficiency = efficiency;
  return p;
}
constexpr CostModelPreset in_fp8(CostModelPreset p, std::string_view precision, Figure efficiency) {
  p.precision = precision;
  p.gemm_efficiency = efficiency;
  p.tp_overlap = {0.5, half_hidden};
  p.dp_overlap = {0.8, mostly_hidden};
  return p;
}

constexpr CostModelPreset other = as(h100, "other", {0.64, not_fitted});
constexpr CostModelPreset presets[] = {
    a100,
    h100,
    in_fp8(h100, "fp8", {0.68, fp8_fit}),
    as(a100, "a100-40gb-sxm", {0.80, a100_fit}),
    other,
    in_fp8(other, "fp8", {0.68, fp8_blackwell}),
    in_fp8(other, "fp4", {0.68, fp4_guess}),
};

}  // namespace

std::span<const CostModelPreset> cost_model_presets() { return presets; }

}  // namespace prism::scenario
