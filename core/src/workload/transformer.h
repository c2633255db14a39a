// SPDX-License-Identifier: Apache-2.0
// The dense transformer of a job description as operators with base latencies: layer, embedding and head,
// forward and backward, on one rank. Byte counts and their sources: docs/cost-model.md.
#pragma once

#include <string>

#include "prism/scenario.h"
#include "workload/network.h"
#include "workload/program.h"

namespace prism::workload {

/// Vocabulary rounded up as Megatron does it, to a multiple of 128 per tensor rank.
std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t tp);

/// Parameters of one layer and of one embedding (or head) matrix on one tensor rank. Norm weights are whole
/// on each.
double layer_parameters(const Model& model, std::int64_t tp);
double layer_norm_parameters(const Model& model);
double embedding_parameters(const Model& model, std::int64_t tp);

class Transformer {
 public:
  Transformer(const Scenario& scenario, const Network& network);

  void embedding_forward(Program& program) const;
  void layer_forward(Program& program) const;
  void head_forward(Program& program) const;
  void head_backward(Program& program) const;
  /// With what recomputation adds.
  void layer_backward(Program& program) const;
  void embedding_backward(Program& program) const;

  /// How the tensor collectives of a layer run, for the notes; empty without tensor parallelism.
  const CommunicationTime& layer_collective() const { return exchange_; }
  double layer_forward_s() const;
  double layer_backward_s() const;  ///< without recomputation

 private:
  struct Pass {
    Operator residual_norm, qkv, reshape, attention, projection, ffn_in, activation, ffn_out, gaps;
    double seconds(double collectives_s) const;
  };

  /// Sizes of one micro-batch on one tensor rank.
  struct Sizes {
    double t;                ///< tensor ranks
    double b, s, tokens;     ///< sequences, tokens a sequence, tokens
    double h, f, x;          ///< hidden, FFN width, activations = tokens * hidden (all whole)
    double heads, d, q, kv;  ///< query heads held, size of a head, widths of queries and of keys held
    double vocabulary;       ///< entries held, padded
    bool gated;
  };
  static Sizes sizes_of(const Scenario& scenario);

  Pass make_pass(const Sizes& sizes, bool backward) const;
  double attention_s(const Sizes& sizes, bool backward) const;
  void make_collectives(const Sizes& sizes, const Network& network);
  void make_ends(const Sizes& sizes, const Network& network);

  double gemm_s(double m, double n, double k) const;
  double memory_s(double bytes) const;
  Operator op(const char* name, Kind kind, double seconds) const;
  Operator gemm(const char* name, double m, double n, double k, double times) const;
  void enter(Program& program) const;  ///< before a sharded block
  void leave(Program& program) const;  ///< after it

  const Gpu& gpu_;
  const CostModel& cost_;
  bool parallel_, sequence_parallel_;
  Recompute recompute_;

  Pass forward_, backward_;
  CommunicationTime exchange_;
  double layer_collectives_s_ = 0;  ///< exposed, in one pass over a layer
  Operator gather_, scatter_, reduce_;
  Operator embedding_lookup_, embedding_gradient_;
  Operator head_norm_, head_forward_, head_backward_, loss_forward_, loss_backward_, loss_statistics_;
};

}  // namespace prism::workload
