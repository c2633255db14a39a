// SPDX-License-Identifier: Apache-2.0
// Products of independent variables against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "prism/distribution.h"
#include "workload_scenarios.h"

namespace prism::workload::distribution_product_test {
namespace {

using test::constant;
using test::family;

/// The same law under a name that has no closed form for products.
Distribution disguised(const Distribution& d) {
  return Distribution({"disguised", [d](Mass m) { return d.quantile(m); }, d.mean(), d.sd()});
}

const Mass masses[] = {{1e-9, 1 - 1e-9}, {1e-6, 1 - 1e-6}, {1e-4, 1 - 1e-4}, {0.01, 0.99}, {0.2, 0.8},
                       {0.5, 0.5},       {0.7, 0.3},       {0.9, 0.1},       {0.95, 0.05}, {0.99, 0.01},
                       {1 - 1e-4, 1e-4}, {1 - 1e-6, 1e-6}, {1 - 1e-9, 1e-9}, {1, 1e-12}};

TEST(Product, OfLogNormalsIsLogNormal) {
  const Distribution p = product_of(family("lognormal", {{"median", 2}, {"cv", 0.3}}),
                                    family("lognormal", {{"median", 3}, {"cv", 0.4}}));
  const double cv = std::sqrt(1.09 * 1.16 - 1);
  const Distribution expected = family("lognormal", {{"median", 6}, {"cv", cv}});
  EXPECT_EQ(p.family(), "lognormal");
  for (const Mass m : masses) EXPECT_NEAR(p.quantile(m) / expected.quantile(m), 1, 1e-9) << m.lower;
  EXPECT_NEAR(p.sd() / p.mean(), cv, 1e-12);
}

TEST(Product, ByIntegrationAgreesWithTheClosedForm) {
  for (const double cv : {0.02, 0.3, 1.0}) {
    const Distribution x = family("lognormal", {{"median", 2}, {"cv", cv}});
    const Distribution y = family("lognormal", {{"median", 3}, {"cv", 0.5 * cv}});
    const Distribution closed = product_of(x, y), integrated = product_of(disguised(x), y);
    EXPECT_EQ(integrated.family(), "product");
    // A relative error of 3e-4 of the spread in the body, 1 % of it in the far tail.
    const double spread = closed.sd() / closed.mean();
    for (const Mass m : masses) {
      const bool body = m.lower > 1e-3 && m.upper > 1e-3;
      EXPECT_NEAR(integrated.quantile(m) / closed.quantile(m), 1, (body ? 3e-4 : 1e-2) * spread)
          << "cv " << cv << ", mass " << m.lower;
    }
    EXPECT_DOUBLE_EQ(integrated.mean(), closed.mean());
    EXPECT_NEAR(integrated.sd(), closed.sd(), 1e-9);
  }
}

TEST(Product, OfUniforms) {
  // x * y of two uniforms on (0, 1): P(xy <= z) = z - z log z.
  const Distribution u = family("uniform", {{"low", 0}, {"high", 1}});
  const Distribution p = product_of(u, u);
  for (const double z : {0.001, 0.05, 0.3, 0.7, 0.95}) {
    const double below = z - z * std::log(z);
    EXPECT_NEAR(p.quantile(Mass::below(below)), z, 1e-3 * z + 1e-5) << z;
  }
  EXPECT_DOUBLE_EQ(p.mean(), 0.25);
}

TEST(Product, NeverDecreases) {
  const Distribution p =
      product_of(family("gamma", {{"mean", 1}, {"cv", 0.2}}), family("exponential", {{"mean", 1}}));
  double last = -1;
  for (int i = 1; i < 2000; ++i) {
    const double q = p.quantile(Mass::below(i / 2000.0));
    EXPECT_GE(q, last);
    last = q;
  }
  EXPECT_GT(last, 5);
}

TEST(Product, WithAConstantIsScaled) {
  const Distribution x = family("gamma", {{"mean", 1}, {"cv", 0.2}});
  for (const Distribution& p : {product_of(x, constant(3)), product_of(constant(3), x)}) {
    EXPECT_EQ(p.family(), "gamma");
    for (const Mass m : masses) EXPECT_DOUBLE_EQ(p.quantile(m), 3 * x.quantile(m));
  }
}

}  // namespace
}  // namespace prism::workload::distribution_product_test
