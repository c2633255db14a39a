// SPDX-License-Identifier: Apache-2.0
#include "workload/shapes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace prism {

bool acts_on(std::string_view what, Kind kind, bool leaves_node) {
  if (what == kind_name(kind)) return true;
  if (class_of(kind) == Class::compute) return what == "compute";
  return what == "communication" || what == (leaves_node ? "inter_node" : "intra_node");
}

bool varies_by(std::string_view what, const Workload& workload, Kind kind, bool leaves_node) {
  for (const std::string& silenced : workload.silenced)
    if (acts_on(silenced, kind, leaves_node)) return false;
  return acts_on(what, kind, leaves_node);
}

namespace workload {
namespace {

/// Every operator, and whether it leaves a node.
template <class Visit>
void for_each_operator(Workload& workload, Visit visit) {
  const auto segments = [&](std::vector<Segment>& list) {
    for (Segment& s : list) {
      for (Operator& op : s.compute) visit(op, false);
      if (s.has_collective) visit(s.collective, workload.leaves_node(s.group));
      if (s.beside.scale_s > 0) visit(s.beside, workload.leaves_node(s.group));
    }
  };
  for (StageProgram& stage : workload.stages)
    for (auto* list : {&stage.forward, &stage.backward, &stage.weight, &stage.reductions}) segments(*list);
  for (auto& rank : workload.end.rank) segments(rank);
  if (!workload.transfers.present) return;
  visit(workload.transfers.forward, workload.transfers_leave_node);
  visit(workload.transfers.backward, workload.transfers_leave_node);
}

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
  for_each_operator(workload, [&](Operator& op, bool leaves_node) { products.apply(op, leaves_node); });
}

void apply_scale(Workload& workload, const std::vector<Multiple>& scale) {
  for_each_operator(workload, [&](Operator& op, bool leaves_node) {
    for (const Multiple& m : scale)
      if (acts_on(m.what, op.kind, leaves_node)) op.scale_s *= m.by;
  });
}

void silence(Workload& workload, const std::vector<std::string>& targets) {
  if (targets.empty()) return;
  // Nodes of one pipeline stage: as many stalls as strike it are spread over its operators evenly.
  const double nodes = static_cast<double>(workload.tp) / static_cast<double>(workload.gpus_per_node);
  for_each_operator(workload, [&](Operator& op, bool leaves_node) {
    bool silenced = false;
    for (const std::string& what : targets) silenced |= acts_on(what, op.kind, leaves_node);
    if (!silenced) return;
    op.scale_s *= workload.shapes[static_cast<std::size_t>(op.shape)].mean();
    op.shape = 0;
    for (const Factor& f : workload.causes)
      if (acts_on(f.what, op.kind, leaves_node)) op.scale_s *= f.factor.mean();
    const double struck = class_of(op.kind) == Class::compute ? nodes : std::max(nodes, 1.0);
    double stalled = 1;
    for (const Stall& s : workload.stalls)
      if (acts_on(s.what, op.kind, leaves_node)) stalled += s.per_node_s * struck * s.duration.mean();
    op.scale_s *= stalled;
  });
  workload.silenced = targets;
}

}  // namespace workload
}  // namespace prism
