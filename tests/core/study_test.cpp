// SPDX-License-Identifier: Apache-2.0
// Studies against closed forms, on seeds 1 to k, none skipped. Where a figure is compared, the bound is four
// standard errors (a false alarm in 16,000 comparisons). Each claim is shown to fail on a planted fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "distribution/standard_normal.h"
#include "graph/memory.h"
#include "prism/report.h"
#include "prism/simulation.h"
#include "prism/study_report.h"
#include "prism/workload.h"
#include "study/paired.h"

namespace prism::study_test {
namespace {

using nlohmann::json;
using study::Blocked;
using study::Statistic;

StudyQuestion question(StudyKind kind) {
  StudyQuestion q;
  q.kind = kind;
  return q;
}

struct Played {
  StudyPlan plan;
  std::vector<VariantRun> runs;
  StudyResult result;

  std::size_t named(const std::string& name) const {
    for (std::size_t i = 0; i < plan.variants.size(); ++i)
      if (plan.variants[i].name == name) return i;
    ADD_FAILURE() << "no variant " << name;
    return 0;
  }
  const VariantResult& at(const std::string& name) const { return result.variants[named(name)]; }
};

Played play(const std::string& text, const StudyQuestion& q) {
  auto plan = plan_study(text, q);
  if (!plan) throw std::runtime_error(plan.diagnostics.front().message);
  Played p{std::move(*plan), {}, {}};
  for (std::size_t i = 0; i < p.plan.variants.size(); ++i) {
    p.runs.push_back(variant_run(run_variant(p.plan, static_cast<std::int64_t>(i))));
    EXPECT_EQ(p.runs.back().fault, "") << p.plan.variants[i].name;
  }
  p.result = reduce_study(p.plan, p.runs);
  return p;
}

double error_of(const Difference& d) { return (d.seconds.high - d.seconds.low) / 4; }

/// Two normal kinds and a constant one in series on each of `dp` replicas that wait for one another at the
/// end.
constexpr double gemm_s = 1.0, gemm_sd = 0.05, attention_s = 0.5, attention_sd = 0.04;
constexpr int micro_batches = 4;
std::string series(int dp, std::uint64_t seed, int trials = 2048) {
  const auto normal = [](double mean, double sd) {
    return json{{"normal", {{"mean_s", mean}, {"cv", sd / mean}}}};
  };
  json s = {{"title", "normals in series"},
            {"operators",
             {{{"name", "g"},
               {"scope", "layer"},
               {"phase", "forward"},
               {"kind", "gemm"},
               {"latency", normal(gemm_s, gemm_sd)}},
              {{"name", "a"},
               {"scope", "layer"},
               {"phase", "backward"},
               {"kind", "attention"},
               {"latency", normal(attention_s, attention_sd)}},
              {{"name", "e"},
               {"scope", "layer"},
               {"phase", "forward"},
               {"kind", "elementwise"},
               {"latency", {{"constant", {{"value_s", 0.1}}}}}}}},
            {"parallel", {{"dp", dp}}},
            {"batch", {{"micro_batches", micro_batches}}},
            {"run", {{"trials", trials}, {"seed", std::to_string(seed)}}}};
  return R"({"prism":1,)" + s.dump().substr(1);
}

constexpr double mean_of_largest_8 = 1.42360, p95_normal = 1.6448536269514722,
                 p99_normal = 2.3263478740408408;

TEST(Sensitivity, SilencingAKindInSeriesTakesItsVarianceAndLeavesTheMean) {
  const double both = std::sqrt(micro_batches * (gemm_sd * gemm_sd + attention_sd * attention_sd));
  const double rest = std::sqrt(micro_batches) * attention_sd;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Played p = play(series(1, seed), question(StudyKind::sensitivity));
    const VariantResult& v = p.at("gemm without variability");
    EXPECT_NEAR(v.mean_difference.seconds.value, 0, 4 * error_of(v.mean_difference)) << seed;
    EXPECT_NEAR(v.sd_difference.seconds.value, rest - both, 4 * error_of(v.sd_difference)) << seed;
    // The error of a quantile, from 20 blocks, is itself known to a third only.
    EXPECT_NEAR(v.p95_difference.seconds.value, p95_normal * (rest - both), 6 * error_of(v.p95_difference))
        << seed;
    EXPECT_NEAR(v.p50_difference.seconds.value, 0, 6 * error_of(v.p50_difference)) << seed;
    EXPECT_NEAR(v.p99_difference.seconds.value, p99_normal * (rest - both), 6 * error_of(v.p99_difference))
        << seed;
    EXPECT_TRUE(v.sd_difference.differs) << seed;
    // What cannot change is known to be zero.
    EXPECT_EQ(p.at("elementwise without variability").p95_difference.seconds.value, 0);
    EXPECT_FALSE(p.at("elementwise without variability").p95_difference.differs);
  }
}

TEST(Sensitivity, SilencingAKindInParallelShortensTheLatestOfEight) {
  const double both = std::sqrt(micro_batches * (gemm_sd * gemm_sd + attention_sd * attention_sd));
  const double rest = std::sqrt(micro_batches) * gemm_sd;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Played p = play(series(8, seed), question(StudyKind::sensitivity));
    const VariantResult& v = p.at("attention without variability");
    EXPECT_NEAR(v.mean_difference.seconds.value, mean_of_largest_8 * (rest - both),
                4 * error_of(v.mean_difference))
        << seed;
    // Planted fault: the exact answer of seven replicas in place of eight (1.35218) is seen to be wrong where
    // the whole of the variability goes.
    const VariantResult& all = p.at("compute without variability");
    EXPECT_NEAR(all.mean_difference.seconds.value, -mean_of_largest_8 * both,
                4 * error_of(all.mean_difference))
        << seed;
    EXPECT_GT(std::fabs(all.mean_difference.seconds.value + 1.35218 * both),
              2 * error_of(all.mean_difference))
        << seed;
  }
}

