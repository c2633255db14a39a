// SPDX-License-Identifier: Apache-2.0
// One line in f for each bucket. The buckets' ends are the knots of QuantileTable (both halve every octave
// into 32 equal steps of mass), so the sampler's function is the table's own, up to the rounding of float.
#include <cstddef>

#include "prism/distribution.h"

namespace prism {

SampleTable make_sample_table(const QuantileTable& table) {
  constexpr int per_octave = 1 << SampleTable::mantissa_bits;
  static_assert(per_octave == QuantileTable::per_octave);
  SampleTable t;
  t.bucket.resize(2 * SampleTable::side);
  for (int upper = 0; upper < 2; ++upper) {
    const auto knots = upper ? table.upper_knots() : table.lower_knots();
    SampleTable::Bucket* out = t.bucket.data() + upper * SampleTable::side;
    double start = 1.0;  // f at the start of the octave
    for (int octave = 0; octave < SampleTable::octaves; ++octave, start *= 2) {
      for (int step = 0; step < per_octave; ++step) {
        // f / 2^32 is the mass; octave 31 starts at mass 1/2, which is knot 0. Of it only the first bucket,
        // with f = 2^31 exactly, can be drawn; the rest repeat the median.
        const int inner = (SampleTable::octaves - 1 - octave) * per_octave - step - 1;
        const int outer = inner + 1;
        SampleTable::Bucket& bucket = out[octave * per_octave + step];
        if (inner < 0) {
          bucket = {static_cast<float>(knots[0]), 0.0f};
          continue;
        }
        const double width = start / per_octave;
        const double f = start + step * width;
        const double slope =
            (knots[static_cast<std::size_t>(inner)] - knots[static_cast<std::size_t>(outer)]) / width;
        bucket = {static_cast<float>(knots[static_cast<std::size_t>(outer)] - slope * f),
                  static_cast<float>(slope)};
      }
    }
  }
  return t;
}

}  // namespace prism
