// SPDX-License-Identifier: Apache-2.0
// The fast path (a few replicas simulated, one draw for the slowest of the rest) against the exact path of
// the same seed, where every replica is simulated.
//
// Limits: p95 within 0.1 % and 5 % of p95 - p50, mean within 0.02 %, each plus 4 standard errors of the
// difference of two samples; Kolmogorov-Smirnov distance within 0.02 plus 2.36 sqrt(2/n), that of two
// samples.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "pipelines.h"
#include "statistics.h"

namespace prism::simulation_fast_test {
namespace {

using test::Estimate;
using test::Pipeline;
using test::Sample;

Workload replicated(std::int64_t tp, std::int64_t pp, std::int64_t dp, std::int64_t m, double cv) {
  Pipeline p(tp, pp, dp, m);
  const Operator compute = p.op(Kind::gemm, test::lognormal(0.1, cv));
  const Operator collective = p.op(Kind::all_reduce, test::lognormal(0.02, 3 * cv));
  p.every_stage({Pipeline::collective({compute}, collective)},
                {Pipeline::collective({compute, compute}, collective)});
  const Operator hop = p.op(Kind::send_recv, test::lognormal(0.01, 3 * cv));
  p.hops(hop, hop);
  p.at_end({Pipeline::collective({}, p.op(Kind::reduce_scatter, test::lognormal(0.1, cv)), Group::data),
            Pipeline::collective({}, Pipeline::fixed(0.001, Kind::all_reduce), Group::world)});
  return p.w;
}

struct Comparison {
  double mean, mean_noise, p95, p95_noise, spread, ks;  ///< relative; noise is 4 standard errors
  bool agrees(std::int64_t n) const {
    return std::abs(mean) <= 0.0002 + mean_noise &&
           std::abs(p95) <= std::min(0.001, 0.05 * spread) + p95_noise &&
           ks <= 0.02 + 2.36 * std::sqrt(2.0 / static_cast<double>(n));
  }
};

Comparison compare(const Workload& fast_workload, const Workload& exact_workload, std::int64_t n,
                   std::uint64_t seed) {
  const auto fast = test::run(fast_workload, n, seed, "fast");
  EXPECT_EQ(fast.account.path, "fast");
  const Sample a(fast.outcome.step_s), b(test::run(exact_workload, n, seed, "exact").outcome.step_s);
  const auto relative = [](Estimate x, Estimate y) { return x.value / y.value - 1; };
  const auto noise = [](Estimate x, Estimate y) { return 4 * std::hypot(x.error, y.error) / y.value; };
  const Estimate p95 = b.quantile(0.95);
  return {relative(a.mean(), b.mean()),          noise(a.mean(), b.mean()),
          relative(a.quantile(0.95), p95),       noise(a.quantile(0.95), p95),
          1 - b.quantile(0.5).value / p95.value, test::kolmogorov_smirnov(a.sorted(), b.sorted())};
}

TEST(FastPath, AgreesWithTheExactPath) {
  constexpr std::int64_t n = 16384;
  struct {
    const char* name;
    Workload workload;
  } const cases[] = {{"64 replicas of 4 stages", replicated(2, 4, 64, 16, 0.05)},
                     {"32 replicas of 8 stages, wide jitter", replicated(8, 8, 32, 16, 0.2)},
                     {"128 replicas without a pipeline", replicated(4, 1, 128, 24, 0.05)}};
  for (const auto& c : cases)
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Comparison r = compare(c.workload, c.workload, n, seed);
      std::printf("  %-38s seed %d  mean %+.4f %%  p95 %+.4f %% (%+.1f %% of p95-p50)  KS %.4f\n", c.name,
                  static_cast<int>(seed), 100 * r.mean, 100 * r.p95, 100 * r.p95 / r.spread, r.ks);
      EXPECT_TRUE(r.agrees(n)) << c.name << ", seed " << seed;
    }
}

TEST(FastPath, DetectsHalfTheReplicas) {
  EXPECT_FALSE(
      compare(replicated(2, 4, 32, 16, 0.05), replicated(2, 4, 64, 16, 0.05), 16384, 1).agrees(16384));
}

TEST(FastPath, TrialsDoNotDependOnHowManyAreAsked) {
  const Workload w = replicated(2, 2, 16, 4, 0.1);
  const auto many = test::run(w, 1000, 7).outcome.step_s, few = test::run(w, 300, 7).outcome.step_s;
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(many[i], few[i]);
}

}  // namespace
}  // namespace prism::simulation_fast_test
