// SPDX-License-Identifier: Apache-2.0
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view a100 = "NVIDIA A100 Tensor Core GPU data sheet (A100 80GB SXM)";
constexpr std::string_view a100_40 = "NVIDIA A100 Tensor Core GPU data sheet (A100 40GB SXM)";
constexpr std::string_view h100 =
    "NVIDIA H100 Tensor Core GPU data sheet (H100 SXM); dense is half of the printed sparse rate";
constexpr std::string_view h100_pcie =
    "NVIDIA H100 PCIe GPU product brief and data sheet; dense is half of the printed sparse rate";
constexpr std::string_view h200 =
    "NVIDIA H200 Tensor Core GPU data sheet (H200 SXM); dense is half of the printed sparse rate";
constexpr std::string_view h800 =
    "as the NVIDIA H100 SXM data sheet: the H800 differs from it in NVLink (DeepSeek-AI, arXiv 2505.09343)";
constexpr std::string_view b200 =
    "NVIDIA DGX B200 data sheet, divided by 8 GPUs; dense 16-bit is a quarter, dense FP8 half of the printed "
    "sparse FP8 rate";
constexpr std::string_view b200_fp4 =
    "NVIDIA DGX B200 data sheet, divided by 8 GPUs; dense is half of the printed sparse FP4 rate";
constexpr std::string_view gb200 =
    "NVIDIA GB200 NVL72 data sheet, divided by 72 GPUs; dense is half of the printed sparse rate";
constexpr std::string_view mi300x = "AMD Instinct MI300X data sheet, dense rates";

constexpr std::string_view nvlink3 = "NVIDIA A100 data sheet: NVLink 600 GB/s, both directions together";
constexpr std::string_view nvlink4 =
    "NVIDIA H100 and H200 data sheets: NVLink 900 GB/s, both directions together";
constexpr std::string_view nvlink_h800 =
    "DeepSeek-AI, Insights into DeepSeek-V3, arXiv 2505.09343: NVLink 400 GB/s, both directions together";
constexpr std::string_view nvlink5 =
    "NVIDIA DGX B200 data sheet: NVLink 14.4 TB/s over 8 GPUs, both directions together";
constexpr std::string_view nvlink5_rack =
    "NVIDIA GB200 NVL72 data sheet: NVLink 130 TB/s over 72 GPUs, both directions together";
constexpr std::string_view pcie5 =
    "NVIDIA H100 data sheet: PCIe Gen5 128 GB/s, both directions together; bridges between pairs are not "
    "counted";
constexpr std::string_view infinity =
    "AMD Instinct MI300X data sheet: seven links of 128 GB/s, both directions together";
constexpr std::string_view hdr = "NVIDIA DGX A100 data sheet: eight 200 Gb/s adapters for eight GPUs";
constexpr std::string_view ndr = "NVIDIA DGX H100 data sheet: eight 400 Gb/s adapters for eight GPUs";
constexpr std::string_view ndr_h800 =
    "DeepSeek-AI, Insights into DeepSeek-V3, arXiv 2505.09343: eight 400 Gb/s adapters for eight GPUs";
constexpr std::string_view ndr_b = "NVIDIA DGX B200 data sheet: eight 400 Gb/s adapters for eight GPUs";
constexpr std::string_view ndr_rack =
    "NVIDIA GB200 NVL72 reference design: four 400 Gb/s adapters for the four GPUs of a compute tray";
constexpr std::string_view half_ndr = "assumption: one 400 Gb/s adapter for two PCIe GPUs";
constexpr std::string_view ndr_assumed = "assumption: eight 400 Gb/s adapters for eight GPUs";

constexpr std::string_view node = "HGX and DGX servers hold eight GPUs";
constexpr std::string_view tray = "NVIDIA GB200 NVL72 data sheet: a compute tray holds four GPUs";
constexpr std::string_view eight = "assumption: eight GPUs in a server";
constexpr std::string_view oam = "AMD Instinct MI300X platform data sheet: eight GPUs on a board";
constexpr std::string_view whole_node = "the links join the GPUs of one server";
constexpr std::string_view rack = "NVIDIA GB200 NVL72 data sheet: NVLink joins 72 GPUs";
constexpr std::string_view ring_step =
    "nccl-tests on 8 A100 published with microsoft/superbenchmark: an all-reduce of no bytes takes 35 us, that "
    "is 14 ring steps";
constexpr std::string_view ring_step_assumed =
    "assumption: as measured on A100 with NVLink (nccl-tests log published with microsoft/superbenchmark)";
constexpr std::string_view fabric_step = "assumption: one step of a collective over InfiniBand or RoCE";
constexpr std::string_view none_printed = "the data sheet names no such rate";

constexpr GpuPreset presets[] = {
    {"a100-80gb-sxm", {312, a100}, {0, none_printed}, {0, none_printed}, {80, a100}, {2039, a100}, {8, node},
     {8, whole_node}, {300, nvlink3}, {2.5, ring_step}, {25, hdr}, {8, fabric_step}, true},
    {"h100-sxm", {989, h100}, {1979, h100}, {0, none_printed}, {80, h100}, {3350, h100}, {8, node},
     {8, whole_node}, {450, nvlink4}, {2.5, ring_step_assumed}, {50, ndr}, {8, fabric_step}, true},
    {"h200-sxm", {989, h200}, {1979, h200}, {0, none_printed}, {141, h200}, {4800, h200}, {8, node},
     {8, whole_node}, {450, nvlink4}, {2.5, ring_step_assumed}, {50, ndr}, {8, fabric_step}, false},
    {"b200-sxm", {2250, b200}, {4500, b200}, {9000, b200_fp4}, {180, b200}, {8000, b200}, {8, node},
     {8, whole_node}, {900, nvlink5}, {2.5, ring_step_assumed}, {50, ndr_b}, {8, fabric_step}, true},
    {"gb200-nvl72", {2500, gb200}, {5000, gb200}, {10000, gb200}, {186, gb200}, {8000, gb200}, {4, tray},
     {72, rack}, {900, nvlink5_rack}, {2.5, ring_step_assumed}, {50, ndr_rack}, {8, fabric_step}, true},
    {"a100-40gb-sxm", {312, a100_40}, {0, none_printed}, {0, none_printed}, {40, a100_40}, {1555, a100_40},
     {8, node}, {8, whole_node}, {300, nvlink3}, {2.5, ring_step}, {25, hdr}, {8, fabric_step}, false},
    {"h100-pcie", {756, h100_pcie}, {1513, h100_pcie}, {0, none_printed}, {80, h100_pcie}, {2000, h100_pcie},
     {8, eight}, {8, whole_node}, {64, pcie5}, {2.5, ring_step_assumed}, {25, half_ndr}, {8, fabric_step},
     false},
    {"h800-sxm", {989, h800}, {1979, h800}, {0, none_printed}, {80, h800}, {3350, h800}, {8, node},
     {8, whole_node}, {200, nvlink_h800}, {2.5, ring_step_assumed}, {50, ndr_h800}, {8, fabric_step}, false},
    {"mi300x", {1307.4, mi300x}, {2614.9, mi300x}, {0, none_printed}, {192, mi300x}, {5300, mi300x}, {8, oam},
     {8, whole_node}, {448, infinity}, {2.5, ring_step_assumed}, {50, ndr_assumed}, {8, fabric_step}, false},
};

}  // namespace

std::span<const GpuPreset> gpu_presets() { return presets; }

}  // namespace prism::scenario
