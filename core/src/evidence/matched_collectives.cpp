// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "evidence/json_text.h"
#include "evidence/moments.h"
#include "prism/evidence_trace.h"

namespace prism {
namespace {

using Durations = std::vector<double>;

}  // namespace

MatchedCollectives match_collectives(std::span<const DeviceTrace> traces) {
  // By name, then by rank: durations in the order of their starts.
  std::map<std::string, std::vector<Durations>> seen;
  std::map<std::string, std::string> kinds;
  std::size_t ranks = 0;
  for (const DeviceTrace& t : traces) {
    std::vector<DeviceTrace::Collective> ordered = t.collectives;
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    const std::size_t first = ranks;
    ranks += t.processes.size();
    for (const DeviceTrace::Collective& c : ordered) {
      const DeviceTrace::Kernel& k = t.kernels[static_cast<std::size_t>(c.kernel)];
      kinds[k.name] = k.kind;
      auto& by_rank = seen[k.name];
      by_rank.resize(std::max(by_rank.size(), first + static_cast<std::size_t>(c.process) + 1));
      by_rank[first + static_cast<std::size_t>(c.process)].push_back(static_cast<double>(c.duration_ns) *
                                                                     1e-9);
    }
  }
  MatchedCollectives out;
  out.ranks = static_cast<std::int64_t>(ranks);
  for (const auto& [name, by_rank] : seen) {
    const std::size_t n = by_rank[0].size();
    const bool same =
        ranks > 1 && by_rank.size() == ranks &&
        std::all_of(by_rank.begin(), by_rank.end(), [&](const Durations& d) { return d.size() == n; });
    if (!same || n == 0) {
      out.unmatched.push_back(name);
      continue;
    }
    MatchedCollective m{name, kinds[name], {}, 0};
    for (std::size_t k = 0; k < n; ++k) {
      double shortest = by_rank[0][k];
      for (const Durations& d : by_rank) shortest = std::min(shortest, d[k]);
      m.transfer_s.push_back(shortest);
      for (const Durations& d : by_rank)
        m.waiting_share += (1 - shortest / d[k]) / static_cast<double>(n * ranks);
    }
    out.names.push_back(std::move(m));
  }
  return out;
}

std::string device_trace_json(const DeviceTrace& t, const Account& account) {
  using Json = nlohmann::ordered_json;
  std::vector<const DeviceTrace::Kernel*> by_time;
  for (const DeviceTrace::Kernel& k : t.kernels) by_time.push_back(&k);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const auto* a, const auto* b) { return a->total_s > b->total_s; });
  Json kernels = Json::array(), steps = Json::array();
  for (const DeviceTrace::Kernel* k : by_time) {
    std::vector<double> sorted = k->samples;
    std::sort(sorted.begin(), sorted.end());
    kernels.push_back({{"name", k->name},
                       {"kind", k->kind},
                       {"count", k->count},
                       {"total_s", k->total_s},
                       {"mean_s", k->total_s / static_cast<double>(k->count)},
                       {"median_s", quantile_of_sorted(sorted, 0.5)},
                       {"p95_s", quantile_of_sorted(sorted, 0.95)},
                       {"least_s", k->least_s},
                       {"most_s", k->most_s}});
  }
  for (const DeviceTrace::Step& s : t.steps) steps.push_back({{"step", s.number}, {"seconds", s.seconds}});
  const auto known = [](std::int64_t n) { return n < 0 ? Json(nullptr) : Json(n); };
  return evidence_dump({{"prism_evidence", 1},
                        {"kind", "device_trace"},
                        {"account", evidence_account(account)},
                        {"rank", known(t.rank)},
                        {"world_size", known(t.world_size)},
                        {"kernels", kernels},
                        {"steps", steps}});
}

}  // namespace prism
