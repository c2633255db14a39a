// SPDX-License-Identifier: Apache-2.0
#include "report/digest.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "prism/numerics.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

/// Collects 64-bit words as little-endian bytes, whatever the machine, and feeds them in large pieces.
class Words {
 public:
  explicit Words(Sha256& sha) : sha_(sha) { bytes_.reserve(piece + 8); }
  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>(word >> (8 * i)));
    if (bytes_.size() >= piece) flush();
  }
  void add(double value) {
    std::uint64_t word;
    std::memcpy(&word, &value, sizeof word);
    add(word);
  }
  void flush() {
    sha_.update(std::span<const std::byte>(bytes_));
    bytes_.clear();
  }

 private:
  static constexpr std::size_t piece = 1 << 16;
  Sha256& sha_;
  std::vector<std::byte> bytes_;
};

void add_numbers(Words& words, const ordered_json& node) {
  constexpr std::uint64_t absent = 0x7ff8000000000000;  // a NaN, which no reported number is
  switch (node.type()) {
    case ordered_json::value_t::object:
    case ordered_json::value_t::array:
      for (const ordered_json& child : node) add_numbers(words, child);
      break;
    case ordered_json::value_t::number_integer:
    case ordered_json::value_t::number_unsigned:
    case ordered_json::value_t::number_float:
      words.add(node.get<double>());
      break;
    case ordered_json::value_t::null:
      words.add(absent);
      break;
    default:  // text and truth values say nothing that the numbers and the scenario do not
      break;
  }
}

}  // namespace

std::string result_digest(std::string_view engine, std::string_view resolved_scenario,
                          std::span<const double> step_s, const ordered_json& document,
                          std::span<const double> wall_clock_s) {
  Sha256 sha;
  Words words(sha);
  for (const std::string_view text : {engine, resolved_scenario}) {
    words.add(static_cast<std::uint64_t>(text.size()));
    words.flush();
    sha.update(text);
  }
  words.add(static_cast<std::uint64_t>(step_s.size()));
  for (double x : step_s) words.add(x);
  if (!wall_clock_s.empty()) {
    words.add(static_cast<std::uint64_t>(wall_clock_s.size()));
    for (double x : wall_clock_s) words.add(x);
  }
  constexpr std::array<std::string_view, 4> left_out{"scenario", "assumptions", "warnings", "digest"};
  for (const auto& [key, value] : document.items()) {
    bool counts = true;
    for (const std::string_view name : left_out) counts = counts && key != name;
    if (counts) add_numbers(words, value);
  }
  words.flush();
  return sha.hex_digest().substr(0, 16);
}

}  // namespace prism
