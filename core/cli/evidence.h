// SPDX-License-Identifier: Apache-2.0
// prism import, fit and validate: options to output. Each returns the exit code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace prism::cli {

struct ImportOptions {
  std::string kind;                ///< kineto, operators, nccl, steps or megatron
  std::vector<std::string> files;  ///< several for kineto only: one a rank
  std::string scenario_file;       ///< where a scenario made of the evidence goes; empty: nowhere
  std::string timeline_file;       ///< where a step in the middle goes as a Chrome trace; empty: nowhere
  std::string against;             ///< with steps: a scenario whose trials are judged by them; empty: none
  unsigned threads = 0;            ///< for that run
  bool json = false;
};
int import_evidence(const ImportOptions& options);

struct FitOptions {
  std::string file;
  bool json = false;
};
int fit_file(const FitOptions& options);

struct ValidateOptions {
  std::string file;
  std::string split = "odd-even";
  std::vector<std::int64_t> without;
  std::int64_t trials = 2000;
  std::uint64_t seed = 1;
  bool json = false;
};
int validate_file(const ValidateOptions& options);

}  // namespace prism::cli
