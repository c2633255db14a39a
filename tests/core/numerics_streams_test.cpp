// SPDX-License-Identifier: Apache-2.0
// Random streams: their exact words, and that neighbours have nothing to do with each other.
//
// Every statistical check computes scores that are standard normal, or close to it, when streams are
// independent and uniform, and fails if one lies beyond 5.5 (two-sided probability 3.8e-8). Some 7,400 scores
// are looked at, so a good generator fails with probability 3e-4; the seeds are fixed, so it does so for ever
// or never. Each check is shown to reject at least one planted bad seeding.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <pcg_random.hpp>
#include <set>
#include <string>
#include <vector>

#include "golden_file.h"
#include "prism/numerics.h"

namespace prism::numerics_streams_test {
namespace {

constexpr double alarm = 5.5;

constexpr std::uint64_t pcg_multiplier = 6364136223846793005u, pcg_increment = 1442695040888963407u;

/// A PCG stream from its raw state. The increment is pcg32_oneseq's, unless a planted fault wants another.
struct Stream {
  std::uint64_t state;
  std::uint64_t increment = pcg_increment;
  std::uint32_t operator()() {
    const std::uint64_t s = state;
    state = s * pcg_multiplier + increment;
    const auto x = static_cast<std::uint32_t>((s >> 18 ^ s) >> 27);
    const int rotation = static_cast<int>(s >> 59);
    return x >> rotation | x << (-rotation & 31);
  }
};

using Seeding = std::function<Stream(std::uint64_t seed, std::uint64_t block, std::uint64_t key)>;

/// As the product does it: the constructor of pcg32_oneseq, which steps once from seed + increment.
Stream real(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return {(stream_state(seed, block, key) + pcg_increment) * pcg_multiplier + pcg_increment};
}

/// Which of the three arguments counts up from one stream to the next.
enum class Along { seed, block, key };
constexpr std::array directions{Along::seed, Along::block, Along::key};

Stream nth(const Seeding& seeding, Along along, std::uint64_t start, std::uint64_t i) {
  const std::uint64_t key = stream_key("compute");
  switch (along) {
    case Along::seed:
      return seeding(start + i, 3, key);
    case Along::block:
      return seeding(start, i, key);
    case Along::key:
      return seeding(start, 3, stream_key(key, i));
  }
  std::abort();
}

/// Wilson and Hilferty's score of a chi-square value.
double chi_square_score(const std::vector<double>& count, double expected) {
  double chi = 0;
  for (const double c : count) chi += (c - expected) * (c - expected) / expected;
  const double k = static_cast<double>(count.size() - 1);
  return (std::cbrt(chi / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}

/// First words of many neighbouring streams: the j-th word's top and bottom bytes are uniform.
double worst_first_words(const Seeding& seeding, Along along, std::uint64_t start) {
  constexpr int streams = 1 << 16, words = 4;
  std::vector<std::vector<double>> count(2 * words, std::vector<double>(256, 0.0));
  for (int i = 0; i < streams; ++i) {
    Stream s = nth(seeding, along, start, static_cast<std::uint64_t>(i));
    for (int j = 0; j < words; ++j) {
      const std::uint32_t w = s();
      ++count[2 * j][w >> 24];
      ++count[2 * j + 1][w & 255];
    }
  }
  double worst = 0;
  for (const auto& c : count) worst = std::max(worst, std::fabs(chi_square_score(c, streams / 256.0)));
  return worst;
}

/// First words of stream i and stream i + 1 together fill the square evenly.
double worst_first_pairs(const Seeding& seeding, Along along, std::uint64_t start) {
  constexpr int streams = 1 << 16;
  std::vector<double> count(256, 0.0);
  std::uint32_t last = nth(seeding, along, start, streams)();
  for (int i = 0; i < streams; ++i) {
    const std::uint32_t w = nth(seeding, along, start, static_cast<std::uint64_t>(i))();
    ++count[(last >> 28) << 4 | w >> 28];
    last = w;
  }
  return std::fabs(chi_square_score(count, streams / 256.0));
}

/// Whole streams beside their neighbours: correlation of the words, and how many bits agree.
double worst_neighbours(const Seeding& seeding, Along along, std::uint64_t start) {
  constexpr int pairs = 64, words = 4096;
  double worst = 0;
  for (std::uint64_t i = 0; i < pairs; ++i) {
    Stream a = nth(seeding, along, start, i), b = nth(seeding, along, start, i + 1);
    double product = 0, agree = 0;
    for (int j = 0; j < words; ++j) {
      const std::uint32_t x = a(), y = b();
      product += (x * 0x1p-32 - 0.5) * (y * 0x1p-32 - 0.5);
      agree += 32 - __builtin_popcount(x ^ y);
    }
    worst = std::max(worst, std::fabs(product * 12 / std::sqrt(words)));
    worst = std::max(worst, std::fabs((agree - 16.0 * words) / std::sqrt(8.0 * words)));
  }
  return worst;
}

/// One stream on its own: 1 M words in 4,096 bins, and each word beside the next.
double worst_within(const Seeding& seeding, std::uint64_t seed) {
  constexpr int words = 1 << 20;
  std::vector<double> single(4096, 0.0), pairs(4096, 0.0);
  Stream s = seeding(seed, 0, stream_key("communication"));
  std::uint32_t last = s();
  for (int i = 0; i < words; ++i) {
    const std::uint32_t w = s();
    ++single[w >> 20];
    ++pairs[(last >> 26) << 6 | w >> 26];
    last = w;
  }
  return std::max(std::fabs(chi_square_score(single, words / 4096.0)),
                  std::fabs(chi_square_score(pairs, words / 4096.0)));
}

class Streams : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Streams, ::testing::Range<std::uint64_t>(1, 9));

TEST_P(Streams, FirstWordsOfNeighboursAreUniform) {
  for (const Along along : directions) EXPECT_LT(worst_first_words(real, along, GetParam() * 1000), alarm);
}

TEST_P(Streams, FirstWordsOfNeighboursAreIndependent) {
  for (const Along along : directions) EXPECT_LT(worst_first_pairs(real, along, GetParam() * 1000), alarm);
}

TEST_P(Streams, NeighboursAreUncorrelated) {
  for (const Along along : directions) EXPECT_LT(worst_neighbours(real, along, GetParam() * 1000), alarm);
}

TEST_P(Streams, WordsOfOneStreamAreUniform) { EXPECT_LT(worst_within(real, GetParam()), alarm); }

// Planted faults. Each is a seeding that looks reasonable.

/// The sum as state: neighbours start at neighbouring states, and PCG's first word shows it.
Stream sum_as_state(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return {seed + block + key};
}

/// One state, streams that differ only in the increment.
Stream increment_only(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return {mix64(7), 2 * (seed + block + key) + 1};
}

/// The number in the upper half of the state, noise in the lower: each first word tells the next.
Stream upper_half(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return {(seed + block + key) << 32 | mix64(7) >> 32};
}

/// Pairs of neighbours share a stream.
Stream lowest_bit_lost(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return {stream_state(seed >> 1, block >> 1, key >> 1)};
}

/// Only the top bits of the state differ: words are rotations of each other.
Stream top_bits_only(std::uint64_t seed, std::uint64_t block, std::uint64_t key) {
  return {(mix64(7) & (~0ull >> 5)) | (seed + block + key) << 59};
}

TEST(StreamChecks, FirstWordsRejectWeakSeeding) {
  for (const Along along : {Along::seed, Along::block}) {
    EXPECT_GT(worst_first_words(sum_as_state, along, 1000), alarm);
    EXPECT_GT(worst_first_words(increment_only, along, 1000), alarm);
  }
}

TEST(StreamChecks, FirstPairsRejectNumbersInTheUpperHalf) {
  for (const Along along : {Along::seed, Along::block})
    EXPECT_GT(worst_first_pairs(upper_half, along, 1000), alarm);
}

TEST(StreamChecks, NeighboursRejectSharedAndRotatedStreams) {
  for (const Along along : {Along::seed, Along::block}) {
    EXPECT_GT(worst_neighbours(lowest_bit_lost, along, 1000), alarm);
    EXPECT_GT(worst_neighbours(top_bits_only, along, 1000), alarm);
  }
}

TEST(StreamChecks, WithinRejectsAStreamOfPeriod65536) {
  // A state that keeps only its low 16 bits moving.
  EXPECT_GT(worst_within(
                [](std::uint64_t, std::uint64_t, std::uint64_t) {
                  return Stream{mix64(7) << 48, 1ull << 48};
                },
                1),
            alarm);
}

// Exactness.

TEST(StreamWords, AreThoseOfTheIndependentProgram) {
  for (const auto& row : test::golden_rows("streams.csv")) {
    const auto number = [&](int cell, int base) { return std::strtoull(row[cell].c_str(), nullptr, base); };
    const std::uint64_t key = stream_key(stream_key(row[2]), number(3, 10));
    EXPECT_EQ(key, number(4, 16)) << row[2] << " " << row[3];
    const std::uint64_t state = stream_state(number(0, 10), number(1, 10), key);
    EXPECT_EQ(state, number(5, 16));
    pcg32_oneseq generator(state);
    Stream stream = real(number(0, 10), number(1, 10), key);
    for (int j = 0; j < 4; ++j) {
      const std::uint32_t word = generator();
      EXPECT_EQ(word, number(6 + j, 16));
      EXPECT_EQ(stream(), word);
    }
  }
}

TEST(StreamKeys, MixIsABijectionThatFlipsHalfTheBits) {
  // Avalanche: each input bit flips each output bit half the time; 4,096 trials, score per pair of bits.
  constexpr int trials = 4096;
  double worst = 0;
  for (int in = 0; in < 64; ++in) {
    std::array<int, 64> flips{};
    for (std::uint64_t i = 0; i < trials; ++i) {
      // Spread inputs: among 0, 1, 2, ... the pair (x, x with one bit flipped) would be counted twice.
      const std::uint64_t x = i * 0x5851f42d4c957f2du;
      const std::uint64_t change = mix64(x) ^ mix64(x ^ 1ull << in);
      for (int out = 0; out < 64; ++out) flips[out] += change >> out & 1;
    }
    for (const int f : flips) worst = std::max(worst, std::fabs((f - trials / 2) / std::sqrt(trials / 4.0)));
  }
  EXPECT_LT(worst, alarm);  // of 4,096 scores
  EXPECT_NE(mix64(0), 0u);
}

TEST(StreamKeys, DoNotCollide) {
  std::set<std::uint64_t> keys, states;
  std::size_t expected = 0;
  for (const char* name :
       {"", "a", "b", "ab", "ba", "compute", "communication", "compute/gemm", "gemm/compute"}) {
    for (std::uint64_t i = 0; i < 2000; ++i, ++expected) keys.insert(stream_key(stream_key(name), i));
  }
  EXPECT_EQ(keys.size(), expected);
  // Swapped and shifted arguments are other streams.
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t block = 0; block < 30; ++block) {
      for (std::uint64_t key = 0; key < 30; ++key) states.insert(stream_state(seed, block, key));
    }
  }
  EXPECT_EQ(states.size(), 27000u);
}

}  // namespace
}  // namespace prism::numerics_streams_test
