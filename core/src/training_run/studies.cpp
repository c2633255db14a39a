// SPDX-License-Identifier: Apache-2.0
// Questions that take several setups, or several runs: checkpoint interval, spares, capacity, latest start,
// schedule.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "prism/numerics.h"
#include "prism/training_run.h"
#include "statistics/binomial.h"
#include "statistics/statistics.h"

namespace prism {
namespace {

constexpr double confidence = 0.95;

double seconds(Nanoseconds t) { return static_cast<double>(t) / ns_per_s; }

std::vector<double> sorted_walls(std::span<const RunRecord> runs) {
  std::vector<double> wall;
  for (const RunRecord& r : runs) wall.push_back(seconds(r.wall));
  std::sort(wall.begin(), wall.end());
  return wall;
}

std::int64_t in_time(std::span<const RunRecord> runs, double within_s) {
  return std::count_if(runs.begin(), runs.end(),
                       [&](const RunRecord& r) { return r.finished && seconds(r.wall) <= within_s; });
}

/// Least squares on a few functions, by the normal equations of scaled columns.
template <std::size_t n>
std::array<double, n> least_squares(const std::vector<std::array<double, n>>& rows,
                                    const std::vector<double>& y) {
  std::array<std::array<double, n + 1>, n> m{};
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) m[i][j] += rows[r][i] * rows[r][j];
      m[i][n] += rows[r][i] * y[r];
    }
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i + 1; k < n; ++k)
      if (std::fabs(m[k][i]) > std::fabs(m[pivot][i])) pivot = k;
    std::swap(m[i], m[pivot]);
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i || m[i][i] == 0) continue;
      const double factor = m[k][i] / m[i][i];
      for (std::size_t j = i; j <= n; ++j) m[k][j] -= factor * m[i][j];
    }
  }
  std::array<double, n> x{};
  for (std::size_t i = 0; i < n; ++i) x[i] = m[i][i] != 0 ? m[i][n] / m[i][i] : 0;
  return x;
}

/// Minimum of a smooth curve through the points: a + b/x + c x + d x^2, the expansion of what a checkpoint
/// costs.
double lowest(const std::vector<CurvePoint>& points) {
  const double scale = points[points.size() / 2].x;
  std::vector<std::array<double, 4>> rows;
  std::vector<double> y;
  for (const CurvePoint& p : points) {
    const double x = p.x / scale;
    rows.push_back({1, 1 / x, x, x * x});
    y.push_back(p.mean_wall_s / points.front().mean_wall_s);
  }
  const auto k = least_squares(rows, y);
  double best = points.front().x / scale, least = 0;
  const double from = best, to = points.back().x / scale;
  constexpr int places = 4000;
  for (int i = 0; i <= places; ++i) {
    const double x = from * pow_exact(to / from, static_cast<double>(i) / places);
    const double value = k[1] / x + k[2] * x + k[3] * x * x;
    if (i == 0 || value < least) {
      least = value;
      best = x;
    }
  }
  return best * scale;
}

}  // namespace

CurvePoint curve_point(double x, std::span<const RunRecord> runs) {
  CurvePoint p;
  p.x = x;
  const std::vector<double> wall = sorted_walls(runs);
  const Moments m = moments(wall);
  p.mean_wall_s = m.mean;
  p.standard_error_s = m.standard_error;
  p.p50_s = quantile(wall, 0.5);
  p.p95_s = quantile(wall, 0.95);
  double goodput = 0, finished = 0;
  for (const RunRecord& r : runs) {
    goodput += r.goodput();
    finished += r.finished ? 1 : 0;
  }
  p.goodput = goodput / static_cast<double>(runs.size());
  p.finished = finished / static_cast<double>(runs.size());
  return p;
}

namespace {

/// The setup with the best interval of formulas.
Result<TrainingBasics> with_best_interval(TrainingSetup setup) {
  setup.plan.tiers.back().every = CheckpointTier::Every::best;
  auto training = prepare_training(std::move(setup));
  if (!training) return Result<TrainingBasics>::faults(std::move(training.diagnostics));
  return Result<TrainingBasics>::of(basics(**training));
}

}  // namespace

