// SPDX-License-Identifier: Apache-2.0
// Traces in the Chrome format as they are found: every oddity is imported or refused with one message,
// wherever the pieces are cut.
#include "prism/evidence_trace.h"

#include <gtest/gtest.h>

#include <string>

namespace prism::evidence_trace_test {
namespace {

struct Read {
  Result<DeviceTrace> trace;
  Account account;
};

Read read_in_pieces(const std::string& text, std::size_t piece) {
  DeviceTraceReader reader;
  for (std::size_t i = 0; i < text.size(); i += piece)
    if (!reader.feed(std::string_view(text).substr(i, piece))) break;
  Result<DeviceTrace> trace = reader.finish();
  return {std::move(trace), reader.account()};
}

/// The same whatever the pieces.
Read read(const std::string& text) {
  const Read whole = read_in_pieces(text, text.size() + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    const Read cut = read_in_pieces(text, piece);
    EXPECT_EQ(whole.trace.value.has_value(), cut.trace.value.has_value()) << text;
    if (whole.trace && cut.trace) {
      EXPECT_EQ(device_trace_json(*whole.trace, whole.account), device_trace_json(*cut.trace, cut.account))
          << text;
    } else if (!cut.trace.diagnostics.empty()) {
      EXPECT_EQ(whole.trace.diagnostics.at(0).message, cut.trace.diagnostics.at(0).message) << text;
    }
  }
  return whole;
}

std::string event(const std::string& name, const std::string& ts, const std::string& dur,
                  const std::string& more = "") {
  return R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"name":")" + name + R"(","ts":)" + ts + R"(,"dur":)" +
         dur + more + "}";
}
std::string object(const std::string& events, const std::string& before = "", const std::string& after = "") {
  return "{" + before + R"("traceEvents":[)" + events + "]" + after + "}";
}
std::int64_t ignored(const Account& a, std::string_view reason) {
  for (const auto& c : a.ignored)
    if (c.what == reason) return c.count;
  return 0;
}

TEST(EvidenceTrace, object_and_bare_array_with_metadata_in_any_order) {
  const std::string e = event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "10.5", "2.25");
  const std::string info =
      R"("distributedInfo":{"backend":"nccl","rank":3,"world_size":8,"pg_config":[{"rank":99}]})";
  for (const std::string& text : {object(e, info + ","), object(e, "", "," + info)}) {
    const Read r = read(text);
    ASSERT_TRUE(r.trace);
    EXPECT_EQ(r.trace->rank, 3);
    EXPECT_EQ(r.trace->world_size, 8);
    EXPECT_EQ(r.trace->recognised, 1);
    EXPECT_EQ(r.trace->collectives.at(0).duration_ns, 2250);
    EXPECT_EQ(r.trace->base_ns, 10500);
  }
  const Read bare = read("[" + e + "," + e + "]");
  ASSERT_TRUE(bare.trace);
  EXPECT_EQ(bare.account.format, "Chrome trace, bare array");
  EXPECT_EQ(bare.trace->kernels.at(0).count, 2);
}

TEST(EvidenceTrace, names_of_collectives) {
  const auto kind = [](const char* name) { return collective_name(name).value_or(CollectiveName{"", ""}); };
  const struct {
    const char *name, *library, *kind;
  } known[] = {
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)", "NCCL", "all_reduce"},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_SIMPLE(ncclDevKernelArgsStorage<4096ul>)", "NCCL",
       "reduce_scatter"},
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "NCCL", "send_recv"},
      {"NCCLKERNEL_ALLGATHER_RING_LL", "NCCL", "all_gather"},
      {"ncclDevKernel_Generic_1(ncclDevKernelArgs)", "NCCL", "other"},
      {"rcclDevKernel_AllToAll", "RCCL", "all_to_all"},
      {"hcom_allReduce_", "HCCL", "all_reduce"},
      {"HcclBroadcast", "HCCL", "broadcast"},
      {"oneccl_allreduce_large", "oneCCL", "all_reduce"},
      {"nccl:_all_gather_base", "NCCL", "all_gather"},
  };
  for (const auto& k : known) {
    EXPECT_EQ(kind(k.name).library, k.library) << k.name;
    EXPECT_EQ(kind(k.name).kind, k.kind) << k.name;
  }
  EXPECT_FALSE(collective_name("void at::native::reduce_kernel<512, 1>"));
  EXPECT_FALSE(collective_name("ampere_sgemm_128x64_tn"));
}

