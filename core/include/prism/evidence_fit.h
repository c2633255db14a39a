// SPDX-License-Identifier: Apache-2.0
// From samples to a distribution: every family by maximum likelihood, chosen by Akaike's information
// criterion among families of which none contains the other. "Cannot be told apart" is an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/diagnostic.h"
#include "prism/distribution.h"

namespace prism {

struct FamilyFit {
  std::string family;  ///< as in families(), or "mixture" of two log-normals
  std::vector<std::pair<std::string, double>>
      parameters;  ///< of the family's own set; a mixture's: weight, median and
                   ///< log_sd of the first part, then median and log_sd
  double log_likelihood = 0, aic = 0;
  double ks = 0;  ///< distance to the samples; smaller than that of parameters known beforehand
};
/// None if no such distribution exists.
std::optional<Distribution> distribution_of(const FamilyFit& fit);

struct Fit {
  std::vector<FamilyFit> families;  ///< ascending AIC
  std::size_t best = 0;  ///< position; a family contained in the one of least AIC is preferred up to 10
  std::vector<std::string>
      rivals;  ///< not contained in the best nor containing it, and at most 10 of AIC away
  bool told_apart() const { return rivals.empty(); }
};
struct FitOptions {
  bool ks = true;       ///< costs a table per family
  bool mixture = true;  ///< two modes are looked for where no single family passes
};
/// Refused: fewer than 8 samples, a negative or not finite sample, all samples equal.
Result<Fit> fit_families(std::span<const double> samples, const FitOptions& options = {});

/// Central 95 % of median and p95 over refits of the family to samples drawn with replacement: the error that
/// the number of samples leaves in the input.
struct RefitError {
  double median_low, median_high, p95_low, p95_high;
};
std::optional<RefitError> refit_error(std::span<const double> samples, const std::string& family, int refits,
                                      std::uint64_t seed);
/// `n` samples as the families, the choice and a sentence about it.
std::string fit_json(const Fit& fit, std::size_t n);
/// The choice in words, e.g. "lognormal; cannot be told apart from gamma".
std::string fit_sentence(const Fit& fit);

}  // namespace prism
