// SPDX-License-Identifier: Apache-2.0
// The engine against distributions with a closed form: sums, maxima over ranks and replicas, order
// statistics, maxima of correlated sums. Each statistic may lie 4 standard errors from its known value, on
// seeds 1 ... 20 with none skipped: a false alarm in 6.3e-5 of comparisons, about 1 % over the whole file.
// `Detects` tests plant a fault and see it rejected.
#include <gtest/gtest.h>

#include <cmath>

#include "pipelines.h"
#include "statistics.h"

namespace prism::simulation_known_answers_test {
namespace {

using test::Estimate;
using test::Pipeline;
using test::Sample;

constexpr std::uint64_t seeds = 20;
constexpr std::int64_t trials = 8192;

struct Known {
  double mean, sd;
};

/// Largest deviation from the known mean and sd over all seeds, in standard errors. `bias` is what tables and
/// floats may add, relative to the mean.
double worst_deviation(const Workload& w, Known known, const std::string& engine = "exact",
                       double bias = 2e-6) {
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Sample sample(test::run(w, trials, seed, engine).outcome.step_s);
    auto deviation = [&](Estimate e, double truth) {
      return std::max(0.0, std::abs(e.value - truth) - bias * known.mean) / e.error;
    };
    worst = std::max({worst, deviation(sample.mean(), known.mean), deviation(sample.sd(), known.sd)});
  }
  return worst;
}

/// One rank that does nothing but `m` chunks of the given forward latency.
Workload chain(const Distribution& latency, std::int64_t m) {
  Pipeline p(1, 1, 1, m);
  p.every_stage({Pipeline::compute({p.op(Kind::gemm, latency)})}, {});
  return p.w;
}

TEST(KnownAnswers, ChainOfGammasIsAGamma) {
  // 12 chunks of shape 2.5: a gamma of shape 30.
  const Distribution g = test::distribution("gamma", {"shape", "scale"}, {2.5, 0.2});
  EXPECT_LT(worst_deviation(chain(g, 12), {30 * 0.2, std::sqrt(30.0) * 0.2}), 4);
}

TEST(KnownAnswers, DetectsAChainThatIsOneChunkShort) {
  const Distribution g = test::distribution("gamma", {"shape", "scale"}, {2.5, 0.2});
  EXPECT_GT(worst_deviation(chain(g, 11), {30 * 0.2, std::sqrt(30.0) * 0.2}), 4);
}

TEST(KnownAnswers, SumOfManyOperatorsInOneChunkKeepsMeanAndSd) {
  Pipeline p(1, 1, 1, 3);
  std::vector<Operator> ops;
  double mean = 0, variance = 0;
  for (int i = 1; i <= 10; ++i) {
    ops.push_back(p.op(Kind::gemm, test::lognormal(0.01 * i, 0.05 * i)));
    mean += p.w.shapes.back().mean();
    variance += p.w.shapes.back().sd() * p.w.shapes.back().sd();
  }
  p.every_stage({Pipeline::compute(ops)}, {});
  EXPECT_LT(worst_deviation(p.w, {3 * mean, std::sqrt(3 * variance)}, "exact", 1e-5), 4);
}

// Mean and standard deviation of the largest of n standard normals (Tippett 1925; the means also in David and
// Nagaraja, Order Statistics, table 3.2).
struct Largest {
  std::int64_t n;
  double mean, sd;
};
constexpr Largest largest_normal[] = {{8, 1.42360, 0.61065}, {64, 2.34373, 0.44405}};

TEST(KnownAnswers, TensorGroupWaitsForItsSlowestRank) {
  for (const Largest& l : largest_normal) {
    Pipeline p(l.n, 1, 1, 1);
    p.every_stage({Pipeline::collective({p.op(Kind::gemm, test::normal(1, 0.02))},
                                        Pipeline::fixed(0.5, Kind::all_reduce))},
                  {Pipeline::collective({}, Pipeline::fixed(0.25, Kind::all_reduce))});
    EXPECT_LT(worst_deviation(p.w, {1.75 + 0.02 * l.mean, 0.02 * l.sd}), 4) << l.n;
  }
}

TEST(KnownAnswers, DetectsAGroupThatLacksOneRank) {
  Pipeline p(7, 1, 1, 1);
  p.every_stage({Pipeline::collective({p.op(Kind::gemm, test::normal(1, 0.02))},
                                      Pipeline::fixed(0.5, Kind::all_reduce))},
                {Pipeline::collective({}, Pipeline::fixed(0.25, Kind::all_reduce))});
  EXPECT_GT(worst_deviation(p.w, {1.75 + 0.02 * 1.42360, 0.02 * 0.61065}), 4);
}

/// d replicas of one chunk each, that meet in a collective at the end of the step.
Workload replicas(const Distribution& latency, std::int64_t d) {
  Pipeline p(1, 1, d, 1);
  p.every_stage({Pipeline::compute({p.op(Kind::gemm, latency)})}, {});
  p.at_end({Pipeline::collective({}, Pipeline::fixed(0.125, Kind::all_reduce), Group::data)});
  return p.w;
}

TEST(KnownAnswers, ReplicasWaitForTheSlowest) {
  for (const Largest& l : largest_normal)
    EXPECT_LT(worst_deviation(replicas(test::normal(1, 0.02), l.n), {1.125 + 0.02 * l.mean, 0.02 * l.sd}), 4)
        << l.n;
}

TEST(KnownAnswers, LargestOfExponentialsIsAHarmonicNumber) {
  const int n = 64;
  double harmonic = 0, variance = 0;
  for (int i = 1; i <= n; ++i) {
    harmonic += 1.0 / i;
    variance += 1.0 / i / i;
  }
  const Workload w = replicas(test::distribution("exponential", {"mean"}, {1}), n);
  EXPECT_LT(worst_deviation(w, {0.125 + harmonic, std::sqrt(variance)}), 4);
}

TEST(KnownAnswers, FastPathKnowsTheSlowestOfManyReplicas) {
  // 1,024 and 131,072 replicas, of which 4 are simulated. A makespan of 32 chunks; its sd is 0.02 sqrt(32).
  // The law of the rest is a cubic in z fitted to a pilot of 131,072: errors of the coefficients of 1, z, z^2
  // - 1 and z^3 - 3z with variances 1, 1/2, 1/6, 1/24 in units of sd^2 / 131,072.
  for (const Largest& l : {Largest{1024, 3.24824, 0.3544}, Largest{131072, 4.44304, 0.2656}}) {
    Pipeline p(1, 1, l.n, 32);
    p.every_stage({Pipeline::compute({p.op(Kind::gemm, test::normal(1, 0.02))})}, {});
    p.at_end({Pipeline::collective({}, Pipeline::fixed(0.125, Kind::all_reduce), Group::data)});
    const double sd = 0.02 * std::sqrt(32.0), z = l.mean;
    const double cubic =
        1 + z * z / 2 + (z * z - 1) * (z * z - 1) / 6 + z * z * (z * z - 3) * (z * z - 3) / 24;
    const double pilot = sd * std::sqrt(cubic / 131072);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto result = test::run(p.w, trials, seed, "fast");
      ASSERT_EQ(result.account.path, "fast");
      const Estimate mean = Sample(result.outcome.step_s).mean();
      EXPECT_NEAR(mean.value, 32.125 + sd * l.mean, 4 * std::hypot(mean.error, pilot))
          << l.n << " seed " << seed;
    }
  }
}