TEST(EvidenceTrace, epoch_sized_numbers_and_numbers_as_strings_lose_nothing) {
  const Read r = read(object(
      event("ncclDevKernel_Broadcast", "1661203462598738.123", "0.001") + "," +
      event("ncclDevKernel_Broadcast", "\"1661203462598739.124\"", "\"1e1\"") + "," +
      event("ncclDevKernel_Broadcast", "1661203462598740.1239", "14", R"(,"id":99999999999999999999999)")));
  ASSERT_TRUE(r.trace);
  ASSERT_EQ(r.trace->collectives.size(), 3u);
  EXPECT_EQ(r.trace->base_ns, 1661203462598738123);
  EXPECT_EQ(r.trace->collectives[0].duration_ns, 1);
  EXPECT_EQ(r.trace->collectives[1].start_ns, 1001);
  EXPECT_EQ(r.trace->collectives[1].duration_ns, 10000);
  EXPECT_EQ(r.trace->collectives[2].start_ns, 2001);
}

TEST(EvidenceTrace, missing_infinite_negative_and_zero_times_are_left_out_and_counted) {
  const std::string good = event("gemm", "1", "2");
  const Read r = read(object(good + "," + event("gemm", "NaN", "2") + "," + event("gemm", "1", "inf") + "," +
                             event("gemm", "1", "-Infinity") + "," + event("gemm", "1", "\"nan\"") + "," +
                             event("gemm", "1", "-5") + "," + event("gemm", "1", "0") + "," +
                             R"({"ph":"X","cat":"kernel","name":"gemm","ts":1})" + "," +
                             R"({"name":"no phase"})" + ",{}"));
  ASSERT_TRUE(r.trace);
  EXPECT_EQ(r.account.records, 10);
  EXPECT_EQ(r.account.used, 1);
  EXPECT_EQ(ignored(r.account, "no finite start"), 1);
  EXPECT_EQ(ignored(r.account, "no finite duration"), 4);
  EXPECT_EQ(ignored(r.account, "negative duration"), 1);
  EXPECT_EQ(ignored(r.account, "zero duration"), 1);
  EXPECT_EQ(ignored(r.account, "events without a phase"), 2);
  EXPECT_DOUBLE_EQ(r.trace->kernels.at(0).most_s, 2e-6);
}

TEST(EvidenceTrace, odd_text_is_read) {
  // Raw control characters, bytes that are no UTF-8, escapes, surrogates, a byte order mark, a comma before
  // the end.
  for (const std::string& name :
       {std::string("a\x01\x1f\tb"), std::string("caf\xe9"), std::string(R"(q\"\\\u00e9\ud83d\ude00\x)"),
        std::string(R"(lone \udc00)")}) {
    const Read r = read(object(event(name, "1", "2")));
    ASSERT_TRUE(r.trace) << name;
    EXPECT_EQ(r.trace->kernel_events, 1);
    EXPECT_NE(device_trace_json(*r.trace, r.account).find("\"count\":1"), std::string::npos);
  }
  EXPECT_TRUE(read("\xef\xbb\xbf" + object(event("k", "1", "2"))).trace);
  EXPECT_TRUE(read(object(event("k", "1", "2") + ",", "", ",")).trace);
}

TEST(EvidenceTrace, an_array_that_is_not_closed_is_read_and_a_cut_object_is_refused) {
  const std::string e = event("k", "1", "2");
  const Read open = read("[" + e + "," + e + ",");
  ASSERT_TRUE(open.trace);
  EXPECT_EQ(open.trace->kernel_events, 2);
  for (const std::string& text : {std::string("{\"traceEvents\":[") + e,
                                  object(e).substr(0, object(e).size() - 1), "[" + e.substr(0, 40)}) {
    const Read cut = read(text);
    ASSERT_FALSE(cut.trace) << text;
    ASSERT_EQ(cut.trace.diagnostics.size(), 1u);
    EXPECT_NE(cut.trace.diagnostics[0].message.find("cut off at byte"), std::string::npos)
        << cut.trace.diagnostics[0].message;
  }
}