// Of 100 seeds 95 at least: the verdict is widened for five comparisons to 1 % a kind, so that more than 5
// false ones come once in 1,900 such tests.
TEST(Sensitivity, KindsWithoutEffectAreNotToldFromZero) {
  int quiet = 0, seen = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Played p = play(series(1, seed, 2048), question(StudyKind::sensitivity));
    // In series a kind's variability has no effect on the mean; that of its p95 is what the test must still
    // see.
    quiet += !p.at("attention without variability").mean_difference.differs;
    seen += p.at("attention without variability").p95_difference.differs;
  }
  EXPECT_GE(quiet, 95);
  EXPECT_GE(seen, 95) << "planted effect";
}

/// One slow stage of `pp`, 1F1B, forward f, backward b, no hops (docs/design/model of the schedule: the
/// closed form of a stage s slower by kappa).
double slow_stage(double f, double b, int pp, int m, int s, double kappa) {
  const double through = (m + pp - 1) * (f + b) + (kappa - 1) * (f + b) * (m - pp + 1 + s);
  const double behind = s * (f + b) + m * kappa * (f + b) + (pp - 1 - s) * std::max(0.0, b - (kappa - 1) * f);
  return std::max(through, behind);
}

std::string pipeline(int pp, int m, double cv) {
  const auto latency = [&](double ms) { return json{{"lognormal", {{"median_ms", ms}, {"cv", cv}}}}; };
  json s = {
      {"operators",
       {{{"name", "f"}, {"scope", "layer"}, {"phase", "forward"}, {"kind", "gemm"}, {"latency", latency(10)}},
        {{"name", "b"},
         {"scope", "layer"},
         {"phase", "backward"},
         {"kind", "gemm"},
         {"latency", latency(20)}}}},
      {"parallel", {{"tp", 8}, {"pp", pp}, {"layers_per_virtual_stage", 1}}},
      {"batch", {{"micro_batches", m}}},
      {"run", {{"trials", 512}, {"seed", "3"}}}};
  return R"({"prism":1,)" + s.dump().substr(1);
}

TEST(Placement, TheStepWithoutVariabilityIsTheClosedFormAtEveryPosition) {
  StudyQuestion q = question(StudyKind::placement);
  q.slow = {1.05, 1.5, 2, 3};
  const int pp = 6, m = 11;
  const Played p = play(pipeline(pp, m, 0.05), q);
  ASSERT_EQ(p.plan.variants.size(), 1u + 4 * pp);
  for (std::size_t i = 1; i < p.plan.variants.size(); ++i) {
    const double kappa = p.plan.variants[i].at[0];
    const int stage = static_cast<int>(p.plan.variants[i].at[1]);
    EXPECT_NEAR(p.runs[i].deterministic_s, slow_stage(0.010, 0.020, pp, m, stage, kappa), 1e-9)
        << p.plan.variants[i].name;
  }
}

