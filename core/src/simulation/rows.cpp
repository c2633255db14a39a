// SPDX-License-Identifier: Apache-2.0
#include "simulation/rows.h"

#include <cstring>

namespace prism {
namespace {

// Programs for x86-64 choose the widest registers of the machine they run on as they start; the bits are the
// same.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(PRISM_BASELINE)
#define PRISM_ROW __attribute__((noinline, target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PRISM_ROW __attribute__((noinline))
#endif

// Clang turns the 64-bit multiplications of 64 generators into vectors, which WebAssembly has no instruction
// for: 1.7 times slower than one by one.
#ifdef __clang__
#define PRISM_ONE_BY_ONE _Pragma("clang loop vectorize(disable)")
#else
#define PRISM_ONE_BY_ONE
#endif

/// Written so that it is one instruction on every target.
template <class T>
inline T larger(T a, T b) {
  return a < b ? b : a;
}

PRISM_ROW void words(pcg32_oneseq* generator, std::uint32_t* __restrict out) {
  PRISM_ONE_BY_ONE
  for (std::size_t k = 0; k < lane_count; ++k) out[k] = generator[k]();
}

PRISM_ROW void word_pairs(PairGenerator* generator, std::uint32_t* __restrict upper,
                          std::uint32_t* __restrict lower) {
  PRISM_ONE_BY_ONE
  for (std::size_t k = 0; k < lane_count; ++k) {
    const std::uint64_t pair = generator[k]();
    upper[k] = static_cast<std::uint32_t>(pair >> 32);
    lower[k] = static_cast<std::uint32_t>(pair);
  }
}

using Four = float __attribute__((vector_size(16)));
using Two = std::uint64_t __attribute__((vector_size(16)));

/// `sample` for a row: the arithmetic apart from the loads, so that it vectorises. A bucket is one load, and
/// four of them are turned into a's and b's in registers: a third faster than gathering a's and b's.
PRISM_ROW void look_up(const std::uint32_t* __restrict word, const SampleTable::Bucket* __restrict bucket,
                       float* __restrict out) {
  float f[lane_count];
  std::uint32_t index[lane_count];
  for (std::size_t k = 0; k < lane_count; ++k) {
    const std::uint32_t upper = word[k] >> 31;
    const std::uint32_t y = (word[k] ^ (0u - upper)) | 1u;
    f[k] = static_cast<float>(static_cast<std::int32_t>(y));
    std::uint32_t bits;
    std::memcpy(&bits, &f[k], sizeof bits);
    index[k] = (bits >> (23 - SampleTable::mantissa_bits)) - (127u << SampleTable::mantissa_bits) +
               upper * static_cast<std::uint32_t>(SampleTable::side);
  }
  static_assert(lane_count % 4 == 0);
  for (std::size_t k = 0; k < lane_count; k += 4) {
    std::uint64_t pair[4];
    static_assert(sizeof pair == 4 * sizeof *bucket);
    for (std::size_t i = 0; i < 4; ++i) std::memcpy(&pair[i], &bucket[index[k + i]], sizeof *bucket);
    const Two first{pair[0], pair[1]}, second{pair[2], pair[3]};
    Four x, y, at;
    std::memcpy(&x, &first, sizeof x);
    std::memcpy(&y, &second, sizeof y);
    std::memcpy(&at, &f[k], sizeof at);
    const Four drawn =
        __builtin_shufflevector(x, y, 0, 2, 4, 6) + __builtin_shufflevector(x, y, 1, 3, 5, 7) * at;
    std::memcpy(&out[k], &drawn, sizeof drawn);
  }
}

}  // namespace

void seed_row(pcg32_oneseq* generator, const std::uint64_t* key, std::uint64_t cause) {
  PRISM_ONE_BY_ONE
  for (std::size_t k = 0; k < lane_count; ++k) generator[k] = pcg32_oneseq(mix64(key[k] ^ cause));
}

void seed_row(PairGenerator* generator, const std::uint64_t* key, std::uint64_t cause) {
  PRISM_ONE_BY_ONE
  for (std::size_t k = 0; k < lane_count; ++k) generator[k] = PairGenerator(mix64(key[k] ^ cause));
}

void draw_pair_row(PairGenerator* generator, const SampleTable::Bucket* bucket, float* first, float* second) {
  std::uint32_t upper[lane_count], lower[lane_count];
  word_pairs(generator, upper, lower);
  look_up(upper, bucket, first);
  look_up(lower, bucket, second);
}

void draw_row(pcg32_oneseq* generator, const SampleTable::Bucket* bucket, float* out) {
  std::uint32_t word[lane_count];
  words(generator, word);
  look_up(word, bucket, out);
}

PRISM_ROW void raise_row(double* __restrict a, const double* __restrict b) {
  for (std::size_t k = 0; k < lane_count; ++k) a[k] = larger(a[k], b[k]);
}

PRISM_ROW void add_row(double* __restrict a, const float* __restrict b) {
  for (std::size_t k = 0; k < lane_count; ++k) a[k] += static_cast<double>(b[k]);
}

PRISM_ROW void scale_row(float* __restrict a, const float* __restrict b) {
  for (std::size_t k = 0; k < lane_count; ++k) a[k] *= b[k];
}

PRISM_ROW void add_float_row(float* __restrict a, const float* __restrict b) {
  for (std::size_t k = 0; k < lane_count; ++k) a[k] += b[k];
}

PRISM_ROW void raise_float_row(float* __restrict a, const float* __restrict b) {
  for (std::size_t k = 0; k < lane_count; ++k) a[k] = larger(a[k], b[k]);
}

PRISM_ROW void advance_row(double* __restrict free, const double* __restrict arrival,
                           const float* __restrict duration) {
  for (std::size_t k = 0; k < lane_count; ++k) {
    const double start = larger(free[k], arrival[k]);
    free[k] = start + static_cast<double>(duration[k]);
  }
}

PRISM_ROW void advance_row(double* __restrict free, const double* __restrict arrival,
                           const float* __restrict first, const float* __restrict second) {
  for (std::size_t k = 0; k < lane_count; ++k) {
    const double start = larger(free[k], arrival[k]);
    free[k] = start + static_cast<double>(first[k] + second[k]);
  }
}

PRISM_ROW void send_row(double* __restrict link, const double* __restrict end, const float* __restrict hop,
                        double* __restrict arrival) {
  for (std::size_t k = 0; k < lane_count; ++k) {
    const double start = larger(link[k], end[k]);
    link[k] = arrival[k] = start + static_cast<double>(hop[k]);
  }
}

}  // namespace prism
