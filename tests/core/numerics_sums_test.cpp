// SPDX-License-Identifier: Apache-2.0
// Compensated sums, convolution and the hash.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "prism/numerics.h"

namespace prism::numerics_sums_test {
namespace {

TEST(Summation, KeepsWhatPlainAdditionLoses) {
  EXPECT_EQ(sum_compensated(std::vector<double>{1e16, 1, 1, -1e16}), 2);
  EXPECT_EQ(sum_compensated(std::vector<double>{1, 1e100, 1, -1e100}),
            2);  // Neumaier's own example; Kahan's gives 0
  EXPECT_EQ(sum_compensated({}), 0);
  std::vector<double> tenths(1000000, 0.1);
  EXPECT_EQ(sum_compensated(tenths), 100000.0);
  double plain = 0;
  for (const double t : tenths) plain += t;
  EXPECT_NE(plain, 100000.0);
}

std::vector<double> weights(std::size_t n, std::uint64_t key) {
  std::vector<double> w(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = static_cast<double>(mix64(key + i) >> 11) * 0x1p-53;
  return w;
}

TEST(Convolution, IsTheSumOverPairs) {
  for (std::size_t n = 1; n <= 20; ++n) {
    for (std::size_t m = 1; m <= 20; ++m) {
      const auto a = weights(n, 1), b = weights(m, 1000);
      std::vector<double> brute(n + m - 1, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) brute[i + j] += a[i] * b[j];
      }
      const auto c = convolve(a, b);
      ASSERT_EQ(c.size(), brute.size());
      for (std::size_t k = 0; k < c.size(); ++k)
        ASSERT_NEAR(c[k], brute[k], 1e-15 * static_cast<double>(n) * brute[k]) << n << " " << m;
    }
  }
}

TEST(Convolution, OrderOfArgumentsDoesNotMatter) {
  const auto a = weights(7, 1), b = weights(23, 1000);
  EXPECT_EQ(convolve(a, b), convolve(b, a));
}

TEST(Convolution, ThousandCoinsGiveTheBinomial) {
  std::vector<double> coin{0.5, 0.5}, sum{1.0};
  for (int i = 0; i < 1000; ++i) sum = convolve(sum, coin);
  // Even the tail, where a Fourier transform would have only noise: 2^-1000.
  EXPECT_DOUBLE_EQ(sum[0], std::ldexp(1.0, -1000));
  EXPECT_DOUBLE_EQ(sum[2], 499500 * std::ldexp(1.0, -1000));
  EXPECT_NEAR(sum[500], 0.025225018178360, 1e-14);
}

TEST(Convolution, NothingWithNothingIsNothing) { EXPECT_TRUE(convolve({}, std::vector<double>{1}).empty()); }

std::string digest(const std::string& text) {
  Sha256 h;
  h.update(text);
  return h.hex_digest();
}

// FIPS 180-4 example values,
// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
TEST(Sha256, PublishedExamples) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameDigestAsTheWhole) {
  const std::string text(300, 'x');
  for (std::size_t size = 1; size < 130; ++size) {
    Sha256 h;
    for (std::size_t i = 0; i < text.size(); i += size) h.update(text.substr(i, size));
    ASSERT_EQ(h.hex_digest(), digest(text)) << size;
  }
}

// Lengths around the padding's own edge; digests of that many letters x by Python's hashlib.
TEST(Sha256, PaddingEdges) {
  EXPECT_EQ(digest(std::string(55, 'x')), "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(digest(std::string(56, 'x')), "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(digest(std::string(63, 'x')), "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(digest(std::string(64, 'x')), "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  EXPECT_EQ(digest(std::string(119, 'x')),
            "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
  EXPECT_EQ(digest(std::string(120, 'x')),
            "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
}

}  // namespace
}  // namespace prism::numerics_sums_test
