// SPDX-License-Identifier: Apache-2.0
// Step times of MLPerf Training runs: fitted on one run, judged on the others of the same system.
#include <map>

#include "measured_suite.h"
#include "prism/evidence_steps.h"

namespace prism::measured::step_times_test {
namespace {

class StepTimes : public Measured {};

/// Steps of each run without the two of warm-up.
std::vector<std::vector<double>> runs_of(const std::string& file) {
  StepLogReader reader;
  const auto fault = cli::read_pieces(folder() + "/step-times/" + file, [&](std::string_view piece) {
    reader.feed(piece);
    return true;
  });
  if (fault) throw std::runtime_error(*fault);
  std::vector<std::vector<double>> out;
  const StepLog log = *reader.finish();
  for (const auto& run : log.runs) out.emplace_back(run.seconds.begin() + 2, run.seconds.end());
  return out;
}

struct Limit {
  double p, error;
};
constexpr Limit limits[] = {{0.05, 0.01}, {0.5, 0.02}, {0.95, 0.03}, {0.99, 0.06}};

TEST_F(StepTimes, a_fit_on_one_run_holds_for_the_others) {
  std::map<double, double> worst;
  int pairs = 0, beyond = 0;
  for (const auto& entry : json_file("step-times/index.json")) {
    const auto runs = runs_of(entry["file"]);
    ASSERT_GE(runs.size(), 2u) << entry["file"];
    for (std::size_t from = 0; from < runs.size(); ++from) {
      const StepFit fit = *fit_steps(runs[from]);
      EXPECT_LE(fit.parameters(), 6);
      const Distribution law = distribution_of(fit);
      for (std::size_t to = 0; to < runs.size(); ++to) {
        if (to == from) continue;
        auto sorted = runs[to];
        std::sort(sorted.begin(), sorted.end());
        for (const Limit& l : limits) {
          const double error = law.quantile(Mass::below(l.p)) / quantile_of_sorted(sorted, l.p) - 1;
          ++pairs;
          if (std::fabs(error) > l.error) {
            ++beyond;
            std::printf("  beyond: %s run %zu -> %zu p%g %+.1f %%\n",
                        entry["file"].get<std::string>().c_str(), from, to, 100 * l.p, 100 * error);
          }
          if (from > 0) continue;
          worst[l.p] = std::max(worst[l.p], std::fabs(error));
          EXPECT_LT(std::fabs(error), l.error) << entry["file"] << " run 0 -> " << to << " p" << 100 * l.p;
        }
      }
    }
  }
  for (const auto& [p, error] : worst)
    std::printf("  first run -> others: worst p%g %.2f %%\n", 100 * p, 100 * error);
  std::printf("  any run -> any other: %d of %d beyond the limits\n", beyond, pairs);
  EXPECT_LE(beyond, 8);
}

TEST_F(StepTimes, extrapolation_from_512_GPUs_is_stated) {
  const auto index = json_file("step-times/index.json");
  const auto entry_of = [&](const char* file) {
    for (const auto& e : index)
      if (e["file"] == file) return e;
    throw std::runtime_error("no such file");
  };
  const auto extrapolate = [&](const char* small, const char* large, double known) {
    const auto a = entry_of(small), b = entry_of(large);
    const StepFit fit = *fit_steps(runs_of(small)[0]);
    // Ideal scaling: the same work a GPU and second; the shape relative to the median stays.
    const double work = b["layout"]["global_batch"].get<double>() /
                        a["layout"]["global_batch"].get<double>() * a["gpus"].get<double>() /
                        b["gpus"].get<double>();
    const Distribution law = distribution_of(fit);
    std::vector<double> all;
    for (const auto& run : runs_of(large)) all.insert(all.end(), run.begin(), run.end());
    std::sort(all.begin(), all.end());
    const double median = quantile_of_sorted(all, 0.5);
    std::printf("  %s -> %s: p50 %+.1f %%", small, large, 100 * (fit.median * work / median - 1));
    for (const double p : {0.05, 0.95, 0.99})
      std::printf(
          ", p%g/p50 %+.1f %%", 100 * p,
          100 * (law.quantile(Mass::below(p)) / fit.median * median / quantile_of_sorted(all, p) - 1));
    std::printf("\n");
    EXPECT_LT(std::fabs(fit.median * work / median - 1), known);
  };
  // What is written in docs/evidence.md; not a promise.
  extrapolate("gpt3-175b-h100-0512.csv", "gpt3-175b-h100-4096.csv", 0.35);
  extrapolate("gpt3-175b-h100-0512.csv", "gpt3-175b-h100-8192.csv", 0.35);
  extrapolate("gpt3-175b-h100-0512.csv", "gpt3-175b-h100-10752.csv", 0.35);
  extrapolate("llama31-405b-h100-0512.csv", "llama31-405b-h100-2048.csv", 0.35);
  extrapolate("llama31-405b-h100-0512.csv", "llama31-405b-h100-8192.csv", 0.35);
  extrapolate("llama31-405b-gb200-0512.csv", "llama31-405b-gb200-2048.csv", 0.35);
}

}  // namespace
}  // namespace prism::measured::step_times_test