Result<std::vector<Candidate>> interval_candidates(const TrainingSetup& setup) {
  using R = Result<std::vector<Candidate>>;
  auto best = with_best_interval(setup);
  if (!best) return R::faults(std::move(best.diagnostics));
  constexpr std::array<double, 13> times = {0.25, 0.35, 0.5, 0.6, 0.72, 0.85, 1, 1.18, 1.4, 1.65, 2, 2.8, 4};
  std::vector<Candidate> candidates;
  for (double factor : times) {
    Candidate c{0, setup};
    c.setup.plan.tiers.back().every = CheckpointTier::Every::time;
    c.setup.plan.tiers.back().every_s = best->interval_s * factor;
    auto training = prepare_training(c.setup);
    if (!training) return R::faults(std::move(training.diagnostics));
    c.x = basics(**training).interval_s;  // in whole steps
    if (candidates.empty() || c.x > candidates.back().x) candidates.push_back(std::move(c));
  }
  return R::of(std::move(candidates));
}

Result<PlayedCandidate> play_candidate(const Candidate& candidate, double within_s, double q,
                                       const TrainingRunner& run) {
  using R = Result<PlayedCandidate>;
  auto training = prepare_training(candidate.setup);
  if (!training) return R::faults(std::move(training.diagnostics));
  const std::vector<RunRecord> runs = run(**training);
  return R::of({curve_point(candidate.x, runs), static_cast<std::int64_t>(runs.size()),
                in_time(runs, within_s), basics(**training).failure_free_s,
                latest_start(**training, runs, q)});
}

namespace {

Result<std::vector<PlayedCandidate>> play_all(std::span<const Candidate> candidates, double within_s,
                                              double q, const TrainingRunner& run) {
  std::vector<PlayedCandidate> all;
  for (const Candidate& candidate : candidates) {
    auto played = play_candidate(candidate, within_s, q, run);
    if (!played) return Result<std::vector<PlayedCandidate>>::faults(std::move(played.diagnostics));
    all.push_back(*played);
  }
  return Result<std::vector<PlayedCandidate>>::of(std::move(all));
}

}  // namespace

Result<CheckpointCurve> checkpoint_curve_of(const TrainingSetup& setup,
                                            std::span<const PlayedCandidate> played) {
  auto best = with_best_interval(setup);
  if (!best) return Result<CheckpointCurve>::faults(std::move(best.diagnostics));
  CheckpointCurve curve;
  if (best->failures_per_s > 0) {
    const double w = best->write_s, M = 1 / best->failures_per_s;
    curve.young_s = young_interval(w, M);
    curve.daly_first_s = daly_first_interval(w, M);
    curve.daly_s = daly_interval(w, M);
    curve.exact_s = best_interval(w, M);
  }
  for (const PlayedCandidate& p : played) curve.points.push_back(p.curve);
  // The expansion holds near the optimum.
  const double middle = best->interval_s;
  std::vector<CurvePoint> near;
  for (const CurvePoint& p : curve.points)
    if (p.x >= 0.45 * middle && p.x <= 2.2 * middle) near.push_back(p);
  if (near.size() >= 6) {
    curve.best_s = lowest(near);
  } else {
    const auto least =
        std::min_element(curve.points.begin(), curve.points.end(),
                         [](const auto& a, const auto& b) { return a.mean_wall_s < b.mean_wall_s; });
    curve.best_s = least->x;
  }
  return Result<CheckpointCurve>::of(std::move(curve));
}

Result<CheckpointCurve> checkpoint_curve(const TrainingSetup& setup, const TrainingRunner& run) {
  using R = Result<CheckpointCurve>;
  const auto candidates = interval_candidates(setup);
  if (!candidates) return R::faults(candidates.diagnostics);
  const auto played = play_all(*candidates, 0, confidence, run);
  if (!played) return R::faults(played.diagnostics);
  return checkpoint_curve_of(setup, *played);
}

Capacity capacity_of(std::span<const PlayedCandidate> played, double within_s, double q) {
  Capacity c;
  for (const PlayedCandidate& p : played) {
    const auto index = static_cast<int>(c.candidates.size());
    const ProbabilityInterval interval = probability_interval(p.in_time, p.runs, confidence);
    const double share = static_cast<double>(p.in_time) / static_cast<double>(p.runs);
    c.candidates.push_back({p.curve.x, share, interval.low, interval.high, p.curve.mean_wall_s, p.curve.p95_s,
                            p.curve.goodput, p.curve.finished});
    const auto first = [&](int& place, bool here) {
      if (place < 0 && here) place = index;
    };
    first(c.answer, share >= q);
    first(c.perhaps, interval.high >= q);
    first(c.surely, interval.low >= q);
    first(c.point_estimate, p.failure_free_s <= within_s);
  }
  return c;
}

