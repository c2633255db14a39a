// SPDX-License-Identifier: Apache-2.0
#include "workload/shapes.h"

#include "workload/product.h"

namespace prism::workload {
namespace {

bool applies(const Factor& factor, Kind kind) {
  if (factor.what == kind_name(kind)) return true;
  return factor.what == (class_of(kind) == Class::compute ? "compute" : "communication");
}

}  // namespace

ShapeBook::ShapeBook(const std::vector<Factor>& factors) : factors_(factors) {
  shapes_.push_back(Distribution({"constant", [](Mass) { return 1.0; }, 1, 0}));
}

std::optional<Distribution> ShapeBook::factor_of(Kind kind) const {
  std::optional<Distribution> product;
  for (const Factor& factor : factors_) {
    if (factor.scope != Factor::Scope::operation || !applies(factor, kind)) continue;
    product = product ? product_of(*product, factor.factor) : factor.factor;
  }
  return product;
}

int ShapeBook::of(Kind kind) {
  const auto known = by_kind_.find(kind);
  if (known != by_kind_.end()) return known->second;
  int index = 0;
  if (const auto factor = factor_of(kind)) {
    index = static_cast<int>(shapes_.size());
    shapes_.push_back(*factor);
  }
  by_kind_[kind] = index;
  return index;
}

int ShapeBook::of(Kind kind, const Distribution& latency) {
  const auto factor = factor_of(kind);
  shapes_.push_back(factor ? product_of(latency, *factor) : latency);
  return static_cast<int>(shapes_.size()) - 1;
}

}  // namespace prism::workload
