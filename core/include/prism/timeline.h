// SPDX-License-Identifier: Apache-2.0
// Sampled steps as timelines: when each chunk of the deciding replica ran, what it waited for, and the path
// that decided the step (docs/studies.md). Units spread over threads or workers; any number of them gives the
// same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "prism/report.h"

namespace prism {

/// Chunks of a replica that are still drawn.
inline constexpr std::size_t max_timeline_chunks = 50000;

struct TimelinePlan {
  Job job;
  std::vector<double> masses;  ///< the steps shown are at these quantiles of the trials played
};

/// Whether this question is {"study": "timeline"}.
bool is_timeline_question(std::string_view question);
/// {"study": "timeline", "masses": [0.5, 0.95]}; the second member may be left out. The scenario must not use
/// the reference engine, which plays ranks, not chunks.
Result<TimelinePlan> plan_timeline(std::string_view scenario, std::string_view question);
std::size_t timeline_units(const TimelinePlan& plan);
std::vector<std::byte> run_timeline_unit(const TimelinePlan& plan, std::size_t unit);

/// {"study", "units": [{"name", "work"}], "notes"}
std::string timeline_plan_json(const TimelinePlan& plan);
/// The whole answer. `parts`: of all units, in their order.
std::string timeline_json(const TimelinePlan& plan, const Parts& parts);

}  // namespace prism
