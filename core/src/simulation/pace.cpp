// SPDX-License-Identifier: Apache-2.0
#include "simulation/pace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <pcg_random.hpp>

namespace prism {
namespace {

using Law = LawBook::Law;

constexpr double most_draws = 1.6e7;
constexpr std::int64_t most_pairs = 8192, longest_chain = 8, enough_chains = 16;

/// When the last rank has ended, and by how much collectives took longer than on average until then: those
/// that hold compute up, and those beside it.
struct Observed {
  double end;
  std::array<double, 2> beyond_mean;
};

/// The mean of the ends, with what is known of the collectives' draws: the least squares plane at no excess.
double mean_end(const std::vector<Observed>& list) {
  const auto n = static_cast<double>(list.size());
  double y = 0, x[2] = {0, 0}, xx[2] = {0, 0}, xy[2] = {0, 0}, cross = 0;
  for (const Observed& o : list) {
    y += o.end / n;
    for (std::size_t i = 0; i < 2; ++i) x[i] += o.beyond_mean[i] / n;
  }
  for (const Observed& o : list) {
    const double a = o.beyond_mean[0] - x[0], b = o.beyond_mean[1] - x[1];
    xx[0] += a * a;
    xx[1] += b * b;
    cross += a * b;
    xy[0] += a * (o.end - y);
    xy[1] += b * (o.end - y);
  }
  const double determinant = xx[0] * xx[1] - cross * cross;
  double slope[2] = {0, 0};
  if (determinant > 1e-9 * xx[0] * xx[1]) {
    slope[0] = (xy[0] * xx[1] - xy[1] * cross) / determinant;
    slope[1] = (xy[1] * xx[0] - xy[0] * cross) / determinant;
  } else {
    for (std::size_t i = 0; i < 2; ++i) slope[i] = xx[i] > xx[1 - i] ? xy[i] / xx[i] : 0;
  }
  return y - slope[0] * x[0] - slope[1] * x[1];
}

class Walk {
 public:
  Walk(const LawBook& book, const Groups& groups, const std::vector<PaceLeg>& legs)
      : book_(book),
        groups_(groups),
        legs_(legs),
        ranks_(static_cast<std::size_t>(groups.ranks())),
        generator_(stream_state(1, 0, stream_key("pace"))) {
    for (const PaceLeg& leg : legs) {
      std::vector<std::int32_t>& group = group_of_[static_cast<std::size_t>(leg.group)];
      if (group.empty())
        for (std::int64_t rank = 0; rank < groups.ranks(); ++rank)
          group.push_back(static_cast<std::int32_t>(groups.of(leg.group, rank)));
      compute_.push_back(source(leg.compute));
      collective_.push_back(source(leg.collective));
    }
    connected_ = connect();
  }

  void start() {
    std::fill(ranks_.begin(), ranks_.end(), Rank{});
    beyond_mean_ = {};
  }
  /// Plays so many rounds more.
  Observed play(std::int64_t rounds) {
    for (; rounds > 0; --rounds) round();
    double latest = 0;
    for (const Rank& rank : ranks_) latest = std::max(latest, rank.now);
    return {latest, beyond_mean_};
  }

 private:
  struct Rank {
    double now = 0;
    double since = 0;     ///< when its compute went on after a collective beside it
    double free = 0;      ///< of the stream of those
    bool waited = false;  ///< nothing was computed since the last of them
  };

  struct Source {
    const SampleTable::Bucket* bucket;  ///< null: a constant
    double constant;
    double mean;
  };
  Source source(Law law) {
    const QuantileTable& table = book_.table(law);
    if (table.is_constant()) return {nullptr, table.median(), table.median()};
    const auto at = static_cast<std::size_t>(law);
    if (at >= tables_.size()) tables_.resize(at + 1);
    if (tables_[at].bucket.empty()) tables_[at] = make_sample_table(table);
    return {tables_[at].bucket.data(), 0, table.mean()};
  }
  double draw(const Source& from) {
    return from.bucket ? static_cast<double>(sample(from.bucket, generator_())) : from.constant;
  }

