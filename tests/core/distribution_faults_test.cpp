// SPDX-License-Identifier: Apache-2.0
// Impossible parameters: the fault names the parameter and shows the numbers.
#include <gtest/gtest.h>

#include <limits>

#include "distribution_cases.h"

namespace prism::distribution_faults_test {
namespace {

using test::Made;
using test::make;
using test::name_of;
using test::try_make;

struct Impossible {
  const char* family;
  const char* parameters;
  std::vector<double> values;
  const char* at;       ///< parameter the fault names
  const char* message;  ///< a part of it
};

const Impossible cases[] = {
    {"constant", "value", {-1}, "value", "must not be negative, but is -1"},
    {"normal", "location+scale", {1, 0}, "scale", "use \"constant\""},
    {"normal", "location+scale", {1, -0.5}, "scale", "must be positive, not -0.5"},
    {"normal", "location+scale", {-1e9, 1}, "location", "use \"exponential\""},
    {"normal", "mean+cv", {1, 1}, "cv", "must be below 1"},
    {"normal", "median+p95", {1, 4.4}, "p95", "must be below 4.32193"},
    {"normal", "median+cv", {2, 1.5}, "cv", "but is 1.5"},
    {"lognormal", "median+log_sd", {0, 1}, "median", "must be positive, not 0"},
    {"lognormal", "median+log_sd", {1, 0}, "log_sd", "use \"constant\""},
    {"lognormal", "median+log_sd", {1, 11}, "log_sd", "at most 10"},
    {"lognormal", "median+p95", {1, 1e9}, "p95", "standard deviation of 12.59"},
    {"gamma", "shape+scale", {-2, 1}, "shape", "must be positive, not -2"},
    {"gamma", "shape+scale", {1e-9, 1}, "shape", "must be at least"},
    {"gamma", "shape+scale", {2, 0}, "scale", "must be positive"},
    {"gamma", "mean+cv", {1, 1e5}, "cv", "must be at most"},
    {"gamma", "median+cv", {1, 1e5}, "cv", "must be at most"},
    {"gamma", "median+p95", {1e-90, 1e20}, "p95", "1e+110 times the median"},
    {"gamma", "shape+scale", {1e19, 1}, "shape", "use \"constant\""},
    {"exponential", "mean", {1e26}, "mean", "at most 1e+25"},
    {"weibull", "shape+scale", {0.05, 1}, "shape", "must be at least 0.1"},
    {"weibull", "shape+scale", {1, -1}, "scale", "must be positive"},
    {"weibull", "mean+cv", {1, 1000}, "cv", "must be at most 429.83"},
    {"weibull", "median+cv", {1, 1000}, "cv", "but is 1000"},
    {"weibull", "median+p95", {1, 1e9}, "p95", "must be at most"},
    {"uniform", "low+high", {-1, 1}, "low", "must not be negative"},
    {"uniform", "low+high", {3, 2}, "high", "must be above low, 3, but is 2"},
    {"uniform", "low+high", {3, 3}, "high", "use \"constant\""},
    {"uniform", "median+p95", {10, 20}, "p95", "must be at most 19"},
    {"uniform", "mean+cv", {1, 0.6}, "cv", "must be at most 0.57735"},
    {"uniform", "median+cv", {1, 0.6}, "cv", "but is 0.6"},
    {"exponential", "mean", {0}, "mean", "must be positive, not 0"},
    {"exponential", "median", {-3}, "median", "must be positive, not -3"},
    {"shifted_exponential", "shift+scale", {-1, 1}, "shift", "must not be negative"},
    {"shifted_exponential", "shift+scale", {1, 0}, "scale", "use \"constant\""},
    {"shifted_exponential", "median+p95", {1, 5}, "p95", "must be at most 4.32193"},
    {"shifted_exponential", "mean+cv", {1, 1.01}, "cv", "must be at most 1"},
    {"shifted_exponential", "median+cv", {1, 1.01}, "cv", "but is 1.01"},
    {"pareto", "minimum+shape", {0, 2}, "minimum", "must be positive"},
    {"pareto", "minimum+shape", {1, 1}, "shape", "the mean is infinite"},
    {"pareto", "median+p95", {1, 10}, "p95", "must be below 10"},
    {"pareto", "mean+cv", {1, 1001}, "cv", "must be at most 1000"},
    {"gpd", "median+cv", {1, 1e6}, "cv", "must be at most 1000"},
    {"lognormal", "mean+cv", {1, 1e6}, "cv", "must be at most 1000"},
    {"gpd", "location+scale+shape", {-1, 1, 0}, "location", "must not be negative"},
    {"gpd", "location+scale+shape", {1, 0, 0}, "scale", "use \"constant\""},
    {"gpd", "scale+shape", {1, 1}, "shape", "must be below 1"},
    {"gpd", "median+p95", {1, 19}, "p95", "must be below 19"},
};

TEST(Faults, NameTheParameterAndTheNumbers) {
  for (const Impossible& c : cases) {
    const Made made = try_make(c.family, c.parameters, c.values);
    const auto* fault = std::get_if<ParameterFault>(&made);
    ASSERT_TRUE(fault) << c.family << " " << c.parameters << " " << c.values[0];
    EXPECT_EQ(fault->parameter, c.at) << c.family << " " << c.parameters << ": " << fault->message;
    EXPECT_NE(fault->message.find(c.message), std::string::npos)
        << c.family << " " << c.parameters << ": " << fault->message;
  }
}

// What every family must refuse in the pairs it takes, found by the registry.
TEST(Faults, EveryPairRefusesNoSpreadAndNonsense) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const Family& family : families()) {
    for (const ParameterSet& set : family.sets) {
      const std::string name = name_of(set);
      const auto fault_of = [&](double a, double b) {
        const Made made = set.make(std::vector<double>{a, b});
        const auto* fault = std::get_if<ParameterFault>(&made);
        EXPECT_TRUE(fault) << family.name << " " << name << " " << a << " " << b;
        return fault ? *fault : ParameterFault{"", ""};
      };
      const auto says = [](const ParameterFault& f, const char* text) {
        return f.message.find(text) != std::string::npos;
      };
      const bool by_cv = name == "mean+cv" || name == "median+cv";
      if (!by_cv && name != "median+p95") continue;
      const std::string spread = by_cv ? "cv" : "p95";
      const double none = by_cv ? 0 : 1, bad = by_cv ? -0.1 : 0.9;
      EXPECT_EQ(fault_of(1, none).parameter, spread);
      EXPECT_TRUE(says(fault_of(1, none), "use \"constant\"")) << family.name << " " << name;
      EXPECT_TRUE(says(fault_of(1, by_cv ? 1e-12 : 1 + 1e-12), "use \"constant\""))
          << family.name << " " << name;
      EXPECT_EQ(fault_of(1, bad).parameter, spread);
      EXPECT_TRUE(says(fault_of(1, bad), by_cv ? "-0.1" : "0.9")) << family.name << " " << name;
      EXPECT_EQ(fault_of(0, 0.5).parameter, set.parameters[0].name);
      EXPECT_EQ(fault_of(-1, 0.5).parameter, set.parameters[0].name);
      for (const double v : {nan, inf, -inf}) {
        EXPECT_EQ(fault_of(v, 0.5).parameter, set.parameters[0].name);
        EXPECT_EQ(fault_of(1, v).parameter, spread);
      }
    }
    // NaN anywhere in native parameters, too.
    for (const ParameterSet& set : family.sets) {
      for (std::size_t i = 0; i < set.parameters.size(); ++i) {
        std::vector<double> values(set.parameters.size(), 0.5);
        values[i] = nan;
        const Made made = set.make(values);
        const auto* fault = std::get_if<ParameterFault>(&made);
        ASSERT_TRUE(fault) << family.name;
        EXPECT_EQ(fault->parameter, set.parameters[i].name);
      }
    }
  }
}

