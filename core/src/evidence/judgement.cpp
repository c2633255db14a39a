// SPDX-License-Identifier: Apache-2.0
// How wrong a predicted distribution is. The Kolmogorov-Smirnov distance of a right prediction is not 0 with
// few observations, so its distribution is drawn from the prediction itself.
#include <algorithm>
#include <cmath>
#include <pcg_random.hpp>

#include "evidence/moments.h"
#include "prism/evidence_prediction.h"

namespace prism {
namespace {

constexpr int redraws = 2000;

}  // namespace

double ks_distance(const std::vector<double>& a, const std::vector<double>& b) {
  const double na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  double worst = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == x) ++i;
    while (j < b.size() && b[j] == x) ++j;
    worst = std::max(worst, std::fabs(static_cast<double>(i) / na - static_cast<double>(j) / nb));
  }
  return worst;
}

double Judgement::error(double p) const {
  for (const Quantile& q : quantiles)
    if (q.p == p) return q.predicted / q.observed - 1;
  return 0;
}

Judgement judge(std::vector<double> predicted, std::vector<double> observed, std::uint64_t seed) {
  std::sort(predicted.begin(), predicted.end());
  std::sort(observed.begin(), observed.end());
  Judgement j;
  for (const double p : {0.05, 0.5, 0.95, 0.99})
    j.quantiles.push_back({p, quantile_of_sorted(predicted, p), quantile_of_sorted(observed, p)});
  j.ks = ks_distance(predicted, observed);

  std::vector<double> distances, p95s, sample(observed.size());
  int larger = 0;
  for (int i = 0; i < redraws; ++i) {
    pcg32_oneseq random(stream_state(seed, static_cast<std::uint64_t>(i), stream_key("evidence-redraw")));
    for (double& x : sample) x = predicted[random(static_cast<std::uint32_t>(predicted.size()))];
    std::sort(sample.begin(), sample.end());
    distances.push_back(ks_distance(predicted, sample));
    p95s.push_back(quantile_of_sorted(sample, 0.95));
    if (distances.back() >= j.ks) ++larger;
  }
  j.ks_p = static_cast<double>(larger) / redraws;
  j.ks_mean = mean_of(distances);
  std::sort(distances.begin(), distances.end());
  std::sort(p95s.begin(), p95s.end());
  j.ks_critical = quantile_of_sorted(distances, 0.95);
  j.p95_of_samples = quantile_of_sorted(p95s, 0.5);
  j.p95_low = quantile_of_sorted(p95s, 0.025);
  j.p95_high = quantile_of_sorted(p95s, 0.975);
  return j;
}

}  // namespace prism
