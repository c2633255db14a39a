// SPDX-License-Identifier: Apache-2.0
#include <array>
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
constexpr std::size_t most_factors = 64;
/// Normal and gamma medians come from quadrature, exact to 1e-4.
constexpr double median_tolerance = 2e-4;

Names whats() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> w = {"compute", "communication", "intra_node", "inter_node"};
    w.insert(w.end(), kind_words().begin(), kind_words().end());
    return w;
  }();
  return words;
}

/// Which periods a scope allows (fresh causes last one operation, lasting ones a step or the run), and what
/// this version computes of it.
bool check_scope(Section& s, const std::string& scope, const std::string& period) {
  const bool fresh = scope == "operation" || scope == "micro_batch";
  if (fresh != (period == "operation")) {
    s.fault_at("period", Code::inconsistent,
               "scope " + scope + " with period " + period + " cannot be: " +
                   (fresh ? "its draws last one operation" : "its draws last a step or the run"));
    return false;
  }
  if (scope != "operation") {
    s.fault_at("scope", Code::unsupported, "factors of scope " + scope + " are not computed by this version",
               "scope operation with period operation is");
    return false;
  }
  return true;
}

/// One factor from JSON; its echo, or null after a fault.
Json read_factor(Notes& notes, const Json& value, const std::string& pointer, std::vector<Factor>& to) {
  Section s(notes, &value, pointer);
  if (s.broken()) return nullptr;
  std::string what, scope, period, source;
  bool good = s.name("what", what, whats(), "a kind or class of operators");
  if (good && (what == "intra_node" || what == "inter_node")) {
    s.fault_at("what", Code::unsupported, "factors of a network domain are not computed by this version",
               "use \"communication\" or a kind");
    good = false;
  }
  const bool scoped = s.name("scope", scope, scopes, "a scope");
  const bool timed = s.name("period", period, periods, "a period");
  good &= scoped && timed && check_scope(s, scope, period);
  std::optional<Distribution> law = read_distribution(s, Quantity::factor);
  if (s.has("source"))
    good &= s.text("source", source, 500);
  else
    s.take("source");
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
  to.push_back(
      {what, enumerator<Scope>(scopes, scope), enumerator<Period>(periods, period), std::move(*law)});
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

Json read_factors(Notes& notes, const Json& list, const std::string& pointer, std::vector<Factor>& to) {
  Json echo = Json::array();
  if (!is_array(notes, list, pointer, 0, most_factors)) return echo;
  for (std::size_t i = 0; i < list.size(); ++i)
    echo.push_back(read_factor(notes, list[i], child(pointer, i), to));
  return echo;
}

}  // namespace

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

  // What the preset stands for is written out in the echo. Written out, it wins over the table: an echo means
  // the same for ever.
  const Json* expanded = s.take("preset_factors");
  if (expanded) {
    s.put("preset_factors", read_factors(notes, *expanded, s.at("preset_factors"), to.factors));
  } else {
    const VariabilityPreset& p = *find_preset(variability_presets(), preset);
    s.put("preset_factors", read_factors(notes, written_out(p), s.at("preset_factors"), to.factors));
    if (p.factors.empty()) notes.assume(s.at("preset_factors"), "preset " + preset, {});
    for (std::size_t i = 0; i < p.factors.size(); ++i)
      notes.assume(child(s.at("preset_factors"), i), "preset " + preset, std::string(p.factors[i].source));
  }
  const Json* own = s.take("factors");
  if (own)
    s.put("factors", read_factors(notes, *own, s.at("factors"), to.factors));
  else
    s.put_assumed("factors", Json::array(), "default");
  s.finish();
  root.put("variability", std::move(s.echo));
}

}  // namespace prism::scenario
