// SPDX-License-Identifier: Apache-2.0
#include "prism/evidence_benchmark.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace prism::evidence_benchmark_test {
namespace {

struct Read {
  Result<CollectiveBenchmark> benchmark;
  Account account;
};
Read read(const std::string& text) {
  BenchmarkReader reader;
  for (std::size_t i = 0; i < text.size(); i += 5) reader.feed(std::string_view(text).substr(i, 5));
  auto b = reader.finish();
  return {std::move(b), reader.account()};
}

TEST(EvidenceBenchmark, new_columns_with_root_and_wrong) {
  const Read r = read(
      "# nThread 1 nGpus 8\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw "
      "  busbw #wrong\n"
      "     1048576        262144     float     sum      -1   100.00   10.49   18.35      0    90.00   11.65 "
      "  20.39      0\n");
  ASSERT_TRUE(r.benchmark);
  ASSERT_EQ(r.benchmark->rows.size(), 1u);
  EXPECT_EQ(r.benchmark->rows[0].bytes, 1048576);
  EXPECT_DOUBLE_EQ(r.benchmark->rows[0].out_of_place_s, 100e-6);
  EXPECT_DOUBLE_EQ(*r.benchmark->rows[0].in_place_s, 90e-6);
  EXPECT_NEAR(r.benchmark->bus_factor, 1.75, 0.001);
}

TEST(EvidenceBenchmark, old_columns_without_root_or_redop_and_without_wrong) {
  const Read r = read(
      "# size count type redop time algbw busbw error time algbw busbw error\n"
      "1048576 262144 float sum 100 10.49 18.35 N/A 90 11.65 20.39 N/A\n"
      "2097152 262144 float 16215 0.13 0.11 N/A 90.5 11.65 20.39 N/A\n");
  ASSERT_TRUE(r.benchmark);
  ASSERT_EQ(r.benchmark->rows.size(), 2u);
  EXPECT_DOUBLE_EQ(r.benchmark->rows[1].out_of_place_s, 16215e-6);
  EXPECT_DOUBLE_EQ(*r.benchmark->rows[1].in_place_s, 90.5e-6);
  const Read bare = read("1048576 262144 float none -1 100 10.49 18.35 0 90 11.65 20.39 0\n");  // no header
  ASSERT_TRUE(bare.benchmark);
  EXPECT_DOUBLE_EQ(bare.benchmark->rows.at(0).out_of_place_s, 100e-6);
}

TEST(EvidenceBenchmark, prefixes_noise_and_not_available) {
  const Read r = read(
      "[1,0]<stdout>:# all_reduce_perf\n"
      "[1,0]<stdout>:  1048576 262144 float sum -1 100.0 10.49 18.35 0 90.0 11.65 20.39 N/A\n"
      "host:3442:3442 [0] NCCL INFO Launch mode Parallel\n"
      "0:  2097152 524288 float sum -1 N/A N/A N/A 0 90.0 11.65 20.39 0\n"
      "0:  4194304 1048576 float sum -1 200.0 20.97 36.7 0 190.0 22.08 38.6 0 extra 1 2 3\n");
  ASSERT_TRUE(r.benchmark);
  EXPECT_EQ(r.benchmark->operation, "all_reduce");
  ASSERT_EQ(r.benchmark->rows.size(), 2u);
  EXPECT_EQ(r.benchmark->rows[1].bytes, 4194304);
  EXPECT_EQ(r.account.records, 5);
  EXPECT_EQ(r.account.used, 2);
}

TEST(EvidenceBenchmark, latency_and_bandwidth_are_found_again) {
  std::string text;
  for (int i = 10; i < 30; ++i) {
    const double bytes = static_cast<double>(1 << i), us = 20 + bytes / 50e3;  // 50 GB/s
    char row[200];
    std::snprintf(row, sizeof row, "%.0f %.0f float sum -1 %.4f %.2f %.2f 0\n", bytes, bytes / 4, us,
                  bytes / us / 1e3, 1.75 * bytes / us / 1e3);
    text += row;
  }
  const Read r = read(text);
  ASSERT_TRUE(r.benchmark);
  const auto f = fit_latency_bandwidth(*r.benchmark);
  ASSERT_TRUE(f);
  EXPECT_NEAR(f->alpha_s, 20e-6, 1e-8);
  EXPECT_NEAR(f->bytes_per_s, 50e9, 1e7);
  EXPECT_EQ(f->rows, 20);
}

TEST(EvidenceBenchmark, text_without_a_table_is_refused) {
  for (const char* text : {"", "hello\nworld\n", "1 2 3\n", "# size count type\n"}) {
    const Read r = read(text);
    ASSERT_FALSE(r.benchmark);
    EXPECT_EQ(r.benchmark.diagnostics.at(0).code, Code::missing_key);
  }
}

}  // namespace
}  // namespace prism::evidence_benchmark_test