  void round() {
    for (std::size_t l = 0; l < legs_.size(); ++l) {
      const PaceLeg& leg = legs_[l];
      if (leg.compute != book_.zero())
        for (Rank& rank : ranks_) {
          if (rank.waited) rank.since = rank.now;
          rank.waited = false;
          rank.now += draw(compute_[l]);
        }
      if (leg.group == Group::none) continue;
      const std::vector<std::int32_t>& group = group_of_[static_cast<std::size_t>(leg.group)];
      ends_.assign(ranks_.size(), 0.0);
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        double& end = ends_[static_cast<std::size_t>(group[i])];
        end = std::max(end, leg.beside ? std::max(ranks_[i].since, ranks_[i].free) : ranks_[i].now);
      }
      const std::int32_t count = *std::max_element(group.begin(), group.end()) + 1;
      double beyond_mean = 0;
      for (std::int32_t g = 0; g < count; ++g) {
        const double seconds = draw(collective_[l]);
        ends_[static_cast<std::size_t>(g)] += seconds;
        beyond_mean += (seconds - collective_[l].mean) / count;
      }
      beyond_mean_[leg.beside] += beyond_mean;
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        Rank& rank = ranks_[i];
        const double end = ends_[static_cast<std::size_t>(group[i])];
        rank.now = leg.beside ? std::max(rank.now, end) : end;
        if (leg.group == Group::shard) rank.free = end;
        rank.waited |= leg.beside;
      }
    }
    if (connected_) return;
    // Apart in all of it: they meet through what comes before and after.
    double latest = 0;
    for (const Rank& rank : ranks_) latest = std::max(latest, rank.now);
    for (Rank& rank : ranks_) rank.now = latest;
  }

  bool connect() const;

  const LawBook& book_;
  const Groups& groups_;
  const std::vector<PaceLeg>& legs_;
  std::vector<Rank> ranks_;
  std::vector<double> ends_;
  std::array<double, 2> beyond_mean_ = {};                       ///< by whether they run beside compute
  std::array<std::vector<std::int32_t>, group_count> group_of_;  ///< [kind][rank]
  std::vector<SampleTable> tables_;                              ///< [law], of those that are drawn
  std::vector<Source> compute_, collective_;                     ///< [legs]
  pcg32_oneseq generator_;
  bool connected_;
};

/// Whether the collectives tie all ranks together.
bool Walk::connect() const {
  std::vector<std::size_t> root(ranks_.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = i;
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const PaceLeg& leg : legs_) {
    if (leg.group == Group::none) continue;
    const std::vector<std::int32_t>& group = group_of_[static_cast<std::size_t>(leg.group)];
    std::vector<std::size_t> first(root.size(), root.size());  // member of a group
    for (std::size_t i = 0; i < root.size(); ++i) {
      std::size_t& member = first[static_cast<std::size_t>(group[i])];
      member = std::min(member, i);
      root[find(i)] = find(member);
    }
  }
  for (std::size_t i = 0; i < root.size(); ++i)
    if (find(i) != find(0)) return false;
  return true;
}

Pace play(const LawBook& book, const Groups& groups, const std::vector<PaceLeg>& legs,
          std::int64_t micro_batches) {
  Walk walk(book, groups, legs);
  const double draws = 2 * static_cast<double>(groups.ranks()) * static_cast<double>(legs.size());
  const auto pairs = std::clamp<std::int64_t>(static_cast<std::int64_t>(most_draws / draws), 2, most_pairs);
  const std::int64_t length = std::min({micro_batches, longest_chain, pairs}), first = length / 2;
  const std::int64_t chains = std::max<std::int64_t>(1, pairs / length);
  std::vector<Observed> half_way, whole;
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < chains; ++i) {
    walk.start();
    half_way.push_back(walk.play(first));
    whole.push_back(walk.play(length - first));
    const double seconds = whole.back().end - half_way.back().end;
    sum += seconds;
    squares += seconds * seconds;
  }
  const auto n = static_cast<double>(chains), l = static_cast<double>(length - first);
  const double end = mean_end(whole);
  Pace pace;
  pace.mean = (end - mean_end(half_way)) / l;
  pace.last = end - pace.mean * static_cast<double>(length);
  if (chains >= enough_chains) pace.sd = std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)) / l);
  return pace;
}

}  // namespace

Pace play_pace(const LawBook& book, const Groups& groups, const std::vector<PaceLeg>& forward,
               const std::vector<PaceLeg>& backward, std::int64_t micro_batches) {
  std::vector<PaceLeg> legs = forward;
  legs.insert(legs.end(), backward.begin(), backward.end());
  const auto add = [](TableName& to, std::int64_t n) { to.add(static_cast<std::uint64_t>(n)); };
  TableName name("pace");
  for (const std::int64_t n :
       {groups.ranks(), groups.replicas(), groups.size(Group::tensor), groups.size(Group::context),
        groups.size(Group::expert), groups.size(Group::shard), micro_batches})
    add(name, n);
  for (const PaceLeg& leg : legs) {
    name.add(book.name(leg.compute)).add(book.name(leg.collective));
    add(name, static_cast<std::int64_t>(leg.group));
    add(name, static_cast<std::int64_t>(leg.beside));
  }
  std::optional<Pace> played;
  const auto part = [&](std::uint64_t which, double Pace::*number) {
    return book.number(TableName(name).add(which), [&] {
      if (!played) played = play(book, groups, legs, micro_batches);
      return (*played).*number;
    });
  };
  return {part(0, &Pace::mean), part(1, &Pace::last), part(2, &Pace::sd)};
}

}  // namespace prism
