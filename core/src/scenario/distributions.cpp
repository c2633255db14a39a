// SPDX-License-Identifier: Apache-2.0
#include "scenario/distributions.h"

#include <algorithm>
#include <utility>

namespace prism::scenario {
namespace {

constexpr double longest_s = 1e9;  // thirty years: whoever writes more has mistaken the unit
constexpr double largest_factor = 1e6;
constexpr std::size_t most_parts = 64, most_values = 1'000'000;

/// Seconds are value / per_second: division by an exact power of ten rounds once.
struct Unit {
  std::string_view suffix;
  double per_second;
};
constexpr Unit units[] = {{"_us", 1e6}, {"_ms", 1e3}, {"_s", 1}};
constexpr Unit no_unit{"", 1};

/// The keys under which `parameter` may stand.
std::vector<std::pair<std::string, Unit>> spellings(std::string_view parameter, bool dimensional,
                                                    Quantity quantity) {
  if (!dimensional || quantity == Quantity::factor) return {{std::string(parameter), no_unit}};
  std::vector<std::pair<std::string, Unit>> keys;
  for (const Unit& u : units) keys.push_back({std::string(parameter) + std::string(u.suffix), u});
  return keys;
}

/// A parameter found in the text.
struct Given {
  std::string_view parameter;
  std::string key;
  const Json* value;
  Unit unit;
  bool dimensional;
};

Limits<double> limits_of(const Given& g, Quantity quantity) {
  if (!g.dimensional) return {-largest_factor, largest_factor};
  if (quantity == Quantity::factor) return {0, largest_factor};
  return {0, longest_s * g.unit.per_second};
}

bool holds(const ParameterSet& set, std::string_view parameter) {
  return std::any_of(set.parameters.begin(), set.parameters.end(),
                     [&](const Parameter& p) { return p.name == parameter; });
}

std::string with_article(std::string_view word) {
  const bool vowel = std::string_view("aeiou").find(word[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(word);
}

/// "median_us + p95_us, or mean_us + cv"
std::string accepted(const Family& family, Quantity quantity) {
  std::string text;
  for (const ParameterSet& set : family.sets) {
    if (!text.empty()) text += ", or ";
    bool first = true;
    for (const Parameter& p : set.parameters) {
      if (!first) text += " + ";
      first = false;
      text += spellings(p.name, p.dimensional, quantity).front().first;
    }
  }
  return text;
}

/// The object's keys sorted into parameters; reports keys that are none, and parameters given twice.
bool collect(Notes& notes, const Family& family, const Json& object, const std::string& pointer,
             Quantity quantity, std::vector<Given>& given) {
  std::vector<std::string> keys;
  std::vector<Given> known;
  for (const ParameterSet& set : family.sets)
    for (const Parameter& p : set.parameters)
      for (auto& [key, unit] : spellings(p.name, p.dimensional, quantity))
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
          keys.push_back(key);
          known.push_back({p.name, key, nullptr, unit, p.dimensional});
        }
  bool good = true;
  for (const auto& member : object.get_ref<const Json::object_t&>()) {
    const auto found = std::find(keys.begin(), keys.end(), member.first);
    if (found == keys.end()) {
      const std::vector<std::string_view> names(keys.begin(), keys.end());
      notes.fault(Code::unknown_key, child(pointer, member.first),
                  with_article(family.name) + " distribution has no parameter " +
                      in_quotes(excerpt(member.first)) + " here",
                  suggestion(member.first, names));
      return false;
    }
    Given g = known[static_cast<std::size_t>(found - keys.begin())];
    const auto twin = std::find_if(given.begin(), given.end(),
                                   [&](const Given& other) { return other.parameter == g.parameter; });
    if (twin != given.end()) {
      notes.fault(Code::inconsistent, child(pointer, g.key),
                  in_quotes(twin->key) + " and " + in_quotes(g.key) + " give the same parameter",
                  "keep one of the two");
      return false;
    }
    g.value = &member.second;
    double ignored;
    good &= read_real(notes, *g.value, child(pointer, g.key), limits_of(g, quantity), ignored);
    given.push_back(std::move(g));
  }
  return good;
}

/// The fault's message with numbers as the user wrote them. Families have no scale of their own, so the same
/// values in another unit have the same fault.
std::string in_users_unit(const ParameterSet& set, const std::vector<const Given*>& order,
                          std::vector<double> values, const ParameterFault& in_seconds) {
  const auto timed =
      std::find_if(order.begin(), order.end(), [](const Given* g) { return !g->unit.suffix.empty(); });
  if (timed == order.end()) return in_seconds.message;
  const Unit unit = (*timed)->unit;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (order[i]->dimensional) values[i] *= unit.per_second;
  const auto made = set.make(values);
  const auto* fault = std::get_if<ParameterFault>(&made);
  if (!fault) return in_seconds.message;
  const bool about_time = std::any_of(order.begin(), order.end(), [&](const Given* g) {
    return g->parameter == fault->parameter && g->dimensional;
  });
  return fault->message + (about_time ? " (in " + std::string(unit.suffix.substr(1)) + ")" : "");
}

std::optional<Distribution> read_family(Notes& notes, const Family& family, const Json& object,
                                        const std::string& pointer, Quantity quantity, Json& echo) {
  if (!object.is_object()) {
    notes.fault(Code::wrong_type, pointer, "expected an object with parameters, found " + described(object),
                std::string(family.name) + " takes " + accepted(family, quantity));
    return std::nullopt;
  }
  std::vector<Given> given;
  if (!collect(notes, family, object, pointer, quantity, given)) return std::nullopt;

  const auto all_in = [&](const ParameterSet& set) {
    return std::all_of(given.begin(), given.end(), [&](const Given& g) { return holds(set, g.parameter); });
  };
  const auto complete = [&](const ParameterSet& set) {
    return all_in(set) && given.size() == set.parameters.size();
  };
  const auto set = std::find_if(family.sets.begin(), family.sets.end(), complete);
  if (set == family.sets.end()) {
    std::string found;
    for (const Given& g : given) found += (found.empty() ? "" : ", ") + g.key;
    const bool some = std::any_of(family.sets.begin(), family.sets.end(), all_in);
    notes.fault(some ? Code::missing_key : Code::inconsistent, pointer,
                std::string(family.name) + " takes " + accepted(family, quantity) + "; found " +
                    (found.empty() ? "none" : found));
    return std::nullopt;
  }

  std::vector<double> values;
  std::vector<const Given*> order;
  for (const Parameter& p : set->parameters) {
    const Given& g =
        *std::find_if(given.begin(), given.end(), [&](const Given& x) { return x.parameter == p.name; });
    order.push_back(&g);
    values.push_back(g.value->get<double>() / g.unit.per_second);
    echo[g.key] = number(g.value->get<double>());
  }
  auto made = set->make(values);
  if (auto* fault = std::get_if<ParameterFault>(&made)) {
    std::string at = pointer;
    for (const Given* g : order)
      if (g->parameter == fault->parameter) at = child(pointer, g->key);
    notes.fault(Code::impossible_distribution, std::move(at), in_users_unit(*set, order, values, *fault));
    return std::nullopt;
  }
  return std::get<Distribution>(std::move(made));
}

std::optional<Distribution> checked(Notes& notes, std::variant<Distribution, ParameterFault> made,
                                    const std::string& pointer) {
  if (auto* fault = std::get_if<ParameterFault>(&made)) {
    notes.fault(Code::impossible_distribution, pointer, std::move(fault->message));
    return std::nullopt;
  }
  return std::get<Distribution>(std::move(made));
}

std::optional<Distribution> read_mixture(Notes& notes, const Json& list, const std::string& pointer,
                                         Quantity quantity, Json& echo) {
  if (!is_array(notes, list, pointer, 2, most_parts)) return std::nullopt;
  std::vector<double> weights;
  std::vector<Distribution> parts;
  echo = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    Section section(notes, &list[i], child(pointer, i));
    if (section.broken()) continue;
    double weight = 0;
    const bool weighted = section.real("weight", weight, {0, 1e9, true});
    std::optional<Distribution> mode = read_distribution(section, quantity);
    section.finish();
    if (weighted && mode) {
      weights.push_back(weight);
      parts.push_back(std::move(*mode));
    }
    echo.push_back(std::move(section.echo));
  }
  if (parts.size() != list.size()) return std::nullopt;
  return checked(notes, make_mixture(weights, parts), pointer);
}

/// A list of numbers as written.
bool read_values(Notes& notes, const Json& list, const std::string& pointer, Limits<double> limits,
                 std::vector<double>& values, Json& echo) {
  if (!is_array(notes, list, pointer, 2, most_values)) return false;
  echo = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    double x;
    if (!read_real(notes, list[i], child(pointer, i), limits, x)) return false;
    values.push_back(x);
    echo.push_back(number(x));
  }
  return true;
}

bool read_quantiles(Notes& notes, const Json& list, const std::string& pointer, Limits<double> limits,
                    std::vector<double>& masses, std::vector<double>& values, Json& echo) {
  if (!is_array(notes, list, pointer, 2, most_values)) return false;
  echo = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = child(pointer, i);
    double p, x;
    if (!is_array(notes, list[i], at, 2, 2) || !read_real(notes, list[i][0], child(at, 0), {0, 1}, p) ||
        !read_real(notes, list[i][1], child(at, 1), limits, x))
      return false;
    masses.push_back(p);
    values.push_back(x);
    echo.push_back(Json::array({number(p), number(x)}));
  }
  return true;
}

