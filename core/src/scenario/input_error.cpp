// SPDX-License-Identifier: Apache-2.0
// `input_error`: how far the finite number of measurements behind a scenario moves its answer.
#include "scenario/parts.h"

namespace prism::scenario {
namespace {

constexpr std::int64_t most_measurements = 1'000'000'000'000, most_refits = 1'000'000;
constexpr Limits<double> error_factors{1e-3, 1e3};

/// [low, high] of a quantile, relative to itself.
bool read_range(Section& s, std::string_view key, double& low, double& high) {
  const Json* value = s.require(key);
  if (!value) return false;
  const std::string at = s.at(key);
  if (!is_array(s.notes(), *value, at, 2, 2)) return false;
  if (!read_real(s.notes(), (*value)[0], child(at, 0), error_factors, low) ||
      !read_real(s.notes(), (*value)[1], child(at, 1), error_factors, high))
    return false;
  if (low > high) {
    s.fault_at(key, Code::inconsistent,
               "the lower end " + shown(low) + " is above the upper end " + shown(high));
    return false;
  }
  s.put(key, {number(low), number(high)});
  return true;
}

}  // namespace

void read_input_error(Section& root, Scenario& to) {
  const Json* value = root.take("input_error");
  if (!value) return;
  Section s(root.notes(), value, root.at("input_error"));
  if (s.broken()) return;
  InputError e;
  bool good = s.integer("measurements", e.measurements, {1, most_measurements});
  good &= s.integer("refits", e.refits, {1, most_refits});
  good &= read_range(s, "p50", e.p50_low, e.p50_high);
  good &= read_range(s, "p95", e.p95_low, e.p95_high);
  s.finish();
  root.put("input_error", std::move(s.echo));
  if (good) to.input_error = e;
}

}  // namespace prism::scenario
