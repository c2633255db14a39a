// SPDX-License-Identifier: Apache-2.0
#include "prism/evidence_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <pcg_random.hpp>

#include "prism/report.h"

namespace prism::evidence_steps_test {
namespace {

struct Read {
  Result<StepLog> log;
  Account account;
};
Read read(const std::string& text) {
  StepLogReader reader;
  for (std::size_t i = 0; i < text.size(); i += 3) reader.feed(std::string_view(text).substr(i, 3));
  auto log = reader.finish();
  return {std::move(log), reader.account()};
}

TEST(EvidenceSteps, csv_with_runs_and_units) {
  const Read r = read("run,step,step_time_ms\r\n0,0,1500\r\n1,0,1600\r\n0,1,bad\r\n0,2,1510\r\n0,3,-1\r\n");
  ASSERT_TRUE(r.log);
  ASSERT_EQ(r.log->runs.size(), 2u);
  EXPECT_EQ(r.log->runs[0].seconds, (std::vector<double>{1.5, 1.51}));
  EXPECT_EQ(r.log->runs[1].seconds, std::vector<double>{1.6});
  EXPECT_EQ(r.account.records, 5);
  EXPECT_EQ(r.account.used, 3);
}

TEST(EvidenceSteps, lines_of_megatron_and_nemo) {
  const Read m = read(
      "using world size: 8\n"
      " iteration        1/     100 | consumed samples:  512 | elapsed time per iteration (ms): 1234.5 | "
      "learning rate: 1.0E-05 |\n"
      " iteration        2/     100 | elapsed time per iteration (ms): 1.2e3 | lm loss: 7\n");
  ASSERT_TRUE(m.log);
  EXPECT_EQ(m.log->runs.at(0).seconds, (std::vector<double>{1.2345, 1.2}));
  EXPECT_EQ(m.account.used, 2);
  const Read n = read(
      "Epoch 0: 1%| train_step_timing in s=2.5, loss=3\rEpoch 0: 2%| train_step_timing in s=2.75]\n:::MLLOG "
      "{\"value\": {\"train_step_time\": 3.25}}\n");
  ASSERT_TRUE(n.log);
  EXPECT_EQ(n.log->runs.at(0).seconds, (std::vector<double>{2.5, 2.75, 3.25}));
}

TEST(EvidenceSteps, plain_numbers_are_seconds_and_say_so) {
  const Read r = read("1.5\n1.6\n\noops\n1.7");
  ASSERT_TRUE(r.log);
  EXPECT_EQ(r.log->runs.at(0).seconds, (std::vector<double>{1.5, 1.6, 1.7}));
  EXPECT_EQ(r.account.notes.at(0), "plain numbers are taken as seconds");
  for (const char* text : {"", "hello\n", "run,step\n1,2\n", "seconds\nnan\n"})
    EXPECT_EQ(read(text).log.diagnostics.at(0).code, Code::missing_key) << text;
}

/// Quantiles of a known law, evenly spread and mixed.
std::vector<double> steps_of(const StepFit& law, int n) {
  const Distribution d = distribution_of(law);
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(d.quantile(Mass::below(((i * 7919) % n + 0.5) / n)));
  return out;
}

TEST(EvidenceSteps, the_fit_finds_body_second_mode_and_stalls_again) {
  StepFit law;
  law.median = 2;
  law.body_sd = 0.002;
  law.second_weight = 0.08;
  law.second_at = 0.97;
  law.stall_rate = 0.05;
  law.stall_size = 0.02;
  law.stall_from = 0.007;
  const auto fit = fit_steps(steps_of(law, 2003));
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->parameters(), 6);
  EXPECT_NEAR(fit->median, 2, 0.001);
  EXPECT_NEAR(fit->body_sd, 0.002, 0.0002);
  EXPECT_NEAR(fit->second_weight, 0.08, 0.004);
  EXPECT_NEAR(fit->second_at, 0.97, 0.001);
  EXPECT_NEAR(fit->stall_rate, 0.05, 0.006);
  EXPECT_NEAR(fit->stall_size, 0.02, 0.003);
  EXPECT_NEAR(distribution_of(*fit).median(), fit->median, 1e-5);
}

TEST(EvidenceSteps, a_body_alone_needs_two_parameters) {
  StepFit law;
  law.median = 5;
  law.body_sd = 0.01;
  const auto fit = fit_steps(steps_of(law, 501));
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->parameters(), 2);
  EXPECT_EQ(fit_steps(std::vector<double>(19, 1.0)).diagnostics.at(0).code, Code::out_of_range);
  std::vector<double> zero(30, 1.0);
  zero[3] = 0;
  EXPECT_EQ(fit_steps(zero).diagnostics.at(0).code, Code::out_of_range);
}