TEST(Placement, ASlowPlaceNeverCostsMoreThanItsFactor) {
  StudyQuestion q = question(StudyKind::placement);
  q.slow = {1.1, 2};
  q.count = 2;
  const Played p = play(pipeline(4, 8, 0.1), q);
  EXPECT_EQ(p.plan.variants.size(), 1u + 2 * 6) << "all pairs of four stages";
  for (std::size_t i = 1; i < p.runs.size(); ++i) {
    const double factor = p.plan.variants[i].at[0];
    for (std::size_t t = 0; t < p.runs[i].step_s.size(); ++t) {
      ASSERT_LE(p.runs[i].step_s[t], factor * p.runs[0].step_s[t] * (1 + 1e-6)) << p.plan.variants[i].name;
      ASSERT_GE(p.runs[i].step_s[t], p.runs[0].step_s[t] * (1 - 1e-6));
    }
  }
}

// How much depends on what decides: here the largest cause is shared. A place so slow that it alone decides
// has noise of its own, and the factor falls towards 1 (docs/studies.md).
TEST(CommonNoise, MakesDifferencesOfMeansFiveTimesAsSharp) {
  StudyQuestion q = question(StudyKind::placement);
  q.slow = {1.05};
  const std::string text =
      R"({"prism":1,"model":"gpt3-175b","parallel":{"tp":8,"pp":16,"dp":1,"sequence_parallel":true},
    "batch":{"micro":1,"micro_batches":32,"sequence":2048},"cluster":{"gpu":"h100-sxm"},"variability":"dedicated",
    "run":{"trials":1024,"seed":"3"}})";
  const Played same = play(text, q);
  const Played other = play(edited(text, {{"/run/seed", "\"4\""}}), q);
  double least = 1e9;
  for (std::size_t i = 1; i < same.runs.size(); ++i) {
    const Blocked base(same.runs[0].step_s), slow(same.runs[i].step_s), independent(other.runs[i].step_s);
    const double paired = error_of(difference_of(slow, base, Statistic::mean, 1));
    const double apart = error_of(difference_of(independent, base, Statistic::mean, 1));
    EXPECT_GE(apart / paired, 5) << same.plan.variants[i].name;
    least = std::min(least, apart / paired);
  }
  RecordProperty("least_factor", std::to_string(least));
}

// The latest of n independent replicas, each a sum of normals: its mean and p95 grow as order statistics say.
TEST(Scaling, GrowsAsTheLargestOfIndependentReplicas) {
  constexpr double mean_of_largest[] = {1.42360, 2.34373, 3.24824};
  StudyQuestion q = question(StudyKind::scaling);
  q.gpus = {8, 64, 1024};
  const double one = micro_batches * (gemm_s + attention_s + 0.1);
  const double sd = std::sqrt(micro_batches * (gemm_sd * gemm_sd + attention_sd * attention_sd));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Played p = play(edited(series(8, seed), {{"/run/engine", "\"exact\""}}), q);
    ASSERT_EQ(p.plan.variants.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const VariantResult& v = p.result.variants[i];
      const double n = static_cast<double>(q.gpus[i]);
      const double p95 = detail::normal_quantile(Mass::above(-expm1_exact(log_exact(0.95) / n)));
      EXPECT_NEAR(v.mean.value, one + sd * mean_of_largest[i], (v.mean.high - v.mean.low))
          << seed << " " << n;
      EXPECT_NEAR(v.p95.value, one + sd * p95, (v.p95.high - v.p95.low)) << seed << " " << n;
      // Planted fault: half as many replicas.
      const double half = detail::normal_quantile(Mass::above(-expm1_exact(log_exact(0.95) / (n / 2))));
      EXPECT_GT(std::fabs(v.p95.value - one - sd * half), (v.p95.high - v.p95.low) / 4) << seed << " " << n;
    }
  }
}

