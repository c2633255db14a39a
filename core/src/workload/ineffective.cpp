// SPDX-License-Identifier: Apache-2.0
#include "workload/ineffective.h"

#include <algorithm>
#include <string>

#include "workload/network.h"

namespace prism::workload {
namespace {

class Warnings {
 public:
  void add(std::string pointer, std::string message, std::string hint = {}) {
    list.push_back(
        {Code::inconsistent, std::move(pointer), std::move(message), std::move(hint), Severity::warning});
  }
  std::vector<Diagnostic> list;
};

std::string number(std::int64_t n) { return std::to_string(n); }
std::string entry(const char* list, std::size_t i) { return std::string(list) + "/" + std::to_string(i); }

/// Whether `what` names a kind that the step does not have.
bool is_absent(const std::string& what, const Kinds& used) {
  for (std::size_t k = 0; k < kind_count; ++k)
    if (what == kind_name(static_cast<Kind>(k))) return !used[k];
  return false;
}

void check_targets(const Scenario& s, const Kinds& used, Warnings& warnings) {
  constexpr const char* why = " has no effect: the step has no such operator";
  for (const Factor& factor : s.factors)
    if (is_absent(factor.what, used)) warnings.add(factor.pointer, "a factor on " + factor.what + why);
  for (std::size_t i = 0; i < s.what_if.size(); ++i)
    if (is_absent(s.what_if[i].what, used))
      warnings.add(entry("/what_if", i), "a what-if on " + s.what_if[i].what + why);
  for (std::size_t i = 0; i < s.silenced.size(); ++i) {
    const std::string& what = s.silenced[i];
    const auto here = s.silenced.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(s.silenced.begin(), here, what) != here)
      warnings.add(entry("/variability/silenced", i), what + " is silenced twice");
    else if (is_absent(what, used))
      warnings.add(entry("/variability/silenced", i), "silencing " + what + why);
  }
}

void check_spread(const Scenario& s, Warnings& warnings) {
  for (std::size_t i = 0; i < s.spread.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (s.spread[j].what == s.spread[i].what) {
        warnings.add(
            entry("/variability/spread", i),
            "spread names " + s.spread[i].what + " more than once: the product of its entries counts");
        return;
      }
}

/// Groups that ought to lie in one domain and do not, or domains that are no whole nodes.
void check_nodes(const Scenario& s, Warnings& warnings) {
  if (!s.model) return;
  const Parallel& p = s.parallel;
  const std::int64_t node = s.cluster.gpus_per_node, domain = s.cluster.domain();
  if (domain < node)
    warnings.add("/cluster/nvlink_domain",
                 "nvlink_domain " + number(domain) + " is smaller than gpus_per_node " + number(node) +
                     ": inside a node, too, GPUs of two domains are joined by inter_node");
  else if (domain % node != 0)
    warnings.add(
        "/cluster/nvlink_domain",
        "nvlink_domain " + number(domain) + " is no whole number of nodes of gpus_per_node " + number(node));
  if (p.world() <= domain || domain % p.tp == 0 || p.tp % domain == 0) return;
  const Placement tensor = spread(p.tp, 1, p.world(), domain);
  warnings.add(domain == node ? "/cluster/gpus_per_node" : "/cluster/nvlink_domain",
               "tp " + number(p.tp) + " and nodes of " + number(domain) +
                   " GPUs do not divide: a tensor group lies on up to " + number(tensor.nodes) +
                   " nodes, with as few as " + number(tensor.per_node) + " of its ranks on one",
               "its collectives are then as slow as inter_node");
}

}  // namespace

std::vector<Diagnostic> ineffective(const Scenario& s, const Kinds& used) {
  Warnings warnings;
  check_targets(s, used, warnings);
  check_spread(s, warnings);
  check_nodes(s, warnings);
  if (s.parallel.cp == 1 && s.parallel.cp_exchange != ContextExchange::all_gather)
    warnings.add("/parallel/cp_exchange",
                 "cp_exchange has no effect with cp 1: there is nothing to exchange");
  if (s.parallel.zero == 0 && s.parallel.gather != Gather::per_micro_batch)
    warnings.add("/parallel/gather", "gather has no effect with zero 0: nothing is gathered");
  if (const Parallel& p = s.parallel;
      p.overlap_grad_reduce && p.dp * p.cp == 1 && (!s.model->experts || p.tp == p.etp * p.ep))
    warnings.add("/parallel/overlap_grad_reduce",
                 "overlap_grad_reduce has no effect with dp 1: nothing is reduced");
  constexpr std::string_view dp_overlap = "/cost_model/dp_overlap";
  if (s.parallel.overlap_grad_reduce && s.parallel.zero == 0 &&
      std::find(s.own_numbers.begin(), s.own_numbers.end(), dp_overlap) != s.own_numbers.end())
    warnings.add(std::string(dp_overlap),
                 "dp_overlap has no effect with overlap_grad_reduce and zero 0: no parameters are gathered");
  if (s.training_run && s.training_run->elastic && s.parallel.dp == 1)
    warnings.add(
        "/training_run/elastic",
        "elastic has no effect with dp 1: there is no replica to go on without the one that lost a node");
  return std::move(warnings.list);
}

}  // namespace prism::workload
