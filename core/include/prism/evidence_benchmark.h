// SPDX-License-Identifier: Apache-2.0
// Output of nccl-tests and rccl-tests: measured times of one collective by message size, without waiting for
// anybody.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prism/evidence.h"

namespace prism {

struct CollectiveBenchmark {
  struct Row {
    std::int64_t bytes;
    std::string type;       ///< as printed: float, bfloat16, ...
    double out_of_place_s;  ///< time of one operation
    std::optional<double> in_place_s;
    double bus_bytes_per_s;        ///< as printed: busbw; 0 where the file rounds it away
    double algorithm_bytes_per_s;  ///< bytes / time
  };
  std::string operation;   ///< all_reduce, ..., or empty: the file does not say
  std::int64_t ranks = 0;  ///< 0: the file does not say
  std::vector<Row> rows;

  /// busbw / algbw as printed, median over rows large enough to tell: 2 (n-1)/n for an all-reduce over n
  /// ranks, (n-1)/n for all-gather, reduce-scatter and all-to-all. 0: not to be told.
  double bus_factor = 0;
};

class BenchmarkReader {
 public:
  BenchmarkReader();
  ~BenchmarkReader();
  BenchmarkReader(BenchmarkReader&&) noexcept;
  void feed(std::string_view piece);
  /// Call once. Refused: no row of a table.
  Result<CollectiveBenchmark> finish();
  const Account& account() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// time = alpha + bytes / rate, fitted to relative errors by least squares over rows of at least `from`
/// bytes.
struct LatencyBandwidth {
  double alpha_s, bytes_per_s;
  double worst_error;  ///< largest relative error of a row
  int rows;
};
std::optional<LatencyBandwidth> fit_latency_bandwidth(const CollectiveBenchmark& b, std::int64_t from = 1);
std::string benchmark_json(const CollectiveBenchmark& b, const Account& account);

}  // namespace prism
