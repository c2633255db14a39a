// SPDX-License-Identifier: Apache-2.0
// Reading one distribution: a family's name as key, its parameters as value.
#pragma once

#include "prism/distribution.h"
#include "scenario/section.h"

namespace prism::scenario {

/// What the distribution is of. A time's parameters carry a unit (`median_us`, `_ms`, `_s`), and the
/// distribution made is in seconds; a factor's do not.
enum class Quantity { time, factor };

/// Reads the one family key of `section`, which may hold other keys too, into its echo. nullopt: reported.
std::optional<Distribution> read_distribution(Section& section, Quantity quantity);

/// Family names as users write them, lists included.
Names family_names();

}  // namespace prism::scenario
