// SPDX-License-Identifier: Apache-2.0
#include "simulation/stalls.h"

#include <algorithm>

namespace prism {
namespace {

/// P(N <= n) of a Poisson variable, until it rounds to 1.
std::vector<double> poisson(double mean) {
  std::vector<double> cumulative;
  double term = exp_exact(-mean), sum = term;
  for (int n = 1; sum < 1 - 1e-12 && n < 100000; ++n) {
    cumulative.push_back(sum);
    term *= mean / n;
    sum += term;
  }
  cumulative.push_back(1);
  return cumulative;
}

/// Seconds of this draw at its median on which the stall acts, hidden ones too, and the kind that stands for
/// them.
struct Acted {
  double seconds = 0;
  Kind kind = Kind::compute_other;
  double hidden_s = 0;
};
Acted acted(const Compiled& c, const Draw& d, const std::string& what) {
  const double median_s = d.whole == LawBook::none ? d.median_s : c.book.table(d.whole).median();
  Acted a;
  if (d.whole != LawBook::none)
    a.hidden_s = std::max(0.0, static_cast<double>(d.hidden_s - d.earlier_s) - median_s);
  double most = 0;
  for (int k = 0; k < kind_count; ++k) {
    const double share = d.share[k];
    if (share == 0 || !varies_by(what, c.workload, static_cast<Kind>(k), d.leaves_node)) continue;
    a.seconds += share * median_s;
    if (share > most) {
      most = share;
      a.kind = static_cast<Kind>(k);
    }
  }
  return a;
}

}  // namespace

Stalls::Stalls(const Compiled& c) : c_(c) {
  const Workload& w = c.workload;
  static const std::uint64_t family = stream_key("stall"), end_family = stream_key("stall at the end"),
                             reduction_family = stream_key("stall beside backward");
  const auto ranks = static_cast<double>(w.tp), gpus = static_cast<double>(w.gpus_per_node);
  const auto nodes = static_cast<double>(c.causes.places.nodes_a_group);
  // The compute of a group runs on as many nodes as it fills, its collectives on those it touches.
  const auto nodes_of = [&](const Draw& d) {
    if (!d.collective) return ranks / gpus;
    return d.nodes > 0 ? d.nodes : nodes;
  };
  const auto apart = static_cast<double>(data_groups(w));
  for (std::size_t i = 0; i < w.stalls.size(); ++i) {
    const Stall& stall = w.stalls[i];
    if (stall.per_node_s == 0) continue;
    Cause cause{stream_key(family, stream_key(stall.key)),
                stream_key(end_family, stream_key(stall.key)),
                stream_key(reduction_family, stream_key(stall.key)),
                c.stall_law[i],
                {},
                {},
                {},
                {},
                {},
                {}};
    double total = 0;
    const auto place = [&](std::int32_t at, bool hop, const Acted& a, double on) {
      if (a.seconds == 0) return;
      total += stall.per_node_s * on * a.seconds;
      cause.places.push_back({at, hop, a.kind, static_cast<float>(a.hidden_s)});
      cause.weight.push_back(total);
    };
    const auto program = [&](std::int32_t at, const Program& p) {
      for (const Draw& d : p.draws) place(at, false, acted(c, d, stall.what), nodes_of(d));
    };
    const auto tasks = static_cast<std::int32_t>(c.graph.tasks.size());
    for (std::int32_t t = 0; t < tasks; ++t) {
      const Graph::Task& task = c.graph.tasks[t];
      program(t, c.program(static_cast<std::size_t>(t)));
      if (task.send_slot >= 0 && w.transfers.present &&
          varies_by(stall.what, w, Kind::send_recv, w.transfers_leave_node))
        place(t, true, {c.hop_median_s[c.stream(static_cast<std::size_t>(t))], Kind::send_recv, 0}, nodes);
    }
    for (std::size_t r = 0; r < c.usual.before.size(); ++r) {
      program(tasks + static_cast<std::int32_t>(r), c.usual.before[r]);
      program(tasks + static_cast<std::int32_t>(r), c.usual.after[r]);
    }
    cause.count = poisson(total);
    // After the meeting: the compute of all replicas, and the collectives over them.
    const bool leaves = w.leaves_node(Group::data);
    const double world = ranks * static_cast<double>(w.pp * w.dp);
    const double data_nodes = leaves ? static_cast<double>(data_ranks(w)) : 1;
    for (const Section& section : c.sections) {
      cause.section_mean.emplace_back();
      for (const Section::Rank& rank : section.rank) {
        double mean = 0;
        for (int k = 0; k < kind_count; ++k) {
          if (rank.share[k] == 0 || !varies_by(stall.what, w, static_cast<Kind>(k), leaves)) continue;
          const bool compute = class_of(static_cast<Kind>(k)) == Class::compute;
          const double on = compute ? ranks * static_cast<double>(w.dp) / gpus : apart * data_nodes;
          mean += stall.per_node_s * on * rank.share[k] * rank.median_s;
        }
        cause.section_mean.back().push_back(mean);
      }
      const bool acts =
          section.world && varies_by(stall.what, w, section.world_kind, w.leaves_node(Group::world));
      cause.world_mean.push_back(
          acts ? stall.per_node_s * std::max(1.0, world / gpus) * section.world_median_s : 0);
    }
    for (const Draw& d : c.reductions)
      cause.reduction_mean.push_back(stall.per_node_s * apart * data_nodes * acted(c, d, stall.what).seconds);
    causes_.push_back(std::move(cause));
  }
}

double Stalls::mean_count() const {
  double most = 0;
  for (const Cause& cause : causes_)
    if (!cause.weight.empty()) most = std::max(most, cause.weight.back());
  return most;
}

std::int64_t Stalls::draw_count(const Cause& cause, std::uint32_t word) const {
  const double u = uniform(word);
  if (u < cause.count[0]) return 0;
  return std::upper_bound(cause.count.begin(), cause.count.end(), u) - cause.count.begin();
}

void Stalls::append(std::uint64_t replica_key, std::uint8_t lane, std::vector<Strike>& to) const {
  for (const Cause& cause : causes_) {
    if (cause.places.empty()) continue;
    pcg32_oneseq generator(mix64(replica_key ^ cause.key));
    for (std::int64_t n = draw_count(cause, generator()); n > 0; --n) {
      const double at = uniform(generator()) * cause.weight.back();
      const auto found = std::upper_bound(cause.weight.begin(), cause.weight.end(), at);
      const Place& place = cause.places[std::min<std::size_t>(
          static_cast<std::size_t>(found - cause.weight.begin()), cause.places.size() - 1)];
      const float seconds = std::max(0.0f, sample(c_.bucket(cause.duration), generator()) - place.hidden_s);
      const auto line = static_cast<std::int32_t>(uniform(generator()) * static_cast<double>(c_.lines));
      to.push_back({place.place, place.hop, lane, line, place.kind, seconds});
    }
  }
}

void Stalls::at_end(std::uint64_t seed, std::int64_t trial, std::vector<std::vector<double>>& rows,
                    std::vector<double>& world) const {
  const auto groups = static_cast<std::size_t>(data_groups(c_.workload));
  const auto lines = static_cast<std::size_t>(c_.lines);
  std::vector<double> delay(groups);
  for (const Cause& cause : causes_) {
    pcg32_oneseq generator(stream_state(seed, static_cast<std::uint64_t>(trial), cause.end_key));
    for (std::size_t k = 0; k < cause.section_mean.size(); ++k) {
      for (std::size_t r = 0; r < cause.section_mean[k].size(); ++r) {
        std::int64_t n = count_of(cause.section_mean[k][r], generator());
        if (n == 0) continue;
        // Each tensor rank's replicas meet among themselves: strikes on the same ones add up.
        std::fill(delay.begin(), delay.end(), 0.0);
        for (; n > 0; --n) {
          const auto group = static_cast<std::size_t>(uniform(generator()) * static_cast<double>(groups));
          delay[group] += static_cast<double>(sample(c_.bucket(cause.duration), generator()));
        }
        for (std::size_t g = 0; g < groups; ++g) {
          double& row = rows[k][r * lines + g * lines / groups];
          row = std::max(row, delay[g]);
        }
      }
      for (std::int64_t n = count_of(cause.world_mean[k], generator()); n > 0; --n)
        world[k] += static_cast<double>(sample(c_.bucket(cause.duration), generator()));
    }
  }
}

void Stalls::beside_backward(std::uint64_t seed, std::int64_t trial, std::vector<double>& delay) const {
  const auto groups = static_cast<std::size_t>(data_groups(c_.workload));
  for (const Cause& cause : causes_) {
    pcg32_oneseq generator(stream_state(seed, static_cast<std::uint64_t>(trial), cause.reduction_key));
    for (std::size_t i = 0; i < cause.reduction_mean.size(); ++i)
      for (std::int64_t n = count_of(cause.reduction_mean[i], generator()); n > 0; --n) {
        const auto group = static_cast<std::size_t>(uniform(generator()) * static_cast<double>(groups));
        delay[i * groups + group] += static_cast<double>(sample(c_.bucket(cause.duration), generator()));
      }
  }
}

std::int64_t Stalls::count_of(double mean, std::uint32_t word) {
  const double u = uniform(word);
  double term = exp_exact(-mean), sum = term;
  std::int64_t n = 0;
  while (u >= sum && n < 100000) {
    term *= mean / static_cast<double>(++n);
    sum += term;
  }
  return n;
}

}  // namespace prism
