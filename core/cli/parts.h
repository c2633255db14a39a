// SPDX-License-Identifier: Apache-2.0
// Files that hold some blocks of a run's trials, so that many machines can share one run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "prism/report.h"

namespace prism::cli {

struct PartFile {
  std::string engine;    ///< version
  std::string scenario;  ///< as it was given, with the options
  std::int64_t first = 0;
  Parts blocks;  ///< first ... first + size - 1
};

/// Blocks "A:B" of a run that has `count`: from A up to, not including, B. Throws std::runtime_error with
/// what is wrong.
std::pair<std::int64_t, std::int64_t> block_range(const std::string& text, std::int64_t count);

/// Both throw std::runtime_error with what is wrong.
void write_part(const std::string& path, const PartFile& part);
PartFile read_part(const std::string& path);

}  // namespace prism::cli
