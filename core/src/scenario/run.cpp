// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "scenario/parts.h"

namespace prism::scenario {
namespace {

constexpr std::int64_t most_trials = 10'000'000;
constexpr std::array<std::string_view, 3> engines = {"fast", "exact", "reference"};

/// A decimal number below 2^64, without sign or leading zeros.
std::optional<std::uint64_t> decimal(const std::string& text) {
  if (text.empty() || text.size() > 20 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

void read_seed(Section& s, std::uint64_t& to) {
  const Json* value = s.take("seed");
  if (!value) {
    to = 1;
    s.put_assumed("seed", "1", "default");
    return;
  }
  if (!value->is_string()) {
    s.fault_at("seed", Code::wrong_type, "expected the seed as text, found " + described(*value),
               value->is_number_unsigned()
                   ? "write " + in_quotes(value->dump()) + ": JSON numbers lose digits above 2^53"
                   : "");
    return;
  }
  const std::string& text = value->get_ref<const std::string&>();
  const std::optional<std::uint64_t> seed = decimal(text);
  if (!seed) {
    s.fault_at("seed", Code::out_of_range,
               "expected a whole number from 0 to 18446744073709551615 in decimal digits, found " +
                   described(*value));
    return;
  }
  to = *seed;
  s.put("seed", text);
}

void read_within(Section& s, std::vector<double>& to) {
  const Json* list = s.take("step_within_s");
  if (!list) {
    s.put_assumed("step_within_s", Json::array(), "default");
    return;
  }
  const std::string at = s.at("step_within_s");
  if (!is_array(s.notes(), *list, at, 0, 64)) return;
  Json echo = Json::array();
  for (std::size_t i = 0; i < list->size(); ++i) {
    double x;
    if (!read_real(s.notes(), (*list)[i], child(at, i), {0, 1e9, true}, x)) return;
    to.push_back(x);
    echo.push_back(number(x));
  }
  s.put("step_within_s", std::move(echo));
}

}  // namespace

void read_run(Section& root, Scenario& to) {
  Section s(root.notes(), root.take("run"), root.at("run"));
  Run& r = to.run;
  s.integer("trials", r.trials, {1, most_trials, false, Code::too_large}, Assumed<std::int64_t>{r.trials});
  read_seed(s, r.seed);
  s.name("engine", r.engine, engines, "an engine", Assumed<std::string>{r.engine});
  if (s.integer("attribution_trials", r.attribution_trials, {0, 4096},
                Assumed<std::int64_t>{r.attribution_trials}) &&
      r.attribution_trials % 32 != 0)
    s.fault_at("attribution_trials", Code::not_divisible,
               "attribution_trials " + shown(r.attribution_trials) + " does not divide by 32");
  read_within(s, r.step_within_s);
  s.finish();
  root.put("run", std::move(s.echo));
}

}  // namespace prism::scenario
