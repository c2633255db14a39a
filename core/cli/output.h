// SPDX-License-Identifier: Apache-2.0
// Files that the program writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prism::cli {

/// False, with the reason printed, if `output` is one of the files that are read ("-": what standard input
/// comes from): writing would destroy it. Ask before anything is opened to be written.
bool spares_inputs(const std::string& output, const std::vector<std::string>& inputs, bool json);

/// "cannot write FILE: No space left on device", by the error that the system reported last.
std::string cannot_write(const std::string& file);

/// Writes the whole text; prints why and returns false if it cannot.
bool write_file(const std::string& file, std::string_view text, bool json);

}  // namespace prism::cli
