// SPDX-License-Identifier: Apache-2.0
#include "report/what_if.h"

#include <cstdio>
#include <optional>
#include <string>

#include "prism/workload.h"

namespace prism {
namespace {

/// What a quantile what-if fixes: lasting factors on compute of a GPU or its node.
bool is_fixed(const Factor& f) {
  if (f.scope != Factor::Scope::gpu && f.scope != Factor::Scope::node) return false;
  for (int k = 0; k < kind_count; ++k)
    if (class_of(static_cast<Kind>(k)) == Class::compute && acts_on(f.what, static_cast<Kind>(k), false))
      return true;
  return false;
}

}  // namespace

double multiplier(const Scenario& s, const WhatIf& w) {
  if (w.change == WhatIf::Change::factor) return w.value;
  std::optional<Distribution> lasting;
  for (const Factor& f : s.factors)
    if (is_fixed(f)) lasting = lasting ? product_of(*lasting, f.factor) : f.factor;
  return lasting ? lasting->quantile(Mass::below(w.value)) : 1;
}

std::vector<Diagnostic> warnings_of_what_ifs(const Scenario& s) {
  constexpr double least = 1.001;
  std::vector<Diagnostic> warnings;
  for (std::size_t i = 0; i < s.what_if.size(); ++i) {
    const WhatIf& w = s.what_if[i];
    const double m = multiplier(s, w);
    if (m >= least || m <= 1 / least) continue;
    char text[96];
    std::snprintf(text, sizeof text, "this what-if multiplies times by %.4f, which changes next to nothing", m);
    warnings.push_back({Code::inconsistent, "/what_if/" + std::to_string(i), text,
                        w.change == WhatIf::Change::factor
                            ? ""
                            : "no lasting factor of scope gpu or node on compute sets GPUs apart here: add one, "
                              "or use \"factor\"",
                        Severity::warning});
  }
  return warnings;
}

}  // namespace prism
