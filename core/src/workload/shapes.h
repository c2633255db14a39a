// SPDX-License-Identifier: Apache-2.0
// The shapes of operator latencies: which random factors of operation scope apply to an operator, and the one
// distribution that their product has.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "prism/scenario.h"
#include "prism/workload.h"

namespace prism::workload {

/// Collects Workload::shapes. Equal needs get equal indices.
class ShapeBook {
 public:
  explicit ShapeBook(const std::vector<Factor>& factors);

  /// Shape of an operator of this kind whose scale is its median latency: the product of the factors on it.
  int of(Kind kind);
  /// Shape of an operator with its own latency distribution (seconds), times the factors on its kind.
  int of(Kind kind, const Distribution& latency);

  std::vector<Distribution> take() && { return std::move(shapes_); }

 private:
  std::optional<Distribution> factor_of(Kind kind) const;

  const std::vector<Factor>& factors_;
  std::vector<Distribution> shapes_;
  std::map<Kind, int> by_kind_;
};

}  // namespace prism::workload
