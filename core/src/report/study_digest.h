// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/numerics.h"

namespace prism {

/// Of a study: engine, base scenario, what was played, then every number of the document.
class StudyDigest {
 public:
  void text(std::string_view s) {
    word(s.size());
    flush();
    sha_.update(s);
  }
  void number(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    word(bits);
  }
  void numbers(const nlohmann::ordered_json& node) {
    if (node.is_structured())
      for (const nlohmann::ordered_json& child : node) numbers(child);
    else if (node.is_number())
      number(node.get<double>());
  }
  std::string finish() {
    flush();
    return sha_.hex_digest().substr(0, 16);
  }

 private:
  void word(std::uint64_t bits) {
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>(bits >> (8 * i)));
    if (bytes_.size() > 1 << 16) flush();
  }
  void flush() {
    sha_.update(std::span<const std::byte>(bytes_));
    bytes_.clear();
  }
  Sha256 sha_;
  std::vector<std::byte> bytes_;
};

}  // namespace prism
