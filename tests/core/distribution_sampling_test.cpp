// SPDX-License-Identifier: Apache-2.0
// Draws through SampleTable: the function itself, exactly, and half a million random draws of each law.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "distribution_cases.h"

namespace prism::distribution_sampling_test {
namespace {

using test::laws;
using test::make;

/// The mass that word w stands for.
Mass mass_of(std::uint32_t w) {
  const bool upper = w >> 31;
  const std::uint32_t y = (upper ? ~w : w) | 1u;
  const double m = static_cast<double>(static_cast<float>(y)) * 0x1p-32;
  return upper ? Mass::above(m) : Mass::below(m);
}

/// Words all over the range: every bucket of both sides several times, the ends, and the middle.
std::vector<std::uint32_t> words() {
  std::vector<std::uint32_t> all{0, 1, 2, 3, 0x7ffffffe, 0x7fffffff};
  for (int octave = 0; octave < 31; ++octave) {
    for (std::uint64_t part = 0; part < 97; ++part) {
      all.push_back(static_cast<std::uint32_t>((1ull << octave) + ((part << octave) / 97)));
    }
  }
  const std::size_t lower = all.size();
  for (std::size_t i = 0; i < lower; ++i) all.push_back(~all[i]);
  return all;
}

TEST(SampleTable, IsTheQuantileTableUpToTheRoundingOfFloat) {
  for (const auto& [name, d] : laws()) {
    const QuantileTable t = tabulate(d);
    const SampleTable s = make_sample_table(t);
    ASSERT_EQ(s.bucket.size(), 2u * SampleTable::side);
    for (const std::uint32_t w : words()) {
      const double exact = t.quantile(mass_of(w)), drawn = sample(s.bucket.data(), w);
      // a, b f and their sum are rounded; where a law rises like a high power of the mass, |a| is some 32
      // values.
      ASSERT_NEAR(drawn, exact, 2e-6 * exact + 1e-9 * t.median()) << name << " " << w;
      ASSERT_GE(drawn, 0) << name << " " << w;
    }
  }
}

TEST(SampleTable, DrawsAreWithin15e_5OfTheLawInSd) {
  // Over the whole range of words: down to mass 2^-32 on both sides. Narrow laws far from 0 as times have
  // them.
  for (const auto& [family, parameters, values] :
       std::vector<std::tuple<const char*, const char*, std::vector<double>>>{
           {"normal", "mean+cv", {1, 0.05}},
           {"lognormal", "mean+cv", {1, 0.15}},
           {"lognormal", "mean+cv", {1, 0.3}},
           {"gamma", "mean+cv", {1, 0.2}},
           {"weibull", "mean+cv", {1, 0.2}},
           {"exponential", "mean", {1}},
           {"uniform", "mean+cv", {1, 0.3}},
           {"shifted_exponential", "mean+cv", {1, 0.2}}}) {
    const Distribution d = make(family, parameters, values);
    const SampleTable s = make_sample_table(tabulate(d));
    double worst = 0;
    for (const std::uint32_t w : words()) {
      worst = std::max(worst, std::fabs(sample(s.bucket.data(), w) - d.quantile(mass_of(w))) / d.sd());
    }
    EXPECT_LT(worst, 1.5e-4) << family << " " << values.back();
    EXPECT_GT(worst, 1e-8) << "the comparison sees nothing";
  }
}

TEST(SampleTable, NeverFallsAsTheWordRises) {
  for (const auto& [name, d] : laws()) {
    const QuantileTable t = tabulate(d);
    const SampleTable s = make_sample_table(t);
    double last = 0;
    for (std::uint64_t w = 0; w < 1ull << 32; w += 40009) {
      const double x = sample(s.bucket.data(), static_cast<std::uint32_t>(w));
      ASSERT_GE(x, last * (1 - 1e-6)) << name << " " << w;
      last = x;
    }
  }
}

TEST(SampleTable, NeverDrawsBelowZero) {
  // Laws whose lower end is at 0 or underflows float, in seconds and in tiny units.
  for (const double size : {1.0, 1e-6, 1e-30, 1e-44}) {
    for (const Distribution& d : {make("gamma", "mean+cv", {size, 9}), make("weibull", "mean+cv", {size, 9}),
                                  make("exponential", "mean", {size}), make("uniform", "low+high", {0, size}),
                                  make("gpd", "median+p95", {size, 1.01 * size})}) {
      const SampleTable s = make_sample_table(tabulate(d));
      for (const std::uint32_t w : words())
        ASSERT_GE(sample(s.bucket.data(), w), 0) << d.family() << " " << size << " " << w;
    }
  }
}

TEST(SampleTable, OfAConstantDrawsIt) {
  const SampleTable s = make_sample_table(tabulate(make("constant", "value", {3})));
  for (const std::uint32_t w : words()) ASSERT_EQ(sample(s.bucket.data(), w), 3.0f);
}

// Random draws: every score is a difference in standard errors and must be within 4. Four seeds, some 40 laws
// and reductions, 8 scores each: about 1,300 scores, of which a right sampler has one beyond 4 with
// probability 0.08. The seeds are 1 ... 4, none left out.

constexpr int draws = 1 << 19;

/// The largest score of these draws against a table: mean, sd, and how many fall below each of six quantiles.
double worst_score(const std::vector<float>& x, const QuantileTable& t) {
  const double n = static_cast<double>(x.size());
  double mean = 0, m2 = 0, m4 = 0;
  for (const float v : x) mean += v - t.mean();
  mean = t.mean() + mean / n;
  for (const float v : x) {
    const double d2 = (v - mean) * (v - mean);
    m2 += d2 / n;
    m4 += d2 * d2 / n;
  }
  double worst = 0;
  const auto note = [&](double score) { worst = std::max(worst, std::fabs(score)); };
  // The normal law of the mean of half a million needs a fourth moment that the sample has seen.
  if (m4 < 400 * m2 * m2) {
    note((mean - t.mean()) / (t.sd() / std::sqrt(n)));
    note((m2 - t.sd() * t.sd()) / std::sqrt((m4 - m2 * m2) / n));
  }
  for (const Mass m : {Mass::below(0.001), Mass::below(0.05), Mass::below(0.5), Mass::above(0.05),
                       Mass::above(0.001), Mass::above(1e-4)}) {
    const double q = t.quantile(m);
    double below = 0, at = 0;
    for (const float v : x) {
      below += v < static_cast<float>(q);
      at += v == static_cast<float>(q);
    }
    if (at > 0.0001 * n) continue;  // an atom
    note((below - m.lower * n) / std::sqrt(m.lower * m.upper * n));
  }
  return worst;
}

std::vector<float> draw(const SampleTable& s, std::uint64_t seed, const std::string& name) {
  std::uint64_t state = stream_state(seed, 0, stream_key(name));
  std::vector<float> x(draws);
  for (float& v : x) {
    const std::uint64_t old = state;
    state = old * 6364136223846793005u + 1442695040888963407u;
    const auto word = static_cast<std::uint32_t>((old >> 18 ^ old) >> 27);
    const int rotation = static_cast<int>(old >> 59);
    v = sample(s.bucket.data(), word >> rotation | word << (-rotation & 31));
  }
  return x;
}

class Sampling : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Sampling, ::testing::Range<std::uint64_t>(1, 5));

TEST_P(Sampling, MeanSpreadAndQuantilesOfEveryLaw) {
  for (const auto& [name, d] : laws()) {
    if (d.is_constant()) continue;
    const QuantileTable t = tabulate(d);
    EXPECT_LT(worst_score(draw(make_sample_table(t), GetParam(), name), t), 4) << name;
  }
}

TEST_P(Sampling, MeanSpreadAndQuantilesOfMaximaAndSums) {
  const QuantileTable t = tabulate(make("lognormal", "mean+cv", {1, 0.3}));
  const QuantileTable largest = maximum_of(t, 64);
  EXPECT_LT(worst_score(draw(make_sample_table(largest), GetParam(), "maximum"), largest), 4);
  const Addend copies{&largest, 32};
  const QuantileTable sum = *sum_of({&copies, 1});
  EXPECT_LT(worst_score(draw(make_sample_table(sum), GetParam(), "sum"), sum), 4);
}

// The sum and the maximum of drawn values against the tables of sums and maxima: nothing of the reductions is
// shared.
TEST_P(Sampling, ReductionsOfDrawsAreTheTablesOfReductions) {
  const QuantileTable one = tabulate(make("gamma", "mean+cv", {1, 0.4}));
  const SampleTable s = make_sample_table(one);
  const std::vector<float> x = draw(s, GetParam(), "reductions");
  std::vector<float> largest, sums;
  for (std::size_t i = 0; i + 8 <= x.size(); i += 8) {
    float most = 0, sum = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      most = std::max(most, x[i + j]);
      sum += x[i + j];
    }
    largest.push_back(most);
    sums.push_back(sum);
  }
  const Addend eight{&one, 8};
  EXPECT_LT(worst_score(largest, maximum_of(one, 8)), 4);
  EXPECT_LT(worst_score(sums, *sum_of({&eight, 1})), 4);
}

