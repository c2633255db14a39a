// SPDX-License-Identifier: Apache-2.0
// Timelines: a step checked by hand, and what holds in any: chunks follow the order of their rank and the
// transfers they wait for, each rank's seconds add up to the step, and the path that decided it has no gap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "prism/timeline.h"
#include "scenario_files.h"

namespace prism::report_timeline_test {
namespace {

using Json = nlohmann::ordered_json;

/// The record is in 32-bit floats.
constexpr std::int64_t rounding_ns = 100;

Json answer_of(const Json& scenario, Json question = {{"study", "timeline"}}) {
  const auto plan = plan_timeline(scenario.dump(), question.dump());
  EXPECT_TRUE(plan) << diagnostics_json(plan.diagnostics);
  Parts parts;
  for (std::size_t i = 0; i < timeline_units(*plan); ++i) parts.push_back(run_timeline_unit(*plan, i));
  return Json::parse(timeline_json(*plan, parts));
}

Json varied(const char* schedule, int virtual_stages) {
  Json s = test::job();
  s["parallel"].update(
      {{"tp", 8}, {"pp", 4}, {"dp", 16}, {"schedule", schedule}, {"virtual_stages", virtual_stages}});
  s["batch"] = {{"micro", 1}, {"micro_batches", 8}, {"sequence", 2048}};
  s["variability"] = "shared-congested";
  s["run"] = {{"trials", 256}, {"seed", "3"}};
  return s;
}

// Two ranks, four micro-batches, 1F1B: forward 10 ms, backward 20 ms, transfers 1 ms, at the end 5 ms and 2
// ms.
TEST(Timeline, OfTheTeachingExampleIsTheOneByHand) {
  const Json answer =
      answer_of(Json::parse(test::read_file(test::source_dir + "/examples/teaching-operators.json")));
  const Json &chunks = answer["chunks"], &step = answer["steps"][0];
  EXPECT_NEAR(step["step_s"].get<double>(), 0.161, 1e-7);
  const auto expect = [&](int rank, int pass, int micro_batch, double start_ms, double end_ms,
                          double wait_ms) {
    for (std::size_t i = 0; i < chunks["rank"].size(); ++i) {
      if (chunks["rank"][i] != rank || chunks["pass"][i] != pass || chunks["micro_batch"][i] != micro_batch)
        continue;
      EXPECT_NEAR(step["start_ns"][i].get<double>(), 1e6 * start_ms, 100)
          << rank << " " << pass << " " << micro_batch;
      EXPECT_NEAR(step["end_ns"][i].get<double>(), 1e6 * end_ms, 100);
      EXPECT_NEAR(step["wait_ns"][i].get<double>(), 1e6 * wait_ms, 100);
      return;
    }
    ADD_FAILURE() << "no such chunk";
  };
  expect(0, 0, 0, 0, 10, 0);
  expect(0, 0, 1, 10, 20, 0);
  expect(1, 0, 0, 11, 21, 11);
  expect(1, 1, 0, 21, 41, 0);
  expect(0, 1, 0, 42, 62, 22);
  expect(1, 0, 1, 41, 51, 0);
  expect(1, 1, 1, 51, 71, 0);
  expect(0, 0, 2, 62, 72, 0);
  expect(1, 0, 2, 73, 83, 2);
  expect(0, 1, 3, 134, 154, 10);
}

TEST(Timeline, HoldsTogether) {
  for (const auto& [schedule, virtual_stages] : {std::pair{"1f1b", 1}, std::pair{"gpipe", 1},
                                                 std::pair{"zb-h1", 1}, std::pair{"interleaved-1f1b", 2}}) {
    const Json answer = answer_of(varied(schedule, virtual_stages));
    const Json& chunks = answer["chunks"];
    for (const Json& step : answer["steps"]) {
      std::vector<std::int64_t> free(4, 0);
      const auto at = [&](const char* key, std::size_t i) { return step[key][i].get<std::int64_t>(); };
      std::int64_t first = -1, broken = 0, last = 0;
      for (std::size_t i = 0; i < chunks["rank"].size(); ++i) {
        std::int64_t& own = free[chunks["rank"][i].get<std::size_t>()];
        EXPECT_LE(std::abs(at("start_ns", i) - own - at("wait_ns", i)), 2);
        EXPECT_GE(at("wait_ns", i), 0);
        EXPECT_LE(at("communication_ns", i), at("end_ns", i) - at("start_ns", i) + 1000);
        const int source = chunks["waits_for"][i];
        if (source >= 0) {
          const auto from = static_cast<std::size_t>(source);
          EXPECT_GE(at("start_ns", i) + rounding_ns, at("end_ns", from) + at("transfer_ns", from)) << i;
        }
        if (step["critical"][i] == 1) {
          if (first < 0) first = at("start_ns", i);
          // The path goes on where the rank's own chunk before ended, or with a transfer from a chunk on the
          // path.
          if (at("wait_ns", i) > 0 && source >= 0)
            broken += step["critical"][static_cast<std::size_t>(source)] == 0 && at("start_ns", i) > last;
          last = std::max(last, at("end_ns", i));
        }
        own = at("end_ns", i);
      }
      EXPECT_EQ(first, 0) << schedule;
      EXPECT_EQ(broken, 0) << schedule;
      for (const Json& rank : step["ranks"]) {
        double sum = 0;
        for (const auto& [what, seconds] : rank.items()) {
          EXPECT_GE(seconds.get<double>(), -1e-6) << what;
          sum += seconds.get<double>();
        }
        EXPECT_NEAR(sum, step["step_s"].get<double>(), 1e-6);
      }
    }
    EXPECT_LT(answer["steps"][0]["step_s"], answer["steps"][1]["step_s"]);
  }
}

TEST(Timeline, ShowsTheQuantilesAskedFor) {
  const Json all =
      answer_of(varied("1f1b", 1), {{"study", "timeline"}, {"masses", {0.001, 0.25, 0.5, 0.999}}});
  ASSERT_EQ(all["steps"].size(), 4u);
  const auto plan = plan_timeline(varied("1f1b", 1).dump(), R"({"study": "timeline"})");
  Parts parts;
  for (std::size_t i = 0; i < timeline_units(*plan); ++i) parts.push_back(run_timeline_unit(*plan, i));
  auto steps = attributed_steps(*plan->job.simulation, parts);
  ASSERT_EQ(steps.size(), 256u);
  for (const Json& step : all["steps"])
    EXPECT_EQ(step["step_s"].get<double>(), steps[step["trial"].get<std::size_t>()]);
  std::sort(steps.begin(), steps.end());
  EXPECT_EQ(all["steps"][0]["step_s"].get<double>(), steps[0]);
  EXPECT_EQ(all["steps"][1]["step_s"].get<double>(), steps[64]);
  EXPECT_EQ(all["steps"][2]["step_s"].get<double>(), steps[128]);
  EXPECT_EQ(all["steps"][3]["step_s"].get<double>(), steps[255]);
}

void expect_refused(const Json& scenario, const Json& question, const std::string& pointer) {
  const auto plan = plan_timeline(scenario.dump(), question.dump());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.diagnostics[0].pointer, pointer) << plan.diagnostics[0].message;
}

TEST(Timeline, RefusesWhatItCannotShow) {
  const Json question = {{"study", "timeline"}};
  Json s = varied("1f1b", 1);
  expect_refused(s, {{"study", "timeline"}, {"masses", {1.5}}}, "/masses");
  expect_refused(s, {{"study", "timeline"}, {"masses", Json::array()}}, "/masses");
  expect_refused(s, {{"study", "timeline"}, {"mass", 0.5}}, "/mass");
  s["run"]["attribution_trials"] = 0;
  expect_refused(s, question, "/run/attribution_trials");
  s = varied("1f1b", 1);
  s["run"]["engine"] = "reference";
  expect_refused(s, question, "/run/engine");
  s = varied("1f1b", 1);
  s["batch"]["micro_batches"] = 6400;
  expect_refused(s, question, "/batch");
  s["batch"]["micro_batches"] = -1;
  expect_refused(s, question, "/batch/micro_batches");
}

}  // namespace
}  // namespace prism::report_timeline_test