TEST(KnownAnswers, LargerOfTwoCorrelatedSumsFollowsClark) {
  // GPipe on two ranks, two micro-batches. Rank 1 starts its second forward at max(a1 + a2, a1 + c1); all the
  // rest is constant. Clark (Operations Research 9, 1961) gives the moments of the maximum of two correlated
  // normals.
  Pipeline p(1, 2, 1, 2, "gpipe");
  const double a = 1, sa = 0.05, c = 1.02, sc = 0.08;
  p.w.stages[0].forward = {Pipeline::compute({p.op(Kind::gemm, test::normal(a, sa / a))})};
  p.w.stages[1].forward = {Pipeline::compute({p.op(Kind::gemm, test::normal(c, sc / c))})};
  p.w.stages[0].backward = p.w.stages[1].backward = {Pipeline::compute({Pipeline::fixed(1)})};
  // Step = max(a1 + a2, a1 + c1) + c2 + 3 (two backwards on rank 1, the last one on rank 0).
  const double theta = std::sqrt(sa * sa + sc * sc), alpha = (a - c) / theta;
  const double density = std::exp(-alpha * alpha / 2) / std::sqrt(2 * M_PI);
  const double below = 0.5 * std::erfc(-alpha / std::sqrt(2.0));
  const double mean = 2 * a * below + (a + c) * (1 - below) + theta * density;
  const double square = (4 * a * a + 2 * sa * sa) * below +
                        ((a + c) * (a + c) + sa * sa + sc * sc) * (1 - below) +
                        (2 * a + a + c) * theta * density;
  EXPECT_LT(worst_deviation(p.w, {mean + c + 3, std::sqrt(square - mean * mean + sc * sc)}), 4);
}

