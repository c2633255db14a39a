// SPDX-License-Identifier: Apache-2.0
#include "scenario/parts.h"

namespace prism::scenario {

std::optional<PresetSection> open_preset(Notes& notes, const Json& value, std::string pointer, Names names,
                                         std::string_view what) {
  if (value.is_string()) {
    // The name alone is an object with nothing but the name; its faults belong to the name itself.
    Json object = {{"preset", value}};
    Notes inner;
    Section named(inner, &object, pointer);
    std::string preset;
    if (!named.name("preset", preset, names, what)) {
      Diagnostic& d = inner.diagnostics.front();
      notes.fault(d.code, std::move(pointer), std::move(d.message), std::move(d.hint));
      return std::nullopt;
    }
    PresetSection result{preset, Section(notes, nullptr, std::move(pointer))};
    result.section.put("preset", preset);
    return result;
  }
  if (!value.is_object()) {
    notes.fault(Code::wrong_type, std::move(pointer),
                "expected an object or the name of " + std::string(what) + ", found " + described(value));
    return std::nullopt;
  }
  PresetSection result{{}, Section(notes, &value, std::move(pointer))};
  if (!result.section.has("preset")) {
    result.section.take("preset");
    return result;
  }
  if (!result.section.name("preset", result.preset, names, what)) return std::nullopt;
  return result;
}

void refuse_key(Section& section, std::string_view key, Code code, std::string_view why,
                std::string_view hint) {
  if (section.take(key)) section.fault_at(key, code, std::string(why), std::string(hint));
}

}  // namespace prism::scenario
