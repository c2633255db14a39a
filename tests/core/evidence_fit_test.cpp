// SPDX-License-Identifier: Apache-2.0
// Fits: they are maximum likelihood, they find the family where it can be found, and say so where it cannot.
#include "prism/evidence_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <pcg_random.hpp>

#include "evidence/likelihood.h"
#include "evidence/special.h"

namespace prism::evidence_fit_test {
namespace {

constexpr std::size_t few = 200, many = 20000;

/// Samples by the quantile function.
std::vector<double> drawn(const QuantileTable& table, std::size_t n, std::uint64_t seed) {
  pcg64_oneseq random(stream_state(seed, 0, stream_key("evidence-fit-test")));
  std::vector<double> out(n);
  for (double& x : out) {
    const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
    x = table.quantile(u < 0.5 ? Mass::below(u) : Mass::above(1 - u));
  }
  return out;
}

Distribution made(const char* family, std::initializer_list<const char*> names,
                  std::initializer_list<double> values) {
  for (const ParameterSet& set : find_family(family)->sets) {
    bool same = set.parameters.size() == names.size();
    for (std::size_t i = 0; same && i < names.size(); ++i) same = set.parameters[i].name == names.begin()[i];
    if (same) return std::get<Distribution>(set.make(std::vector<double>(values)));
  }
  throw std::logic_error("no such set");
}

struct Case {
  const char* family;
  Distribution law;
  /// Log density, from libm: not the code under test.
  std::function<double(double, const std::vector<double>&)> log_density;
};

std::vector<Case> cases() {
  const auto log_normal_density = [](double z) { return -0.5 * z * z - 0.5 * std::log(2 * M_PI); };
  return {
      {"normal", made("normal", {"mean", "cv"}, {2, 0.2}),
       [=](double x, auto& p) {
         return log_normal_density((x - p[0]) / p[1]) - std::log(p[1]) -
                std::log(0.5 * std::erfc(-p[0] / p[1] / std::sqrt(2)));
       }},
      {"normal", made("normal", {"mean", "cv"}, {2, 0.6}),
       [=](double x, auto& p) {
         return log_normal_density((x - p[0]) / p[1]) - std::log(p[1]) -
                std::log(0.5 * std::erfc(-p[0] / p[1] / std::sqrt(2)));
       }},
      {"lognormal", made("lognormal", {"median", "log_sd"}, {3, 0.15}),
       [=](double x, auto& p) { return log_normal_density(std::log(x / p[0]) / p[1]) - std::log(p[1] * x); }},
      {"lognormal", made("lognormal", {"median", "log_sd"}, {3, 0.8}),
       [=](double x, auto& p) { return log_normal_density(std::log(x / p[0]) / p[1]) - std::log(p[1] * x); }},
      {"gamma", made("gamma", {"mean", "cv"}, {1, 0.15}),
       [](double x, auto& p) {
         return (p[0] - 1) * std::log(x / p[1]) - x / p[1] - std::lgamma(p[0]) - std::log(p[1]);
       }},
      {"gamma", made("gamma", {"mean", "cv"}, {1, 0.6}),
       [](double x, auto& p) {
         return (p[0] - 1) * std::log(x / p[1]) - x / p[1] - std::lgamma(p[0]) - std::log(p[1]);
       }},
      {"weibull", made("weibull", {"shape", "scale"}, {1.5, 2}),
       [](double x, auto& p) {
         return std::log(p[0] / p[1]) + (p[0] - 1) * std::log(x / p[1]) - std::pow(x / p[1], p[0]);
       }},
      {"weibull", made("weibull", {"shape", "scale"}, {7, 2}),
       [](double x, auto& p) {
         return std::log(p[0] / p[1]) + (p[0] - 1) * std::log(x / p[1]) - std::pow(x / p[1], p[0]);
       }},
      {"exponential", made("exponential", {"mean"}, {0.3}),
       [](double x, auto& p) { return -std::log(p[0]) - x / p[0]; }},
      {"shifted_exponential", made("shifted_exponential", {"shift", "scale"}, {1, 0.4}),
       [](double x, auto& p) { return x < p[0] ? -INFINITY : -std::log(p[1]) - (x - p[0]) / p[1]; }},
      {"uniform", made("uniform", {"low", "high"}, {1, 2}),
       [](double x, auto& p) { return x < p[0] || x > p[1] ? -INFINITY : -std::log(p[1] - p[0]); }},
      {"pareto", made("pareto", {"minimum", "shape"}, {1, 4}),
       [](double x, auto& p) {
         return x < p[0] ? -INFINITY : std::log(p[1] / p[0]) - (p[1] + 1) * std::log(x / p[0]);
       }},
      {"gpd", made("gpd", {"scale", "shape"}, {1, 0.25}),
       [](double x, auto& p) { return -std::log(p[0]) - (1 + 1 / p[1]) * std::log1p(p[1] * x / p[0]); }},
  };
}

FamilyFit fit_of(const char* family, const std::vector<double>& samples) {
  const SampleMoments m = moments_of(samples);
  for (const Fitter& f : fitters())
    if (f.family == family) return f.fit(m).value();
  throw std::logic_error("no such fitter");
}

TEST(EvidenceFit, special_functions_agree_with_libm) {
  for (const double x : {0.01, 0.3, 1.0, 2.5, 11.9, 12.0, 40.0, 2500.0, 1e6}) {
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 1e-13 * std::max(1.0, std::fabs(std::lgamma(x)))) << x;
    const double h = 1e-5 * x;
    EXPECT_NEAR(digamma(x), (std::lgamma(x + h) - std::lgamma(x - h)) / (2 * h),
                2e-6 * std::max(1.0, std::fabs(digamma(x))))
        << x;
    EXPECT_NEAR(trigamma(x), (digamma(x + h) - digamma(x - h)) / (2 * h), 1e-6 * std::max(1.0, trigamma(x)))
        << x;
  }
  for (const double a : {-8.0, -1.0, 0.0, 1.0, 3.99, 4.01, 8.0, 20.0})
    EXPECT_NEAR(normal_hazard(a),
                std::exp(-0.5 * a * a) / std::sqrt(2 * M_PI) / (0.5 * std::erfc(a / std::sqrt(2))),
                1e-9 * std::max(1.0, a))
        << a;
}

TEST(EvidenceFit, every_family_is_at_the_maximum_of_its_likelihood) {
  for (const Case& c : cases())
    for (const std::size_t n : {few, many}) {
      const auto samples = drawn(tabulate(c.law), n, 1);
      const FamilyFit f = fit_of(c.family, samples);
      std::vector<double> at;
      for (const auto& [name, value] : f.parameters) at.push_back(value);
      const auto likelihood = [&](const std::vector<double>& p) {
        double sum = 0;
        for (const double x : samples) sum += c.log_density(x, p);
        return sum;
      };
      const double best = likelihood(at);
      EXPECT_NEAR(best, f.log_likelihood, 1e-7 * std::max(1.0, std::fabs(best))) << c.family << " " << n;
      for (std::size_t i = 0; i < at.size(); ++i)
        for (const double side : {-1.0, 1.0}) {
          auto near = at;
          near[i] *= 1 + side * 1e-3;
          EXPECT_LE(likelihood(near), best + 1e-6) << c.family << " " << n << " " << f.parameters[i].first;
        }
    }
}

/// The estimates are maximum likelihood by the test above; here the size of their error, against the sample
/// quantile, which needs no family.
TEST(EvidenceFit, median_and_p95_have_little_bias_and_less_error_than_sample_quantiles) {
  constexpr int runs = 40;
  for (const Case& c : cases()) {
    const QuantileTable table = tabulate(c.law);
    for (const std::size_t n : {few, many}) {
      if (n == many && std::string(c.family) == "gpd" && !std::getenv("PRISM_FULL"))
        continue;  // 40 profiles of 20,000 logarithms take seconds
      for (const double p : {0.5, 0.95}) {
        const double truth = c.law.quantile(Mass::below(p));
        double bias = 0, square = 0, sample_square = 0;
        for (int run = 0; run < runs; ++run) {
          auto samples = drawn(table, n, static_cast<std::uint64_t>(100 + run));
          const double off = distribution_of(fit_of(c.family, samples))->quantile(Mass::below(p)) / truth - 1;
          std::nth_element(samples.begin(),
                           samples.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(n)),
                           samples.end());
          const double sample_off = samples[static_cast<std::size_t>(p * static_cast<double>(n))] / truth - 1;
          bias += off / runs;
          square += off * off / runs;
          sample_square += sample_off * sample_off / runs;
        }
        EXPECT_LT(std::sqrt(square), 1.2 * std::sqrt(sample_square)) << c.family << " " << n << " " << p;
        // Four standard errors of the mean over the runs, and the order 1/n of maximum likelihood's own bias.
        EXPECT_LT(std::fabs(bias), 4 * std::sqrt(square / runs) + 3 / static_cast<double>(n))
            << c.family << " " << n << " " << p;
      }
    }
  }
}