TEST(Faults, LimitsThemselvesAreTaken) {
  EXPECT_EQ(make("uniform", "median+p95", {10, 19}).quantile(Mass::below(0)), 0);
  EXPECT_NEAR(make("shifted_exponential", "mean+cv", {2, 1}).median(), 2 * std::log(2.0), 1e-15);
  EXPECT_EQ(make("constant", "value", {0}).mean(), 0);
  EXPECT_NEAR(make("normal", "mean+cv", {1, 0.999}).sd(), 0.999, 1e-8);
}

TEST(Faults, Mixtures) {
  const std::vector<Distribution> two{make("constant", "value", {1}), make("exponential", "mean", {3})};
  const auto parameter = [](const Made& m) { return std::get<ParameterFault>(m).parameter; };
  EXPECT_EQ(parameter(make_mixture(std::vector<double>{}, {})), "parts");
  EXPECT_EQ(parameter(make_mixture(std::vector<double>{1}, two)), "weights");
  EXPECT_EQ(parameter(make_mixture(std::vector<double>{1, 0}, two)), "weights");
  EXPECT_EQ(parameter(make_mixture(std::vector<double>{1, -1}, two)), "weights");
  EXPECT_EQ(parameter(make_mixture(std::vector<double>{1, NAN}, two)), "weights");
  EXPECT_EQ(parameter(make_mixture(std::vector<double>{1, INFINITY}, two)), "weights");
}

TEST(Faults, Empirical) {
  const auto parameter = [](const Made& m) { return std::get<ParameterFault>(m).parameter; };
  const auto message = [](const Made& m) { return std::get<ParameterFault>(m).message; };
  using V = std::vector<double>;
  EXPECT_EQ(parameter(make_empirical(V{1})), "samples");
  EXPECT_EQ(message(make_empirical(V{1, 2, -3})), "sample 3 must be a number from 0 to 1e+25, not -3");
  EXPECT_EQ(parameter(make_empirical(V{1, NAN})), "samples");
  EXPECT_EQ(parameter(make_empirical_quantiles(V{0, 1}, V{1, 2, 3})), "values");
  EXPECT_EQ(parameter(make_empirical_quantiles(V{}, V{})), "masses");
  EXPECT_EQ(parameter(make_empirical_quantiles(V{0, 0.5}, V{1, 2})), "masses");
  EXPECT_EQ(parameter(make_empirical_quantiles(V{0.1, 1}, V{1, 2})), "masses");
  EXPECT_EQ(message(make_empirical_quantiles(V{0, 0.5, 0.5, 1}, V{1, 2, 3, 4})),
            "mass 3, 0.5, must be above the one before, 0.5");
  EXPECT_EQ(message(make_empirical_quantiles(V{0, 0.5, 1}, V{1, 2, 1.5})),
            "value 3, 1.5, must not be below the one before, 2");
  EXPECT_EQ(parameter(make_empirical_quantiles(V{0, NAN, 1}, V{1, 2, 3})), "masses");
  EXPECT_EQ(parameter(make_empirical_quantiles(V{0, 1}, V{-1, 2})), "values");
}

}  // namespace
}  // namespace prism::distribution_faults_test
