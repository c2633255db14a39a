// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "study/variants.h"

namespace prism::study {
namespace {

using Stages = std::vector<std::int64_t>;

/// More arrangements than these are not tried one by one.
constexpr double most_subsets = 256;

double binomial(std::int64_t n, std::int64_t k) {
  double b = 1;
  for (std::int64_t i = 1; i <= k; ++i) b *= static_cast<double>(n - k + i) / static_cast<double>(i);
  return b;
}

/// All subsets of `size` of the stages, in order.
void subsets(std::int64_t stages, std::int64_t size, Stages& chosen, std::vector<Stages>& to) {
  if (static_cast<std::int64_t>(chosen.size()) == size) {
    to.push_back(chosen);
    return;
  }
  for (std::int64_t s = chosen.empty() ? 0 : chosen.back() + 1; s < stages; ++s) {
    chosen.push_back(s);
    subsets(stages, size, chosen, to);
    chosen.pop_back();
  }
}

/// Neighbours at every place, and as far apart as may be.
std::vector<Stages> runs_and_spread(std::int64_t stages, std::int64_t size) {
  std::vector<Stages> list;
  for (std::int64_t first = 0; first + size <= stages; ++first) {
    list.emplace_back(static_cast<std::size_t>(size));
    std::iota(list.back().begin(), list.back().end(), first);
  }
  Stages spread;
  for (std::int64_t i = 0; i < size; ++i) spread.push_back(size > 1 ? i * (stages - 1) / (size - 1) : 0);
  if (size > 1 && std::find(list.begin(), list.end(), spread) == list.end())
    list.push_back(std::move(spread));
  return list;
}

std::string names(const Stages& stages) {
  std::string text = stages.size() == 1 ? "stage " : "stages ";
  for (std::size_t i = 0; i < stages.size(); ++i) text += (i ? ", " : "") + std::to_string(stages[i]);
  return text;
}

}  // namespace

/// Axes: the slow factor, the first slow pipeline rank, the number of slow ones in a replica.
std::vector<Diagnostic> plan_placement(StudyPlan& plan) {
  const StudyQuestion& q = plan.question;
  const Parallel& p = plan.base.parallel;
  if (q.slow.empty()) return {unfit("at least one slow factor is needed")};
  for (double x : q.slow)
    if (!(x >= 1 && x <= 1000)) return {unfit("a slow factor is from 1 to 1000, found " + number_text(x))};
  if (q.unit != "gpu" && q.unit != "node") return {unfit("a slow place is a gpu or a node, found " + q.unit)};
  const std::int64_t places = p.pp * p.dp;
  if (q.count < 1 || q.count > std::min<std::int64_t>(places, 16))
    return {unfit("slow places: from 1 to " + std::to_string(std::min<std::int64_t>(places, 16)) +
                  ", found " + std::to_string(q.count))};
  plan.axes = {"factor", "stage", "slow_in_a_replica"};
  add(plan, "none slow", {1, -1, 0}, {});

  // Replicas wait for the latest: slow places in different replicas at the same stage cost what one costs, in
  // one replica they cost the most. So two ends are compared: as many as may be in one replica, and as few.
  const auto add_all = [&](std::int64_t in_replica, std::int64_t replicas) {
    std::vector<Stages> list;
    Stages chosen;
    if (binomial(p.pp, in_replica) <= most_subsets) {
      subsets(p.pp, in_replica, chosen, list);
    } else {
      list = runs_and_spread(p.pp, in_replica);
      plan.notes.push_back(
          "Of the " + number_text(binomial(p.pp, in_replica)) + " sets of " + std::to_string(in_replica) +
          " stages, neighbours and the widest spread are played. Bound: no arrangement makes a step "
          "longer than the slow factor does, and none is better than the best single place.");
    }
    for (double factor : q.slow)
      for (const Stages& stages : list) {
        std::vector<Edit> edits;
        std::int64_t left = q.count;
        for (std::int64_t d = 0; d < replicas; ++d)
          for (std::int64_t s : stages)
            if (left-- > 0)
              edits.push_back(
                  {"/what_if/-", "{\"where\":{\"pp\":" + std::to_string(s) + ",\"dp\":" + std::to_string(d) +
                                     ",\"unit\":" + in_json(q.unit) +
                                     "},\"what\":\"compute\",\"factor\":" + number_text(factor) + "}"});
        add(plan,
            names(stages) + (replicas > 1 ? " of " + std::to_string(replicas) + " replicas" : "") + ", " +
                number_text(factor) + " x",
            {factor, static_cast<double>(stages[0]), static_cast<double>(in_replica)}, std::move(edits));
      }
  };
  const std::int64_t together = std::min(q.count, p.pp), apart = (q.count + p.dp - 1) / p.dp;
  add_all(together, (q.count + together - 1) / together);
  if (apart != together) add_all(apart, (q.count + apart - 1) / apart);
  plan.notes.push_back(
      "Replicas are alike, and so are the ranks of a group: a position is a pipeline rank. A slow node slows "
      "all its GPUs.");
  return {};
}

}  // namespace prism::study
