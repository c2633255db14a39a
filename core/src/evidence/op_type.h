// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "prism/evidence_operators.h"

namespace prism {

std::optional<OpType> find_op_type(std::string_view name);
/// The published analysis takes the mean for what a worker does alone and the median for what can wait.
bool is_idealised_by_mean(OpType type);

}  // namespace prism
