// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <pcg_random.hpp>

#include "evidence/faults.h"
#include "evidence/json_text.h"
#include "evidence/likelihood.h"
#include "prism/evidence_fit.h"

namespace prism {
namespace {

/// H. Akaike 1974; "essentially no support" from 10 on (Burnham, Anderson, "Model Selection and Multimodel
/// Inference").
constexpr double decisive = 10;

/// sup |F - ECDF| over the samples, F from the quantile table by walking both upwards.
double ks_to(const Distribution& d, const std::vector<double>& sorted) {
  const QuantileTable table = tabulate(d);
  const double n = static_cast<double>(sorted.size());
  // Knots from the lowest upwards: value and mass below.
  std::vector<std::pair<double, double>> knots;
  for (int i = QuantileTable::half; i > 0; --i)
    knots.push_back({table.lower_knots()[static_cast<std::size_t>(i)], QuantileTable::knot_mass(i)});
  for (int i = 0; i <= QuantileTable::half; ++i)
    knots.push_back({table.upper_knots()[static_cast<std::size_t>(i)], 1 - QuantileTable::knot_mass(i)});
  double worst = 0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    while (k < knots.size() && knots[k].first <= sorted[i]) ++k;
    double mass = k == 0 ? 0 : 1;
    if (k > 0 && k < knots.size()) {
      const auto [low, below] = knots[k - 1];
      const auto [high, above] = knots[k];
      mass = below + (above - below) * (sorted[i] - low) / (high - low);
    }
    worst = std::max({worst, static_cast<double>(i + 1) / n - mass, mass - static_cast<double>(i) / n});
  }
  return worst;
}

std::optional<Diagnostic> refused(std::span<const double> samples) {
  if (samples.size() < 8)
    return evidence_fault(Code::out_of_range,
                          "at least 8 samples are needed for a fit; found " + std::to_string(samples.size()));
  for (const double x : samples)
    if (!(x >= 0 && x < 1e300))
      return evidence_fault(Code::out_of_range, "samples must be finite and not negative");
  if (std::all_of(samples.begin(), samples.end(), [&](double x) { return x == samples[0]; }))
    return evidence_fault(Code::impossible_distribution,
                          "all samples are equal: the distribution is a constant");
  return std::nullopt;
}

void add(Fit& fit, std::optional<FamilyFit> f, int free, const SampleMoments& m, bool ks) {
  if (!f || !std::isfinite(f->log_likelihood)) return;
  f->aic = 2 * free - 2 * f->log_likelihood;
  const auto d = distribution_of(*f);
  if (!d) return;
  if (ks) f->ks = ks_to(*d, m.sorted);
  fit.families.push_back(std::move(*f));
}

void choose(Fit& fit) {
  std::stable_sort(fit.families.begin(), fit.families.end(),
                   [](const FamilyFit& a, const FamilyFit& b) { return a.aic < b.aic; });
  fit.best = 0;
  for (std::size_t i = fit.families.size(); i-- > 1;) {
    const FamilyFit& f = fit.families[i];
    // Two modes are a claim; the shape of one mode must not do as well.
    const bool simpler =
        contained_in(f.family, fit.families[0].family) || fit.families[0].family == "mixture";
    if (simpler && f.aic <= fit.families[0].aic + decisive) fit.best = i;
  }
  const FamilyFit& best = fit.families[fit.best];
  for (const FamilyFit& f : fit.families) {
    const bool related = contained_in(f.family, best.family) || contained_in(best.family, f.family);
    if (&f != &best && !related && f.aic <= best.aic + decisive) fit.rivals.push_back(f.family);
  }
}

std::optional<Distribution> mixture_of(const FamilyFit& fit) {
  const Family* lognormal = find_family("lognormal");
  const auto part = [&](std::size_t i) {
    const std::array<double, 2> values = {fit.parameters[i].second, fit.parameters[i + 1].second};
    return lognormal->sets[0].make(values);
  };
  const auto a = part(1), b = part(3);
  if (!std::holds_alternative<Distribution>(a) || !std::holds_alternative<Distribution>(b))
    return std::nullopt;
  const std::array<double, 2> weights = {fit.parameters[0].second, 1 - fit.parameters[0].second};
  const std::array<Distribution, 2> parts = {std::get<Distribution>(a), std::get<Distribution>(b)};
  auto made = make_mixture(weights, parts);
  if (auto* d = std::get_if<Distribution>(&made)) return std::move(*d);
  return std::nullopt;
}

}  // namespace