TEST(EvidenceSteps, the_distribution_is_one_a_scenario_takes) {
  StepFit law;
  law.median = 2;
  law.body_sd = 0.01;
  law.stall_rate = 0.02;
  law.stall_size = 0.1;
  law.stall_from = 0.035;
  for (const StepFit& f : {law, *fit_steps(steps_of(law, 400))}) {
    const std::string scenario =
        R"({"prism":1,"operators":[{"name":"step","scope":"step","kind":"compute_other","latency":)" +
        distribution_json(f) + R"(}],"batch":{"micro_batches":1}})";
    const auto job = prepare_job(scenario);
    EXPECT_TRUE(job) << job.diagnostics.at(0).message << " " << job.diagnostics.at(0).pointer << scenario;
  }
}

TEST(EvidenceSteps, extreme_values_are_counted_or_refused_never_fatal) {
  std::string ordinary;
  for (int i = 0; i < 200; ++i) ordinary += std::to_string(1 + 0.0001 * (i * 37 % 200)) + "\n";
  const Read one = read(ordinary + "1e30\n5e-324\n");
  ASSERT_TRUE(one.log);
  EXPECT_EQ(one.account.used, 200);
  ASSERT_EQ(one.account.ignored.size(), 1u);
  EXPECT_EQ(one.account.ignored[0].count, 2);
  EXPECT_TRUE(fit_steps(one.log->runs[0].seconds));
  for (const char* value : {"1e100\n", "5e-324\n"}) {
    std::string all;
    for (int i = 0; i < 100; ++i) all += value;
    EXPECT_FALSE(read(all).log) << value;
  }
  // Whatever the numbers are, the fit is a law or a fault.
  for (const double odd : {1e-300, 1e-9, 1e9, 1e30, 1e100, 1e300})
    for (const std::size_t n : {1u, 50u, 150u}) {
      std::vector<double> steps(200, 1.0);
      for (std::size_t i = 0; i < n; ++i) steps[i] = odd * (1 + 0.001 * static_cast<double>(i));
      const auto fit = fit_steps(steps);
      if (fit) EXPECT_TRUE(std::isfinite(distribution_of(*fit).median())) << odd << " " << n;
    }
}

TEST(EvidenceSteps, a_step_takes_as_long_as_its_slowest_worker) {
  const Read by_step = read("step,worker,step_time_s\n1,0,2\n1,1,3\n2,0,2.5\n2,1,2.25\n");
  ASSERT_TRUE(by_step.log);
  EXPECT_EQ(by_step.log->runs.at(0).seconds, (std::vector<double>{3, 2.5}));
  EXPECT_EQ(by_step.account.used, 4);
  EXPECT_NE(by_step.account.notes.at(1).find("slowest worker"), std::string::npos);
  const Read by_worker = read("rank,step,step_time_s\n0,1,2\n0,2,2.5\n1,1,3\n1,2,2.25\n0,2,4\n1,2,5\n");
  ASSERT_TRUE(by_worker.log);
  EXPECT_EQ(by_worker.log->runs.at(0).seconds, (std::vector<double>{3, 2.5, 5})) << "step 2 after a restart";
}

TEST(EvidenceSteps, rows_of_one_step_need_to_say_whose_they_are) {
  const auto twice = read("step,step_time_s\n1,2\n1,3\n2,2\n2,3\n").log;
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.diagnostics[0].message.find("step 1 stands in two rows"), std::string::npos);
  EXPECT_FALSE(read("worker,step_time_s\n0,2\n1,3\n").log);
  const Read restarted = read("step,step_time_s\n1,2\n2,3\n1,2\n2,3.5\n");
  ASSERT_TRUE(restarted.log);
  EXPECT_EQ(restarted.log->runs.at(0).seconds.size(), 4u);
  EXPECT_NE(restarted.account.notes.at(1).find("2 steps come again"), std::string::npos);
}

}  // namespace
}  // namespace prism::evidence_steps_test
