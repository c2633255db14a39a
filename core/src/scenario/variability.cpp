// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "scenario/distributions.h"
#include "scenario/parts.h"
#include "scenario/presets/presets.h"
#include "scenario/words.h"

namespace prism::scenario {
namespace {

using Scope = Factor::Scope;
using Period = Factor::Period;

constexpr std::array<std::string_view, 6> scopes = {"operation", "micro_batch", "gpu",
                                                    "node",      "replica",     "cluster"};
constexpr std::array<std::string_view, 3> periods = {"operation", "step", "run"};
constexpr std::size_t most_causes = 32;
/// Normal and gamma medians come from quadrature, exact to 1e-4.
constexpr double median_tolerance = 2e-4;

/// Which periods a scope allows: fresh causes last one operation, lasting ones a step or the run.
bool check_scope(Section& s, const std::string& scope, const std::string& period) {
  const bool fresh = scope == "operation" || scope == "micro_batch";
  if (fresh != (period == "operation")) {
    s.fault_at("period", Code::inconsistent,
               "scope " + scope + " with period " + period + " cannot be: " +
                   (fresh ? "its draws last one operation" : "its draws last a step or the run"));
    return false;
  }
  return true;
}

/// Identity of a cause: its name, or what it acts on; the second of a kind gets a number.
template <class Cause>
std::string key_of(const std::vector<Cause>& before, const std::string& name, const std::string& otherwise) {
  const std::string wanted = name.empty() ? otherwise : name;
  std::string key = wanted;
  const auto taken = [&] {
    return std::any_of(before.begin(), before.end(), [&](const Cause& c) { return c.key == key; });
  };
  for (int i = 2; taken(); ++i) key = wanted + " " + std::to_string(i);
  return key;
}

/// `two_state` or `ar1` in place of a family: a regime of the whole cluster, from step to step.
std::optional<Distribution> read_regime(Section& s, std::string_view word, Factor::Regime& regime) {
  Section r(s.notes(), s.take(word), s.at(word));
  std::optional<Distribution> law;
  const Family& lognormal = *find_family("lognormal");
  const auto made = [&](std::variant<Distribution, ParameterFault> result) {
    if (auto* d = std::get_if<Distribution>(&result)) return std::optional<Distribution>(std::move(*d));
    r.fault(Code::impossible_distribution, std::get<ParameterFault>(result).message);
    return std::optional<Distribution>();
  };
  if (word == "two_state") {
    double slow = 1, share = 0;
    bool good = r.real("slow", slow, {1e-3, 1e3});
    good &= r.real("share", share, {0, 0.45, true});
    good &= r.real("dwell_steps", regime.dwell_steps, {1, 1e9});
    if (good) {
      const double one[] = {1}, other[] = {slow}, weights[] = {1 - share, share};
      const ParameterSet& constant = find_family("constant")->sets[0];
      const Distribution parts[] = {*made(constant.make(one)), *made(constant.make(other))};
      law = made(make_mixture(weights, parts));
    }
  } else {
    double cv = 0;
    bool good = r.real("cv", cv, {0, 10, true});
    good &= r.real("correlation", regime.correlation, {0, 0.9999});
    const double values[] = {1, cv};
    if (good)
      for (const ParameterSet& set : lognormal.sets)
        if (set.parameters[0].name == "median" && set.parameters[1].name == "cv")
          law = made(set.make(values));
  }
  r.finish();
  s.put(word, std::move(r.echo));
  return law;
}

/// The regime's word that stands in the factor, or nothing.
std::string_view regime_word(const Section& s) {
  for (std::string_view word : {"two_state", "ar1"})
    if (s.has(word)) return word;
  return {};
}

/// Checks the optional name and source of a cause.
bool read_name_and_source(Section& s, std::string& name, std::string& source) {
  bool good = true;
  for (auto [key, to, longest] : {std::tuple{"name", &name, std::size_t{100}}, {"source", &source, 500}})
    if (s.has(key))
      good &= s.text(key, *to, longest);
    else
      s.take(key);
  return good;
}

/// One factor from JSON; its echo, or null after a fault.
Json read_factor(Notes& notes, const Json& value, const std::string& pointer, std::vector<Factor>& to) {
  Section s(notes, &value, pointer);
  if (s.broken()) return nullptr;
  std::string what, scope, period, name, source;
  bool good = s.name("what", what, cause_targets(), "a kind, class or network domain");
  const bool scoped = s.name("scope", scope, scopes, "a scope");
  const bool timed = s.name("period", period, periods, "a period");
  good &= scoped && timed && check_scope(s, scope, period);
  std::optional<Distribution> law;
  std::optional<Factor::Regime> regime;
  if (const std::string_view word = regime_word(s); !word.empty()) {
    if (good && (scope != "cluster" || period != "step")) {
      s.fault_at(word, Code::inconsistent,
                 "a regime is shared by the cluster and moves from step to step: it needs scope cluster and "
                 "period step, found " +
                     scope + " and " + period);
      good = false;
    }
    regime = Factor::Regime{};
    law = read_regime(s, word, *regime);
  } else {
    law = read_distribution(s, Quantity::factor);
  }
  good &= read_name_and_source(s, name, source);
  s.finish();
  if (!law) return nullptr;
  const double median = law->median();
  if (!(median > 1 - median_tolerance && median < 1 + median_tolerance)) {
    notes.fault(Code::out_of_range, pointer,
                "a factor multiplies base times that are medians, so its own median must be 1; found " +
                    shown(median));
    return nullptr;
  }
  if (!good) return nullptr;
  to.push_back({what, enumerator<Scope>(scopes, scope), enumerator<Period>(periods, period), std::move(*law),
                key_of(to, name, what + " " + scope + " " + period), regime, pointer});
  return std::move(s.echo);
}

/// One cause of stalls from JSON; its echo, or null after a fault.
Json read_stall(Notes& notes, const Json& value, const std::string& pointer, std::vector<Stall>& to) {
  Section s(notes, &value, pointer);
  if (s.broken()) return nullptr;
  std::string what, name, source;
  bool good = s.name("what", what, cause_targets(), "a kind, class or network domain");
  double per_hour = 0;
  good &= s.real("per_node_hour", per_hour, {0, 1e6});
  std::optional<Distribution> law = read_distribution(s, Quantity::time);
  good &= read_name_and_source(s, name, source);
  s.finish();
  if (!law || !good) return nullptr;
  to.push_back({what, per_hour / 3600, std::move(*law), key_of(to, name, what + " stall")});
  return std::move(s.echo);
}

/// A preset's factors as the user would write them.
Json written_out(const VariabilityPreset& preset) {
  Json list = Json::array();
  for (const FactorPreset& f : preset.factors) {
    Json parameters = Json::object();
    for (const auto& [name, value] : f.parameters) parameters[std::string(name)] = number(value);
    Json factor = Json::object();
    factor["what"] = f.what;
    factor["scope"] = f.scope;
    factor["period"] = f.period;
    factor[std::string(f.family)] = std::move(parameters);
    factor["source"] = f.source;
    list.push_back(std::move(factor));
  }
  return list;
}

/// The same for its stalls.
Json stalls_written_out(const VariabilityPreset& preset) {
  Json list = Json::array();
  for (const StallPreset& p : preset.stalls) {
    Json parameters = Json::object();
    for (const auto& [name, value] : p.parameters) parameters[std::string(name)] = number(value);
    Json stall = Json::object();
    stall["what"] = p.what;
    stall["per_node_hour"] = number(p.per_node_hour);
    stall[std::string(p.family)] = std::move(parameters);
    stall["source"] = p.source;
    list.push_back(std::move(stall));
  }
  return list;
}

template <class Cause, class ReadOne>
Json read_list(Notes& notes, const Json& list, const std::string& pointer, std::vector<Cause>& to,
               ReadOne read_one) {
  Json echo = Json::array();
  if (!is_array(notes, list, pointer, 0, most_causes)) return echo;
  for (std::size_t i = 0; i < list.size(); ++i)
    echo.push_back(read_one(notes, list[i], child(pointer, i), to));
  return echo;
}

/// The causes of one sort: the preset's, written out in the echo, and the user's own. Written out, they win
/// over the table of presets: an echo means the same for ever.
template <class Cause, class ReadOne>
void read_causes(Section& s, std::string_view from_preset, std::string_view own, const std::string& preset,
                 const Json& expansion, std::vector<Cause>& to, ReadOne read_one) {
  Notes& notes = s.notes();
  if (const Json* expanded = s.take(from_preset)) {
    s.put(from_preset, read_list(notes, *expanded, s.at(from_preset), to, read_one));
  } else {
    s.put(from_preset, read_list(notes, expansion, s.at(from_preset), to, read_one));
    if (expansion.empty()) notes.assume(s.at(from_preset), "preset " + preset, {});
    for (std::size_t i = 0; i < expansion.size(); ++i)
      notes.assume(child(s.at(from_preset), i), "preset " + preset,
                   expansion[i].at("source").get<std::string>());
  }
  if (const Json* list = s.take(own))
    s.put(own, read_list(notes, *list, s.at(own), to, read_one));
  else
    s.put_assumed(own, Json::array(), "default");
}

}  // namespace

Names cause_targets() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> w = {"compute", "communication", "intra_node", "inter_node"};
    w.insert(w.end(), kind_words().begin(), kind_words().end());
    return w;
  }();
  return words;
}

