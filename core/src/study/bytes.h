// SPDX-License-Identifier: Apache-2.0
// Numbers and texts as the little-endian bytes that cross threads and workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace prism::study {

class Writer {
 public:
  void put(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
  void put(std::span<const double> list) {
    put(static_cast<double>(list.size()));
    for (double x : list) put(x);
  }
  void put(const std::string& text) {
    put(static_cast<double>(text.size()));
    for (char c : text) bytes.push_back(static_cast<std::byte>(c));
  }
  std::vector<std::byte> bytes;
};

/// Reads what a Writer wrote; beyond the end, zeros.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  double number() {
    if (bytes_.size() < 8) return 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(bytes_[i]) << (8 * i);
    bytes_ = bytes_.subspan(8);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::vector<double> list() {
    std::vector<double> values(count(8));
    for (double& x : values) x = number();
    return values;
  }
  std::string text() {
    std::string value(count(1), ' ');
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(bytes_[i]);
    bytes_ = bytes_.subspan(value.size());
    return value;
  }

 private:
  std::size_t count(std::size_t size) {
    const double n = number();
    return n > 0 && n <= static_cast<double>(bytes_.size() / size) ? static_cast<std::size_t>(n) : 0;
  }
  std::span<const std::byte> bytes_;
};

}  // namespace prism::study
