// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "prism/diagnostic.h"

namespace prism {

/// [{code, pointer, message, hint, severity, line, column}]
nlohmann::ordered_json to_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace prism
