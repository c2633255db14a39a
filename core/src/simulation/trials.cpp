// SPDX-License-Identifier: Apache-2.0
#include "simulation/trials.h"

#include <algorithm>
#include <cmath>

namespace prism {
namespace {

/// The pilot takes its replicas them from this many of the latest: the law of those is wanted, and it is not
/// that of all.
constexpr std::int64_t pilot_depth = 64;
/// Replicas of a step to which the guess is fitted.
constexpr std::int64_t screened_replicas = 8;

void simulate(const Compiled& c, Lanes& lanes) {
  if (c.sampling == Sampling::chunk)
    simulate_chunks(c, lanes);
  else
    simulate_segments(c, lanes);
}

}  // namespace

Player::Player(const Compiled& c, const Stalls& stalls, std::uint64_t seed, const Guess& guess)
    : c_(c),
      stalls_(stalls),
      seed_(seed),
      shared_(c, stalls),
      lanes_(c),
      alike_(!c.causes.wide() && !c.causes.micro_batch()) {
  if (!alike_) screening_.emplace(c, guess);
  for (std::int64_t d = 0; d < c.workload.dp; ++d) replica_names_.push_back(replica_name(d));
}

double Player::busy(std::size_t rank, std::size_t lane) const {
  const auto lines = static_cast<std::size_t>(c_.lines);
  double mean = 0;
  for (const Compiled::RankMix& m : c_.rank_mixes[rank]) {
    const auto row = (static_cast<std::size_t>(m.mix) * c_.rank_mixes.size() + rank) * lines;
    mean += (m.mix == 0 ? 1 : static_cast<double>(lanes_.mix[row * lane_count + lane])) * m.mean;
  }
  return mean;
}

double Player::deviation(std::size_t rank, std::size_t line, std::size_t lane) const {
  double variance = 0, mean = 0;
  for (const Compiled::RankMix& m : c_.rank_mixes[rank]) {
    const auto row =
        (static_cast<std::size_t>(m.mix) * c_.rank_mixes.size() + rank) * static_cast<std::size_t>(c_.lines) +
        line;
    const double by = m.mix == 0 ? 1 : static_cast<double>(lanes_.mix[row * lane_count + lane]);
    variance += by * by * m.variance;
    mean += by * m.mean;
  }
  // Never nothing: where nothing varies, rounding is what is left.
  return std::max(std::sqrt(variance), 1e-9 * mean);
}

std::vector<Trial> Player::play(std::span<const Step> steps, const Effort& effort,
                                std::span<const SampleTable> rest) {
  std::vector<Trial> trials;
  for (std::size_t at = 0; at < steps.size(); at += lane_count)
    play_batch(steps.subspan(at, std::min(lane_count, steps.size() - at)), effort, rest, trials);
  return trials;
}

void Player::play_batch(std::span<const Step> steps, const Effort& effort, std::span<const SampleTable> rest,
                        std::vector<Trial>& to) {
  const auto lines = static_cast<std::size_t>(c_.lines),
             rows = static_cast<std::size_t>(c_.workload.pp) * lines;
  const std::size_t count = steps.size();
  std::vector<std::size_t> open;  // rows that a replica not simulated may decide
  for (std::size_t row = 0; row < rest.size(); ++row)
    if (!rest[row].bucket.empty()) open.push_back(row);

  shared_.draw(seed_, steps);
  Listing listing = list(steps, effort, open);

  std::vector<double> meet(rows * count, 0);
  for (const std::span<const Pair> pairs : batches(c_, listing.simulated)) {
    load(c_, shared_, &stalls_, seed_, steps, pairs, lanes_);
    lanes_.replica = &c_.replica(pairs[0].replica);
    simulate(c_, lanes_);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      for (std::size_t row = 0; row < rows; ++row) {
        double& latest = meet[static_cast<std::size_t>(pairs[k].step) * rows + row];
        latest = std::max(latest, lanes_.ends[row * lane_count + k]);
      }
  }

  std::vector<char> by_rest(rows * count, 0);
  for (const Listing::Rest& r : listing.rest) {
    // One word for all rows: a replica that is late is late on all of them.
    const std::uint64_t trial =
        static_cast<std::uint64_t>(steps[static_cast<std::size_t>(r.pair.step)].trial);
    static const std::uint64_t all_key = stream_key("replicas not simulated"),
                               one_key = stream_key("not simulated");
    const std::uint64_t state =
        alike_ ? stream_state(seed_, trial, all_key)
               : mix64(replica_key(seed_, static_cast<std::int64_t>(trial), r.pair.replica) ^ one_key);
    const std::uint32_t word = pcg32_oneseq(state)();
    for (std::size_t i = 0; i < open.size(); ++i) {
      const double end =
          listing.mean[r.ends + i] +
          listing.deviation[r.ends + i] * static_cast<double>(sample(rest[open[i]].bucket.data(), word));
      const std::size_t at = static_cast<std::size_t>(r.pair.step) * rows + open[i];
      if (end <= meet[at]) continue;
      meet[at] = end;
      by_rest[at] = 1;
    }
  }

  for (std::size_t i = 0; i < count; ++i) {
    std::size_t decided = 0;
    const EndCauses causes = end_causes(c_, shared_, i, &stalls_, seed_, steps[i].trial);
    const double step = finish_step(c_, seed_, steps[i].trial, causes,
                                    std::span(meet).subspan(i * rows, rows), nullptr, &decided);
    to.push_back({step, by_rest[i * rows + decided] != 0});
  }
}

Player::Listing Player::list(std::span<const Step> steps, const Effort& effort,
                             const std::vector<std::size_t>& open) {
  Listing listing;
  const auto replicas = static_cast<std::int32_t>(c_.workload.dp);
  const auto count = static_cast<std::int32_t>(steps.size());
  if (effort.simulated >= replicas) {
    for (std::int32_t d = 0; d < replicas; ++d)
      for (std::int32_t i = 0; i < count; ++i) listing.simulated.push_back({i, d});
    return listing;
  }

  // Few of each step: looked for one by one.
  std::vector<std::vector<std::int32_t>> chosen(steps.size());
  const auto is_chosen = [&](std::int32_t step, std::int32_t replica) {
    const auto& list = chosen[static_cast<std::size_t>(step)];
    return std::find(list.begin(), list.end(), replica) != list.end();
  };
  const auto choose = [&](std::int32_t step, std::int32_t replica) {
    if (is_chosen(step, replica)) return;
    chosen[static_cast<std::size_t>(step)].push_back(replica);
    listing.simulated.push_back({step, replica});
  };

  // Means of the shortlist: all alike without causes at places, and then one replica stands for them.
  std::vector<Pair> played, guessed;
  if (alike_) {
    for (std::int32_t i = 0; i < count; ++i) played.push_back({i, 0});
  } else if (effort.played >= replicas) {
    for (std::int32_t i = 0; i < count; ++i)
      for (std::int32_t d = 0; d < replicas; ++d) played.push_back({i, d});
  } else {
    screening_->score(shared_);
    std::vector<std::int32_t> latest;
    for (std::int32_t i = 0; i < count; ++i) {
      screening_->select(static_cast<std::size_t>(i), effort.shortlist, latest);
      for (std::int64_t j = 0; j < std::ssize(latest); ++j)
        (j < effort.played ? played : guessed).push_back({i, latest[static_cast<std::size_t>(j)]});
    }
  }
  const std::vector<Listing::Rest> means = play_means(steps, played, open, listing);

  if (alike_) {
    for (std::int32_t i = 0; i < count; ++i)
      for (std::int32_t d = 0; d < effort.simulated; ++d) choose(i, d);
  } else {
    // The latest by their means, step by step; the shortlist is in the order of steps.
    std::vector<std::size_t> order;
    for (std::size_t from = 0; from < means.size();) {
      std::size_t to = from;
      while (to < means.size() && means[to].pair.step == means[from].pair.step) ++to;
      order.clear();
      for (std::size_t i = from; i < to; ++i) order.push_back(i);
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return means[a].latest != means[b].latest ? means[a].latest > means[b].latest
                                                  : means[a].pair.replica < means[b].pair.replica;
      });
      for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(effort.simulated)); ++i)
        choose(means[order[i]].pair.step, means[order[i]].pair.replica);
      from = to;
    }
  }
  // Whatever makes a replica unlike the others.
  for (std::int64_t d : c_.causes.changed_replicas())
    for (std::int32_t i = 0; i < count; ++i) choose(i, static_cast<std::int32_t>(d));
  for (std::int32_t i = 0; stalls_.any() && i < count; ++i) {
    const std::uint64_t step =
        stream_block(seed_, static_cast<std::uint64_t>(steps[static_cast<std::size_t>(i)].trial));
    for (std::int32_t d = 0; d < replicas; ++d)
      if (stalls_.strikes(stream_key(step, replica_names_[static_cast<std::size_t>(d)]))) choose(i, d);
  }

  for (const Listing::Rest& r : means)
    if (alike_ || !is_chosen(r.pair.step, r.pair.replica)) listing.rest.push_back(r);
  for (const Listing::Rest& r : guess_means(guessed, means, open.size(), listing))
    if (!is_chosen(r.pair.step, r.pair.replica)) listing.rest.push_back(r);
  return listing;
}

