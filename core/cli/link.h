// SPDX-License-Identifier: Apache-2.0
// Share links, format 1: docs/link.md.
#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace prism::cli {

struct Link {
  std::string engine;    ///< version of the engine that wrote it
  std::string digest;    ///< 16 hexadecimal digits, or empty
  std::string scenario;  ///< JSON text, compact, as the user wrote it
};

struct LinkFault {
  std::string_view code;  ///< not_a_link, newer, truncated, damaged, too_large, unsafe_text
  std::string message;
};

/// `scenario` may contain white space. Fault: too_large.
std::variant<std::string, LinkFault> write_link(const Link& link);
/// `text` is a whole URL, or the part from '#' or 'v'. Nothing is decoded before the check holds.
std::variant<Link, LinkFault> read_link(std::string_view text);

}  // namespace prism::cli
