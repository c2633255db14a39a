// SPDX-License-Identifier: Apache-2.0
#include "simulation/warnings.h"

#include <string>
#include <utility>

namespace prism {
namespace {

/// What to do about a what-if that changes nothing.
std::string hint(WhatIf::Change change) {
  switch (change) {
    case WhatIf::Change::factor:
      break;
    case WhatIf::Change::node_quantile:
      return "no lasting factor of scope gpu or node on compute sets GPUs apart here: add one, or use "
             "\"factor\"";
    case WhatIf::Change::operator_quantile:
      return "compute hardly varies here: give it a factor of scope operation, gpu or node, or use "
             "\"factor\"";
  }
  return "";
}

}  // namespace

std::vector<Diagnostic> warnings(const Compiled& c) {
  std::vector<Diagnostic> list;
  const Causes& causes = c.causes;
  const auto warn = [&](std::string pointer, std::string message, std::string hint) {
    list.push_back(
        {Code::inconsistent, std::move(pointer), std::move(message), std::move(hint), Severity::warning});
  };
  for (std::size_t i = 0; i < causes.what_if_multiplier.size(); ++i)
    if (const double m = causes.what_if_multiplier[i]; m > 1 / 1.001 && m < 1.001)
      warn("/what_if/" + std::to_string(i),
           "this what-if multiplies times by " + std::to_string(m) + ", which changes next to nothing",
           hint(c.workload.what_if[i].change));
  if (c.whole_stages)
    warn("/variability",
         "latencies with tails too heavy to be added up: collectives over a part of a stage's ranks are "
         "taken to "
         "synchronise all of them, and those over several replicas only their own; the step may be off by a "
         "quarter",
         "use families with lighter tails, or the reference engine for small worlds");
  if (c.workload.folded > 1 && causes.uses_exponent)
    warn("/variability",
         "replicas that meet inside a step (experts or parameters are spread over them) are not alike: the "
         "rule that "
         "stands for such groups was up to 1 % of the step off, and 2.5 % for micro-batches that differ by "
         "20 %",
         "the reference engine plays every rank, for small worlds");
  if (causes.outside_measured_range())
    warn("/variability",
         "lasting differences between the GPUs of a tensor group are " +
             std::to_string(static_cast<int>(100 * causes.lasting_cv + 0.5)) + " % beside fresh jitter of " +
             std::to_string(static_cast<int>(100 * causes.fresh_cv + 0.5)) +
             " %: the rule that stands for such groups was measured for less and may be off by more than 0.3 "
             "%",
         "the reference engine plays every rank, for small worlds");
  return list;
}

}  // namespace prism
