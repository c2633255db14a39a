// SPDX-License-Identifier: Apache-2.0
// The standard grid of masses and what a table can tell about itself.
#include <cmath>
#include <cstddef>
#include <utility>

#include "prism/distribution.h"

namespace prism {
namespace {

constexpr double outermost_mass = 0x1p-49;
static_assert(QuantileTable::octaves == 48);

std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// Value at a side's mass in (0, 1/2]: knot i where the mass is knot_mass(i), linear in mass between.
double interpolate(const std::vector<double>& knots, double mass) {
  if (!(mass > outermost_mass)) return knots.back();
  const std::uint64_t bits = bits_of(mass);
  const int exponent = static_cast<int>(bits >> 52) - 1023;  // mass in [2^exponent, 2^(exponent+1))
  const double mantissa = from_bits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  // Octave and step apart: their sum would round a mass just above a knot onto it, and at the last knot past
  // the end.
  const double step = (2.0 - mantissa) * QuantileTable::per_octave;
  const int whole = static_cast<int>(step);
  const int i = (-2 - exponent) * QuantileTable::per_octave + whole;
  if (i < 0) return knots.front();
  const double part = step - whole;
  return knots[i] + part * (knots[i + 1] - knots[i]);
}

}  // namespace

double QuantileTable::knot_mass(int i) {
  const int octave = i / per_octave, step = i % per_octave;
  // 2^-(2 + octave) * (2 - step / per_octave)
  return from_bits(static_cast<std::uint64_t>(1023 - 2 - octave) << 52) *
         (2.0 - static_cast<double>(step) / per_octave);
}

QuantileTable::QuantileTable(const std::function<double(Mass)>& quantile)
    : lower_(half + 1), upper_(half + 1) {
  lower_[0] = upper_[0] = quantile({0.5, 0.5});
  for (int i = 1; i <= half; ++i) {
    const double p = knot_mass(i);
    // Rounding must not make a quantile function fall.
    const double below = quantile(Mass::below(p)), above = quantile(Mass::above(p));
    lower_[i] = below < lower_[i - 1] ? below : lower_[i - 1];
    upper_[i] = above > upper_[i - 1] ? above : upper_[i - 1];
  }
  measure();
  place_jumps(quantile);
}

// A jump of the quantile function, as between the modes of a mixture, becomes a slope over one cell, which
// stands for a jump in the middle of that cell. Where it really is elsewhere, the knot on its side moves so
// that the mean comes out right: over a cell of mass 1/128 near the median a jump by 60 % would otherwise
// shift the mean by up to 0.2 %.
void QuantileTable::place_jumps(const std::function<double(Mass)>& quantile) {
  const auto knot = [this](int i) -> double& { return i < 0 ? lower_[-i] : upper_[i]; };  // ascending in i
  const auto mass_of = [](int cell) {  // between knots cell and cell + 1
    const int inner = cell < 0 ? -cell - 1 : cell;
    return knot_mass(inner) - knot_mass(inner + 1);
  };
  const double negligible = 1e-7 * sd_;
  bool moved = false;
  for (int cell = 1 - half; cell < half - 1; ++cell) {
    const double mass = mass_of(cell), rise = knot(cell + 1) - knot(cell);
    const double around = (knot(cell) - knot(cell - 1)) + (knot(cell + 2) - knot(cell + 1));
    if (!(rise > 4 * around && rise * mass > negligible)) continue;
    constexpr int points = 512;
    const double start = knot_mass(cell < 0 ? -cell : cell);
    double above_chord = 0;
    for (int k = 0; k < points; ++k) {
      const double part = (k + 0.5) / points;
      const double value =
          quantile(cell < 0 ? Mass::below(start + part * mass) : Mass::above(start - part * mass));
      above_chord += (value - (knot(cell) + part * rise)) / points;
    }
    if (above_chord > 0) {
      knot(cell) += above_chord * 2 * mass / (mass + mass_of(cell - 1));
    } else {
      knot(cell + 1) += above_chord * 2 * mass / (mass + mass_of(cell + 1));
    }
    lower_[0] = upper_[0];  // the median is stored twice
    moved = true;
  }
  if (moved) measure();
}

QuantileTable::QuantileTable(std::vector<double> lower, std::vector<double> upper)
    : lower_(std::move(lower)), upper_(std::move(upper)) {
  measure();
}

void QuantileTable::measure() {
  // Between knots the variable is uniform; at each end a lump holds what lies beyond.
  const auto each_piece = [&](auto add) {
    for (const auto* side : {&lower_, &upper_}) {
      for (int i = half; i > 0; --i) add(knot_mass(i - 1) - knot_mass(i), (*side)[i], (*side)[i - 1]);
      add(outermost_mass, side->back(), side->back());
    }
  };
  // About the median, so that a narrow table loses nothing to cancellation.
  const double origin = upper_[0];
  double first = 0;
  each_piece([&](double mass, double a, double b) { first += mass * 0.5 * ((a - origin) + (b - origin)); });
  double second = 0;
  each_piece([&](double mass, double a, double b) {
    const double u = a - origin - first, v = b - origin - first;
    second += mass * (u * u + u * v + v * v);
  });
  mean_ = origin + first;
  sd_ = is_constant() ? 0 : std::sqrt(second / 3.0);
}

double QuantileTable::quantile(Mass m) const {
  return m.lower < m.upper ? interpolate(lower_, m.lower) : interpolate(upper_, m.upper);
}

QuantileTable QuantileTable::scaled(double factor) const {
  QuantileTable t = *this;
  for (auto* side : {&t.lower_, &t.upper_}) {
    for (double& v : *side) v *= factor;
  }
  t.measure();
  return t;
}

QuantileTable QuantileTable::with_moments(double mean, double sd) const {
  QuantileTable t = *this;
  const double stretch = sd_ > 0 ? sd / sd_ : 0;
  for (auto* side : {&t.lower_, &t.upper_}) {
    for (double& v : *side) v = mean + (v - mean_) * stretch;
  }
  t.measure();
  return t;
}

QuantileTable tabulate(const Distribution& d) {
  return QuantileTable([&d](Mass m) { return d.quantile(m); });
}

}  // namespace prism
