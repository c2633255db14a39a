// SPDX-License-Identifier: Apache-2.0
// `what_if`: places made slower than the rest.
#include <array>

#include "scenario/parts.h"
#include "scenario/words.h"

namespace prism::scenario {
namespace {

constexpr std::size_t most = 64;
constexpr std::array<std::string_view, 2> units = {"gpu", "node"};
constexpr std::array<std::string_view, 3> changes = {"factor", "node_quantile", "operator_quantile"};

bool read_where(Section& what_if, const Parallel& parallel, bool layout_known, WhatIf& to) {
  const Json* value = what_if.require("where");
  if (!value) return false;
  Section s(what_if.notes(), value, what_if.at("where"));
  if (s.broken()) return false;
  bool good = true;
  const auto coordinate = [&](std::string_view key, std::int64_t degree, std::int64_t& to_index) {
    good &= s.integer(key, to_index, {0, layout_known ? degree - 1 : std::int64_t{1} << 30},
                      Assumed<std::int64_t>{0});
  };
  coordinate("pp", parallel.pp, to.pp);
  coordinate("dp", parallel.dp, to.dp);
  coordinate("tp", parallel.tp * parallel.cp, to.tp);
  std::string unit;
  good &= s.name("unit", unit, units, "a unit", Assumed<std::string>{"node"});
  s.finish();
  what_if.put("where", std::move(s.echo));
  if (good) to.unit = enumerator<WhatIf::Unit>(units, unit);
  return good;
}

/// Exactly one of the changes.
bool read_change(Section& s, WhatIf& to) {
  std::string_view chosen;
  for (std::string_view change : changes) {
    if (!s.take(change)) continue;
    if (!chosen.empty()) {
      s.fault_at(change, Code::inconsistent,
                 in_quotes(chosen) + " and " + in_quotes(change) + " are two changes where one is needed",
                 "keep one of the two, or write two entries");
      return false;
    }
    chosen = change;
  }
  if (chosen.empty()) {
    s.missing_one_of(changes,
                     "a change is missing: one of \"factor\", \"node_quantile\", \"operator_quantile\"");
    return false;
  }
  to.change = enumerator<WhatIf::Change>(changes, std::string(chosen));
  return to.change == WhatIf::Change::factor ? s.real(chosen, to.value, {1e-3, 1e3})
                                             : s.real(chosen, to.value, {0.5, 0.999999});
}

Json read_one(Notes& notes, const Json& value, const std::string& pointer, const Parallel& parallel,
              bool layout_known, std::vector<WhatIf>& to) {
  Section s(notes, &value, pointer);
  if (s.broken()) return nullptr;
  WhatIf w;
  bool good = read_where(s, parallel, layout_known, w);
  good &= s.name("what", w.what, cause_targets(), "a kind, class or network domain",
                 Assumed<std::string>{"compute"});
  good &= read_change(s, w);
  s.finish();
  if (!good) return nullptr;
  if (w.change != WhatIf::Change::factor && w.what != "compute") {
    s.fault_at("what", Code::unsupported, "a quantile what-if slows \"compute\", found " + in_quotes(w.what),
               "leave \"what\" out, or use \"factor\"");
    return nullptr;
  }
  to.push_back(w);
  return std::move(s.echo);
}

}  // namespace

void read_what_if(Section& root, Scenario& to, bool layout_known) {
  const Json* list = root.take("what_if");
  if (!list) {
    root.put_assumed("what_if", Json::array(), "default");
    return;
  }
  Json echo = Json::array();
  if (is_array(root.notes(), *list, root.at("what_if"), 0, most))
    for (std::size_t i = 0; i < list->size(); ++i)
      echo.push_back(read_one(root.notes(), (*list)[i], child(root.at("what_if"), i), to.parallel,
                              layout_known, to.what_if));
  root.put("what_if", std::move(echo));
}

}  // namespace prism::scenario
