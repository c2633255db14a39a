// SPDX-License-Identifier: Apache-2.0
#include "simulation/screening.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// Weights of the fit are held to the closed form this strongly, as a share of what is observed.
constexpr double prior = 1e-4;
/// More ranks than this are left to the closed form: the fit's cost grows with their cube.
constexpr std::size_t most_fitted_ranks = 64;

/// Solves a x = b in place for a symmetric positive definite a, [n * n].
void solve(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const double factor = a[j * n + i] / a[i * n + i];
      for (std::size_t k = i; k < n; ++k) a[j * n + k] -= factor * a[i * n + k];
      b[j] -= factor * b[i];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
}

/// Differences from the mean of the replica's step: what differs between steps does not choose among
/// replicas.
std::vector<std::vector<double>> within_steps(std::span<const Observed> observed) {
  std::vector<std::vector<double>> rows;
  for (const Observed& o : observed) {
    std::vector<double> row = {*std::max_element(o.busy.begin(), o.busy.end())};
    row.insert(row.end(), o.busy.begin(), o.busy.end());
    row.push_back(o.done);
    rows.push_back(std::move(row));
  }
  for (std::size_t from = 0; from < rows.size();) {
    std::size_t to = from;
    while (to < rows.size() && observed[to].step == observed[from].step) ++to;
    for (std::size_t i = 0; i < rows[from].size(); ++i) {
      double mean = 0;
      for (std::size_t j = from; j < to; ++j) mean += rows[j][i];
      mean /= static_cast<double>(to - from);
      for (std::size_t j = from; j < to; ++j) rows[j][i] -= mean;
    }
    from = to;
  }
  return rows;
}

}  // namespace

Guess closed_form_guess(const Compiled& c) {
  const auto chunks = static_cast<float>(c.workload.micro_batches * c.workload.virtual_stages);
  return {1, std::vector<float>(static_cast<std::size_t>(c.workload.pp), 1 / chunks), 1};
}

Guess fitted_guess(const Compiled& c, std::span<const Observed> observed) {
  Guess guess = closed_form_guess(c);
  const auto rows = within_steps(observed);
  const std::size_t n = guess.rank.size() + 1;  // the busiest rank, then each rank
  std::vector<double> weight = {static_cast<double>(guess.busiest)};
  weight.insert(weight.end(), guess.rank.begin(), guess.rank.end());
  if (guess.rank.size() <= most_fitted_ranks) {
    std::vector<double> a(n * n, 0), b(n, 0);
    for (const auto& row : rows)
      for (std::size_t i = 0; i < n; ++i) {
        b[i] += row[i] * row[n];
        for (std::size_t j = 0; j < n; ++j) a[i * n + j] += row[i] * row[j];
      }
    for (std::size_t i = 0; i < n; ++i) {
      const double hold = a[i * n + i] > 0 ? prior * a[i * n + i] : 1;
      a[i * n + i] += hold;
      b[i] += hold * weight[i];
    }
    solve(a, b);
    weight = std::move(b);
    guess.busiest = static_cast<float>(weight[0]);
    for (std::size_t r = 0; r < guess.rank.size(); ++r) guess.rank[r] = static_cast<float>(weight[r + 1]);
  }
  double left = 0, all = 0;
  for (const auto& row : rows) {
    double over = row[n];
    for (std::size_t i = 0; i < n; ++i) over -= weight[i] * row[i];
    left += over * over;
    all += row[n] * row[n];
  }
  guess.miss = all > 0 ? std::sqrt(left / all) : 0;
  return guess;
}

Screening::Screening(const Compiled& c, Guess guess)
    : c_(c),
      guess_(std::move(guess)),
      differing_(guess_.rank.size()),
      common_(guess_.rank.size()),
      fixed_(guess_.rank.size(), 0.0f),
      score_(static_cast<std::size_t>(c.workload.dp) * lane_count, 0.0f) {
  for (std::size_t r = 0; r < guess_.rank.size(); ++r)
    for (const Compiled::RankMix& m : c.rank_mixes[r]) {
      const auto seconds = static_cast<float>(m.mean);
      if (m.mix == 0) fixed_[r] += seconds;
      for (const auto& [slot, share] : c.causes.mixes[static_cast<std::size_t>(m.mix)])
        (c.causes.slots[static_cast<std::size_t>(slot)].wide ? differing_ : common_)[r].push_back(
            {slot, share * seconds});
    }
}

void Screening::score(const SharedDraws& shared) {
  const Places& places = c_.causes.places;
  const std::size_t ranks = guess_.rank.size();
  std::vector<float> base(ranks * lane_count);
  const auto add = [](float* to, const Term& term, const float* row) {
    for (std::size_t k = 0; k < lane_count; ++k) to[k] += term.seconds * row[k];
  };
  for (std::size_t r = 0; r < ranks; ++r) {
    std::fill_n(&base[r * lane_count], lane_count, fixed_[r]);
    for (const Term& term : common_[r]) add(&base[r * lane_count], term, shared.at(term.slot, 0, 0));
  }
  float busy[lane_count], busiest[lane_count];
  for (std::int64_t d = 0; d < places.replicas; ++d) {
    float* score = &score_[static_cast<std::size_t>(d) * lane_count];
    std::fill_n(score, lane_count, 0.0f);
    std::fill_n(busiest, lane_count, 0.0f);
    for (std::size_t r = 0; r < ranks; ++r) {
      std::copy_n(&base[r * lane_count], lane_count, busy);
      for (const Term& term : differing_[r])
        add(busy, term, shared.at(term.slot, places.group(d, static_cast<std::int64_t>(r)), 0));
      raise_float_row(busiest, busy);
      for (std::size_t k = 0; k < lane_count; ++k) score[k] += guess_.rank[r] * busy[k];
    }
    for (std::size_t k = 0; k < lane_count; ++k) score[k] += guess_.busiest * busiest[k];
  }
}

void Screening::select(std::size_t step, std::int64_t count, std::vector<std::int32_t>& to) const {
  const auto replicas = static_cast<std::int32_t>(c_.workload.dp);
  to.clear();
  for (std::int32_t d = 0; d < replicas; ++d) to.push_back(d);
  count = std::min<std::int64_t>(count, replicas);
  // A total order: which replicas are chosen never depends on the library's selection.
  const auto later = [&](std::int32_t a, std::int32_t b) {
    const float x = score_[static_cast<std::size_t>(a) * lane_count + step],
                y = score_[static_cast<std::size_t>(b) * lane_count + step];
    return x != y ? x > y : a < b;
  };
  std::nth_element(to.begin(), to.begin() + count, to.end(), later);
  to.resize(static_cast<std::size_t>(count));
  std::sort(to.begin(), to.end(), later);
}

}  // namespace prism
