// SPDX-License-Identifier: Apache-2.0
// One line in f for each bucket. The buckets' ends are the knots of QuantileTable (both halve every octave
// into 32 equal steps of mass), so the sampler's function is the table's own, up to the rounding of float.
#include <cstddef>

#include "prism/distribution.h"

namespace prism {

namespace {

/// The line a + b f from (from, value) to (to, end). Rounding to float must not make a draw near 0 negative.
SampleTable::Bucket line(double from, double value, double to, double end) {
  const double slope = (end - value) / (to - from);
  SampleTable::Bucket bucket{static_cast<float>(value - slope * from), static_cast<float>(slope)};
  const float lowest = bucket.b * static_cast<float>(bucket.b < 0 ? to : from);
  if (value >= 0 && end >= 0 && bucket.a + lowest < 0) bucket.a = -lowest;
  return bucket;
}

}  // namespace

SampleTable make_sample_table(const QuantileTable& table) {
  constexpr int per_octave = 1 << SampleTable::mantissa_bits;
  static_assert(per_octave == QuantileTable::per_octave);
  SampleTable t;
  t.bucket.resize(2 * SampleTable::side);
  for (const bool upper : {false, true}) {
    const auto knots = upper ? table.upper_knots() : table.lower_knots();
    SampleTable::Bucket* out = t.bucket.data() + (upper ? SampleTable::side : 0);
    double start = 1.0;  // f at the start of the octave
    for (int octave = 0; octave < SampleTable::octaves; ++octave, start *= 2) {
      for (int step = 0; step < per_octave; ++step) {
        // f / 2^32 is the mass; octave 31 starts at mass 1/2, which is knot 0. Of it only the first bucket,
        // with f = 2^31 exactly, can be drawn; the rest repeat the median.
        const int outer = (SampleTable::octaves - 1 - octave) * per_octave - step;
        SampleTable::Bucket& bucket = out[octave * per_octave + step];
        if (outer <= 0) {
          bucket = {static_cast<float>(knots[0]), 0.0f};
          continue;
        }
        const double from = start + step * (start / per_octave);
        bucket = line(from, knots[static_cast<std::size_t>(outer)], from + start / per_octave,
                      knots[static_cast<std::size_t>(outer - 1)]);
      }
    }
  }
  return t;
}

}  // namespace prism