std::vector<Player::Listing::Rest> Player::guess_means(const std::vector<Pair>& pairs,
                                                       const std::vector<Listing::Rest>& played,
                                                       std::size_t open, Listing& to) {
  std::vector<Listing::Rest> means;
  std::vector<double> beyond, deviation;  // by row: the played ones' means, beyond their guesses
  std::size_t from = 0;                   // both lists are in the order of steps
  std::int32_t step = -1;
  for (const Pair& p : pairs) {
    if (p.step != step) {
      step = p.step;
      while (played[from].pair.step != step) ++from;
      beyond.assign(open, 0);
      deviation.assign(open, 0);
      std::size_t until = from;
      while (until < played.size() && played[until].pair.step == step) ++until;
      const auto n = static_cast<double>(until - from);
      for (; from < until; ++from)
        for (std::size_t i = 0; i < open; ++i) {
          const Listing::Rest& r = played[from];
          beyond[i] +=
              (to.mean[r.ends + i] - screening_->guess(static_cast<std::size_t>(step), r.pair.replica)) / n;
          deviation[i] += to.deviation[r.ends + i] / n;
        }
    }
    means.push_back({p, to.mean.size(), 0});
    for (std::size_t i = 0; i < open; ++i) {
      to.mean.push_back(screening_->guess(static_cast<std::size_t>(step), p.replica) + beyond[i]);
      to.deviation.push_back(deviation[i]);
    }
  }
  return means;
}

