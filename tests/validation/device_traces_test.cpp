// SPDX-License-Identifier: Apache-2.0
// Real Kineto traces and nccl-tests logs: the account against an independent count, and memory on a large
// trace.
#include <fstream>

#include "measured_suite.h"
#include "prism/evidence_benchmark.h"
#include "prism/evidence_trace.h"

namespace prism::measured::device_traces_test {
namespace {

class DeviceTraces : public Measured {};

struct Both {
  DeviceTrace trace;
  Account account;
  nlohmann::json json;
};
Both both(const std::string& name) {
  DeviceTraceReader reader;
  std::string text;
  const auto fault = cli::read_pieces(folder() + "/kineto/" + name, [&](std::string_view piece) {
    text += piece;
    return reader.feed(piece);
  });
  if (fault) throw std::runtime_error(*fault);
  auto trace = reader.finish();
  if (!trace) throw std::runtime_error(trace.diagnostics.at(0).message);
  return {std::move(*trace), reader.account(), nlohmann::json::parse(text)};
}

TEST_F(DeviceTraces, counts_agree_with_a_parse_of_the_whole_file) {
  const struct {
    const char* name;
    std::int64_t rank, world, collectives;
  } files[] = {{"a100_nccl_2ranks.json.gz", 0, 2, 21},
               {"cpu_only_300ranks.json.gz", 34, 300, 0},
               {"mi250_rocm.json.gz", -1, -1, 0},
               {"rank_unavailable.json.gz", -1, -1, 0}};
  for (const auto& f : files) {
    const Both b = both(f.name);
    std::int64_t kernels = 0, memory = 0, steps = 0, collectives = 0;
    double kernel_us = 0;
    for (const auto& e : b.json["traceEvents"]) {
      const std::string cat = e.value("cat", ""), name = e.value("name", "");
      const bool lasts = e.value("ph", "") == "X" && e.contains("dur") && e["dur"].get<double>() > 0;
      if (lasts && cat == "kernel") ++kernels, kernel_us += e["dur"].get<double>();
      if (lasts && (cat == "gpu_memcpy" || cat == "gpu_memset")) ++memory;
      if (lasts && cat == "kernel" && name.find("nccl") == 0) ++collectives;
      if (cat == "user_annotation" && name.find("ProfilerStep#") == 0) ++steps;
    }
    EXPECT_EQ(collectives, f.collectives) << f.name;
    EXPECT_EQ(b.account.records, static_cast<std::int64_t>(b.json["traceEvents"].size())) << f.name;
    EXPECT_EQ(b.trace.kernel_events, kernels) << f.name;
    EXPECT_EQ(b.account.used, kernels + memory) << f.name;
    EXPECT_EQ(b.trace.recognised, f.collectives) << f.name;
    EXPECT_EQ(static_cast<std::int64_t>(b.trace.steps.size()), steps) << f.name;
    EXPECT_EQ(b.trace.rank, f.rank) << f.name;
    EXPECT_EQ(b.trace.world_size, f.world) << f.name;
    double total = 0;
    for (const auto& k : b.trace.kernels)
      if (k.kind != "memory") total += k.total_s;
    EXPECT_NEAR(total, kernel_us * 1e-6, 1e-9 + 1e-9 * total) << f.name;
    std::int64_t counted = b.account.used;
    for (const auto& i : b.account.ignored) counted += i.count;
    EXPECT_EQ(counted, b.account.records) << f.name;
  }
}

TEST_F(DeviceTraces, nccl_tests_logs) {
  const struct {
    const char* name;
    std::size_t rows, zero;
    std::int64_t ranks;
    double factor, last_us;
  } files[] = {{"a100_8gpu_allreduce.log", 32, 2, 8, 1.75, 63896},
               {"a100_8gpu_alltoall.log", 29, 5, 8, 0.875, 33508},
               {"a100_8gpu_allreduce_sweep.csv", 1024, 0, 0, 1.75, 0}};
  for (const auto& f : files) {
    BenchmarkReader reader;
    ASSERT_FALSE(cli::read_pieces(folder() + "/nccl-tests/" + f.name, [&](std::string_view piece) {
      reader.feed(piece);
      return true;
    }));
    const auto b = reader.finish();
    ASSERT_TRUE(b) << f.name;
    EXPECT_EQ(b->rows.size(), f.rows) << f.name;
    EXPECT_EQ(b->ranks, f.ranks);
    EXPECT_NEAR(b->bus_factor, f.factor, 0.005) << f.name;
    if (f.last_us > 0) {
      EXPECT_NEAR(b->rows.back().out_of_place_s, f.last_us * 1e-6, 1e-12);
    }
    std::int64_t counted = reader.account().used;
    for (const auto& i : reader.account().ignored) counted += i.count;
    EXPECT_EQ(counted, reader.account().records);
    const auto fit = fit_latency_bandwidth(*b);
    ASSERT_TRUE(fit);
    std::printf("  %s: alpha %.1f us, algbw %.1f GB/s, worst row %.0f %%\n", f.name, fit->alpha_s * 1e6,
                fit->bytes_per_s * 1e-9, 100 * fit->worst_error);
  }
}

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4096;
}

TEST(LargeTrace, a_gigabyte_is_read_in_bounded_memory) {
  if (folder().empty()) GTEST_SKIP() << "takes seconds; runs with PRISM_MEASURED_DATA";
  DeviceTraceReader reader;
  reader.feed(R"({"traceEvents":[)");
  const std::int64_t before = resident_bytes();
  std::int64_t bytes = 0, events = 0;
  std::string piece;
  for (; bytes < (std::int64_t{1} << 30); ++events) {
    piece += R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"name":")";
    piece += events % 5 ? "void gemm_" + std::to_string(events % 9973) + "<float, 128, 64>"
                        : std::string("ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    piece +=
        R"(","ts":)" + std::to_string(1661203462598738 + events * 11) +
        ".125,\"dur\":" + std::to_string(1 + events % 977) +
        R"(.5,"args":{"External id":12353,"queued":0,"device":0,"context":1,"stream":7,"correlation":57541,"grid":[512,1,1]}},)";
    if (piece.size() > (1u << 18)) {
      bytes += static_cast<std::int64_t>(piece.size());
      ASSERT_TRUE(reader.feed(piece));
      piece.clear();
    }
  }
  piece += "]}";
  reader.feed(piece);
  const auto trace = reader.finish();
  ASSERT_TRUE(trace);
  EXPECT_EQ(reader.account().records, events);
  const std::int64_t grown = resident_bytes() - before;
  std::printf("  %.2f GB, %ld events, resident memory grew by %ld MB\n", static_cast<double>(bytes) * 1e-9,
              static_cast<long>(events), static_cast<long>(grown >> 20));
  EXPECT_LT(grown, std::int64_t{128} << 20);
}

}  // namespace
}  // namespace prism::measured::device_traces_test
