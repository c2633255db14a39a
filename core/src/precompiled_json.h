// SPDX-License-Identifier: Apache-2.0
// Precompiled for the rooms that know JSON: reading the library's header and making its class of values takes
// longer than most of their sources.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace prism::detail {

inline std::string makes_the_class(const nlohmann::ordered_json& value) { return value.dump(); }

}  // namespace prism::detail