Fit quick(const std::vector<double>& samples) {
  return *fit_families(samples, {.ks = false, .mixture = false});
}

TEST(EvidenceFit, the_right_family_is_found_where_the_spread_shows_it) {
  for (const Case& c : cases()) {
    const QuantileTable table = tabulate(c.law);
    const int runs = std::getenv("PRISM_FULL") ? 100 : 20;
    int right = 0, apart = 0;
    for (int seed = 1; seed <= runs; ++seed) {
      const Fit fit = quick(drawn(table, many, static_cast<std::uint64_t>(seed)));
      right += fit.families[fit.best].family == c.family;
      apart += fit.told_apart();
    }
    EXPECT_GE(right, runs * 95 / 100) << c.family;
    EXPECT_GE(apart, runs * 95 / 100) << c.family;
  }
}

TEST(EvidenceFit, families_that_cannot_be_told_apart_are_not) {
  const auto undecided = [](const Distribution& law, std::size_t n) {
    const QuantileTable table = tabulate(law);
    int count = 0;
    for (int seed = 1; seed <= 100; ++seed)
      count += !quick(drawn(table, n, static_cast<std::uint64_t>(seed))).told_apart();
    return count;
  };
  const Distribution lognormal = made("lognormal", {"median", "cv"}, {1, 0.02}),
                     gamma = made("gamma", {"mean", "cv"}, {1, 0.02}),
                     normal = made("normal", {"mean", "cv"}, {1, 0.02});
  EXPECT_GE(undecided(lognormal, many), 95);
  EXPECT_GE(undecided(gamma, many), 95);
  EXPECT_GE(undecided(lognormal, few), 95);
  EXPECT_GE(undecided(gamma, few), 95);
  EXPECT_GE(undecided(normal, few), 95);
}

