// SPDX-License-Identifier: Apache-2.0
#include "scenario/layers.h"

namespace prism::scenario {
namespace {

using Layers = std::vector<std::int64_t>;

Layers equal(std::int64_t stages, std::int64_t each) {
  return Layers(static_cast<std::size_t>(stages), each);
}

std::optional<Layers> even(std::int64_t layers, std::int64_t stages) {
  if (layers % stages != 0) return std::nullopt;
  return equal(stages, layers / stages);
}

// Llama 3 405B: 126 layers over 128 virtual stages; the first holds only the embedding, the last only the
// head.
std::optional<Layers> one_less_first_and_last(std::int64_t layers, std::int64_t stages) {
  if (stages < 2 || (layers + 2) % stages != 0) return std::nullopt;
  Layers result = equal(stages, (layers + 2) / stages);
  --result.front();
  --result.back();
  return result;
}

std::optional<Layers> front(std::int64_t layers, std::int64_t stages) {
  Layers result = equal(stages, layers / stages);
  for (std::int64_t s = 0; s < layers % stages; ++s) ++result[static_cast<std::size_t>(s)];
  return result;
}

std::optional<Layers> back(std::int64_t layers, std::int64_t stages) {
  Layers result = equal(stages, layers / stages);
  for (std::int64_t s = stages - layers % stages; s < stages; ++s) ++result[static_cast<std::size_t>(s)];
  return result;
}

constexpr LayerRule rules[] = {
    {"even", "layers must divide by virtual stages", even},
    {"one-less-first-and-last", "layers + 2 must divide by virtual stages, of which there are at least two",
     one_less_first_and_last},
    {"front", "any; the first stages take the remainder", front},
    {"back", "any; the last stages take the remainder", back},
};
constexpr std::string_view names[] = {rules[0].name, rules[1].name, rules[2].name, rules[3].name};

}  // namespace

std::span<const LayerRule> layer_rules() { return rules; }
std::span<const std::string_view> layer_rule_names() { return names; }

const LayerRule* find_layer_rule(std::string_view name) {
  for (const LayerRule& r : rules)
    if (r.name == name) return &r;
  return nullptr;
}

}  // namespace prism::scenario
