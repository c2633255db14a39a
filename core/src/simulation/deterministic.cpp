// SPDX-License-Identifier: Apache-2.0
#include "simulation/deterministic.h"

#include <algorithm>

#include "simulation/recording.h"

namespace prism {
namespace {

void account(Recording<double>& rec, std::size_t rank, const BySeconds& seconds) {
  for (int k = 0; k < kind_count; ++k)
    (class_of(static_cast<Kind>(k)) == Class::compute ? rec.compute : rec.communication)[rank] += seconds[k];
}

/// Multiplies what constant what-ifs make of a mix at one group, with every random factor at its median.
class Constants {
 public:
  Constants(const Compiled& c, std::int64_t replica) : c_(c), replica_(replica) {}
  double at(Causes::Mix mix, std::size_t rank) const {
    if (replica_ < 0 || mix == 0) return 1;
    double sum = 0;
    for (const auto& [slot, share] : c_.causes.mixes[static_cast<std::size_t>(mix)])
      sum += static_cast<double>(share) * of_slot(slot, rank);
    return sum;
  }

 private:
  double of_slot(Causes::Slot slot, std::size_t rank) const {
    const Causes& causes = c_.causes;
    const Causes::SlotCauses& acting = causes.slots[static_cast<std::size_t>(slot)];
    const std::int64_t group = causes.places.group(replica_, static_cast<std::int64_t>(rank));
    std::vector<double> factor(static_cast<std::size_t>(causes.places.ranks), 1.0);
    for (std::int32_t index : acting.changes) {
      const Causes::Change& change = causes.changes[static_cast<std::size_t>(index)];
      if (change.group != group || change.fixes_lasting) continue;
      for (std::int32_t t : change.ranks) factor[static_cast<std::size_t>(t)] *= change.factor;
    }
    // At their medians all ranks are alike: the slowest decides.
    return *std::max_element(factor.begin(), factor.end());
  }

  const Compiled& c_;
  std::int64_t replica_;
};

/// What one replica does until replicas meet.
struct Alone {
  Recording<double> rec;
  std::vector<double> end;
};

/// `replica`: -1 for one that no what-if concerns. `tail`: by reduction beside compute, from its start to the
/// end of its rank's last one.
Alone play_alone(const Compiled& c, std::int64_t replica, const std::vector<double>& tail) {
  const auto ranks = static_cast<std::size_t>(c.workload.pp);
  const Constants constants(c, replica);
  Alone alone{Recording<double>(c, 1, 1), std::vector<double>(ranks, 0)};
  Recording<double>& rec = alone.rec;  // at their medians all lines are equal: one stands for them
  std::vector<double>& end = alone.end;
  std::vector<double> link(2 * ranks, 0), reduced(ranks, 0);
  std::size_t reduction = 0;

  const auto seconds_of = [&](const Program& p, std::size_t rank) {
    if (replica < 0) return p.median_by_kind;
    BySeconds seconds{};
    for (const Draw& d : p.draws)
      for (int k = 0; k < kind_count; ++k) seconds[k] += d.share[k] * d.median_s * constants.at(d.mix, rank);
    return seconds;
  };
  const auto total_of = [](const BySeconds& seconds) {
    double total = 0;
    for (double s : seconds) total += s;
    return total;
  };

  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    const auto rank = static_cast<std::size_t>(t.rank);
    const Program& p = c.program(i);
    const BySeconds seconds = seconds_of(p, rank);
    const double arrival = t.source < 0 ? 0 : rec.arrival[t.source];
    const double begin = std::max(end[rank], arrival);
    end[rank] = begin + (replica < 0 ? p.median_s : total_of(seconds));
    for (; c.completes(i, reduction); ++reduction)
      reduced[rank] =
          std::max(reduced[rank], begin + c.complete_at[reduction] * (end[rank] - begin) + tail[reduction]);
    double sent = 0, hop = 0;
    if (t.send_slot >= 0) {
      const std::size_t receiver = (t.pass == Pass::backward ? rank + ranks - 1 : rank + 1) % ranks;
      hop = c.hop_median_s[c.stream(i)] *
            std::max(constants.at(c.hop_mix, rank), constants.at(c.hop_mix, receiver));
      sent = link[t.link] = std::max(end[rank], link[t.link]) + hop;
    }
    rec.end[i] = end[rank];
    rec.arrival[i] = sent;
    rec.hop[i] = hop;
    for (std::size_t k = 0; k < rec.kinds; ++k)
      rec.kind[rec.at(i, k, 0)] = seconds[static_cast<int>(c.kinds[k])];
    account(rec, rank, seconds);
  }