Result<Capacity> capacity(std::span<const Candidate> candidates, double within_s, double q,
                          const TrainingRunner& run) {
  const auto played = play_all(candidates, within_s, q, run);
  if (!played) return Result<Capacity>::faults(played.diagnostics);
  return Result<Capacity>::of(capacity_of(*played, within_s, q));
}

std::vector<Candidate> spare_candidates(const TrainingSetup& setup, std::int64_t most) {
  std::vector<Candidate> candidates;
  if (!setup.plan.spares) return candidates;  // always enough
  for (std::int64_t n = 0; n <= most; ++n) {
    candidates.push_back({static_cast<double>(n), setup});
    candidates.back().setup.plan.spares->nodes = n;
  }
  return candidates;
}

LatestStart latest_start(const Training& t, std::span<const RunRecord> runs, double q) {
  LatestStart l;
  l.point_estimate_s = basics(t).failure_free_s;
  std::vector<double> wall;
  for (const RunRecord& r : runs)
    if (r.finished) wall.push_back(seconds(r.wall));
  std::sort(wall.begin(), wall.end());
  const auto n = static_cast<std::int64_t>(runs.size()), finished = static_cast<std::int64_t>(wall.size());
  // The smallest time within which a share q of the runs finishes; those that never do stand above all
  // others.
  const auto rank = static_cast<std::int64_t>(std::ceil(q * static_cast<double>(n) - 1e-9));
  const auto order = [&](std::int64_t k) { return wall[static_cast<std::size_t>(k - 1)]; };
  l.exists = rank >= 1 && rank <= finished;
  if (l.exists) l.before_s = order(rank);
  const RankInterval interval = quantile_interval(n, q, confidence);
  l.low_known = interval.low && *interval.low <= finished;
  l.high_known = interval.high && *interval.high <= finished;
  if (l.low_known) l.low_s = order(*interval.low);
  if (l.high_known) l.high_s = order(*interval.high);
  return l;
}

namespace {

Share share_of(const std::vector<bool>& met) {
  const auto n = static_cast<std::int64_t>(met.size());
  const std::int64_t hits = std::count(met.begin(), met.end(), true);
  const ProbabilityInterval interval = probability_interval(hits, n, confidence);
  return {static_cast<double>(hits) / static_cast<double>(n), interval.low, interval.high};
}

/// Indices, first the run that must start earliest.
std::vector<int> by_latest_start(std::span<const ScheduledRun> runs, ScheduleBy by) {
  std::vector<double> latest;
  for (const ScheduledRun& r : runs) {
    std::vector<double> wall = r.wall_s;
    std::sort(wall.begin(), wall.end());
    latest.push_back(r.deadline_s - (by == ScheduleBy::mean ? moments(wall).mean : quantile(wall, 0.95)));
  }
  std::vector<int> order(runs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return latest[static_cast<std::size_t>(a)] < latest[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace

RunOrder schedule(std::span<const ScheduledRun> runs, ScheduleBy by) {
  RunOrder plan;
  if (runs.empty()) return plan;
  std::size_t n = runs.front().wall_s.size();
  for (const ScheduledRun& r : runs) n = std::min(n, r.wall_s.size());
  std::vector<double> end(n, 0);
  // What comes after a run that is given up never starts.
  std::vector<bool> ends(n, true), all(n, true);
  ScheduledPlace place;
  for (int i : by_latest_start(runs, by)) {
    const ScheduledRun& r = runs[static_cast<std::size_t>(i)];
    std::vector<bool> met(n);
    for (std::size_t k = 0; k < n; ++k) {
      end[k] += r.wall_s[k];
      ends[k] = ends[k] && r.finished[k];
      met[k] = ends[k] && end[k] <= r.deadline_s;
      all[k] = all[k] && met[k];
    }
    std::vector<double> sorted = end;
    std::sort(sorted.begin(), sorted.end());
    place.run = i;
    place.p50_start_s = place.p50_finish_s;
    place.p95_start_s = place.p95_finish_s;
    place.mean_finish_s = moments(sorted).mean;
    place.p50_finish_s = quantile(sorted, 0.5);
    place.p95_finish_s = quantile(sorted, 0.95);
    place.finished = share_of(ends).probability;
    place.met = share_of(met);
    plan.places.push_back(place);
  }
  plan.all_met = share_of(all);
  return plan;
}

}  // namespace prism
