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

constexpr CostModelPreset presets[] = {
    {"a100-80gb-sxm",
     {0.80, a100_fit},
     {110, overhead},
     {0.65, memory},
     {0, unfused},
     {0.55, flash_rate},
     {0.80, nvlink_a100},
     {1150, floor_time},
     {4, gradients},
     {30, adam},
     {0, exposed},
     {0, exposed}},
    {"h100-sxm",
     {0.64, h100_fit},
     {110, overhead},
     {0.65, memory},
     {1, flash},
     {0.55, flash_rate},
     {0.80, nvlink},
     {1150, floor_time},
     {4, gradients},
     {30, adam},
     {0, exposed},
     {0, exposed}},
    {"other",
     {0.64, not_fitted},
     {110, overhead},
     {0.65, memory},
     {1, flash},
     {0.55, flash_rate},
     {0.80, nvlink},
     {1150, floor_time},
     {4, gradients},
     {30, adam},
     {0, exposed},
     {0, exposed}},
};

}  // namespace

std::span<const CostModelPreset> cost_model_presets() { return presets; }

}  // namespace prism::scenario
