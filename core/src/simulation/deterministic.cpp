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

}  // namespace

Deterministic deterministic_step(const Compiled& c) {
  const auto ranks = static_cast<std::size_t>(c.workload.pp);
  Recording<double> rec(c, 1, 1);  // at their medians all lines are equal: one stands for them
  std::vector<double> end(ranks, 0), link(2 * ranks, 0);

  for (std::size_t i = 0; i < c.graph.tasks.size(); ++i) {
    const Graph::Task& t = c.graph.tasks[i];
    const Program& p = c.program(t);
    const double arrival = t.source < 0 ? 0 : rec.arrival[t.source];
    end[t.rank] = std::max(end[t.rank], arrival) + p.median_s;
    double sent = 0, hop = 0;
    if (t.send_slot >= 0) {
      hop = c.hop_median_s[Compiled::stream(t)];
      sent = link[t.link] = std::max(end[t.rank], link[t.link]) + hop;
    }
    rec.end[i] = end[t.rank];
    rec.arrival[i] = sent;
    rec.hop[i] = hop;
    for (std::size_t k = 0; k < rec.kinds; ++k)
      rec.kind[rec.at(i, k, 0)] = p.median_by_kind[static_cast<int>(c.kinds[k])];
    account(rec, t.rank, p.median_by_kind);
  }

  auto spend = [&](std::size_t r, const BySeconds& seconds, double total) {
    end[r] += total;
    for (std::size_t k = 0; k < rec.kinds; ++k)
      rec.final_kind[rec.at(r, k, 0)] += seconds[static_cast<int>(c.kinds[k])];
    account(rec, r, seconds);
  };
  for (std::size_t r = 0; r < ranks; ++r) rec.final_origin[r] = static_cast<std::uint32_t>(r);
  for (std::size_t r = 0; r < ranks; ++r) spend(r, c.before[r].median_by_kind, c.before[r].median_s);
  if (c.embedding_exchange) {
    const std::size_t last = ranks - 1, late = end[last] > end[0] ? last : 0, other = last - late;
    end[other] = end[late];
    rec.final_origin[other] = rec.final_origin[late];
    for (std::size_t k = 0; k < rec.kinds; ++k)
      rec.final_kind[rec.at(other, k, 0)] = rec.final_kind[rec.at(late, k, 0)];
    BySeconds exchange{};
    for (int k = 0; k < kind_count; ++k) exchange[k] = c.embedding.share[k] * c.embedding.median_s;
    spend(0, exchange, c.embedding.median_s);
    spend(last, exchange, c.embedding.median_s);
  }
  for (std::size_t r = 0; r < ranks; ++r) spend(r, c.after[r].median_by_kind, c.after[r].median_s);

  Deterministic result;
  result.alone_s = end;

  BySeconds after{};
  std::size_t decided = 0;
  for (std::size_t k = 0; k < c.sections.size(); ++k) {
    const Section& section = c.sections[k];
    std::size_t latest = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const Section::Rank& rank = section.rank[r];
      end[r] += rank.median_s;
      rec.compute[r] += rank.compute_share * rank.median_s;
      rec.communication[r] += (1 - rank.compute_share) * rank.median_s + section.world_median_s;
      if (end[r] > end[latest]) latest = r;
    }
    if (k == 0) decided = latest;
    for (int i = 0; i < kind_count; ++i)
      after[i] += section.rank[latest].share[i] * section.rank[latest].median_s;
    after[static_cast<int>(section.world_kind)] += section.world_median_s;
    const double meet = end[latest] + section.world_median_s;
    if (section.world || k + 1 == c.sections.size()) std::fill(end.begin(), end.end(), meet);
  }

  result.step_s = end[0];
  const BySeconds before = walk(c, rec, 0, decided, 0);
  double walked = 0;
  for (int k = 0; k < kind_count; ++k) {
    result.critical_path_s.push_back(before[k] + after[k]);
    walked += result.critical_path_s.back();
  }
  result.critical_path_wait_s = result.step_s - walked;
  for (std::size_t r = 0; r < ranks; ++r)
    result.rank.push_back(
        {rec.compute[r], rec.communication[r], result.step_s - rec.compute[r] - rec.communication[r]});
  return result;
}

}  // namespace prism
