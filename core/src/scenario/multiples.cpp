// SPDX-License-Identifier: Apache-2.0
// `scale`, and `spread` and `silenced` of `variability`. They are echoed only where they are given.
#include <array>

#include "scenario/parts.h"

namespace prism::scenario {
namespace {

constexpr std::size_t most = 32;
constexpr std::array<std::string_view, 2> classes = {"compute", "communication"};

void read_multiples(Section& s, std::string_view key, std::string_view factor, Limits<double> limits,
                    Names targets, std::string_view targets_are, std::vector<Multiple>& to) {
  if (!s.has(key)) {
    s.take(key);
    return;
  }
  const Json& list = *s.take(key);
  if (!is_array(s.notes(), list, s.at(key), 0, most)) return;
  Json echo = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    Section entry(s.notes(), &list[i], child(s.at(key), i));
    if (entry.broken()) return;
    Multiple m;
    bool good = entry.name("what", m.what, targets, targets_are);
    good &= entry.real(factor, m.by, limits);
    entry.finish();
    if (good) to.push_back(m);
    echo.push_back(std::move(entry.echo));
  }
  s.put(key, std::move(echo));
}

}  // namespace

void read_scale(Section& root, Scenario& to) {
  read_multiples(root, "scale", "factor", {1e-3, 1e3}, cause_targets(), "a kind, class or network domain",
                 to.scale);
}

void read_spread(Section& variability, Scenario& to) {
  read_multiples(variability, "spread", "times", {0, 10}, classes, "a class", to.spread);
}

void read_silenced(Section& variability, Scenario& to) {
  constexpr std::string_view key = "silenced";
  const Json* list = variability.take(key);
  if (!list || !is_array(variability.notes(), *list, variability.at(key), 0, most)) return;
  Json echo = Json::array();
  for (std::size_t i = 0; i < list->size(); ++i) {
    std::string what;
    if (!read_name(variability.notes(), (*list)[i], child(variability.at(key), i), cause_targets(),
                   "a kind, class or network domain", what))
      return;
    to.silenced.push_back(what);
    echo.push_back(what);
  }
  variability.put(key, std::move(echo));
}

}  // namespace prism::scenario
