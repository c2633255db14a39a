// SPDX-License-Identifier: Apache-2.0
// How many parameters a model has, and how many of them one rank holds.
#pragma once

#include <vector>

#include "prism/scenario.h"

namespace prism::workload {

/// Vocabulary rounded up as Megatron does it, to a multiple of 128 per tensor rank.
std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t tp);

/// Key-value heads on one tensor rank. Fewer heads than ranks: each is held by several, as in Megatron-LM.
std::int64_t kv_heads_held(const Model& model, std::int64_t tp);

/// Widths of what the heads on one tensor rank work on.
struct HeadWidths {
  double heads = 0;             ///< query heads held
  double query = 0, value = 0;  ///< width of a query (and key) and of a value of one head
  double keys = 0;              ///< width of all keys held
  double values = 0;            ///< width of all values held
};
HeadWidths head_widths(const Model& model, std::int64_t tp);

/// Whether layer `layer` (from 0, in model order) has experts.
bool has_experts(const Model& model, std::int64_t layer);

/// Parameters by how their gradients are reduced.
struct Parameters {
  double plain = 0;    ///< matrices, reduced over replicas and context ranks
  double norms = 0;    ///< layer norms, routers and what else is whole on each tensor rank
  double experts = 0;  ///< routed experts, reduced over the ranks that hold the same ones

  double all() const { return plain + norms + experts; }
  Parameters& operator+=(const Parameters& o) {
    plain += o.plain;
    norms += o.norms;
    experts += o.experts;
    return *this;
  }
};

/// Of one layer, with or without experts, on one rank of the layout.
Parameters layer_parameters(const Model& model, bool experts, const Parallel& parallel);
/// Of one embedding (or head) matrix on one tensor rank.
double embedding_parameters(const Model& model, std::int64_t tp);
/// Adds what stands beside the layers: the embedding before the first, the final norm and the head after the
/// last.
void add_ends(Parameters& held, const Model& model, const Parallel& parallel, bool first, bool last);
/// What one GPU of each pipeline rank holds.
std::vector<Parameters> parameters_held(const Model& model, const Parallel& parallel);

/// Of the whole model, embedding and head included; `active`: those that one token uses.
double model_parameters(const Model& model, bool active = false);

/// Multiply-adds of one token in the matrices of one layer, attention scores left out.
double layer_products(const Model& model, bool experts);

}  // namespace prism::workload