std::optional<Distribution> read_empirical(Notes& notes, const Json& object, const std::string& pointer,
                                           Quantity quantity, Json& echo) {
  if (!object.is_object()) {
    notes.fault(Code::wrong_type, pointer,
                "expected an object with samples or quantiles, found " + described(object));
    return std::nullopt;
  }
  struct Form {
    std::string key;
    Unit unit;
    bool quantiles;
  };
  std::vector<Form> forms;
  for (bool quantiles : {false, true})
    for (auto& [key, unit] : spellings(quantiles ? "quantiles" : "samples", true, quantity))
      forms.push_back({key, unit, quantiles});
  std::vector<std::string_view> keys;
  for (const Form& f : forms) keys.push_back(f.key);

  const Form* form = nullptr;
  for (const auto& member : object.get_ref<const Json::object_t&>()) {
    const auto found = std::find(keys.begin(), keys.end(), member.first);
    if (found == keys.end()) {
      notes.fault(Code::unknown_key, child(pointer, member.first),
                  "an empirical distribution has no " + in_quotes(excerpt(member.first)) + " here",
                  suggestion(member.first, keys));
      return std::nullopt;
    }
    if (form) {
      notes.fault(
          Code::inconsistent, child(pointer, member.first),
          in_quotes(form->key) + " and " + in_quotes(member.first) + " both describe the distribution",
          "keep one of the two");
      return std::nullopt;
    }
    form = &forms[static_cast<std::size_t>(found - keys.begin())];
  }
  if (!form) {
    notes.fault(Code::missing_key, pointer, "an empirical distribution needs one of " + listed(keys));
    return std::nullopt;
  }
  const Json& list = *find_member(object, form->key);
  const std::string at = child(pointer, form->key);
  const Limits<double> limits{
      0, quantity == Quantity::time ? longest_s * form->unit.per_second : largest_factor};
  std::vector<double> masses, values;
  const bool read = form->quantiles ? read_quantiles(notes, list, at, limits, masses, values, echo[form->key])
                                    : read_values(notes, list, at, limits, values, echo[form->key]);
  if (!read) return std::nullopt;
  const auto make = [&] {
    return form->quantiles ? make_empirical_quantiles(masses, values) : make_empirical(values);
  };
  // Judged as written, so that a fault shows the user's numbers; made in seconds.
  if (!checked(notes, make(), at)) return std::nullopt;
  for (double& x : values) x /= form->unit.per_second;
  return checked(notes, make(), at);
}

}  // namespace

