// SPDX-License-Identifier: Apache-2.0
// The readers of the scenario's top-level keys. Each takes its key from the root section, fills its part of
// the Scenario and puts its part of the echo; faults go to the notes.
#pragma once

#include "scenario/section.h"

namespace prism::scenario {

void read_model(Section& root, Scenario& to);
/// `operators`: after read_layout, whose sizes their `stages` refer to; puts its echo where the root reserved
/// it.
void read_operators(Section& root, Scenario& to);
/// `parallel` and `batch`, which share an equation; a job is a scenario with a model. `model_known`: the
/// model was read without a fault, so that rules between model and layout can be checked.
void read_layout(Section& root, Scenario& to, bool job, bool model_known);
/// `cluster` and `cost_model`, whose defaults depend on the GPU.
void read_cluster(Section& root, Scenario& to, bool job);
void read_variability(Section& root, Scenario& to, bool job);
/// `scale`, if it is there; and two members of `variability`, likewise.
void read_scale(Section& root, Scenario& to);
void read_spread(Section& variability, Scenario& to);
void read_silenced(Section& variability, Scenario& to);
/// `what_if`: after read_layout and read_cluster, whose sizes its places refer to.
void read_what_if(Section& root, Scenario& to, bool layout_known);
/// `input_error`, if it is there.
void read_input_error(Section& root, Scenario& to);
/// `training_run`, if it is there.
void read_training_run(Section& root, Scenario& to);
void read_run(Section& root, Scenario& to);

/// What a factor, a stall or a what-if may act on: kinds, classes and network domains.
Names cause_targets();

/// An object that may start from a preset.
struct PresetSection {
  std::string preset;  ///< empty: everything is written out
  Section section;

  /// What stands in for an absent key: the preset's figure, or nothing.
  template <class T>
  std::optional<Assumed<T>> figure(T value, std::string_view source) const {
    if (preset.empty()) return std::nullopt;
    return Assumed<T>{value, "preset " + preset, std::string(source)};
  }
};
/// `value` is a preset's name, or an object with or without "preset". nullopt: reported.
std::optional<PresetSection> open_preset(Notes& notes, const Json& value, std::string pointer, Names names,
                                         std::string_view what);

/// A key that is part of the format but has no meaning beside `operators` (or not in this version).
void refuse_key(Section& section, std::string_view key, Code code, std::string_view why,
                std::string_view hint);

}  // namespace prism::scenario
