// SPDX-License-Identifier: Apache-2.0
// What carries a link's text: raw deflate (RFC 1951) with a preset dictionary, and base64url without padding
// (RFC 4648 section 5).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace prism::cli {

std::string to_base64url(std::string_view bytes);
/// None unless canonical: no character outside the alphabet, no unused bits set.
std::optional<std::string> from_base64url(std::string_view text);

std::string deflate_raw(std::string_view text);

struct Inflated {
  enum Status { complete, damaged, too_large } status;
  std::string text;
};
/// Stops as soon as the output passes `limit` bytes. Damaged unless `bytes` is exactly one complete stream.
Inflated inflate_raw(std::string_view bytes, std::size_t limit);

}  // namespace prism::cli