TEST(KnownAnswers, MedianAndNinetyFifthOfOneLognormalChunk) {
  const Distribution law = test::lognormal(2, 0.4);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Sample sample(test::run(chain(law, 1), trials, seed).outcome.step_s);
    for (double p : {0.05, 0.5, 0.95, 0.99}) {
      const Estimate q = sample.quantile(p);
      EXPECT_NEAR(q.value, law.quantile(Mass::below(p)), 4 * q.error) << p << " seed " << seed;
    }
  }
}

TEST(KnownAnswers, ConstantsGiveTheDeterministicStepInEveryTrial) {
  Pipeline p(4, 4, 16, 8);
  p.every_stage({Pipeline::collective({Pipeline::fixed(0.75)}, Pipeline::fixed(0.25, Kind::all_reduce))},
                {Pipeline::collective({Pipeline::fixed(1.5)}, Pipeline::fixed(0.5, Kind::all_reduce))});
  p.at_end({Pipeline::collective({}, Pipeline::fixed(0.5, Kind::reduce_scatter), Group::data),
            Pipeline::collective({}, Pipeline::fixed(0.125, Kind::all_reduce), Group::world),
            Pipeline::collective({Pipeline::fixed(0.25, Kind::optimizer)},
                                 Pipeline::fixed(0.5, Kind::all_gather), Group::data)});
  const auto result = test::run(p.w, 300, 1, "fast", 64);
  EXPECT_DOUBLE_EQ(result.deterministic.step_s, 11 * 3 + 0.5 + 0.125 + 0.25 + 0.5);
  for (double step : result.outcome.step_s) EXPECT_NEAR(step, result.deterministic.step_s, 1e-5);
  for (int k = 0; k < kind_count; ++k)
    EXPECT_NEAR(result.outcome.critical_path_s[k], result.deterministic.critical_path_s[k], 1e-4);
}

TEST(KnownAnswers, AttributedSecondsAddUpToTheStep) {
  Pipeline p(2, 3, 4, 6);
  const Operator ar = p.op(Kind::all_reduce, test::lognormal(0.02, 0.3));
  p.every_stage({Pipeline::collective({p.op(Kind::gemm, test::lognormal(0.1, 0.1))}, ar)},
                {Pipeline::collective({p.op(Kind::attention, test::lognormal(0.2, 0.1))}, ar)});
  const Operator hop = p.op(Kind::send_recv, test::lognormal(0.01, 0.5));
  p.hops(hop, hop);
  p.at_end({Pipeline::collective({}, p.op(Kind::reduce_scatter, test::lognormal(0.1, 0.2)), Group::data)});
  const auto result = test::run(p.w, 512, 1, "exact", 512);
  double path = 0;
  for (double s : result.outcome.critical_path_s) path += s;
  const Sample sample(result.outcome.step_s);
  // Same seeds but other draws: two samples of one distribution.
  EXPECT_NEAR(path, sample.mean().value, 4 * std::sqrt(2.0) * sample.mean().error);
  for (const auto& rank : result.outcome.rank)
    EXPECT_NEAR(rank.compute_s + rank.communication_s + rank.idle_s, path, 1e-4);
}

}  // namespace
}  // namespace prism::simulation_known_answers_test
