// SPDX-License-Identifier: Apache-2.0
// Deterministic mathematics and random streams: the same bits with every compiler and target.
// Only + - * / sqrt and the functions below may touch a result: libm differs between systems, and even
// between two machines with one libm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism {

/// e^x. Relative error below 4e-16; 0 below -745.2, +infinity above 709.8.
double exp_exact(double x);
/// Natural logarithm, x > 0. Error below 2 ulp; -infinity at 0.
double log_exact(double x);
/// e^x - 1 without cancellation near 0.
double expm1_exact(double x);
/// log(1 + x) without cancellation near 0, x > -1.
double log1p_exact(double x);
/// x^y for x >= 0, as exp(y log x); x^0 = 1, 0^y = 0 for y > 0.
double pow_exact(double x, double y);

/// A strong 64-bit mixing function (bijective): the output function of SplitMix64 (G. Steele, D. Lea, C.
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants: D. Stafford's variant
/// 13). The added odd constant keeps 0 from being a fixed point.
inline std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
/// The key of a random stream: an identity by name, never a place in an array. FNV-1a over the text, mixed.
std::uint64_t stream_key(std::string_view name);
/// A key for a numbered member of a family of streams, e.g. (stream_key("compute"), replica). Each argument
/// is mixed on its own and again after joining: one mixing would leave (key, index) and (key + 1, index - 1)
/// equal or close.
inline std::uint64_t stream_key(std::uint64_t key, std::uint64_t index) {
  return mix64(key ^ mix64(index ^ 0xd1b54a32d192ed03u));
}
/// What all streams of a trial or block have in common.
inline std::uint64_t stream_block(std::uint64_t seed, std::uint64_t block) {
  return stream_key(mix64(seed), block);
}
/// Seed of the PCG stream (seed, trial or block, key), to be given to pcg32_oneseq: a strong mix of all
/// three, so that nearby seeds, trials and keys start uncorrelated. All streams lie on one cycle of 2^64
/// words; that two of a million streams of a million words overlap anywhere has probability 0.05, and then
/// only at unrelated positions.
inline std::uint64_t stream_state(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return stream_key(stream_block(seed, block), key);
}

/// Sum with Neumaier's compensation, in order.
double sum_compensated(std::span<const double> values);

/// Linear convolution of two non-negative weight vectors; result size is a + b - 1.
std::vector<double> convolve(std::span<const double> a, std::span<const double> b);

/// SHA-256 (FIPS 180-4), fed piecewise.
class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  /// Lower-case hexadecimal digest, 64 digits. The object must not be used afterwards.
  std::string hex_digest();

 private:
  void block(const unsigned char* p);
  std::uint32_t state_[8];
  unsigned char buffer_[64];
  std::uint64_t length_ = 0;
};

}  // namespace prism
