// SPDX-License-Identifier: Apache-2.0
// Families of probability distributions on [0, infinity), as quantile functions and as tables.
// No special functions and no libm: closed form where exp, log and sqrt suffice, quadrature of the log
// density for normal and gamma.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prism/numerics.h"

namespace prism {

/// A position in a distribution by the probability below and above it. Both are carried because the far upper
/// tail (maxima over 100,000 ranks need 1 - 1e-12) cannot be written as a lower mass.
/// Invariant: lower + upper = 1 up to rounding; whichever is smaller is exact.
struct Mass {
  double lower;
  double upper;
  static Mass below(double p) { return {p, 1.0 - p}; }
  static Mass above(double q) { return {1.0 - q, q}; }
};

/// One distribution of a non-negative quantity: seconds, or a unitless factor. Immutable; cheap to copy.
class Distribution {
 public:
  struct Law {  ///< what a family gives
    std::string family;
    /// Non-decreasing. Relative error promised: 1e-4 for lower mass >= 1e-6 and upper mass >= 1e-12; measured
    /// against 40-digit references: 5e-8 for the families, 1e-5 for mixtures.
    std::function<double(Mass)> quantile;
    double mean;
    double sd;  ///< +infinity where the variance does not exist
    /// P(X <= x) and P(X > x). May be left empty: then it is found by bisection on `quantile`.
    std::function<Mass(double x)> mass = {};
  };
  explicit Distribution(Law law) : law_(std::make_shared<const Law>(std::move(law))) {}

  const std::string& family() const { return law_->family; }
  double quantile(Mass m) const { return law_->quantile(m); }
  Mass mass(double x) const;  ///< the distribution function: probability at or below x, and above
  double median() const { return law_->quantile({0.5, 0.5}); }
  double mean() const { return law_->mean; }
  double sd() const { return law_->sd; }
  bool is_constant() const { return law_->sd == 0; }

 private:
  std::shared_ptr<const Law> law_;
};

/// A parameter of a family as users write it. `dimensional` ones carry the unit of the quantity in their JSON
/// key
/// (`median_us`) when the quantity is a time; the others (`cv`, `shape`) never do.
struct Parameter {
  std::string_view name;
  bool dimensional;
};

/// Why a set of values is impossible: which parameter, and a sentence with the numbers.
struct ParameterFault {
  std::string_view parameter;
  std::string message;
};

/// One way of writing a family's parameters, e.g. median + p95.
struct ParameterSet {
  std::vector<Parameter> parameters;
  /// Values in the order of `parameters`.
  std::function<std::variant<Distribution, ParameterFault>(std::span<const double>)> make;
};

/// A family with scalar parameters. Adding one is one new file and one line in families().
struct Family {
  std::string_view name;     ///< the word in JSON, e.g. "lognormal"
  std::string_view summary;  ///< one sentence: support, shape, source of the formula
  std::vector<ParameterSet> sets;
};
/// constant, normal (truncated at 0), lognormal, gamma, weibull, uniform, exponential, shifted_exponential,
/// pareto, gpd.
std::span<const Family> families();
const Family* find_family(std::string_view name);

/// Families whose parameters are lists.
/// Mixture: weights are positive and are divided by their sum.
std::variant<Distribution, ParameterFault> make_mixture(std::span<const double> weights,
                                                        std::span<const Distribution> parts);
/// Empirical from samples (at least 2): linear interpolation between order statistics (Hyndman-Fan type 7).
std::variant<Distribution, ParameterFault> make_empirical(std::span<const double> samples);
/// Empirical from quantiles: strictly increasing lower masses including 0 and 1, non-decreasing values.
std::variant<Distribution, ParameterFault> make_empirical_quantiles(std::span<const double> masses,
                                                                    std::span<const double> values);

/// The quantile function of any distribution or reduction on one standard grid of masses, fine towards both
/// ends: the common currency of maxima, sums and samplers. Own error, from straight lines between knots: at
/// most 1.5e-4 sd for laws of cv up to 1 with tails no heavier than exponential; 5e-4 of the value in heavier
/// tails. The mean is right to 5e-5 sd. Where the quantile function jumps or bends sharply (mixtures, data),
/// the error is confined to one cell, at most 1/128 of probability.
class QuantileTable {
 public:
  static constexpr int octaves = 48;     ///< each side reaches mass 2^-(octaves+1), about 2e-15
  static constexpr int per_octave = 32;  ///< knots an octave
  static constexpr int half = octaves * per_octave;
  /// Masses of the knots of one side: knot i has mass 2^-(1 + i / per_octave) interpolated linearly inside an
  /// octave, so knot 0 is the median and knot `half` the outermost.
  static double knot_mass(int i);