TEST(Intervals, HoldTheTruthAsOftenAsTheySay) {
  // Exponential samples by inversion of a low-discrepancy-free stream; 400 of them, 95 % intervals: the
  // number that hold it is between 0.92 and 0.98 of them but once in 100 tests.
  int mean_held = 0, p95_held = 0;
  constexpr int samples = 400;
  std::uint64_t state = 1;
  const auto uniform = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (static_cast<double>(mix64(state) >> 11) + 0.5) / 9007199254740992.0;
  };
  for (int s = 0; s < samples; ++s) {
    std::vector<double> x(2000);
    for (double& v : x) v = -log_exact(uniform());
    const Blocked b(x);
    const Interval mean = interval_of(b, Statistic::mean), p95 = jackknife_interval(b, Statistic::p95);
    mean_held += mean.low <= 1 && 1 <= mean.high;
    const double truth = -log_exact(0.05);
    p95_held += p95.low <= truth && truth <= p95.high;
  }
  EXPECT_GE(mean_held, 0.92 * samples);
  EXPECT_LE(mean_held, 0.98 * samples);
  EXPECT_GE(p95_held, 0.90 * samples);
  EXPECT_LE(p95_held, 0.99 * samples);
}

TEST(Intervals, StudentsQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(study::student(0.025, 9), 2.262157, 2e-3);
  EXPECT_NEAR(study::student(0.025, 39), 2.022691, 1e-4);
  EXPECT_NEAR(study::student(0.005, 39), 2.707913, 1e-3);
}

TEST(Variants, AreScenariosThatPlayTheSame) {
  StudyQuestion q = question(StudyKind::scale_variability);
  q.times = {0, 2};
  const Played p = play(series(8, 1, 256), q);
  const std::size_t i = p.named("compute 2 x, communication 2 x");
  auto scenario = read_scenario(p.plan.variants[i].scenario);
  ASSERT_TRUE(scenario);
  auto workload = build_workload(*scenario);
  auto simulation = prepare_simulation(*workload, scenario->run);
  const std::vector<std::vector<std::byte>> trials{run_unit(**simulation, Phase::trials, 0)};
  const Outcome alone = merge(**simulation, trials, {}, {});
  EXPECT_EQ(alone.step_s, p.runs[i].step_s);
  // Twice the spread of sums of normals, nearly; none at all with 0.
  EXPECT_NEAR(p.result.variants[i].sd.value / p.result.variants[0].sd.value, 2, 0.1);
  EXPECT_EQ(p.at("compute 0 x, communication 0 x").sd.value, 0);
}

TEST(Variants, EditsReachIntoPresetsAndLists) {
  const std::string text = R"({"prism":1,"model":"gpt3-175b","variability":"dedicated","what_if":[{"a":1}]})";
  EXPECT_EQ(
      edited(text, {{"/variability/silenced/-", "\"gemm\""}}),
      R"({"prism":1,"model":"gpt3-175b","variability":{"preset":"dedicated","silenced":["gemm"]},"what_if":[{"a":1}]})");
  EXPECT_EQ(edited(text, {{"/what_if/0/a", "2"}, {"/variability", ""}, {"/model", ""}}),
            R"({"prism":1,"what_if":[{"a":2}]})");
  EXPECT_EQ(edited(text, {{"/what_if/-", "3"}, {"/a~1b", "1"}, {"/no/such", ""}}),
            R"({"prism":1,"model":"gpt3-175b","variability":"dedicated","what_if":[{"a":1},3],"a/b":1})");
}

TEST(Document, IsTheSameWhateverTheOrderOfWorkAndTellsSeedsApart) {
  const auto document = [](std::uint64_t seed, bool backwards) {
    const auto plan = plan_study(series(8, seed, 256), question(StudyKind::sensitivity));
    std::vector<std::vector<std::byte>> parts(plan->variants.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t i = backwards ? parts.size() - 1 - k : k;
      parts[i] = run_variant(*plan, static_cast<std::int64_t>(i));
    }
    return json::parse(study_json(*plan, parts));
  };
  const json one = document(1, false);
  EXPECT_EQ(one, document(1, true));
  EXPECT_NE(one["digest"], document(2, false)["digest"]);
  EXPECT_EQ(one["digest"].get<std::string>().size(), 16u);
  // Silencing all compute takes most off the p95, and stands first.
  EXPECT_EQ(one["answer"]["kinds"][0]["kind"], "compute");
}