std::vector<Player::Listing::Rest> Player::play_means(std::span<const Step> steps,
                                                      const std::vector<Pair>& pairs,
                                                      const std::vector<std::size_t>& open, Listing& to) {
  const auto lines = static_cast<std::size_t>(c_.lines),
             rows = static_cast<std::size_t>(c_.workload.pp) * lines;
  std::vector<Listing::Rest> means;
  means.reserve(pairs.size());
  for (std::size_t at = 0; at < pairs.size(); at += lane_count) {
    const std::span<const Pair> batch = std::span(pairs).subspan(at, std::min(lane_count, pairs.size() - at));
    load(c_, shared_, nullptr, seed_, steps, batch, lanes_);
    simulate_means(c_, lanes_);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      Listing::Rest r{batch[k], to.mean.size(), 0};
      for (std::size_t row : open) {
        to.mean.push_back(lanes_.ends[row * lane_count + k]);
        to.deviation.push_back(deviation(row / lines, row % lines, k));
      }
      for (std::size_t row = 0; row < rows; ++row)
        r.latest =
            std::max(r.latest, lanes_.ends[row * lane_count + k] + c_.sections[0].rank[row / lines].mean_s);
      means.push_back(std::move(r));
    }
  }
  return means;
}

std::vector<std::vector<std::int32_t>> Player::lists(std::span<const Step> steps, const Effort& effort) {
  std::vector<std::vector<std::int32_t>> result(steps.size());
  shared_.draw(seed_, steps);
  for (const Pair& p : list(steps, effort, {}).simulated)
    result[static_cast<std::size_t>(p.step)].push_back(p.replica);
  return result;
}

