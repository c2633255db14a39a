// SPDX-License-Identifier: Apache-2.0
// Launch scripts of Megatron-LM: arguments to a layout. Flags that are not known are listed, never dropped in
// silence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prism/evidence.h"

namespace prism {

struct LaunchArguments {
  std::int64_t tp = 1, pp = 1, cp = 1, virtual_stages = 1;
  std::optional<std::int64_t> gpus, gpus_per_node;  ///< from torchrun's --nnodes and --nproc_per_node
  std::optional<std::int64_t> layers, hidden, ffn_hidden, heads, kv_heads, head_dim, vocabulary, sequence;
  std::optional<std::int64_t> micro_batch, global_batch;
  bool gated_ffn = false, tied_embeddings = true, sequence_parallel = false, distributed_optimizer = false;
  std::string recompute = "none";
  std::vector<std::string> unknown;  ///< flags nobody here has heard of
  std::vector<std::string>
      not_modelled;  ///< flags that change the time of a step, and that the scenario does not carry
  std::vector<std::string> assumed;  ///< what the scenario needs and the arguments do not say
};

/// Reads a shell script or a command line: quotes, comments, continued lines, and variables set in the same
/// text (NAME=value, then $NAME or ${NAME}).
class LaunchReader {
 public:
  LaunchReader();
  ~LaunchReader();
  LaunchReader(LaunchReader&&) noexcept;
  void feed(std::string_view piece);
  /// Call once. Refused: no Megatron flag, a value that is no number, a model without its size, a GPU count
  /// that tensor x context x pipeline parallelism does not divide, text above 1 MiB.
  Result<LaunchArguments> finish();
  const Account& account() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A job scenario, indented. What is assumed is in LaunchArguments::assumed.
std::string launch_scenario(const LaunchArguments& arguments);
std::string launch_json(const LaunchArguments& arguments, const Account& account);

}  // namespace prism
