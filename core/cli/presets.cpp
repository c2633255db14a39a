// SPDX-License-Identifier: Apache-2.0
// prism presets
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "prism/scenario.h"

namespace prism::cli {

int presets(bool json) {
  const std::string text = presets_json();
  if (json) {
    std::cout << text << "\n";
    return done;
  }
  const auto groups = nlohmann::ordered_json::parse(text);
  bool first = true;
  for (const auto& [group, list] : groups.items()) {
    if (!first) std::cout << "\n";
    first = false;
    std::cout << group << "\n";
    for (const auto& preset : list) std::cout << "  " << preset.value("name", "") << "\n";
  }
  return done;
}

}  // namespace prism::cli
