// SPDX-License-Identifier: Apache-2.0
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view llama =
    "arXiv 2407.21783, table 5: unexpected interruptions in 54 days on 16,384 H100 (2,048 nodes), by count. "
    "Detection "
    "and restart: assumption, together 10 minutes. Replacement: assumption, hardware of a node is replaced";
constexpr std::string_view rsc =
    "arXiv 2410.21680: node failures of jobs above 128 GPUs. Detection + restart: its 5 minutes. "
    "Replacement: "
    "assumption";
constexpr std::string_view hsdp =
    "arXiv 2602.00277: a failure about every 18 minutes on O(100,000) GPUs, here 12,500 servers of 8; its "
    "rate of 2.3 "
    "per 1,000 servers a day, from a 32,000-GPU job, would give one in 50 minutes. Detection + restart: its "
    "10 minutes "
    "of stall. Replacement: assumption";

/// A row of the Llama 3 table.
FailureCausePreset row(std::string_view name, double count, bool hardware) {
  constexpr double days = 54, nodes = 2048;
  return {name, count / days / nodes * 1000, 3, 7, hardware ? 1.0 : 0.0, llama};
}

}  // namespace

const std::vector<FailurePreset>& failure_presets() {
  static const std::vector<FailurePreset> presets = {
      {"none", "Nothing fails.", {}},
      {"llama-3-2024",
       "Llama 3 405B in 2024: 419 unexpected interruptions in 54 days on 16,384 H100, 3.79 per 1,000 "
       "node-days.",
       {row("faulty GPU", 148, true), row("GPU HBM3 memory", 72, true), row("software bug", 54, false),
        row("network switch or cable", 35, false), row("host maintenance, unplanned", 32, false),
        row("GPU SRAM memory", 19, true), row("GPU system processor", 17, true), row("NIC", 7, true),
        row("NCCL watchdog timeout", 7, false), row("silent data corruption", 6, true),
        row("GPU thermal interface and sensor", 6, true), row("SSD", 3, true), row("power supply", 3, true),
        row("server chassis", 2, true), row("IO expansion board", 2, true), row("dependency", 2, false),
        row("CPU", 2, true), row("system memory", 2, true)}},
      {"meta-rsc-1",
       "Meta's RSC-1, 16,000 A100: 6.50 node failures per 1,000 node-days.",
       {{"node failure", 6.50, 0, 5, 1, rsc}}},
      {"meta-rsc-2",
       "Meta's RSC-2, 8,000 A100: 2.34 node failures per 1,000 node-days.",
       {{"node failure", 2.34, 0, 5, 1, rsc}}},
      {"meta-ft-hsdp-100k",
       "Meta's 100,000-GPU job: a failure about every 18 minutes, 6.4 per 1,000 node-days.",
       {{"any", 80.0 / 12.5, 0, 10, 1, hsdp}}},
  };
  return presets;
}

}  // namespace prism::scenario