std::vector<double> Player::pilot(std::span<const Step> all) {
  std::vector<double> result;
  const auto lines = static_cast<std::size_t>(c_.lines),
             rows = static_cast<std::size_t>(c_.workload.pp) * lines;
  const auto replicas = c_.workload.dp;
  const std::int64_t each = std::min(pilot_replicas, replicas);
  std::vector<const QuantileTable*> section;
  std::vector<double> late;
  for (std::size_t row = 0; row < rows; ++row) {
    section.push_back(&c_.book.table(c_.sections[0].rank[row / lines].law[row % lines]));
    late.push_back(section.back()->quantile(Mass::above(1e-9)));
  }
  for (std::size_t from = 0; from < all.size(); from += lane_count) {
    const auto steps = all.subspan(from, std::min(lane_count, all.size() - from));
    shared_.draw(seed_, steps);
    if (!alike_) screening_->score(shared_);
    // Even ranks of the latest, shifted from step to step.
    std::vector<Pair> pairs;
    std::vector<std::int32_t> latest;
    const std::int64_t depth = std::min(pilot_depth, replicas), stride = depth / each;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!alike_)
        screening_->select(i, depth, latest);
      else if (latest.empty())
        for (std::int32_t d = 0; d < depth; ++d) latest.push_back(d);
      for (std::int64_t j = 0; j < each; ++j)
        pairs.push_back(
            {static_cast<std::int32_t>(i),
             latest[static_cast<std::size_t>(j * stride + static_cast<std::int64_t>(i) % stride)]});
    }
    std::vector<double> means(rows * lane_count);
    for (std::size_t at = 0; at < pairs.size(); at += lane_count) {
      const auto batch = std::span<const Pair>(pairs).subspan(at, std::min(lane_count, pairs.size() - at));
      load(c_, shared_, nullptr, seed_, steps, batch, lanes_);
      simulate_means(c_, lanes_);
      means = lanes_.ends;
      simulate(c_, lanes_);
      for (std::size_t k = 0; k < batch.size(); ++k) {
        double surely = 0, own = 0;
        for (std::size_t row = 0; row < rows; ++row) {
          const double end = lanes_.ends[row * lane_count + k],
                       spread = deviation(row / lines, row % lines, k);
          surely = std::max(surely, end + section[row]->lowest());
          own = std::max(own, spread);
          result.push_back((end - means[row * lane_count + k]) / spread);
        }
        // Twelve deviations and half the section beyond what was seen.
        for (std::size_t row = 0; row < rows; ++row)
          result.push_back(lanes_.ends[row * lane_count + k] + 12 * own + 1.5 * late[row] - surely);
      }
    }
  }
  return result;
}

Screened Player::screen(std::span<const Step> steps) {
  const auto lines = static_cast<std::size_t>(c_.lines), ranks = static_cast<std::size_t>(c_.workload.pp);
  // Not those that a what-if changes: they are simulated anyway, and one slow node would pass for spread
  // among all.
  const auto changed = c_.causes.changed_replicas();
  std::vector<std::int32_t> replicas;
  for (std::int32_t d = 0; d < c_.workload.dp; ++d)
    if (std::find(changed.begin(), changed.end(), d) == changed.end()) replicas.push_back(d);
  const std::int64_t count = std::ssize(replicas), each = std::min(screened_replicas, count);
  if (each == 0) return {closed_form_guess(c_), 0};
  std::vector<Pair> pairs;
  for (std::int32_t i = 0; i < std::ssize(steps); ++i)
    for (std::int64_t j = 0; j < each; ++j)
      pairs.push_back({i, replicas[static_cast<std::size_t>((j * count / each + i) % count)]});
  shared_.draw(seed_, steps);
  std::vector<Observed> observed;
  std::vector<double> own;
  for (std::size_t at = 0; at < pairs.size(); at += lane_count) {
    const auto batch = std::span<const Pair>(pairs).subspan(at, std::min(lane_count, pairs.size() - at));
    load(c_, shared_, nullptr, seed_, steps, batch, lanes_);
    simulate_means(c_, lanes_);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      Observed o{batch[k].step, {}, 0};
      own.push_back(0);
      for (std::size_t r = 0; r < ranks; ++r) {
        o.busy.push_back(busy(r, k));
        o.done = std::max(o.done, lanes_.ends[r * lines * lane_count + k] + c_.sections[0].rank[r].mean_s);
        own.back() = std::max(own.back(), deviation(r, 0, k));
      }
      observed.push_back(std::move(o));
    }
  }
  Screened result{fitted_guess(c_, observed), 0};
  double square = 0;
  for (std::size_t from = 0; from < observed.size(); from += static_cast<std::size_t>(each)) {
    double mean = 0;
    for (std::size_t j = from; j < from + static_cast<std::size_t>(each); ++j)
      mean += observed[j].done / static_cast<double>(each);
    for (std::size_t j = from; j < from + static_cast<std::size_t>(each); ++j) {
      const double x = (observed[j].done - mean) / own[j];
      square += x * x;
    }
  }
  result.spread = std::sqrt(square / static_cast<double>(steps.size()) /
                            static_cast<double>(std::max<std::int64_t>(1, each - 1)));
  screening_.emplace(c_, result.guess);
  return result;
}

}  // namespace prism
