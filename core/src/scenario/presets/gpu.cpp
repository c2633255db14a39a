// SPDX-License-Identifier: Apache-2.0
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view a100 = "NVIDIA A100 Tensor Core GPU data sheet (A100 80GB SXM)";
constexpr std::string_view h100 =
    "NVIDIA H100 Tensor Core GPU data sheet (H100 SXM); dense is half of the printed sparse rate";
constexpr std::string_view h200 =
    "NVIDIA H200 Tensor Core GPU data sheet (H200 SXM); dense is half of the printed sparse rate";
constexpr std::string_view b200 =
    "NVIDIA DGX B200 data sheet, divided by 8 GPUs; dense 16-bit is a quarter of the printed sparse FP8 rate";

constexpr std::string_view nvlink3 = "NVIDIA A100 data sheet: NVLink 600 GB/s, both directions together";
constexpr std::string_view nvlink4 =
    "NVIDIA H100 and H200 data sheets: NVLink 900 GB/s, both directions together";
constexpr std::string_view nvlink5 =
    "NVIDIA DGX B200 data sheet: NVLink 14.4 TB/s over 8 GPUs, both directions together";
constexpr std::string_view hdr = "NVIDIA DGX A100 data sheet: eight 200 Gb/s adapters for eight GPUs";
constexpr std::string_view ndr = "NVIDIA DGX H100 data sheet: eight 400 Gb/s adapters for eight GPUs";
constexpr std::string_view ndr_b = "NVIDIA DGX B200 data sheet: eight 400 Gb/s adapters for eight GPUs";

constexpr std::string_view node = "HGX and DGX servers hold eight GPUs";
constexpr std::string_view ring_step =
    "all-reduce sweep on 8 A100 published with vTrain (arXiv 2312.12391, github.com/VIA-Research/vTrain): 81 "
    "us without "
    "data over 14 ring steps";
constexpr std::string_view ring_step_assumed =
    "assumption: as measured on A100 with NVLink (arXiv 2312.12391)";
constexpr std::string_view fabric_step = "assumption: one step of a collective over InfiniBand or RoCE";

constexpr GpuPreset presets[] = {
    {"a100-80gb-sxm",
     {312, a100},
     {80, a100},
     {2039, a100},
     {8, node},
     {300, nvlink3},
     {5.8, ring_step},
     {25, hdr},
     {8, fabric_step}},
    {"h100-sxm",
     {989, h100},
     {80, h100},
     {3350, h100},
     {8, node},
     {450, nvlink4},
     {5.8, ring_step_assumed},
     {50, ndr},
     {8, fabric_step}},
    {"h200-sxm",
     {989, h200},
     {141, h200},
     {4800, h200},
     {8, node},
     {450, nvlink4},
     {5.8, ring_step_assumed},
     {50, ndr},
     {8, fabric_step}},
    {"b200-sxm",
     {2250, b200},
     {180, b200},
     {8000, b200},
     {8, node},
     {900, nvlink5},
     {5.8, ring_step_assumed},
     {50, ndr_b},
     {8, fabric_step}},
};

}  // namespace

std::span<const GpuPreset> gpu_presets() { return presets; }

}  // namespace prism::scenario