// Planted faults: the same checks on samplers that are slightly wrong.

SampleTable broken(const QuantileTable& t, int how) {
  SampleTable s = make_sample_table(t);
  for (std::size_t i = 0; i < s.bucket.size(); ++i) {
    SampleTable::Bucket& b = s.bucket[i];
    const std::size_t octave = i % SampleTable::side / 32;
    switch (how) {
      case 0:
        b.a *= 1.004f;
        break;  // 0.4 % too slow
      case 1:
        b.b = 0;
        b.a = static_cast<float>(t.median());
        break;  // no spread
      case 2:
        if (i >= SampleTable::side && octave < 22) b = s.bucket[SampleTable::side + 22 * 32];
        break;  // upper tail cut at 1e-3
      case 3:
        b = s.bucket[i < SampleTable::side ? i + SampleTable::side : i];
        break;  // lower half mirrored up
      case 4:   // every bucket takes the line of the next octave
        if (octave < 30) b = s.bucket[i + 32];
        break;
      default:
        break;
    }
  }
  return s;
}

TEST(SamplingChecks, RejectWrongSamplers) {
  const QuantileTable t = tabulate(make("lognormal", "mean+cv", {1, 0.3}));
  EXPECT_LT(worst_score(draw(broken(t, -1), 1, "check"), t), 4);
  for (int how = 0; how <= 4; ++how) EXPECT_GT(worst_score(draw(broken(t, how), 1, "check"), t), 4) << how;
}

TEST(SamplingChecks, RejectAMaximumOverOneRankTooFewAndALostAddend) {
  const QuantileTable one = tabulate(make("gamma", "mean+cv", {1, 0.4}));
  EXPECT_GT(worst_score(draw(make_sample_table(maximum_of(one, 7)), 1, "check"), maximum_of(one, 8)), 4);
  const Addend seven{&one, 7}, eight{&one, 8};
  const QuantileTable right = *sum_of({&eight, 1}), lost = *sum_of({&seven, 1});
  EXPECT_GT(
      worst_score(draw(make_sample_table(lost.with_moments(right.mean(), lost.sd())), 1, "check"), right), 4);
}

}  // namespace
}  // namespace prism::distribution_sampling_test
