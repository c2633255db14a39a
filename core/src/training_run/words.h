// SPDX-License-Identifier: Apache-2.0
// Random words of one run: a stream for each cause by name, so that adding or scaling one cause leaves the
// draws of all others as they are.
#pragma once

#include <cstdint>
#include <pcg_random.hpp>
#include <string_view>

#include "prism/numerics.h"

namespace prism::training {

class Words {
 public:
  Words(std::uint64_t seed, std::int64_t run, std::string_view name)
      : generator_(stream_state(seed, static_cast<std::uint64_t>(run),
                                stream_key(stream_key("training run"), stream_key(name)))) {}
  std::uint32_t word() { return generator_(); }
  /// In (0, 1), two words.
  double uniform() {
    const std::uint64_t high = generator_(), low = generator_();
    return (static_cast<double>((high << 32 | low) >> 12) + 0.5) * 0x1p-52;
  }
  /// Mean 1, two words.
  double exponential() { return -log_exact(uniform()); }

 private:
  pcg32_oneseq generator_;
};

}  // namespace prism::training
