// SPDX-License-Identifier: Apache-2.0
#include "distribution/family.h"

#include <cstdio>
#include <optional>
#include <utility>

namespace prism::detail {
namespace {

/// A parameter of `largest` may go with a mean somewhat larger; float ends at 3e38.
constexpr double largest_mean = 1e30;

std::optional<ParameterFault> check_location(std::string_view name, double value) {
  if (value > 0) return std::nullopt;
  return not_positive(name, value);
}

std::optional<ParameterFault> check_cv(double cv) {
  if (cv >= least_spread) return std::nullopt;
  return no_spread("cv", cv);
}

std::optional<ParameterFault> check_p95(double median, double p95) {
  if (p95 - median >= least_spread * median) return std::nullopt;
  if (p95 >= median) {
    return ParameterFault{"p95", "p95 is the median, " + number(median) + ": for no spread use \"constant\""};
  }
  return ParameterFault{"p95", "p95 must be above the median, " + number(median) + ", but is " + number(p95)};
}

/// A family's own limit speaks first; this one is for those that have none.
Made limited(Made made, double cv) {
  constexpr double most = 1000;
  if (cv <= most || std::holds_alternative<ParameterFault>(made)) return made;
  return beyond("cv", cv, "at most", most, "its shape could not be told from that of an infinite variance");
}

}  // namespace

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", v);
  return text;
}

ParameterFault not_positive(std::string_view parameter, double value) {
  return {parameter, std::string(parameter) + " must be positive, not " + number(value)};
}

ParameterFault negative(std::string_view parameter, double value) {
  return {parameter, std::string(parameter) + " must not be negative, but is " + number(value)};
}

ParameterFault no_spread(std::string_view parameter, double value) {
  if (value < 0) return not_positive(parameter, value);
  return {parameter,
          std::string(parameter) + " is " + number(value) + ", which is no spread: use \"constant\""};
}

ParameterFault beyond(std::string_view parameter, double value, std::string_view relation, double limit,
                      std::string_view why) {
  return {parameter, std::string(parameter) + " must be " + std::string(relation) + " " + number(limit) +
                         " (" + std::string(why) + "), but is " + number(value)};
}

ParameterSet parameter_set(std::vector<Parameter> parameters,
                           std::function<Made(std::span<const double>)> make) {
  const std::vector<Parameter> names = parameters;
  return {
      std::move(parameters), [names, make = std::move(make)](std::span<const double> values) -> Made {
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (!(values[i] >= -largest && values[i] <= largest)) {
            return ParameterFault{names[i].name, std::string(names[i].name) +
                                                     " must be a number of at most " + number(largest) +
                                                     ", not " + number(values[i])};
          }
        }
        Made made = make(values);
        if (const auto* d = std::get_if<Distribution>(&made); d && !(d->mean() <= largest_mean)) {
          return ParameterFault{names.back().name, "these values give a mean beyond the range of numbers"};
        }
        return made;
      }};
}

ParameterSet median_p95(std::function<Made(double, double)> make) {
  return parameter_set({{"median", true}, {"p95", true}},
                       [make = std::move(make)](std::span<const double> v) -> Made {
                         if (auto f = check_location("median", v[0])) return *f;
                         if (auto f = check_p95(v[0], v[1])) return *f;
                         return make(v[0], v[1]);
                       });
}

ParameterSet mean_cv(std::function<Made(double, double)> make) {
  return parameter_set({{"mean", true}, {"cv", false}},
                       [make = std::move(make)](std::span<const double> v) -> Made {
                         if (auto f = check_location("mean", v[0])) return *f;
                         if (auto f = check_cv(v[1])) return *f;
                         return limited(make(v[0], v[1]), v[1]);
                       });
}

ParameterSet median_cv(std::function<Made(double, double)> make) {
  return parameter_set({{"median", true}, {"cv", false}},
                       [make = std::move(make)](std::span<const double> v) -> Made {
                         if (auto f = check_location("median", v[0])) return *f;
                         if (auto f = check_cv(v[1])) return *f;
                         return limited(make(v[0], v[1]), v[1]);
                       });
}

}  // namespace prism::detail
