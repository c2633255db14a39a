// SPDX-License-Identifier: Apache-2.0
// The fast path (a few replicas simulated, one draw for the slowest of the rest) against the exact path of
// the same seed, where every replica is simulated. Limits: p95 within 0.1 % and within 5 % of p95 - p50 plus
// 4 standard errors of the difference, mean within 0.02 %. The Kolmogorov-Smirnov distance is that of two
// samples (2.36 sqrt(2/n)) plus 0.04: the pilot of 16,384 places the maximum of D replicas within about 0.024
// of a makespan's standard deviation, which is 0.02 in distance, at one sigma.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "pipelines.h"
#include "statistics.h"

namespace prism {
namespace {

using testing::Estimate;
using testing::Pipeline;
using testing::Sample;

Workload replicated(std::int64_t tp, std::int64_t pp, std::int64_t dp, std::int64_t m, double cv) {
  Pipeline p(tp, pp, dp, m);
  const Operator compute = p.op(Kind::gemm, testing::lognormal(0.1, cv));
  const Operator collective = p.op(Kind::all_reduce, testing::lognormal(0.02, 3 * cv));
  p.every_stage({Pipeline::collective({compute}, collective)},
                {Pipeline::collective({compute, compute}, collective)});
  const Operator hop = p.op(Kind::send_recv, testing::lognormal(0.01, 3 * cv));
  p.hops(hop, hop);
  p.at_end({Pipeline::collective({}, p.op(Kind::reduce_scatter, testing::lognormal(0.1, cv)), Group::data),
            Pipeline::collective({}, Pipeline::fixed(0.001, Kind::all_reduce), Group::world)});
  return p.w;
}

struct Comparison {
  double mean, p95, p95_of_spread, ks, noise;
  bool agrees(std::int64_t n) const {
    return std::abs(mean) <= 0.0002 && std::abs(p95) <= 0.001 && std::abs(p95_of_spread) <= 0.05 + noise &&
           ks <= 2.36 * std::sqrt(2.0 / static_cast<double>(n)) + 0.04;
  }
};

Comparison compare(const Workload& fast_workload, const Workload& exact_workload, std::int64_t n,
                   std::uint64_t seed) {
  const auto fast = testing::run(fast_workload, n, seed, "fast");
  EXPECT_EQ(fast.account.path, "fast");
  const Sample a(fast.outcome.step_s), b(testing::run(exact_workload, n, seed, "exact").outcome.step_s);
  const Estimate p50 = b.quantile(0.5), p95 = b.quantile(0.95), fast95 = a.quantile(0.95);
  const double spread = p95.value - p50.value;
  return {a.mean().value / b.mean().value - 1, fast95.value / p95.value - 1,
          (fast95.value - p95.value) / spread, testing::kolmogorov_smirnov(a.sorted(), b.sorted()),
          4 * std::hypot(p95.error, fast95.error) / spread};
}

TEST(FastPath, AgreesWithTheExactPath) {
  constexpr std::int64_t n = 16384;
  struct {
    const char* name;
    Workload workload;
  } const cases[] = {{"64 replicas of 4 stages", replicated(2, 4, 64, 8, 0.05)},
                     {"32 replicas of 8 stages, wide jitter", replicated(8, 8, 32, 8, 0.2)},
                     {"128 replicas without a pipeline", replicated(4, 1, 128, 4, 0.05)}};
  for (const auto& c : cases)
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Comparison r = compare(c.workload, c.workload, n, seed);
      std::printf("  %-38s seed %d  mean %+.4f %%  p95 %+.4f %% (%+.1f %% of p95-p50)  KS %.4f\n", c.name,
                  static_cast<int>(seed), 100 * r.mean, 100 * r.p95, 100 * r.p95_of_spread, r.ks);
      EXPECT_TRUE(r.agrees(n)) << c.name << ", seed " << seed;
    }
}

TEST(FastPath, DetectsHalfTheReplicas) {
  EXPECT_FALSE(compare(replicated(2, 4, 32, 8, 0.05), replicated(2, 4, 64, 8, 0.05), 16384, 1).agrees(16384));
}

TEST(FastPath, TrialsDoNotDependOnHowManyAreAsked) {
  const Workload w = replicated(2, 2, 16, 4, 0.1);
  const auto many = testing::run(w, 1000, 7).outcome.step_s, few = testing::run(w, 300, 7).outcome.step_s;
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(many[i], few[i]);
}

}  // namespace
}  // namespace prism
