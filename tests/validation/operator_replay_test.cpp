// SPDX-License-Identifier: Apache-2.0
// Every figure published with the operator traces of arXiv 2505.05713, and the slow-worker pairs of its
// section 4.
#include <chrono>
#include <functional>

#include "measured_suite.h"

namespace prism::measured::operator_replay_test {
namespace {

using nlohmann::json;

class OperatorReplay : public Measured {
 protected:
  static double off(double got, double want) { return std::fabs(got / want - 1); }
};

double worst_over_steps(const OperatorTrace& t, const std::vector<double>& got, const json& want) {
  EXPECT_EQ(want.size(), got.size());
  double worst = 0;
  for (std::size_t s = 0; s < got.size(); ++s)
    worst = std::max(worst, std::fabs(got[s] / want.at(std::to_string(t.step_numbers[s])).get<double>() - 1));
  return worst;
}

double worst_over_groups(const OperatorTrace& t, const std::vector<GroupSlowdown>& got, const json& whole,
                         const json& steps) {
  EXPECT_EQ(whole.size(), got.size());
  double worst = 0;
  for (const GroupSlowdown& g : got) {
    worst = std::max(worst, std::fabs(g.mean / whole.at(g.group).get<double>() - 1));
    for (std::size_t s = 0; s < g.per_step.size(); ++s)
      worst = std::max(
          worst,
          std::fabs(g.per_step[s] / steps.at(std::to_string(t.step_numbers[s])).at(g.group).get<double>() -
                    1));
  }
  return worst;
}

void expect_published(const std::string& name) {
  const OperatorTrace trace = operator_trace(name);
  const auto answers = what_if(trace);
  ASSERT_TRUE(answers);
  const ReplayWhatIf& w = *answers;
  const json want = json_file("operator-traces/" + name + ".expected.json");
  const json metrics = json_file("operator-traces/" + name + ".expected-metrics.json");
  constexpr double tolerance = 1e-5;
  const auto check = [&](const char* what, double deviation) {
    EXPECT_LT(deviation, tolerance) << what;
    std::printf("  %s %-28s %.1e\n", name.c_str(), what, deviation);
  };
  check("step_t_base", worst_over_steps(trace, w.measured, want["step_t_base"]));
  check("step_t_nodelay", worst_over_steps(trace, w.replayed, want["step_t_nodelay"]));
  check("step_t_noblk",
        worst_over_steps(trace, std::vector<double>(w.measured.size(), w.ideal), want["step_t_noblk"]));
  check("blocking_slowdown", std::fabs(w.slowdown / want["blocking_slowdown"].get<double>() - 1));
  check("launch_slowdown", std::fabs(w.launch_slowdown / want["launch_slowdown"].get<double>() - 1));
  check("blocking_step_slowdown", worst_over_steps(trace, w.step_slowdown, want["blocking_step_slowdown"]));
  check("launch_step_slowdown",
        worst_over_steps(trace, w.step_launch_slowdown, want["launch_step_slowdown"]));
  const auto groups = [&](const char* by, const std::vector<GroupSlowdown>& got) {
    const std::string key = std::string("blocking_decompose_by_") + by;
    check(key.c_str(), worst_over_groups(trace, got, want[key], want[key + "_per_step"]));
  };
  groups("optype", w.by_type);
  groups("stage", w.by_stage);
  groups("dp_rank", w.by_replica);
  const auto share = [&](const char* key, const GroupShare& got) {
    const json& m = metrics[key];
    double worst = std::max(std::fabs(got.removed - m["rem"].get<double>()),
                            std::fabs(got.alone - m["add"].get<double>()));
    worst = std::max(worst, std::fabs(got.removed_s / m["trem"].get<double>() - 1));
    worst = std::max(worst, std::fabs(got.alone_s / m["tadd"].get<double>() - 1));
    check(key, worst);
  };
  share("Ms", w.last_stage);
  share("Mw", w.slowest_workers);
}

TEST_F(OperatorReplay, every_published_figure_of_AR) { expect_published("AR"); }
TEST_F(OperatorReplay, every_published_figure_of_ST) { expect_published("ST"); }

TEST_F(OperatorReplay, the_slow_workers_are_found) {
  const OperatorTrace ar = operator_trace("AR"), st = operator_trace("ST");
  EXPECT_EQ(what_if(ar)->slowest, std::vector<int>{0});
  EXPECT_EQ(what_if(st)->slowest, std::vector<int>{7});
  const ComputeFactors f = compute_factors(ar, 0);
  EXPECT_NEAR(f.forward, 2.51, 0.02);
  EXPECT_NEAR(f.backward, 2.27, 0.02);
}

/// Largest deviation of the serial replay from the measured step times, and the mean one.
std::pair<double, double> serial_deviation(const OperatorTrace& trace, bool known_waiting) {
  const auto graph = serial_graph(trace);
  EXPECT_TRUE(graph);
  const auto step =
      replay(*graph, transfer_times(trace, *graph), launch_gaps(trace, *graph, known_waiting), trace.steps());
  const auto measured = measured_step_times(trace);
  double worst = 0, sum = 0;
  for (std::size_t s = 0; s < step.size(); ++s) {
    worst = std::max(worst, std::fabs(step[s] / measured[s] - 1));
    sum += step[s] / measured[s] - 1;
  }
  return {worst, sum / static_cast<double>(step.size())};
}

TEST_F(OperatorReplay, the_serial_graph_with_launch_gaps_gives_the_measured_steps) {
  for (const char* name : {"AR", "ST"}) {
    const OperatorTrace trace = operator_trace(name);
    const auto [worst, bias] = serial_deviation(trace, false);
    EXPECT_LT(worst, 1e-4) << name;
    const auto [known_worst, known_bias] = serial_deviation(trace, true);
    EXPECT_LT(known_worst, 1e-3) << name;
    std::printf("  %s all gaps %.1e, waiting before layernorm left out %.1e (mean %.1e)\n", name, worst,
                known_worst, known_bias);
  }
}

TEST_F(OperatorReplay, a_slow_worker_of_the_published_size_gives_the_published_answers) {
  const OperatorTrace trace = operator_trace("AR");
  const auto step_mean = [](const OperatorTrace& t) { return mean(what_if(t)->replayed); };
  const double measured = mean(measured_step_times(trace));
  constexpr struct { double slowdown, what_if; } published[] = {{1.16, 1.21}, {1.40, 1.42}, {2.03, 1.98}};
  for (int peer = 1; peer < trace.replicas; ++peer) {
    const OperatorTrace healthy = with_compute_of(trace, 0, peer * trace.stages, 1, 1);
    const double base = step_mean(healthy);
    EXPECT_NEAR(measured / base, 2.03, 0.03);
    std::printf("  peer %d: measured / healthy %.3f;", peer, measured / base);
    for (const auto& p : published) {
      double low = 1, high = 3;
      for (int i = 0; i < 30; ++i) {
        const double factor = (low + high) / 2;
        (step_mean(with_compute_of(healthy, 0, 0, factor, factor)) / base < p.slowdown ? low : high) = factor;
      }
      const double s = what_if(with_compute_of(healthy, 0, 0, low, low))->slowdown;
      EXPECT_NEAR(s, p.what_if, 0.02);
      std::printf(" factor %.2f: %.2f -> S %.3f;", low, p.slowdown, s);
    }
    std::printf("\n");
    // The serial graph with gaps, the slow worker put back by its measured factors.
    const auto graph = serial_graph(trace);
    const ComputeFactors f = compute_factors(trace, 0);
    const OperatorTrace hurt = with_compute_of(healthy, 0, 0, f.forward, f.backward);
    auto time = transfer_times(trace, *graph);
    for (std::size_t i = 0; i < time.size(); ++i)
      if (is_compute(trace.ops[i / static_cast<std::size_t>(trace.steps())].type)) time[i] = hurt.duration[i];
    const double again = mean(replay(*graph, time, launch_gaps(trace, *graph, true), trace.steps()));
    EXPECT_NEAR(again / measured, 1, 0.005);
    std::printf("          measured factors put back: %+.2f %%\n", 100 * (again / measured - 1));
  }
}

TEST_F(OperatorReplay, import_and_answers_take_less_than_the_promised_time) {
  const auto from = std::chrono::steady_clock::now();
  const OperatorTrace trace = operator_trace("AR");
  const auto read = std::chrono::steady_clock::now();
  EXPECT_TRUE(what_if(trace));
  const auto until = std::chrono::steady_clock::now();
  const auto seconds = [](auto d) { return std::chrono::duration<double>(d).count(); };
  std::printf("  import %.2f s, answers %.2f s\n", seconds(read - from), seconds(until - read));
  // Promised: 0.6 s on an idle machine. The bound here only catches a change of order.
  EXPECT_LT(seconds(until - from), 3.0);
}

}  // namespace
}  // namespace prism::measured::operator_replay_test
