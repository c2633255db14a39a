// SPDX-License-Identifier: Apache-2.0
// Maximum likelihood, a family a function. A new family is one function and one line in `fitters`.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "prism/evidence_fit.h"

namespace prism {

/// What the families need of the samples, worked out once.
struct SampleMoments {
  std::vector<double> sorted, logs;  ///< logs is empty if a sample is 0
  double n, mean, variance;          ///< variance divided by n, as likelihood has it
  double log_mean = 0, log_variance = 0;
};
SampleMoments moments_of(std::span<const double> samples);

struct Fitter {
  std::string_view family;
  int free;  ///< parameters that are fitted
  /// Parameters in the order of the family's own set, and the log likelihood; none if the family cannot be.
  std::optional<FamilyFit> (*fit)(const SampleMoments&);
};
std::span<const Fitter> fitters();
/// Two log-normals by expectation maximisation; none if they do not stand apart.
std::optional<FamilyFit> fit_two_modes(const SampleMoments& m);

/// `a` is a special case of `b`.
bool contained_in(std::string_view a, std::string_view b);

}  // namespace prism
