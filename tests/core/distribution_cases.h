// SPDX-License-Identifier: Apache-2.0
// Short ways to the distributions that tests use.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "prism/distribution.h"

namespace prism::test {

using Made = std::variant<Distribution, ParameterFault>;

/// Names of a set's parameters joined by '+', e.g. "median+p95".
inline std::string name_of(const ParameterSet& set) {
  std::string name;
  for (const Parameter& p : set.parameters) name += (name.empty() ? "" : "+") + std::string(p.name);
  return name;
}

inline Made try_make(const std::string& family, const std::string& parameters,
                     const std::vector<double>& values) {
  const Family* f = find_family(family);
  if (!f) throw std::runtime_error("no family " + family);
  for (const ParameterSet& set : f->sets) {
    if (name_of(set) == parameters) return set.make(values);
  }
  throw std::runtime_error(family + " has no parameters " + parameters);
}

inline Distribution unwrap(Made made) {
  if (const auto* fault = std::get_if<ParameterFault>(&made)) throw std::runtime_error(fault->message);
  return std::get<Distribution>(made);
}

inline Distribution make(const std::string& family, const std::string& parameters,
                         const std::vector<double>& values) {
  return unwrap(try_make(family, parameters, values));
}

struct Named {
  std::string name;
  Distribution law;
};

/// One or more laws of every family, lists included: what every law must be able to do is tested on all of
/// these. A new family is found by families(), with its first two-parameter set at (1, 0.3) or what `values`
/// says.
inline std::vector<Named> laws() {
  std::vector<Named> all;
  for (const Family& family : families()) {
    for (const ParameterSet& set : family.sets) {
      std::vector<double> values{1, 0.3};
      const std::string name = name_of(set);
      if (set.parameters.size() == 1) values = {2};
      if (name == "median+p95" || name == "low+high") values = {1, 1.5};
      if (name == "minimum+shape") values = {1, 2.5};
      if (name == "location+scale+shape") values = {1, 0.5, 0.2};
      all.push_back({std::string(family.name) + " " + name, unwrap(set.make(values))});
    }
  }
  all.push_back({"gamma cv 3", make("gamma", "mean+cv", {1, 3})});
  all.push_back({"lognormal cv 3", make("lognormal", "mean+cv", {1, 3})});
  all.push_back({"weibull cv 3", make("weibull", "mean+cv", {1, 3})});
  all.push_back({"normal far from 0", make("normal", "location+scale", {100, 1})});
  all.push_back({"half normal", make("normal", "location+scale", {0, 1})});
  const std::vector<Distribution> modes{make("lognormal", "median+cv", {1, 0.1}),
                                        make("lognormal", "median+cv", {1.6, 0.05})};
  all.push_back({"mixture of two modes", unwrap(make_mixture(std::vector<double>{0.95, 0.05}, modes))});
  const std::vector<Distribution> stall{make("constant", "value", {1}), make("exponential", "mean", {3})};
  all.push_back({"mixture with an atom", unwrap(make_mixture(std::vector<double>{0.9, 0.1}, stall))});
  all.push_back({"empirical samples", unwrap(make_empirical(std::vector<double>{3, 1, 4, 1, 5, 9, 2, 6}))});
  all.push_back({"empirical quantiles", unwrap(make_empirical_quantiles(std::vector<double>{0, 0.5, 0.95, 1},
                                                                        std::vector<double>{1, 2, 3, 10}))});
  return all;
}

}  // namespace prism::test
