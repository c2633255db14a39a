// SPDX-License-Identifier: Apache-2.0
// What the program does, one function a subcommand. Each returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input.h"

namespace prism::cli {

struct RunOptions {
  std::string file;
  Overrides overrides;
  unsigned threads = 0;                     ///< 0: as many as the machine has
  std::optional<std::string> samples_file;  ///< where the trials go as CSV
  bool json = false, csv = false;
  std::optional<std::string> blocks;  ///< only these blocks of the trials
  std::string part_file;              ///< where they go
};
int run(const RunOptions& options);

struct MergeOptions {
  std::vector<std::string> files;
  unsigned threads = 0;
  bool json = false;
};
int merge(const MergeOptions& options);

struct CheckOptions {
  std::string file;
  bool json = false;
};
int check(const CheckOptions& options);

int presets(bool json);

struct ModelImportOptions {
  std::string file;
  std::int64_t stages = 0;  ///< show how the layers spread over so many virtual stages; 0: do not
};
int import_model(const ModelImportOptions& options);

struct LinkOptions {
  std::string file;
  Overrides overrides;
  unsigned threads = 0;
  std::string page;     ///< URL put before the link
  bool no_run = false;  ///< leave the digest out
};
int link(const LinkOptions& options);

struct OpenOptions {
  std::string link;
  unsigned threads = 0;
  bool json = false, no_run = false;
};
int open(const OpenOptions& options);

}  // namespace prism::cli
