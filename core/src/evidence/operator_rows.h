// SPDX-License-Identifier: Apache-2.0
// Rows of an operator trace: read from text, then put into a table.
#pragma once

#include <cstdint>
#include <vector>

#include "evidence/op_type.h"

namespace prism {

struct OperatorRow {
  std::int64_t step, rank, seq;
  double start, duration;
  std::int32_t replica, stage, chunk;
  OpType type;
};

/// Drops steps that lack operations other steps have, and says so in the account.
Result<OperatorTrace> tabulate_rows(std::vector<OperatorRow> rows, Account& account);

}  // namespace prism
