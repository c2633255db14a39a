// SPDX-License-Identifier: Apache-2.0
// Steps held out of operator traces, predicted from the others.
#include "measured_suite.h"
#include "prism/evidence_prediction.h"

namespace prism::measured::operator_prediction_test {
namespace {

class OperatorPrediction : public Measured {};

const std::vector<std::int64_t> cold_of_st = {23, 25};

Validation validated(const std::string& name, Split split, std::vector<std::int64_t> without = {}) {
  ValidationOptions options;
  options.split = split;
  options.without = std::move(without);
  auto v = validate(operator_trace(name), options);
  if (!v) throw std::runtime_error(v.diagnostics.at(0).message);
  const auto line = [](const char* what, const Judgement& j) {
    std::printf(
        "  %-22s p50 %+.2f %%, p95 %+.2f %%, KS %.3f (p %.3f); p95 of samples %+.2f %% [%.3f, %.3f]\n", what,
        100 * j.error(0.5), 100 * j.error(0.95), j.ks, j.ks_p,
        100 * (j.p95_of_samples / j.quantiles[2].observed - 1), j.p95_low, j.p95_high);
  };
  std::printf(" %s %s%s: %zu -> %zu steps\n", name.c_str(), split == Split::halves ? "halves" : "odd -> even",
              options.without.empty() ? "" : " without cold steps", v->training.size(), v->held_out.size());
  line("prediction", v->prediction);
  line("independent by type", v->independent);
  line("  and stage", v->independent_by_stage);
  line("training steps", v->resampled);
  std::printf("  %-22s p50 %+.2f %%, p95 %+.2f %%, KS %.3f\n", "constant", 100 * v->constant_p50_error,
              100 * v->constant_p95_error, v->constant_ks);
  return *v;
}

void expect_right(const Validation& v) {
  EXPECT_LT(std::fabs(v.prediction.error(0.5)), 0.005);
  EXPECT_LT(std::fabs(v.prediction.error(0.95)), 0.005);
  EXPECT_GE(v.prediction.ks_p, 0.05);
  EXPECT_LT(v.prediction.ks, v.independent.ks - 0.05);
}

TEST_F(OperatorPrediction, AR_odd_to_even) { expect_right(validated("AR", Split::odd_even)); }
TEST_F(OperatorPrediction, ST_odd_to_even_without_its_cold_steps) {
  expect_right(validated("ST", Split::odd_even, cold_of_st));
}

TEST_F(OperatorPrediction, ST_odd_to_even_with_its_cold_steps) {
  const Validation v = validated("ST", Split::odd_even);
  const double observed = v.prediction.quantiles[2].observed;
  EXPECT_LT(std::fabs(v.prediction.p95_of_samples / observed - 1), 0.01);
  EXPECT_LT(v.prediction.p95_low, observed);
  EXPECT_GT(v.prediction.p95_high, observed);
  EXPECT_GE(v.prediction.ks_p, 0.05);
  EXPECT_LT(v.prediction.ks, v.independent.ks - 0.05);
}

TEST_F(OperatorPrediction, first_half_to_second_half_is_shown_as_it_is) {
  for (const char* name : {"AR", "ST"})
    EXPECT_LT(std::fabs(validated(name, Split::halves).prediction.error(0.5)), 0.01);
}

TEST_F(OperatorPrediction, cold_steps_and_drift_are_named) {
  const auto episodes_of = [](const char* name) {
    const OperatorTrace trace = operator_trace(name);
    const auto found = find_episodes(trace, *serial_graph(trace));
    for (const Episode& e : found)
      std::printf("  %s %s %s: %zu steps from %ld, %.4f s instead of %.4f s, step %+.2f %%\n", name,
                  e.kind == Episode::Kind::drift ? "drift" : "cold", e.what.c_str(), e.steps.size(),
                  static_cast<long>(e.steps[0]), e.there, e.usual, 100 * e.lengthens);
    return found;
  };
  const auto find = [](const std::vector<Episode>& all, const std::string& what) {
    for (const Episode& e : all)
      if (e.what == what) return e;
    ADD_FAILURE() << what << " not found";
    return Episode{};
  };
  const auto st = episodes_of("ST");
  const Episode cold = find(st, "embedding-grads-all-reduce");
  EXPECT_EQ(cold.steps, cold_of_st);
  EXPECT_GT(cold.lengthens, 0.05);
  EXPECT_EQ(find(st, "compute").steps.size(), 5u);
  const auto ar = episodes_of("AR");
  const Episode hidden = find(ar, "embedding-grads-all-reduce");
  EXPECT_EQ(hidden.steps, (std::vector<std::int64_t>{16, 27}));
  EXPECT_EQ(hidden.lengthens, 0);
  EXPECT_EQ(find(ar, "compute").steps.size(), 7u);
}

}  // namespace
}  // namespace prism::measured::operator_prediction_test