std::optional<Distribution> distribution_of(const FamilyFit& fit) {
  if (fit.family == "mixture") return mixture_of(fit);
  const Family* family = find_family(fit.family);
  if (!family) return std::nullopt;
  for (const ParameterSet& set : family->sets) {
    bool same = set.parameters.size() == fit.parameters.size();
    for (std::size_t i = 0; same && i < set.parameters.size(); ++i)
      same = set.parameters[i].name == fit.parameters[i].first;
    if (!same) continue;
    std::vector<double> values;
    for (const auto& [name, value] : fit.parameters) values.push_back(value);
    auto made = set.make(values);
    if (auto* d = std::get_if<Distribution>(&made)) return std::move(*d);
    return std::nullopt;
  }
  return std::nullopt;
}

Result<Fit> fit_families(std::span<const double> samples, const FitOptions& options) {
  if (const auto fault = refused(samples)) return Result<Fit>::fault(*fault);
  const SampleMoments m = moments_of(samples);
  Fit fit;
  for (const Fitter& f : fitters()) add(fit, f.fit(m), f.free, m, options.ks);
  choose(fit);
  if (options.mixture) {
    const auto d = distribution_of(fit.families[fit.best]);
    const double distance = options.ks ? fit.families[fit.best].ks : ks_to(*d, m.sorted);
    // 1.36 / sqrt n: the 5 % point of the distance for parameters known beforehand, so a generous pass.
    if (distance > 1.36 / std::sqrt(m.n)) {
      fit.rivals.clear();
      add(fit, fit_two_modes(m), 5, m, options.ks);
      choose(fit);
    }
  }
  return Result<Fit>::of(std::move(fit));
}

std::optional<RefitError> refit_error(std::span<const double> samples, const std::string& family, int refits,
                                      std::uint64_t seed) {
  std::vector<double> medians, p95s, drawn(samples.size());
  for (int i = 0; i < refits; ++i) {
    pcg32_oneseq random(stream_state(seed, static_cast<std::uint64_t>(i), stream_key("evidence-refit")));
    for (double& x : drawn) x = samples[random(static_cast<std::uint32_t>(samples.size()))];
    const SampleMoments m = moments_of(drawn);
    std::optional<FamilyFit> f;
    if (!(m.variance > 0)) continue;
    if (family == "mixture") f = fit_two_modes(m);
    for (const Fitter& fitter : fitters())
      if (fitter.family == family) f = fitter.fit(m);
    const auto d = f ? distribution_of(*f) : std::nullopt;
    if (!d) continue;
    medians.push_back(d->median());
    p95s.push_back(d->quantile(Mass::below(0.95)));
  }
  if (medians.size() < 20) return std::nullopt;
  std::sort(medians.begin(), medians.end());
  std::sort(p95s.begin(), p95s.end());
  const auto at = [](const std::vector<double>& v, double p) {
    return v[static_cast<std::size_t>(p * static_cast<double>(v.size() - 1) + 0.5)];
  };
  return RefitError{at(medians, 0.025), at(medians, 0.975), at(p95s, 0.025), at(p95s, 0.975)};
}

std::string fit_sentence(const Fit& fit) {
  std::string text = fit.families[fit.best].family;
  if (fit.told_apart()) return text + "; told apart from every other family";
  text += "; cannot be told apart from ";
  for (std::size_t i = 0; i < fit.rivals.size(); ++i) text += (i ? ", " : "") + fit.rivals[i];
  return text;
}

std::string fit_json(const Fit& fit, std::size_t n) {
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const FamilyFit& f : fit.families) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    for (const auto& [name, value] : f.parameters) parameters[name] = value;
    families.push_back({{"family", f.family},
                        {"parameters", parameters},
                        {"log_likelihood", f.log_likelihood},
                        {"aic", f.aic},
                        {"ks", f.ks}});
  }
  return evidence_dump({{"samples", n},
                        {"best", fit.families[fit.best].family},
                        {"cannot_be_told_apart_from", fit.rivals},
                        {"sentence", fit_sentence(fit)},
                        {"families", families}});
}

}  // namespace prism
