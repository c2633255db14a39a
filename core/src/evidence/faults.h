// SPDX-License-Identifier: Apache-2.0
// Refusals of evidence files. They have no JSON Pointer: the message names the row or the column.
#pragma once

#include <string>
#include <utility>

#include "prism/diagnostic.h"

namespace prism {

inline Diagnostic evidence_fault(Code code, std::string message, std::string hint = {}) {
  return {code, "", std::move(message), std::move(hint)};
}

}  // namespace prism
