// SPDX-License-Identifier: Apache-2.0
// The transformer of a job description as operators with base latencies: layers with and without experts,
// embedding and head, forward and backward, on one rank. Byte counts and their sources: docs/cost-model.md.
#pragma once

#include <vector>

#include "prism/scenario.h"
#include "workload/kernels.h"
#include "workload/network.h"
#include "workload/parameters.h"
#include "workload/program.h"

namespace prism::workload {

/// Activations of a micro-batch between pipeline neighbours; every tensor and context rank sends its share.
double transfer_bytes(const Scenario& scenario);

class Transformer {
 public:
  Transformer(const Scenario& scenario, const Network& network);

  /// What a chunk waits for the activations (or gradients) it begins with.
  void arrival(Program& program) const {
    // The whole group waits: what a collective does.
    if (arrival_.scale_s > 0) program.collective(arrival_, Group::tensor);
  }
  void embedding_forward(Program& program) const;
  void layer_forward(Program& program, bool experts) const { play(program, of(experts).forward); }
  void head_forward(Program& program) const;
  void head_backward(Program& program) const;
  /// With what recomputation adds.
  void layer_backward(Program& program, bool experts) const;
  void embedding_backward(Program& program) const;

  /// How the collectives of a layer run, for the notes; empty where there are none.
  const CommunicationTime& tensor_exchange() const { return exchange_; }
  const CommunicationTime& context_exchange() const { return context_gather_; }
  const CommunicationTime& expert_exchange() const { return dispatch_; }
  double layer_forward_s(bool experts) const { return of(experts).forward_s; }
  double layer_backward_s(bool experts) const { return of(experts).backward_s; }  ///< without recomputation
  /// Sharded parameters of a layer: gathered and reduced in this time, of which so much is not hidden.
  struct Sharding {
    double gather_s = 0, reduce_s = 0, exposed_forward_s = 0, exposed_backward_s = 0;
  };
  const Sharding& sharding(bool experts) const { return of(experts).sharding; }

 private:
  struct Item {
    Operator op;
    Group group = Group::none;  ///< of a collective; none: compute
    Operator beside = {};       ///< of a collective beside the layer's compute: all of it
  };
  using Items = std::vector<Item>;
  struct Layer {
    Items forward, backward;
    double forward_s = 0, backward_s = 0;
    Sharding sharding;
  };

  /// Sizes of one micro-batch on one tensor and context rank.
  struct Sizes {
    double t, cp;         ///< tensor and context ranks
    double b, s, tokens;  ///< sequences, tokens a sequence (whole), tokens held
    double h, f, x;       ///< hidden, FFN width, activations = tokens * hidden (all whole)
    HeadWidths heads;
    double vocabulary;  ///< entries held, padded
    bool gated;
  };
  static Sizes sizes_of(const Scenario& scenario);

  Layer make_layer(const Scenario& scenario, const Network& network, bool experts) const;
  Items make_pass(const Scenario& scenario, bool experts, bool backward) const;
  void add_attention(Items& items, bool backward) const;
  void add_plain_ffn(Items& items, double width, bool backward) const;
  void add_experts(Items& items, const Scenario& scenario, bool backward) const;
  void add_latent_projections(Items& items, const Scenario& scenario, double times) const;
  Sharding shard(const Scenario& scenario, const Network& network, bool experts, double forward_s,
                 double backward_s) const;
  double attention_s(bool backward) const;
  void make_collectives(const Scenario& scenario, const Network& network);
  void make_ends(const Scenario& scenario, const Network& network);

  Operator op(const char* name, Kind kind, double seconds) const;
  Operator bytes(const char* name, double count) const;  ///< element-wise
  Operator gemm(const char* name, double m, double n, double k, double times) const;
  void enter(Items& items) const;  ///< before a block that is split over the tensor ranks
  void leave(Items& items) const;  ///< after it
  void play(Program& program, const Items& items) const;
  const Layer& of(bool experts) const { return experts ? expert_layer_ : layer_; }

  Kernels kernels_;
  CostModel cost_;
  Sizes sizes_;
  bool parallel_, sequence_parallel_, latent_, ring_;
  Recompute recompute_;

  CommunicationTime exchange_, context_gather_, dispatch_;
  Operator arrival_, gather_, scatter_, reduce_;
  Layer layer_, expert_layer_;
  Operator embedding_lookup_, embedding_gradient_, embedding_gather_, embedding_reduce_;
  Operator head_norm_, last_norm_, head_forward_, head_backward_, loss_forward_, loss_backward_,
      loss_statistics_;
};

}  // namespace prism::workload
