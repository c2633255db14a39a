// SPDX-License-Identifier: Apache-2.0
// Operator traces whose answers are known beforehand. What was measured is in tests/validation.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "operator_rows.h"
#include "prism/evidence_job.h"
#include "prism/evidence_prediction.h"
#include "prism/report.h"
#include "prism/simulation.h"

namespace prism::evidence_operators_test {
namespace {

using made_up::Job;

std::string type_of(const OperatorTrace& t, std::size_t op) {
  return std::string(op_type_name(t.ops[op].type));
}

TEST(EvidenceOperators, csv_and_json_rows_give_the_same_trace) {
  const Job job;
  const auto rows = made_up::rows_of(job);
  std::string array = "[", lines;
  char text[300];
  for (const auto& r : rows) {
    std::snprintf(
        text, sizeof text,
        R"({"dp_rank":%d,"stage":"%d","rank":%d,"step":%d.0,"optype":"%s","start_ts":%.17g,"duration":%.17g,"seq_id":%d,"mc":0})",
        r.replica, r.stage, r.replica * job.stages + r.stage, 100 + 10 * r.step, r.type.c_str(), r.start,
        r.duration, r.index);
    array += std::string(array.size() > 1 ? "," : "") + text;
    lines += std::string(text) + "\n";
  }
  const OperatorTrace csv = made_up::trace_of(job);
  for (const std::string& json : {array + "]", lines, "{\"rows\":" + array + "]}"}) {
    const auto read = made_up::read(json);
    ASSERT_TRUE(read) << read.diagnostics.at(0).message;
    EXPECT_EQ(read->start, csv.start);
    EXPECT_EQ(read->duration, csv.duration);
    EXPECT_EQ(read->step_numbers, csv.step_numbers);
  }
}

TEST(EvidenceOperators, the_serial_replay_gives_the_recorded_steps) {
  for (const double gap : {0.0, 0.003}) {
    Job job;
    job.replicas = 3;
    job.stages = 4;
    job.gap = gap;
    job.compute = [](bool forward, int r, int s, int k, int step) {
      return (forward ? 1.0 : 2.1) * (1 + 0.03 * ((r * 7 + s * 3 + k * 5 + step * 11) % 9));
    };
    const OperatorTrace trace = made_up::trace_of(job);
    const auto graph = serial_graph(trace);
    ASSERT_TRUE(graph);
    const auto time = transfer_times(trace, *graph);
    for (std::size_t op = 0; op < trace.ops.size(); ++op)
      if (is_p2p(trace.ops[op].type)) {
        EXPECT_NEAR(time[op * 4], job.transfer, 1e-9) << type_of(trace, op);
      }
    const auto step = replay(*graph, time, launch_gaps(trace, *graph, false), trace.steps());
    const auto measured = measured_step_times(trace);
    for (std::size_t s = 0; s < step.size(); ++s) EXPECT_NEAR(step[s], measured[s], 1e-9);
  }
}

TEST(EvidenceOperators, a_job_without_spread_has_no_slow_down_and_nothing_to_explain) {
  const auto w = what_if(made_up::trace_of(Job{}));
  ASSERT_TRUE(w);
  EXPECT_NEAR(w->slowdown, 1, 1e-12);
  EXPECT_TRUE(w->by_type.empty());
  EXPECT_TRUE(w->by_stage.empty());
}

TEST(EvidenceOperators, the_slow_worker_is_named_and_healed) {
  Job job;
  job.replicas = 4;
  job.micro_batches = 8;
  job.compute = [](bool forward, int r, int s, int, int) {
    return (forward ? 1.0 : 2.0) * (r == 2 && s == 1 ? 1.5 : 1);
  };
  const OperatorTrace trace = made_up::trace_of(job);
  const auto e = examine(trace);
  ASSERT_TRUE(e);
  for (const WorkerView& v : e->workers) {
    EXPECT_EQ(v.slow, v.replica == 2 && v.stage == 1);
    EXPECT_NEAR(v.forward, v.slow ? 1.5 : 1, 1e-12);
  }
  EXPECT_EQ(e->answers.slowest, std::vector<int>{2 * 2 + 1});
  Job healthy = job;
  healthy.compute = [](bool forward, int, int, int, int) { return forward ? 1.0 : 2.0; };
  const auto h = what_if(made_up::trace_of(healthy));
  EXPECT_NEAR(e->healthy_s, h->replayed[0], 1e-9);
  // By hand: the slow stage's computes are on the critical path of its replica.
  EXPECT_GT(e->answers.slowdown, 1.25);
  EXPECT_NEAR(e->answers.slowest_workers.removed, 1, 0.3);
}

TEST(EvidenceOperators, rows_that_cannot_be_used_are_counted_and_incomplete_steps_left_out) {
  const Job job;
  const std::string csv = made_up::csv_of(job, made_up::rows_of(job));
  Account account;
  const auto trace = made_up::read(csv +
                                       "0,0,0,100,mystery-op,1,1,0,0,0,0\n"
                                       "0,0,0,100,forward-compute,nan,1,9,0,0,0\n"
                                       "0,0,0,100,forward-compute,1,-1,9,0,0,0\n"
                                       "x,0,0,100,forward-compute,1,1,9,0,0,0\n"
                                       "0,0,0,999,forward-compute,1,1,0,0,0,0\n\n",
                                   &account);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->steps(), job.steps);
  std::int64_t ignored = 0;
  for (const auto& c : account.ignored) ignored += c.count;
  EXPECT_EQ(ignored, 5);
  EXPECT_EQ(account.used + ignored, account.records);
  ASSERT_EQ(account.notes.size(), 1u);
  EXPECT_EQ(account.notes[0], "1 of 5 steps are incomplete and left out");
}

TEST(EvidenceOperators, what_is_no_operator_trace_is_refused) {
  const Job job;
  const auto rows = made_up::rows_of(job);
  const std::string csv = made_up::csv_of(job, rows), header = csv.substr(0, csv.find('\n') + 1);
  auto without_worker = rows, other_program = rows;
  std::erase_if(without_worker, [](const auto& r) { return r.replica == 1 && r.stage == 0; });
  std::erase_if(other_program, [](const auto& r) { return r.replica == 1 && r.type == "gc"; });
  const struct {
    std::string text, says;
  } bad[] = {{"", "empty"},
             {"a,b,c\n1,2,3\n", "missing: dp_rank, stage"},
             {header, "no row"},
             {header + "0,0,0,1,forward-send-recv,1,1,0,0,0,0\n", "combined sends and receives"},
             {header + "0,0,0,1,forward-compute,1,1,0,1,0,1\n", "virtual stages"},
             {made_up::csv_of(job, without_worker), "no rows of replica 1, stage 0"},
             {made_up::csv_of(job, other_program), "replicas (dp_rank) differ"},
             {"[{\"dp_rank\":1", "ends early"},
             {"[{]", "not JSON"}};
  for (const auto& b : bad) {
    const auto trace = made_up::read(b.text);
    ASSERT_FALSE(trace) << b.says;
    EXPECT_EQ(trace.diagnostics.size(), 1u);
    EXPECT_NE(trace.diagnostics[0].message.find(b.says), std::string::npos) << trace.diagnostics[0].message;
  }
}

/// A job of known levels: 2 % fresh, 1 % step level, one worker 4 % slower.
Job with_levels() {
  Job job;
  job.replicas = 4;
  job.micro_batches = 16;
  job.steps = 40;
  job.compute = [](bool forward, int r, int s, int k, int step) {
    const auto normal = [](unsigned a) {
      std::mt19937 random(a);
      return std::normal_distribution<double>()(random);
    };
    const unsigned base = static_cast<unsigned>(step * 1009 + 17);
    const double fresh =
        normal(base * 131 + static_cast<unsigned>(r * 7919 + s * 104729 + k * 15485863 + forward));
    return (forward ? 1.0 : 2.0) * (1 + 0.01 * normal(base)) * (1 + 0.02 * fresh) *
           (r == 1 && s == 0 ? 1.04 : 1);
  };
  return job;
}

TEST(EvidenceOperators, the_decomposition_finds_the_levels_put_in) {
  const OperatorTrace trace = made_up::trace_of(with_levels());
  const Decomposition d = decompose(trace, *serial_graph(trace));
  EXPECT_NEAR(d.spread.fresh, 0.02, 0.001);
  EXPECT_NEAR(d.spread.step, 0.01, 0.0035);
  EXPECT_NEAR(d.worker_mean[0][0][1] / d.worker_mean[0][0][0], 1.04, 0.004);
  // What spread explains is pooled: the other three of the stage are one.
  EXPECT_EQ(d.worker_mean[0][0][0], d.worker_mean[0][0][2]);
}

TEST(EvidenceOperators, held_out_steps_of_a_job_with_levels_are_predicted) {
  const auto v = validate(made_up::trace_of(with_levels()), {});
  ASSERT_TRUE(v);
  EXPECT_LT(std::fabs(v->prediction.error(0.5)), 0.01);
  EXPECT_LT(std::fabs(v->prediction.error(0.95)), 0.015);
  EXPECT_GT(v->prediction.ks_p, 0.05);
  const auto again = validate(made_up::trace_of(with_levels()), {});
  EXPECT_EQ(v->predicted, again->predicted);
  Job short_job;
  short_job.steps = 3;
  EXPECT_EQ(validate(made_up::trace_of(short_job), {}).diagnostics.at(0).code, Code::out_of_range);
}

TEST(EvidenceOperators, cold_steps_and_drift_are_named) {
  Job job;
  job.steps = 20;
  job.compute = [](bool forward, int, int, int, int step) {
    return (forward ? 1.0 : 2.0) * (step < 6 ? 0.97 : 1) * (1 + 1e-4 * (step % 3));
  };
  auto rows = made_up::rows_of(job);
  // The clipping of step 3 takes two seconds more, and what follows moves.
  for (auto& r : rows) {
    if (r.step != 3) continue;
    if (r.type == "optimizer") r.start += 2;
    if (r.type == "optimizer-clip-main-grad") r.duration += 2;
  }
  const auto trace = made_up::read(made_up::csv_of(job, rows));
  const auto found = find_episodes(*trace, *serial_graph(*trace));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].what, "optimizer-clip-main-grad");
  EXPECT_EQ(found[0].steps, std::vector<std::int64_t>{130});
  EXPECT_GT(found[0].lengthens, 0.1);
  EXPECT_EQ(found[1].kind, Episode::Kind::drift);
  EXPECT_EQ(found[1].steps.size(), 6u);
  EXPECT_NEAR(found[1].lengthens, -0.03, 0.001);
}