TEST(Document, CarriesTheWarningsOfTheScenarioAsAResultDoes) {
  const std::string text = edited(series(1, 1, 128), {{"/variability/silenced", R"(["all_to_all"])"}});
  const auto plan = plan_study(text, question(StudyKind::sensitivity));
  ASSERT_TRUE(plan) << plan.diagnostics[0].message;
  std::vector<std::vector<std::byte>> parts;
  for (std::size_t i = 0; i < plan->variants.size(); ++i)
    parts.push_back(run_variant(*plan, static_cast<std::int64_t>(i)));
  const json warnings = json::parse(study_json(*plan, parts))["warnings"];
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0]["pointer"], "/variability/silenced/0");
  EXPECT_EQ(warnings, json::parse(diagnostics_json(prepare_job(text)->warnings)));
}

TEST(Question, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(read_question(R"({"study":"magic"})").diagnostics[0].code, Code::unknown_name);
  EXPECT_EQ(read_question(R"({"study":"sweep","pointr":"/a"})").diagnostics[0].code, Code::unknown_key);
  EXPECT_EQ(read_question(R"({"study":"placement","slow":"much"})").diagnostics[0].code, Code::wrong_type);
  EXPECT_EQ(read_question("[]").diagnostics[0].code, Code::syntax);
  const auto good = read_question(R"({"study":"sweep","pointer":"/batch/micro","values":[1,2]})");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->values, (std::vector<std::string>{"1", "2"}));
  EXPECT_FALSE(plan_study(series(1, 1, 64), question(StudyKind::sensitivity))) << "too few trials";
}

TEST(Compare, EnumeratesWhatDividesAndFits) {
  const std::string text =
      R"({"prism":1,"model":"llama-3.1-405b","parallel":{"tp":8,"pp":16,"dp":128,"schedule":"1f1b",
    "layers_per_virtual_stage":"front","zero":1,"sequence_parallel":true},"batch":{"global":2048,"micro":1,"sequence":8192},
    "cluster":{"gpu":"h100-sxm"},"run":{"trials":128}})";
  StudyQuestion q = question(StudyKind::compare);
  q.most = 1000;
  const auto plan = plan_study(text, q);
  ASSERT_TRUE(plan) << plan.diagnostics[0].message;
  EXPECT_GE(plan->variants.size(), 101u);
  for (const Variant& v : plan->variants) {
    const auto s = read_scenario(v.scenario);
    ASSERT_TRUE(s) << v.name;
    EXPECT_EQ(s->parallel.world(), 16384) << v.name;
    EXPECT_EQ(s->batch.global, 2048) << v.name;
    const auto account = memory_account(*build_workload(*s));
    ASSERT_TRUE(account);
    if (&v != &plan->variants[0]) {
      EXPECT_NE(fit(account->rank[account->largest].total(), s->cluster.gpu.memory_bytes), Fit::no) << v.name;
    }
  }
}

TEST(Compare, PlaysEveryLayoutOnTheTrialsOfTheBase) {
  StudyQuestion q = question(StudyKind::compare);
  q.layouts = {{"other",
                {{"/run", R"({"trials":384,"seed":"9","engine":"reference"})"},
                 {"/run/seed", "\"7\""},
                 {"/parallel/dp", "2"}}}};
  const Played p = play(series(1, 3, 256), q);
  const auto base = read_scenario(p.plan.variants[0].scenario),
             other = read_scenario(p.plan.variants[1].scenario);
  EXPECT_EQ(other->run.trials, 256);
  EXPECT_EQ(other->run.seed, base->run.seed);
  EXPECT_EQ(other->run.engine, base->run.engine);
  EXPECT_EQ(other->parallel.dp, 2);
}

TEST(Compare, SamplesOfDifferentSizesHaveNoDifference) {
  const std::vector<double> few(256, 1.0), many(1600, 1.0);
  EXPECT_THROW(study::difference_of(Blocked(few), Blocked(many), Statistic::p95, 1), std::logic_error);
}

TEST(Sweep, LeavesTheRunAlone) {
  StudyQuestion q = question(StudyKind::sweep);
  q.values = {"256", "5000"};
  for (const char* pointer : {"/run/trials", "/run/seed", "/run"}) {
    q.pointer = pointer;
    const auto plan = plan_study(series(1, 1, 256), q);
    ASSERT_FALSE(plan) << pointer;
    EXPECT_NE(plan.diagnostics[0].message.find("leaves run alone"), std::string::npos);
  }
}

}  // namespace
}  // namespace prism::study_test
