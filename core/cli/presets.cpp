// SPDX-License-Identifier: Apache-2.0
// prism presets
#include <initializer_list>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "prism/scenario.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& preset, std::initializer_list<const char*> keys) {
  if (preset.is_string()) return preset.get<std::string>();
  for (const char* key : keys)
    if (preset.contains(key) && preset[key].is_string()) return preset[key].get<std::string>();
  return {};
}

}  // namespace

int presets(bool json) {
  const std::string text = presets_json();
  if (json) {
    std::cout << text << "\n";
    return done;
  }
  const auto groups = ordered_json::parse(text);
  for (const auto& [group, list] : groups.items()) {
    std::cout << group << "\n";
    for (const ordered_json& preset : list) {
      const bool precise = preset.is_object() && preset.contains("gpu") && preset.contains("precision");
      std::cout << "  " << text_of(preset, {"name", "gpu"})
                << (precise ? " in " + text_of(preset, {"precision"}) : "") << "\n";
      // Only what says more than the name; the figures are in --json.
      const std::string about =
          preset.is_object() ? text_of(preset, {"summary", "condition"}) : std::string();
      if (!about.empty()) std::cout << "      " << about << "\n";
    }
  }
  return done;
}

}  // namespace prism::cli
