// SPDX-License-Identifier: Apache-2.0
// Sources: Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" 1 (maximum likelihood of each
// family); S. D. Grimshaw, Technometrics 35 (1993), for the generalised Pareto's profile likelihood.
#include "evidence/likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "distribution/standard_normal.h"
#include "evidence/special.h"
#include "prism/numerics.h"

namespace prism {
namespace {

constexpr double two_pi_log = 1.8378770664093453;
using Fitted = std::optional<FamilyFit>;

Fitted fitted(const char* family, double log_likelihood,
              std::vector<std::pair<std::string, double>> parameters) {
  FamilyFit f;
  f.family = family;
  f.parameters = std::move(parameters);
  f.log_likelihood = log_likelihood;
  return f;
}

/// Root of a function that changes sign once between low and high, rising if `rising`.
template <class F>
double root_between(F&& f, double low, double high, bool rising) {
  for (int i = 0; i < 200 && high - low > 1e-15 * std::fabs(high); ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) < 0) == rising ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Fitted normal(const SampleMoments& m) {
  const double sd = std::sqrt(m.variance);
  const auto done = [&](double location, double scale) {
    double misfit = m.variance + (m.mean - location) * (m.mean - location);
    const double cut = log_exact(detail::normal_mass(location / scale).lower);
    return fitted("normal",
                  -m.n * (log_exact(scale) + 0.5 * two_pi_log + 0.5 * misfit / (scale * scale) + cut),
                  {{"location", location}, {"scale", scale}});
  };
  if (m.mean > 8 * sd) return done(m.mean, sd);
  // Truncated at 0 in its tail at a = -location/scale, cv^2 depends on a alone and rises to 1, the
  // exponential.
  const double cv2 = m.variance / (m.mean * m.mean);
  if (cv2 > 0.95) return std::nullopt;
  const auto miss = [&](double a) {
    const double h = normal_hazard(a);
    return (1 - h * (h - a)) / ((h - a) * (h - a)) - cv2;
  };
  const double a = root_between(miss, -10.0, 40.0, true);
  const double scale = m.mean / (normal_hazard(a) - a);
  return done(-a * scale, scale);
}

Fitted lognormal(const SampleMoments& m) {
  if (m.logs.empty() || !(m.log_variance > 0)) return std::nullopt;
  const double sd = std::sqrt(m.log_variance);
  return fitted("lognormal", -m.n * (m.log_mean + log_exact(sd) + 0.5 * two_pi_log + 0.5),
                {{"median", exp_exact(m.log_mean)}, {"log_sd", sd}});
}

Fitted gamma(const SampleMoments& m) {
  if (m.logs.empty()) return std::nullopt;
  const double s = log_exact(m.mean) - m.log_mean;
  if (!(s > 1e-13)) return std::nullopt;
  double shape = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
  for (int i = 0; i < 50; ++i) {
    const double step = (log_exact(shape) - digamma(shape) - s) / (1 / shape - trigamma(shape));
    const double next = std::max(shape - step, 0.1 * shape);
    if (std::fabs(next - shape) < 1e-13 * shape) break;
    shape = next;
  }
  const double scale = m.mean / shape;
  return fitted("gamma",
                m.n * ((shape - 1) * m.log_mean - shape - shape * log_exact(scale) - log_gamma(shape)),
                {{"shape", shape}, {"scale", scale}});
}

Fitted weibull(const SampleMoments& m) {
  if (m.logs.empty() || !(m.log_variance > 0)) return std::nullopt;
  const double top = log_exact(m.sorted.back());
  double power_sum = 0;
  // 1/k = sum x^k log x / sum x^k - mean log x; powers relative to the largest sample.
  const auto miss = [&](double k) {
    double weighted = 0;
    power_sum = 0;
    for (const double l : m.logs) {
      const double p = exp_exact(k * (l - top));
      power_sum += p;
      weighted += p * l;
    }
    return weighted / power_sum - m.log_mean - 1 / k;
  };
  const double guess = 1.2825498301618641 / std::sqrt(m.log_variance);  // pi / sqrt 6 over the sd of logs
  double low = 0.5 * guess, high = 2 * guess;
  for (int i = 0; i < 40 && miss(low) > 0; ++i) low *= 0.5;
  for (int i = 0; i < 40 && miss(high) < 0; ++i) high *= 2;
  // Illinois' false position: each evaluation costs an exp a sample.
  double at_low = miss(low), at_high = miss(high), shape = low;
  for (int i = 0; i < 60; ++i) {
    const double next = (low * at_high - high * at_low) / (at_high - at_low);
    const double value = miss(next);
    const bool settled = std::fabs(next - shape) < 1e-13 * next;
    shape = next;
    if (settled || value == 0) break;
    if (value < 0)
      low = next, at_low = value, at_high *= 0.5;
    else
      high = next, at_high = value, at_low *= 0.5;
  }
  miss(shape);
  const double log_scale = top + log_exact(power_sum / m.n) / shape;
  return fitted("weibull", m.n * (log_exact(shape) - shape * log_scale + (shape - 1) * m.log_mean - 1),
                {{"shape", shape}, {"scale", exp_exact(log_scale)}});
}

Fitted uniform(const SampleMoments& m) {
  const double low = m.sorted.front(), high = m.sorted.back();
  return fitted("uniform", -m.n * log_exact(high - low), {{"low", low}, {"high", high}});
}

Fitted exponential(const SampleMoments& m) {
  return fitted("exponential", -m.n * (log_exact(m.mean) + 1), {{"mean", m.mean}});
}

Fitted shifted_exponential(const SampleMoments& m) {
  const double shift = m.sorted.front(), scale = m.mean - shift;
  if (!(shift > 0)) return std::nullopt;
  return fitted("shifted_exponential", -m.n * (log_exact(scale) + 1), {{"shift", shift}, {"scale", scale}});
}

Fitted pareto(const SampleMoments& m) {
  if (m.logs.empty()) return std::nullopt;
  const double low = log_exact(m.sorted.front()), shape = 1 / (m.log_mean - low);
  if (!(shape > 1)) return std::nullopt;  // no mean
  return fitted("pareto", m.n * (log_exact(shape) + shape * low - (shape + 1) * m.log_mean),
                {{"minimum", m.sorted.front()}, {"shape", shape}});
}

/// Location 0. With theta = shape / scale the likelihood has one maximum in most samples; for shape below
/// -1/2 it is unbounded or irregular, and the family is not offered.
Fitted gpd(const SampleMoments& m) {
  double shape = 0;
  const auto profile_of = [&](const std::vector<double>& samples, double theta) {
    const double n = static_cast<double>(samples.size());
    if (std::fabs(theta * m.mean) < 1e-9) return shape = 0, -n * (log_exact(m.mean) + 1);
    double sum = 0;
    for (const double x : samples) sum += log_exact(1 + theta * x);
    shape = sum / n;
    return -n * (log_exact(shape / theta) + 1) - sum;
  };
  const auto profile = [&](double theta) { return profile_of(m.sorted, theta); };
  // theta from just above -1/max on, by golden section in u with theta = (e^u - 1)/max.
  const double top = m.sorted.back();
  const auto theta_at = [&](double u) { return expm1_exact(u) / top; };  // u > -inf gives theta > -1/max
  double low = -8, high = log_exact(1 + 200 * top / m.mean);
  // A coarse look first, on some of the samples: the profile may rise again towards its lower end.
  std::vector<double> some;
  const std::size_t stride = std::max<std::size_t>(1, m.sorted.size() / 1000);
  for (std::size_t i = stride / 2; i < m.sorted.size(); i += stride) some.push_back(m.sorted[i]);
  double best = low;
  double best_value = -std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 24; ++i) {
    const double u = low + (high - low) * i / 24.0;
    const double value = profile_of(some, theta_at(u));
    if (shape > -0.5 && value > best_value) best = u, best_value = value;
  }
  if (best_value == -std::numeric_limits<double>::infinity()) return std::nullopt;
  const double width = (high - low) / 24;
  low = best - width;
  high = best + width;
  constexpr double golden = 0.6180339887498949;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = profile(theta_at(a)), at_b = profile(theta_at(b));
  while (high - low > 1e-5) {
    if (at_a > at_b)
      high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = profile(theta_at(a));
    else
      low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = profile(theta_at(b));
  }
  const double theta = theta_at(0.5 * (low + high)), value = profile(theta);
  if (!(shape > -0.5 && shape < 0.999)) return std::nullopt;
  return fitted("gpd", value, {{"scale", shape == 0 ? m.mean : shape / theta}, {"shape", shape}});
}

constexpr Fitter all[] = {
    {"normal", 2, normal},
    {"lognormal", 2, lognormal},
    {"gamma", 2, gamma},
    {"weibull", 2, weibull},
    {"uniform", 2, uniform},
    {"exponential", 1, exponential},
    {"shifted_exponential", 2, shifted_exponential},
    {"pareto", 2, pareto},
    {"gpd", 2, gpd},
};

}  // namespace

SampleMoments moments_of(std::span<const double> samples) {
  SampleMoments m;
  m.sorted.assign(samples.begin(), samples.end());
  std::sort(m.sorted.begin(), m.sorted.end());
  m.n = static_cast<double>(m.sorted.size());
  const auto two = [&](const std::vector<double>& v, double& mean, double& variance) {
    mean = sum_compensated(v) / m.n;
    std::vector<double> squares(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) squares[i] = (v[i] - mean) * (v[i] - mean);
    variance = sum_compensated(squares) / m.n;
  };
  two(m.sorted, m.mean, m.variance);
  if (m.sorted.front() > 0) {
    m.logs.reserve(m.sorted.size());
    for (const double x : m.sorted) m.logs.push_back(log_exact(x));
    two(m.logs, m.log_mean, m.log_variance);
  }
  return m;
}

std::span<const Fitter> fitters() { return all; }

bool contained_in(std::string_view a, std::string_view b) {
  if (b == "mixture") return a == "lognormal";
  if (a == "exponential") return b == "gamma" || b == "weibull" || b == "gpd" || b == "shifted_exponential";
  return false;
}

}  // namespace prism