TEST(EvidenceOperators, ks_distance_by_hand) {
  EXPECT_DOUBLE_EQ(ks_distance({1, 2, 3, 4}, {1, 2, 3, 4}), 0);
  EXPECT_DOUBLE_EQ(ks_distance({1, 2, 3, 4}, {5, 6}), 1);
  EXPECT_DOUBLE_EQ(ks_distance({1, 2, 3, 4}, {2.5}), 0.5);
  EXPECT_DOUBLE_EQ(ks_distance({1, 1, 2}, {1, 2, 2}), 1.0 / 3);
}

TEST(EvidenceOperators, the_scenario_of_a_job_is_one_and_gives_its_step_time) {
  Job job;
  job.replicas = 4;
  job.stages = 3;
  job.micro_batches = 6;
  const OperatorTrace trace = made_up::trace_of(job);
  const auto e = examine(trace);
  const std::string text = scenario_from(trace, *e, "made up");
  const auto prepared = prepare_job(text);
  ASSERT_TRUE(prepared) << prepared.diagnostics.at(0).message;
  // The made-up job runs GPipe with sends that block; 1F1B without them is the same length but for the
  // transfers.
  EXPECT_NEAR(deterministic(*prepared->simulation).step_s / measured_step_times(trace)[0], 1, 0.05);
}

TEST(EvidenceOperators, a_file_without_a_usable_row_says_why) {
  const std::string head = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id\n";
  const auto message = [](const std::string& text) {
    OperatorTraceReader reader;
    reader.feed(text);
    const auto trace = reader.finish();
    return trace ? "" : trace.diagnostics.at(0).message;
  };
  const auto says = [&](const std::string& text, const char* what) {
    EXPECT_NE(message(text).find(what), std::string::npos) << message(text);
  };
  says(head + "0,0,0,0,forward-compute,0,nan,0\n", "start_ts or duration is no finite number");
  says(head + "0,0,0,0,forward-compute,0,-1,0\n", "negative duration");
  says(head + "0,0,0.5,0,forward-compute,0,1,0\n", "rank is no whole number");
  says(head + "0,0,0,0,forward-compute\n", "is no");
  says(head + "0,0,0,0,dance,0,1,0\n", "unknown type dance");
  says("dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,duration\n", "the column duration twice");
}

}  // namespace
}  // namespace prism::evidence_operators_test
