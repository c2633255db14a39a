// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "golden_file.h"
#include "prism/numerics.h"

namespace prism::numerics_functions_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double apply(const std::string& function, double x) {
  if (function == "exp") return exp_exact(x);
  if (function == "expm1") return expm1_exact(x);
  if (function == "log") return log_exact(x);
  if (function == "log1p") return log1p_exact(x);
  ADD_FAILURE() << function;
  return 0;
}

long double spacing(long double reference) {
  const double r = std::fabs(static_cast<double>(reference));
  return static_cast<long double>(std::nextafter(r, infinity)) - r;
}

/// Largest error in units of the last place allowed, by the promises of numerics.h: exp 4e-16 relative is 1.8
/// ulp at least; log 2 ulp.
double promised_ulp(const std::string& function) {
  return function == "exp" ? 1.8 : function == "log" ? 2 : 3;
}

TEST(Functions, AgreeWithReferenceAtAwkwardPoints) {
  std::map<std::string, int> seen;
  for (const auto& row : test::golden_rows("functions.csv")) {
    const double x = std::strtod(row[1].c_str(), nullptr);
    const long double reference = std::strtold(row[2].c_str(), nullptr);
    const double value = apply(row[0], x);
    EXPECT_LE(static_cast<double>(std::fabs(value - reference) / spacing(reference)), promised_ulp(row[0]))
        << row[0] << "(" << row[1] << ") = " << value << ", reference " << row[2];
    ++seen[row[0]];
  }
  for (const char* function : {"exp", "expm1", "log", "log1p"}) EXPECT_GE(seen[function], 90) << function;
}

// The 80-bit long double of x86 has 11 more bits than double; elsewhere this test would compare with itself.
TEST(Functions, AgreeWithLongDoubleOverTheWholeRange) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no wider than double";
  std::mt19937_64 generator(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(generator() >> 11) * 0x1p-53);
  };
  double exp_error = 0, log_error = 0, expm1_error = 0, log1p_error = 0;
  const auto note = [](double& largest, double value, long double reference) {
    if (reference == 0) return;
    largest = std::max(largest, static_cast<double>(std::fabs((value - reference) / reference)));
  };
  for (int i = 0; i < 300000; ++i) {
    for (const double x : {uniform(-1, 1), uniform(-40, 40), uniform(-707, 709)}) {
      note(exp_error, exp_exact(x), std::exp(static_cast<long double>(x)));
      note(expm1_error, expm1_exact(x), std::expm1(static_cast<long double>(x)));
      const double y = std::exp(x);
      note(log_error, log_exact(y), std::log(static_cast<long double>(y)));
      if (x > -1) note(log1p_error, log1p_exact(x), std::log1p(static_cast<long double>(x)));
    }
    const double small = uniform(-1, 1) * std::exp(uniform(-60, 0));
    note(expm1_error, expm1_exact(small), std::expm1(static_cast<long double>(small)));
    note(log1p_error, log1p_exact(small), std::log1p(static_cast<long double>(small)));
    note(log_error, log_exact(1 + small), std::log(static_cast<long double>(1 + small)));
  }
  EXPECT_LT(exp_error, 4e-16);
  EXPECT_LT(log_error, 4.4e-16);  // 2 ulp of a number just above a power of two
  EXPECT_LT(expm1_error, 6e-16);
  EXPECT_LT(log1p_error, 6e-16);
  // A reference that is not finer than the functions would make this test blind.
  EXPECT_GT(exp_error, 5e-17);
  EXPECT_GT(log_error, 5e-17);
}

TEST(Functions, EndsOfTheRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(exp_exact(0), 1);
  EXPECT_EQ(exp_exact(-infinity), 0);
  EXPECT_EQ(exp_exact(-745.3), 0);
  EXPECT_EQ(exp_exact(-745.1), 5e-324);
  EXPECT_EQ(exp_exact(709.9), infinity);
  EXPECT_EQ(exp_exact(infinity), infinity);
  EXPECT_LT(exp_exact(709.78), infinity);
  EXPECT_TRUE(std::isnan(exp_exact(nan)));
  EXPECT_EQ(log_exact(1), 0);
  EXPECT_EQ(log_exact(0), -infinity);
  EXPECT_EQ(log_exact(infinity), infinity);
  EXPECT_TRUE(std::isnan(log_exact(-1)));
  EXPECT_TRUE(std::isnan(log_exact(nan)));
  EXPECT_EQ(expm1_exact(0), 0);
  EXPECT_EQ(expm1_exact(-infinity), -1);
  EXPECT_EQ(expm1_exact(infinity), infinity);
  EXPECT_TRUE(std::isnan(expm1_exact(nan)));
  EXPECT_EQ(log1p_exact(0), 0);
  EXPECT_EQ(log1p_exact(-1), -infinity);
  EXPECT_EQ(log1p_exact(infinity), infinity);
  EXPECT_TRUE(std::isnan(log1p_exact(-2)));
  EXPECT_EQ(pow_exact(0, 0), 1);
  EXPECT_EQ(pow_exact(7, 0), 1);
  EXPECT_EQ(pow_exact(0, 3), 0);
  EXPECT_EQ(pow_exact(1, 1e9), 1);
}

TEST(Functions, PowIsTheExponentialOfTheLogarithm) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp((static_cast<double>(generator() >> 11) * 0x1p-53 - 0.5) * 100);
    const double y = (static_cast<double>(generator() >> 11) * 0x1p-53 - 0.5) * 10;
    const double reference =
        static_cast<double>(std::pow(static_cast<long double>(x), static_cast<long double>(y)));
    // y log x is rounded before exp sees it: 250 * 2^-53, and half as much again from log and exp.
    ASSERT_NEAR(pow_exact(x, y) / reference, 1, 1e-13) << x << "^" << y;
  }
}

TEST(Functions, NeverFallWhereTheyRise) {
  double last_exp = 0, last_log = -infinity;
  for (double x = -20; x < 20; x += 0.00037) {
    const double e = exp_exact(x);
    ASSERT_GE(e, last_exp) << x;
    last_exp = e;
    const double l = log_exact(x + 20.00001);
    ASSERT_GE(l, last_log) << x;
    last_log = l;
  }
}

/// Arguments spread over all exponents that matter, from the mixing hash.
double argument(std::uint64_t i, double range) {
  return (static_cast<double>(mix64(i) >> 11) * 0x1p-52 - 1.0) * range;
}

// One number for the bits of 400,000 results: any compiler, flag or target that changes one bit changes it.
TEST(Functions, SameBitsEverywhere) {
  Sha256 hash;
  const auto feed = [&](double value) {
    unsigned char bytes[8];
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 8; ++k) bytes[k] = static_cast<unsigned char>(bits >> (8 * k));
    hash.update(std::span(reinterpret_cast<const std::byte*>(bytes), 8));
  };
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double x = argument(i, i % 2 ? 744 : 2);
    feed(exp_exact(x));
    feed(expm1_exact(x));
    feed(log_exact(x < 0 ? -x : x));
    feed(log1p_exact(x < 0 ? -x : x));
  }
  EXPECT_EQ(hash.hex_digest(), "d540764f39b86fa967c16765310dabda99bdacbd3c22aa2d36735faf3763d9ee");
}

}  // namespace
}  // namespace prism::numerics_functions_test