void read_variability(Section& root, Scenario& to, bool job) {
  Notes& notes = root.notes();
  const Json* value = root.take("variability");
  const auto names = preset_names(variability_presets());
  std::optional<PresetSection> opened;
  if (value) {
    opened = open_preset(notes, *value, root.at("variability"), names, "a variability preset");
    if (!opened) return;
  } else {
    opened.emplace(PresetSection{{}, Section(notes, nullptr, root.at("variability"))});
  }
  Section& s = opened->section;
  std::string preset = opened->preset;
  if (preset.empty()) {
    preset = value || !job ? "none" : "dedicated";
    s.put_assumed("preset", preset, "default");
  }
  to.variability_preset = preset;

  const VariabilityPreset& p = *find_preset(variability_presets(), preset);
  read_causes(s, "preset_factors", "factors", preset, written_out(p), to.factors, read_factor);
  if (!s.has("preset_factors"))
    for (std::size_t i = 0; i < std::min(p.factors.size(), to.factors.size()); ++i)
      to.factors[i].pointer = root.at("variability");
  read_causes(s, "preset_stalls", "stalls", preset, stalls_written_out(p), to.stalls, read_stall);
  read_spread(s, to);
  read_silenced(s, to);
  s.finish();
  root.put("variability", std::move(s.echo));
}

}  // namespace prism::scenario