  const auto spend = [&](std::size_t r, const BySeconds& seconds) {
    end[r] += total_of(seconds);
    for (std::size_t k = 0; k < rec.kinds; ++k)
      rec.final_kind[rec.at(r, k, 0)] += seconds[static_cast<int>(c.kinds[k])];
    account(rec, r, seconds);
  };
  for (std::size_t r = 0; r < ranks; ++r) rec.final_origin[r] = static_cast<std::uint32_t>(r);
  for (std::size_t r = 0; r < ranks; ++r) spend(r, seconds_of(c.usual.before[r], r));
  if (c.embedding_exchange) {
    const std::size_t last = ranks - 1, late = end[last] > end[0] ? last : 0, other = last - late;
    end[other] = end[late];
    rec.final_origin[other] = rec.final_origin[late];
    for (std::size_t k = 0; k < rec.kinds; ++k)
      rec.final_kind[rec.at(other, k, 0)] = rec.final_kind[rec.at(late, k, 0)];
    BySeconds exchange{};
    const double by =
        std::max(constants.at(c.usual.embedding.mix, 0), constants.at(c.usual.embedding.mix, last));
    for (int k = 0; k < kind_count; ++k)
      exchange[k] = c.usual.embedding.share[k] * c.usual.embedding.median_s * by;
    spend(0, exchange);
    spend(last, exchange);
  }
  for (std::size_t r = 0; r < ranks; ++r) spend(r, seconds_of(c.usual.after[r], r));
  for (std::size_t r = 0; r < ranks; ++r) {
    BySeconds left = c.reduction_share;
    for (double& seconds : left) seconds *= std::max(0.0, reduced[r] - end[r]);
    spend(r, left);
  }
  return alone;
}

}  // namespace

Deterministic deterministic_step(const Compiled& c) {
  const auto ranks = static_cast<std::size_t>(c.workload.pp);
  // Replicas that a constant what-if concerns, and one that stands for the others.
  std::vector<std::int64_t> replicas;
  if (static_cast<std::int64_t>(c.causes.changed_replicas().size()) < c.workload.dp) replicas.push_back(-1);
  for (std::int64_t d : c.causes.changed_replicas()) replicas.push_back(d);
  // The slowest place counts once replicas have met.
  const auto worst = [&](Causes::Mix mix, std::size_t rank) {
    double most = 0;
    for (std::int64_t d : replicas) most = std::max(most, Constants(c, d).at(mix, rank));
    return most;
  };
  std::vector<double> tail(c.reductions.size()), of_rank(ranks, 0);
  for (std::size_t i = tail.size(); i-- > 0;) {
    const std::size_t rank = c.rank_of(i);
    tail[i] = of_rank[rank] += c.reductions[i].median_s * worst(c.reductions[i].mix, rank);
  }
  std::vector<Alone> alone;
  for (std::int64_t d : replicas) alone.push_back(play_alone(c, d, tail));
  // By rank: when the latest replica is done, and which that is.
  std::vector<double> end(ranks, 0);
  std::vector<std::size_t> decider(ranks, 0);
  for (std::size_t i = 0; i < alone.size(); ++i)
    for (std::size_t r = 0; r < ranks; ++r)
      if (alone[i].end[r] > end[r]) {
        end[r] = alone[i].end[r];
        decider[r] = i;
      }

  Deterministic result;
  result.alone_s = end;

  BySeconds after{};
  std::size_t decided = 0;
  std::vector<double> compute(ranks, 0), communication(ranks, 0);
  for (std::size_t k = 0; k < c.sections.size(); ++k) {
    const Section& section = c.sections[k];
    std::size_t latest = 0;
    double world = 1;
    std::vector<double> spent(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      const Section::Rank& rank = section.rank[r];
      spent[r] = rank.median_s * worst(rank.mix, r);
      world = std::max(world, worst(section.world_mix, r));
      end[r] += spent[r];
      if (end[r] > end[latest]) latest = r;
    }
    world *= section.world_median_s;
    for (std::size_t r = 0; r < ranks; ++r) {
      compute[r] += section.rank[r].compute_share * spent[r];
      communication[r] += (1 - section.rank[r].compute_share) * spent[r] + world;
    }
    if (k == 0) decided = latest;
    for (int i = 0; i < kind_count; ++i) after[i] += section.rank[latest].share[i] * spent[latest];
    after[static_cast<int>(section.world_kind)] += world;
    const double meet = end[latest] + world;
    if (section.world || k + 1 == c.sections.size()) std::fill(end.begin(), end.end(), meet);
  }

  result.step_s = end[0];
  const Recording<double>& rec = alone[decider[decided]].rec;
  const BySeconds before = walk(c, rec, 0, decided, 0);
  double walked = 0;
  for (int k = 0; k < kind_count; ++k) {
    result.critical_path_s.push_back(before[k] + after[k]);
    walked += result.critical_path_s.back();
  }
  result.critical_path_wait_s = result.step_s - walked;
  for (std::size_t r = 0; r < ranks; ++r) {
    const double busy = rec.compute[r] + compute[r], talking = rec.communication[r] + communication[r];
    result.rank.push_back({busy, talking, result.step_s - busy - talking});
  }
  return result;
}

}  // namespace prism
