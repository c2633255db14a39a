// SPDX-License-Identifier: Apache-2.0
// The planning question about several runs with deadlines on one cluster.
#pragma once

#include <nlohmann/json.hpp>

#include "prism/planning.h"

namespace prism {

/// `q` with the question's list; `list` is null where it has none.
Result<PlanningQuestion> read_runs(const nlohmann::ordered_json* list, PlanningQuestion q);
Result<Planning> plan_schedule(PlanningQuestion q);
/// The unit-th run, simulated alone.
std::vector<std::byte> run_scheduled(const Planning& p, std::size_t unit);
std::string schedule_json(const Planning& p, const Parts& parts);

}  // namespace prism