TEST(EvidenceFit, two_modes_are_a_mixture_and_one_mode_is_not) {
  auto samples = drawn(tabulate(made("lognormal", {"median", "log_sd"}, {1, 0.05})), 900, 1);
  const auto second = drawn(tabulate(made("lognormal", {"median", "log_sd"}, {3, 0.05})), 100, 2);
  samples.insert(samples.end(), second.begin(), second.end());
  const Fit fit = *fit_families(samples);
  const FamilyFit& best = fit.families[fit.best];
  ASSERT_EQ(best.family, "mixture");
  EXPECT_NEAR(best.parameters[0].second, 0.9, 1e-6);
  EXPECT_NEAR(best.parameters[1].second, 1, 0.01);
  EXPECT_NEAR(best.parameters[3].second, 3, 0.05);
  EXPECT_LT(best.ks, 0.03);
  const Fit one = *fit_families(drawn(tabulate(made("gamma", {"mean", "cv"}, {1, 0.4})), 2000, 3));
  EXPECT_EQ(one.families[one.best].family, "gamma");
}

TEST(EvidenceFit, refits_cover_the_truth) {
  const Distribution law = made("lognormal", {"median", "log_sd"}, {1, 0.3});
  const QuantileTable table = tabulate(law);
  int covered = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    const auto e = refit_error(drawn(table, few, static_cast<std::uint64_t>(seed)), "lognormal", 100, 7);
    ASSERT_TRUE(e);
    covered += e->p95_low < law.quantile(Mass::below(0.95)) && law.quantile(Mass::below(0.95)) < e->p95_high;
  }
  // 95 % of 60 is 57; fewer than 50 has a chance below 1e-3.
  EXPECT_GE(covered, 50);
}

TEST(EvidenceFit, samples_that_have_no_fit_are_refused) {
  const std::vector<double> three = {1, 2, 3}, equal(20, 1.5), negative = {1, 2, 3, 4, 5, 6, 7, -1};
  EXPECT_EQ(fit_families(three).diagnostics.at(0).code, Code::out_of_range);
  EXPECT_EQ(fit_families(equal).diagnostics.at(0).code, Code::impossible_distribution);
  EXPECT_EQ(fit_families(negative).diagnostics.at(0).code, Code::out_of_range);
}

}  // namespace
}  // namespace prism::evidence_fit_test