Names family_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> n;
    for (const Family& f : families()) n.push_back(f.name);
    n.push_back("mixture");
    n.push_back("empirical");
    return n;
  }();
  return names;
}

std::optional<Distribution> read_distribution(Section& section, Quantity quantity) {
  std::string_view name;
  const Json* value = nullptr;
  for (std::string_view candidate : family_names()) {
    const Json* found = section.take(candidate);
    if (!found) continue;
    if (value) {
      section.fault_at(
          candidate, Code::inconsistent,
          in_quotes(name) + " and " + in_quotes(candidate) + " are two distributions where one is needed",
          "keep one of the two, or join them in a \"mixture\"");
      return std::nullopt;
    }
    name = candidate;
    value = found;
  }
  if (!value) {
    section.missing_one_of(family_names(), "a distribution is missing: one of " + listed(family_names()));
    return std::nullopt;
  }
  const std::string pointer = section.at(name);
  Json echo = Json::object();
  std::optional<Distribution> law;
  if (name == "mixture")
    law = read_mixture(section.notes(), *value, pointer, quantity, echo);
  else if (name == "empirical")
    law = read_empirical(section.notes(), *value, pointer, quantity, echo);
  else
    law = read_family(section.notes(), *find_family(name), *value, pointer, quantity, echo);
  section.put(name, std::move(echo));
  // Maxima over many ranks are drawn from this far out, and the tables of samples are of single precision.
  constexpr double outermost = 0x1p-49, furthest = 1e15;
  if (law && !(law->quantile(Mass::above(outermost)) <= furthest)) {
    section.notes().fault(Code::impossible_distribution, pointer,
                          "the upper tail is too heavy: with probability 2e-15 a value exceeds " +
                              shown(law->quantile(Mass::above(outermost))) +
                              (quantity == Quantity::time ? " s" : "") + ", and at most 1e15 can be computed",
                          "use a lighter tail, or an empirical distribution, which ends");
    return std::nullopt;
  }
  return law;
}

}  // namespace prism::scenario
