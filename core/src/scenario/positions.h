// SPDX-License-Identifier: Apache-2.0
// From places in a document (JSON Pointers, byte offsets) to lines and columns of its text.
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/scenario.h"

namespace prism::scenario {

/// Line and column of a byte offset, counted as editors do: columns in UTF-16 code units, lines ended by LF,
/// CRLF or CR, a byte order mark not counted.
Position position_at(std::string_view text, std::size_t offset);

/// Line and column of the key of the member at `pointer`; of the value where it has no key (array items, the
/// root).
Position locate_key(std::string_view text, std::string_view pointer);

}  // namespace prism::scenario
