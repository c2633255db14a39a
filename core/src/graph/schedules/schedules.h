// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prism/graph.h"

namespace prism {

extern const Schedule gpipe;
extern const Schedule one_f_one_b;
extern const Schedule interleaved_one_f_one_b, interleaved_one_f_one_b_relaxed;
extern const Schedule zb_h1;

/// For schedules with one chunk a rank: the fault of a layout with more.
std::vector<Diagnostic> require_one_chunk(const PipelineShape& shape, std::string_view schedule);

}  // namespace prism
