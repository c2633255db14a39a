// SPDX-License-Identifier: Apache-2.0
// Evidence files, piece by piece, inflated on the way if they are gzip.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace prism::cli {

/// Bounds while reading: a file of a few kilobytes can inflate to terabytes.
struct FileLimits {
  std::int64_t stored = std::int64_t{1} << 30;     ///< bytes of the file
  std::int64_t inflated = std::int64_t{16} << 30;  ///< bytes after inflating
};

/// Calls `take` with each piece until it returns false. FILE - is standard input. A sentence if the file
/// cannot be read, is too large, or is damaged gzip.
std::optional<std::string> read_pieces(const std::string& file,
                                       const std::function<bool(std::string_view)>& take,
                                       const FileLimits& limits = {});

}  // namespace prism::cli
