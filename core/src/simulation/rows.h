// SPDX-License-Identifier: Apache-2.0
// What the engine does to a row of lanes. Each is a small function of its own, never inlined: V8 optimises a
// hot small function at once, where a loop that has swallowed them all stays in its baseline tier, at half
// the speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pcg_random.hpp>

#include "prism/distribution.h"

namespace prism {

/// Replicas (of any trials) simulated side by side. The lane count and the order of words are part of the
/// result's definition, not of the machine.
inline constexpr std::size_t lane_count = 64;

/// Starts each lane's generator in the stream (key of the lane, cause).
void seed_row(pcg32_oneseq* generator, const std::uint64_t* key, std::uint64_t cause);
/// A generator of two words at once: half the cost of two generators.
using PairGenerator = pcg64_oneseq_once_insecure;
void seed_row(PairGenerator* generator, const std::uint64_t* key, std::uint64_t cause);
/// One draw for each lane, as `sample` defines it.
void draw_row(pcg32_oneseq* generator, const SampleTable::Bucket* bucket, float* out);
/// Two draws for each lane: the upper and the lower half of a pair of words.
void draw_pair_row(PairGenerator* generator, const SampleTable::Bucket* bucket, float* first, float* second);
// Times are sums of many draws and are kept in double: in float a step of 100,000 chunks would drift by 0.1
// %.
/// a = max(a, b)
void raise_row(double* a, const double* b);
/// a += b
void add_row(double* a, const float* b);
/// a *= b
void scale_row(float* a, const float* b);
/// a += b
void add_float_row(float* a, const float* b);
/// a = max(a, b)
void raise_float_row(float* a, const float* b);
/// free = max(free, arrival) + duration
void advance_row(double* free, const double* arrival, const float* duration);
/// free = max(free, arrival) + (first + second)
void advance_row(double* free, const double* arrival, const float* first, const float* second);
/// link = arrival = max(link, end) + hop
void send_row(double* link, const double* end, const float* hop, double* arrival);

}  // namespace prism
