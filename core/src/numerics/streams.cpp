// SPDX-License-Identifier: Apache-2.0
// Keys and seeds of random streams.
#include "prism/numerics.h"

namespace prism {

std::uint64_t stream_key(std::string_view name) {
  // FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): simple, and bytes only, so the same on every target. Its weak
  // high bits are why it is mixed.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mix64(hash);
}

}  // namespace prism
