// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>
#include <utility>

#include "scenario/distributions.h"
#include "scenario/parts.h"
#include "scenario/words.h"

namespace prism::scenario {
namespace {

using Scope = OperatorSpec::Scope;
using Phase = OperatorSpec::Phase;
using Group = OperatorSpec::Group;

constexpr std::array<std::string_view, 3> scopes = {"layer", "stage", "step"};
constexpr std::array<std::string_view, 2> phases = {"forward", "backward"};
constexpr std::array<std::string_view, 4> groups = {"tp", "cp", "dp", "world"};
constexpr std::size_t most_operators = 4096;
constexpr std::size_t longest_name = 100;

/// Whom it synchronises: collectives name a group, nothing else does.
bool read_group(Section& s, Kind kind, Scope scope, Group& to) {
  const std::string word(kind_name(kind));
  if (class_of(kind) == Class::compute || kind == Kind::send_recv) {
    const bool given = s.take("group") != nullptr;
    if (given)
      s.fault_at("group", Code::inconsistent, "kind " + word + " synchronises no group",
                 "leave \"group\" out");
    return !given;
  }
  std::string group;
  if (!s.name("group", group, groups, "a group")) return false;
  const bool inside = group == "tp" || group == "cp";
  if (!inside && scope != Scope::step) {
    s.fault_at("group", Code::inconsistent,
               "a collective over " + group + " belongs to the end of the step: scope must be step");
    return false;
  }
  // `none` stands before the words.
  to = static_cast<Group>(1 + static_cast<int>(enumerator<Group>(groups, group)));
  return true;
}

bool read_stages(Section& s, const Json& list, Scope scope, const Parallel& p,
                 std::vector<std::int64_t>& to) {
  const std::string at = s.at("stages");
  const std::int64_t count = scope == Scope::step ? p.pp : p.pp * p.virtual_stages;
  if (!is_array(s.notes(), list, at, 1, static_cast<std::size_t>(count))) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::int64_t n;
    if (!read_integer(s.notes(), list[i], child(at, i), {0, count - 1}, n)) return false;
    if (!to.empty() && n <= to.back()) {
      s.notes().fault(Code::inconsistent, child(at, i),
                      "stages must ascend: " + shown(n) + " follows " + shown(to.back()));
      return false;
    }
    to.push_back(n);
  }
  s.put("stages", to);
  return true;
}

/// One operator; nullopt after a fault.
std::optional<OperatorSpec> read_operator(Section& s, const Parallel& p) {
  std::string name, scope_word, phase_word, kind_word;
  Scope scope = Scope::layer;
  Phase phase = Phase::forward;
  Group group = Group::none;
  std::vector<std::int64_t> stages;

  bool good = s.text("name", name, longest_name);
  if (good && name.empty()) {
    s.fault_at("name", Code::out_of_range, "an operator needs a name of at least one character");
    good = false;
  }
  const bool scoped = s.name("scope", scope_word, scopes, "a scope");
  if (scoped) scope = enumerator<Scope>(scopes, scope_word);
  if (scoped && scope == Scope::step) {
    if (s.take("phase")) {
      s.fault_at("phase", Code::inconsistent,
                 "an operator of scope step comes after the last backward: it has no phase",
                 "leave \"phase\" out");
      good = false;
    }
  } else if (s.name("phase", phase_word, phases, "a phase")) {
    phase = enumerator<Phase>(phases, phase_word);
  } else {
    good = false;
  }
  good &= scoped;

  if (s.name("kind", kind_word, kind_words(), "a kind of operator")) {
    const Kind kind = enumerator<Kind>(kind_words(), kind_word);
    if (scoped && kind == Kind::send_recv && scope != Scope::stage) {
      s.fault_at("scope", Code::inconsistent,
                 "send_recv is the transfer between virtual stages: its scope must be stage");
      good = false;
    }
    good &= read_group(s, kind, scope, group);
    const Json* list = s.take("stages");
    if (list && (scope == Scope::layer || kind == Kind::send_recv || group == Group::world)) {
      s.fault_at("stages", Code::inconsistent,
                 scope == Scope::layer   ? "an operator of scope layer is in every layer"
                 : group == Group::world ? "a collective over the world is on every stage"
                                         : "a send_recv is between all neighbouring virtual stages",
                 "leave \"stages\" out");
      good = false;
    } else if (list) {
      good &= read_stages(s, *list, scope, p, stages);
    }
  } else {
    good = false;
    s.take("group");
    s.take("stages");
  }

  const Json* latency = s.require("latency");
  std::optional<Distribution> law;
  if (latency) {
    Section inner(s.notes(), latency, s.at("latency"));
    if (!inner.broken()) law = read_distribution(inner, Quantity::time);
    inner.finish();
    s.put("latency", std::move(inner.echo));
  }
  s.finish();
  if (!good || !law) return std::nullopt;
  return OperatorSpec{
      name,           scope, phase, enumerator<Kind>(kind_words(), kind_word), group, std::move(stages),
      std::move(*law)};
}

}  // namespace

void read_operators(Section& root, Scenario& to) {
  const Json* list = root.take("operators");
  if (!list) return;
  Notes& notes = root.notes();
  const std::string at = root.at("operators");
  if (!is_array(notes, *list, at, 1, most_operators)) return;
  Json echo = Json::array();
  std::set<std::pair<int, std::string>> names;  // (phase, or 2 for the end of the step; name)
  bool transfers[2] = {false, false};
  for (std::size_t i = 0; i < list->size(); ++i) {
    Section s(notes, &(*list)[i], child(at, i));
    if (s.broken()) continue;
    std::optional<OperatorSpec> op = read_operator(s, to.parallel);
    echo.push_back(std::move(s.echo));
    if (!op) continue;
    const int phase = op->scope == Scope::step ? 2 : static_cast<int>(op->phase);
    if (!names.insert({phase, op->name}).second)
      s.fault_at("name", Code::inconsistent, "two operators of one phase are called " + in_quotes(op->name),
                 "names tell operators apart in results and in random streams");
    if (op->kind == Kind::send_recv && std::exchange(transfers[phase], true))
      s.fault_at("kind", Code::inconsistent, "there are two send_recv in one phase",
                 "one stands for every hop of its direction");
    to.operators.push_back(std::move(*op));
  }
  root.put("operators", std::move(echo));
}

}  // namespace prism::scenario
