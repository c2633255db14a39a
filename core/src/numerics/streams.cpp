// SPDX-License-Identifier: Apache-2.0
// Keys and seeds of random streams.
#include "prism/numerics.h"

namespace prism {

// The output function of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014; constants: D. Stafford's variant 13). The added odd constant keeps 0 from being a
// fixed point.
std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t stream_key(std::string_view name) {
  // FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo): simple, and bytes only, so the same on every target. Its weak
  // high bits are why it is mixed.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mix64(hash);
}

// Each argument is mixed on its own and again after joining. One mixing would leave (key, index) and
// (key + 1, index - 1) equal or close.
std::uint64_t stream_key(std::uint64_t key, std::uint64_t index) {
  return mix64(key ^ mix64(index ^ 0xd1b54a32d192ed03u));
}

std::uint64_t stream_state(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return stream_key(stream_key(mix64(seed), block), key);
}

}  // namespace prism
