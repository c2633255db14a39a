// SPDX-License-Identifier: Apache-2.0
#include "workload/shapes.h"

#include <cstdint>
#include <map>
#include <utility>

namespace prism {

bool acts_on(std::string_view what, Kind kind, bool leaves_node) {
  if (what == kind_name(kind)) return true;
  if (class_of(kind) == Class::compute) return what == "compute";
  return what == "communication" || what == (leaves_node ? "inter_node" : "intra_node");
}

namespace workload {
namespace {

/// Shapes by what they are made of, so that equal needs get equal indices.
class Products {
 public:
  Products(Workload& workload, const std::vector<Factor>& factors)
      : workload_(workload), factors_(factors), own_(std::exchange(workload.shapes, {})) {
    add(own_[0], own_[0].median());
    known_[{0, 0}] = 0;
  }

  void apply(Operator& op, bool leaves_node) {
    std::uint64_t acting = 0;
    for (std::size_t i = 0; i < factors_.size(); ++i)
      if (factors_[i].scope == Factor::Scope::operation && acts_on(factors_[i].what, op.kind, leaves_node))
        acting |= std::uint64_t{1} << i;
    const auto [entry, is_new] = known_.try_emplace({op.shape, acting}, 0);
    if (is_new) entry->second = make(op.shape, acting);
    op.shape = entry->second;
  }

 private:
  int make(int own, std::uint64_t acting) {
    Distribution product = own_[static_cast<std::size_t>(own)];
    const double median = product.median();
    for (std::size_t i = 0; i < factors_.size(); ++i)
      if (acting >> i & 1) product = product_of(product, factors_[i].factor);
    return add(product, median);
  }
  int add(Distribution shape, double median) {
    workload_.shapes.push_back(std::move(shape));
    workload_.shape_medians.push_back(median);
    return static_cast<int>(workload_.shapes.size()) - 1;
  }

  Workload& workload_;
  const std::vector<Factor>& factors_;
  std::vector<Distribution> own_;
  std::map<std::pair<int, std::uint64_t>, int> known_;
};

}  // namespace

ShapeBook::ShapeBook() {
  shapes_.push_back(Distribution({"constant", [](Mass) { return 1.0; }, 1, 0}));
}

int ShapeBook::of(const Distribution& latency) {
  shapes_.push_back(latency);
  return static_cast<int>(shapes_.size()) - 1;
}

void apply_operation_factors(Workload& workload, const std::vector<Factor>& factors) {
  Products products(workload, factors);
  const auto apply = [&](std::vector<Segment>& segments) {
    for (Segment& s : segments) {
      for (Operator& op : s.compute) products.apply(op, false);
      if (s.has_collective) products.apply(s.collective, workload.leaves_node(s.group));
    }
  };
  for (StageProgram& stage : workload.stages) {
    apply(stage.forward);
    apply(stage.backward);
    apply(stage.weight);
  }
  for (auto& rank : workload.end.rank) apply(rank);
  if (!workload.transfers.present) return;
  products.apply(workload.transfers.forward, workload.transfers_leave_node);
  products.apply(workload.transfers.backward, workload.transfers_leave_node);
}

}  // namespace workload
}  // namespace prism
