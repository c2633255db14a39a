// SPDX-License-Identifier: Apache-2.0
// How a model's layers are spread over virtual stages, by a named rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace prism::scenario {

struct LayerRule {
  std::string_view name;
  std::string_view condition;  ///< when it applies, for messages: "layers divide by virtual stages"
  /// Layers of each virtual stage in model order; nullopt if the condition is broken.
  std::optional<std::vector<std::int64_t>> (*spread)(std::int64_t layers, std::int64_t stages);
};
std::span<const LayerRule> layer_rules();
std::span<const std::string_view> layer_rule_names();
const LayerRule* find_layer_rule(std::string_view name);

}  // namespace prism::scenario