TEST(EvidenceTrace, what_is_no_trace_is_refused_with_one_message) {
  const struct {
    std::string text, says;
  } bad[] = {{"", "empty"},
             {"   \n", "empty"},
             {"hello", "not JSON"},
             {"{\"a\":1}", "no traceEvents"},
             {R"({"traceEvents":{"a":1}})", "no traceEvents"},
             {R"({"traceEvents":[{"name":"un"quoted","ph":"X"}]})", "not JSON at byte"},
             {R"({"traceEvents":[{"name":"x" "ph":"X"}]})", "not JSON at byte"},
             {R"({"traceEvents":[{]})", "not JSON at byte"},
             {"[" + std::string(100000, '['), "deeper than 512"},
             {"{\"traceEvents\":[\"" + std::string(200000, 'a'), "cut off"}};
  for (const auto& b : bad) {
    const Read r = read_in_pieces(b.text, 1000);
    ASSERT_FALSE(r.trace) << b.text.substr(0, 60);
    ASSERT_EQ(r.trace.diagnostics.size(), 1u);
    EXPECT_NE(r.trace.diagnostics[0].message.find(b.says), std::string::npos)
        << r.trace.diagnostics[0].message;
  }
}

TEST(EvidenceTrace, no_communication_is_said_loudly) {
  const Read r = read(object(event("gemm", "1", "2")));
  ASSERT_TRUE(r.trace);
  std::string all;
  for (const auto& n : r.account.notes) all += n + "\n";
  EXPECT_NE(all.find("0 of 1 kernels recognised"), std::string::npos);
  EXPECT_NE(all.find("NO COMMUNICATION FOUND"), std::string::npos);
  EXPECT_NE(all.find("does not say its rank"), std::string::npos);
}

TEST(EvidenceTrace, begin_and_end_events_and_several_ranks_in_one_file) {
  const auto on = [](int pid, const char* phase, const char* ts) {
    return R"({"ph":")" + std::string(phase) + R"(","pid":)" + std::to_string(pid) +
           R"(,"tid":1,"name":"ncclDevKernel_AllReduce","ts":)" + ts + "}";
  };
  const std::string name = R"x({"ph":"M","name":"process_name","pid":2,"args":{"name":"Rank 5 (GPU)"}})x";
  const Read r = read(object(on(1, "B", "1") + "," + on(2, "B", "3") + "," + on(1, "E", "11") + "," +
                             on(2, "E", "7") + "," + on(2, "E", "9") + "," + on(1, "B", "20") + "," + name));
  ASSERT_TRUE(r.trace);
  ASSERT_EQ(r.trace->collectives.size(), 2u);
  EXPECT_EQ(r.trace->collectives[0].duration_ns, 10000);
  EXPECT_EQ(r.trace->collectives[1].duration_ns, 4000);
  ASSERT_EQ(r.trace->processes.size(), 2u);
  EXPECT_EQ(r.trace->processes[1].rank, 5);
  EXPECT_EQ(ignored(r.account, "end events without a begin"), 1);
  EXPECT_EQ(ignored(r.account, "begin events without an end"), 1);
  // What waits longer waited for the other: the shortest is the transfer.
  const DeviceTrace traces[] = {*r.trace};
  const MatchedCollectives m = match_collectives(traces);
  ASSERT_EQ(m.names.size(), 1u);
  EXPECT_DOUBLE_EQ(m.names[0].transfer_s.at(0), 4e-6);
  EXPECT_DOUBLE_EQ(m.names[0].waiting_share, 0.3);
}

TEST(EvidenceTrace, steps_of_the_profiler_are_read) {
  const std::string s =
      R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#551","pid":1,"tid":1,"ts":5,"dur":210109.162})";
  const Read r = read(object(s));
  ASSERT_TRUE(r.trace);
  ASSERT_EQ(r.trace->steps.size(), 1u);
  EXPECT_EQ(r.trace->steps[0].number, 551);
  EXPECT_NEAR(r.trace->steps[0].seconds, 0.210109162, 1e-12);
}

TEST(EvidenceTrace, names_and_samples_are_bounded) {
  DeviceTraceReader reader;
  reader.feed("[");
  for (int i = 0; i < 20000; ++i) reader.feed(event("kernel" + std::to_string(i), "1", "2") + ",");
  for (int i = 0; i < 5000; ++i) reader.feed(event("same", "1", std::to_string(1 + i)) + ",");
  const auto trace = reader.finish();
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->kernels.size(), DeviceTrace::most_names + 1);
  EXPECT_EQ(trace->kernel_events, 25000);
  for (const auto& k : trace->kernels) EXPECT_LE(k.samples.size(), DeviceTrace::most_samples);
}

}  // namespace
}  // namespace prism::evidence_trace_test
