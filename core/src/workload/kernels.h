// SPDX-License-Identifier: Apache-2.0
// Seconds of single kernels on one GPU.
#pragma once

#include <algorithm>

#include "prism/scenario.h"

namespace prism::workload {

/// Activations and weights are 16-bit in every product and collective.
inline constexpr double word = 2;

class Kernels {
 public:
  Kernels(const Gpu& gpu, const CostModel& cost) : gpu_(gpu), cost_(cost) {}

  // A product takes its arithmetic at a constant share of the peak plus a constant (tile tails, gaps, small
  // kernels), and never less than reading and writing its matrices. The constant is what a saturating
  // efficiency e0 * F / (F + F0) amounts to. `matrices`: as many weights share the m rows, one after another.
  double product_s(double m, double n, double k, double matrices = 1) const {
    const double arithmetic =
        2 * m * n * k / (gpu_.peak_flops * cost_.gemm_efficiency) + cost_.gemm_overhead_s;
    return std::max(arithmetic, memory_s(word * (m * k + matrices * k * n + m * n)));
  }
  /// The same in 16 bits, whatever the training precision: the head is not computed in fewer.
  double wide_product_s(double m, double n, double k) const {
    const double arithmetic = 2 * m * n * k / (wide_peak() * cost_.gemm_efficiency) + cost_.gemm_overhead_s;
    return std::max(arithmetic, memory_s(word * (m * k + k * n + m * n)));
  }
  double memory_s(double bytes) const { return bytes / (gpu_.memory_bytes_per_s * cost_.memory_efficiency); }
  /// Products of attention scores, in 16 bits.
  double score_product_s(double flops) const {
    return flops / (wide_peak() * cost_.gemm_efficiency) + cost_.gemm_overhead_s;
  }
  double flash_s(double flops) const { return flops / (wide_peak() * cost_.attention_efficiency); }

 private:
  double wide_peak() const {
    return gpu_.attention_peak_flops > 0 ? gpu_.attention_peak_flops : gpu_.peak_flops;
  }

  Gpu gpu_;
  CostModel cost_;
};

}  // namespace prism::workload