  /// Calls `quantile` at every knot: 3,073 times, and some more where it jumps.
  explicit QuantileTable(const std::function<double(Mass)>& quantile);
  /// From the values at the knots, from the median outwards; half + 1 each, lower[0] = upper[0], monotone.
  QuantileTable(std::vector<double> lower, std::vector<double> upper);

  double quantile(Mass m) const;  ///< linear in mass between knots; constant beyond the outermost knot
  double median() const { return upper_[0]; }
  double mean() const { return mean_; }
  double sd() const { return sd_; }
  bool is_constant() const { return lower_.back() == upper_.back(); }
  double lowest() const { return lower_.back(); }
  double highest() const { return upper_.back(); }
  std::span<const double> lower_knots() const { return lower_; }
  std::span<const double> upper_knots() const { return upper_; }

  /// Same shape, every value times factor (> 0).
  QuantileTable scaled(double factor) const;
  /// Shape kept, moved and stretched about its mean to the given mean and sd.
  QuantileTable with_moments(double mean, double sd) const;

 private:
  std::vector<double> lower_, upper_;  ///< values at the knots, from the median outwards; half + 1 each
  double mean_ = 0, sd_ = 0;           ///< of the piecewise linear quantile function
  void measure();
  void place_jumps(const std::function<double(Mass)>& quantile);
};

QuantileTable tabulate(const Distribution& d);
/// Largest of n independent copies: upper mass q of the maximum is upper mass 1 - (1-q)^(1/n) of one.
QuantileTable maximum_of(const QuantileTable& one, std::uint64_t n);
/// Largest of independent, different variables: lower mass is the product of theirs.
QuantileTable maximum_of(std::span<const QuantileTable> parts);

/// Product of two independent variables: log-normals exactly, others by quadrature.
Distribution product_of(const Distribution& x, const Distribution& y);
/// median (X / median)^times: the deviation of the logarithm times `times` (>= 0), the median kept.
Distribution stretched(const Distribution& x, double times);
/// ((X1^k + ... + Xn^k) / n)^(1/k) of n independent copies, k > 0, by quadrature.
QuantileTable power_mean_of(const QuantileTable& one, std::uint64_t n, double exponent);

/// An addend of a sum: `count` independent copies of one table.
struct Addend {
  const QuantileTable* table;
  std::uint64_t count;
};
/// Sum of independent variables by lumps on grids that keep every mean, convolved directly; the sd of the
/// result is set to the exact one, and its values stay between the sums of the lowest and of the highest.
/// Quantiles between 0.001 and 0.999 are right to 3e-3 sd. nullopt if a tail is too heavy for a grid (more
/// than 2^16 cells, or 2^28 products in all: from about cv 1 of a log-normal, or power laws): such sums must
/// be sampled term by term.
std::optional<QuantileTable> sum_of(std::span<const Addend> addends);

/// Piecewise linear inverse of a distribution, addressed by the float bits of a uniform 32-bit word: buckets
/// become finer by octaves towards both ends, so that a draw is one look-up and the tails are not straight
/// lines. Word w: y = w < 2^31 ? w : ~w (31 bits); f = float(y | 1), in [1, 2^31]; the draw lies at mass f /
/// 2^32 from the lower end (w < 2^31) or from the upper end. Bucket = exponent of f and its top 5 mantissa
/// bits; draw = a + b f.
struct SampleTable {
  static constexpr int mantissa_bits = 5;                ///< 32 buckets an octave
  static constexpr int octaves = 32;                     ///< f is below 2^32
  static constexpr int side = octaves << mantissa_bits;  ///< buckets of one side
  struct Bucket {
    float a, b;
  };
  std::vector<Bucket> bucket;  ///< 2 * side; first the lower side
};
SampleTable make_sample_table(const QuantileTable& table);

/// The draw that word `w` stands for.
inline float sample(const SampleTable::Bucket* bucket, std::uint32_t w) {
  const std::uint32_t upper = w >> 31;
  const std::uint32_t y = (w ^ (0u - upper)) | 1u;
  const float f = static_cast<float>(static_cast<std::int32_t>(y));
  std::uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  const std::uint32_t i = (bits >> (23 - SampleTable::mantissa_bits)) - (127u << SampleTable::mantissa_bits) +
                          upper * static_cast<std::uint32_t>(SampleTable::side);
  return bucket[i].a + bucket[i].b * f;
}

}  // namespace prism
