// SPDX-License-Identifier: Apache-2.0
// The standard grid: its knots, its own error, its moments, its bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "distribution_cases.h"
#include "golden_file.h"

namespace prism::distribution_tables_test {
namespace {

using test::laws;
using test::make;

constexpr int half = QuantileTable::half;

TEST(QuantileTable, KnotsHalveEveryOctaveInto32EqualSteps) {
  EXPECT_EQ(QuantileTable::knot_mass(0), 0.5);
  EXPECT_EQ(QuantileTable::knot_mass(16), 0.375);
  EXPECT_EQ(QuantileTable::knot_mass(32), 0.25);
  EXPECT_EQ(QuantileTable::knot_mass(33), 0.25 - 0.125 / 32);
  EXPECT_EQ(QuantileTable::knot_mass(half), std::ldexp(1.0, -49));
  for (int i = 1; i <= half; ++i) EXPECT_LT(QuantileTable::knot_mass(i), QuantileTable::knot_mass(i - 1));
}

TEST(QuantileTable, IsExactAtKnotsStraightBetweenAndFlatBeyond) {
  const Distribution d = make("lognormal", "mean+cv", {1, 0.5});
  const QuantileTable t = tabulate(d);
  for (int i = 0; i <= half; ++i) {
    const double m = QuantileTable::knot_mass(i);
    ASSERT_EQ(t.quantile(Mass::below(m)), d.quantile(Mass::below(m)));
    ASSERT_EQ(t.quantile(Mass::above(m)), d.quantile(Mass::above(m)));
    ASSERT_EQ(t.upper_knots()[i], t.quantile(Mass::above(m)));
    if (i == half) break;
    const double next = QuantileTable::knot_mass(i + 1);
    ASSERT_NEAR(t.quantile(Mass::above(0.5 * (m + next))),
                0.5 * (t.upper_knots()[i] + t.upper_knots()[i + 1]), 1e-12);
    ASSERT_NEAR(t.quantile(Mass::below(0.25 * m + 0.75 * next)),
                0.25 * t.lower_knots()[i] + 0.75 * t.lower_knots()[i + 1], 1e-12);
  }
  // One rounding either side of a knot: no other cell, least of all one past the last.
  for (int i = 0; i <= half; ++i) {
    const double m = QuantileTable::knot_mass(i);
    for (const double near : {std::nextafter(m, 0.0), std::nextafter(m, 1.0)}) {
      ASSERT_NEAR(t.quantile({1 - near, near}), t.upper_knots()[i], 1e-10 * t.upper_knots()[i]);
      ASSERT_NEAR(t.quantile({near, 1 - near}), t.lower_knots()[i], 1e-10);
    }
  }
  EXPECT_EQ(t.quantile(Mass::above(1e-16)), t.highest());
  EXPECT_EQ(t.quantile(Mass::above(0)), t.highest());
  EXPECT_EQ(t.quantile(Mass::below(0)), t.lowest());
  EXPECT_EQ(t.median(), d.median());
}

/// Largest |table - law| over both sides down to `outermost`, three places a cell, in units of the law's sd;
/// and relative to the value.
struct Error {
  double in_sd = 0, relative = 0;
};
Error error_of(const QuantileTable& t, const Distribution& d, double outermost) {
  Error worst;
  for (int i = 0; i < half && QuantileTable::knot_mass(i + 1) >= outermost; ++i) {
    for (const double part : {0.25, 0.5, 0.75}) {
      const double m = QuantileTable::knot_mass(i) * (1 - part) + QuantileTable::knot_mass(i + 1) * part;
      for (const Mass at : {Mass::below(m), Mass::above(m)}) {
        const double exact = d.quantile(at), miss = std::fabs(t.quantile(at) - exact);
        worst.in_sd = std::max(worst.in_sd, miss / d.sd());
        if (exact > d.median()) worst.relative = std::max(worst.relative, miss / exact);
      }
    }
  }
  return worst;
}

// What 32 cells an octave give: a cell is up to 1/32 of its mass wide, so a straight line misses -log q, the
// exponential's quantile function, by (1/32)^2 / 8 = 1.22e-4.
TEST(QuantileTable, OwnErrorIsBelow15e_5OfTheSd) {
  for (const auto& [family, parameters, values] :
       std::vector<std::tuple<const char*, const char*, std::vector<double>>>{
           {"normal", "location+scale", {100, 1}},
           {"normal", "mean+cv", {1, 0.9}},
           {"lognormal", "mean+cv", {1, 0.05}},
           {"lognormal", "mean+cv", {1, 0.3}},
           {"gamma", "mean+cv", {1, 0.2}},
           {"gamma", "mean+cv", {1, 1}},
           {"weibull", "mean+cv", {1, 0.2}},
           {"weibull", "mean+cv", {1, 1}},
           {"exponential", "mean", {1}},
           {"shifted_exponential", "mean+cv", {1, 0.2}},
           {"uniform", "mean+cv", {1, 0.3}}}) {
    const Distribution d = make(family, parameters, values);
    EXPECT_LT(error_of(tabulate(d), d, 0x1p-49).in_sd, 1.5e-4) << family << " " << values.back();
  }
}

// Far out in a heavy tail a value is many sd, so only the relative error can be small.
TEST(QuantileTable, OwnErrorInHeavyTailsIsBelow5e_4OfTheValue) {
  for (const auto& [family, values] :
       std::vector<std::pair<const char*, std::vector<double>>>{{"lognormal", {1, 1}},
                                                                {"lognormal", {1, 3}},
                                                                {"gamma", {1, 3}},
                                                                {"weibull", {1, 3}},
                                                                {"pareto", {1, 3}},
                                                                {"gpd", {1, 3}}}) {
    const Distribution d = make(family, "mean+cv", values);
    const Error e = error_of(tabulate(d), d, 0x1p-40);
    // Near the median of a wide law values are small against the sd, and the error in sd is what counts.
    EXPECT_LT(std::min(e.in_sd, e.relative), 5e-4) << family << " cv " << values.back();
  }
}

TEST(QuantileTable, MomentsAreTheLaws) {
  for (const auto& [name, d] : laws()) {
    if (!std::isfinite(d.sd())) continue;
    const QuantileTable t = tabulate(d);
    EXPECT_NEAR(t.mean(), d.mean(), 5e-5 * d.sd()) << name;
    // Tails cut at 2^-49 matter only for a power law: pareto with shape 2.5 keeps all but 1e-3 of its sd.
    EXPECT_NEAR(t.sd(), d.sd(), (name.find("pareto") == 0 ? 2e-3 : 1e-4) * d.sd()) << name;
    EXPECT_EQ(t.is_constant(), d.is_constant()) << name;
  }
}

TEST(QuantileTable, AJumpKeepsTheMean) {
  for (int i = 1; i < 100; ++i) {
    const double weight = i / 100.0 + 0.0007;
    const std::vector<Distribution> modes{make("constant", "value", {1}), make("constant", "value", {1.6})};
    const Distribution d = test::unwrap(make_mixture(std::vector<double>{weight, 1 - weight}, modes));
    const QuantileTable t = tabulate(d);
    EXPECT_NEAR(t.mean(), d.mean(), 3e-5 * d.sd()) << weight;  // 1/512 of a cell of 1/64
    EXPECT_NEAR(t.sd(), d.sd(), 1e-2 * d.sd()) << weight;
    EXPECT_EQ(t.lowest(), 1);
    EXPECT_EQ(t.highest(), 1.6);
  }
}

TEST(QuantileTable, ScaledAndMovedTablesHaveTheMomentsAskedFor) {
  const QuantileTable t = tabulate(make("gamma", "mean+cv", {3, 0.7}));
  const QuantileTable s = t.scaled(1e-6);
  EXPECT_NEAR(s.mean() / (t.mean() * 1e-6), 1, 1e-14);
  EXPECT_NEAR(s.sd() / (t.sd() * 1e-6), 1, 1e-14);
  EXPECT_NEAR(s.quantile(Mass::above(1e-6)) / t.quantile(Mass::above(1e-6)), 1e-6, 1e-20);
  const QuantileTable m = t.with_moments(10, 0.5);
  EXPECT_NEAR(m.mean(), 10, 1e-13);
  EXPECT_NEAR(m.sd(), 0.5, 1e-13);
  const double shape = (t.quantile(Mass::above(0.01)) - t.mean()) / t.sd();
  EXPECT_NEAR((m.quantile(Mass::above(0.01)) - 10) / 0.5, shape, 1e-11);
}

TEST(QuantileTable, OfAConstantIsConstant) {
  const QuantileTable t = tabulate(make("constant", "value", {3}));
  EXPECT_TRUE(t.is_constant());
  EXPECT_EQ(t.mean(), 3);
  EXPECT_EQ(t.sd(), 0);
  EXPECT_EQ(t.scaled(2).median(), 6);
  EXPECT_EQ(t.with_moments(5, 0).median(), 5);
}

/// Hash of the bits of all knots.
std::string bits(const QuantileTable& t) {
  Sha256 h;
  for (const auto side : {t.lower_knots(), t.upper_knots()}) {
    for (const double v : side) {
      std::uint64_t word;
      std::memcpy(&word, &v, sizeof word);
      unsigned char bytes[8];
      for (int k = 0; k < 8; ++k) bytes[k] = static_cast<unsigned char>(word >> (8 * k));
      h.update(std::span(reinterpret_cast<const std::byte*>(bytes), 8));
    }
  }
  return h.hex_digest().substr(0, 16);
}

// Any compiler or target that changes one bit of one knot changes a hash: tests/golden/tables.csv holds those
// of every law, its maximum of 8 and of 131,072, and its sum of 5.
TEST(QuantileTable, SameBitsEverywhere) {
  std::map<std::string, std::string> golden;
  for (const auto& row : test::golden_rows("tables.csv")) golden[row[0] + "," + row[1]] = row[2];
  std::string all;
  const auto check = [&](const std::string& name, const char* what, const QuantileTable& t) {
    const std::string hash = bits(t);
    all += name + "," + what + "," + hash + "\n";
    EXPECT_EQ(golden[name + "," + what], hash) << name << " " << what;
  };
  for (const auto& [name, d] : laws()) {
    const QuantileTable t = tabulate(d);
    check(name, "table", t);
    check(name, "maximum of 8", maximum_of(t, 8));
    check(name, "maximum of 131072", maximum_of(t, 131072));
    const Addend five{&t, 5};
    if (const auto sum = sum_of({&five, 1})) check(name, "sum of 5", *sum);
  }
  if (HasFailure()) std::printf("law,reduction,hash\n%s", all.c_str());
}

}  // namespace
}  // namespace prism::distribution_tables_test
