// SPDX-License-Identifier: Apache-2.0
#include "workload/transformer.h"

#include <algorithm>

namespace prism::workload {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

// Memory traffic of the element-wise kernels of a layer, bytes an element, from counting reads and writes of
// Megatron's kernels: x = tokens * hidden, f = tokens * ffn_hidden.
constexpr double residual_norm_forward = 22,
                 residual_norm_backward = 28;  // per x; two norms, dropouts, residuals
constexpr double reshape_both = 16;            // per element of the queries; bias and transposes of q, k, v
constexpr double activation_forward = 4, activation_backward = 6;  // per f / t
constexpr double gated_forward = 10, gated_backward = 14;
// Copies of a token are written in the order of the experts, and summed back: a read and a write each.
constexpr double permute_both = 4;  // per x / t and visited expert, each way
// Attention without flash: score matrix through scale, mask, softmax and dropout, bytes a score.
constexpr double score_forward = 9, score_backward = 11;
// A flash backward pass computes five products where forward computes two, at a lower rate.
constexpr double flash_backward_time = 2.75;
// Head: logits through cast, maximum, exponential, sum and gradient, bytes a logit.
constexpr double logit_forward = 12, logit_backward = 8;
// Embedding: read and write a row; gradient rows are added in 32 bits.
constexpr double lookup = 4, lookup_gradient_read = 2, lookup_gradient_add = 8;

bool shards_parameters(const Parallel& p) { return p.zero == 3 && p.gather == Gather::per_micro_batch; }
bool shards_gradients(const Parallel& p) { return p.zero >= 2 && p.gather == Gather::per_micro_batch; }

}  // namespace

double transfer_bytes(const Scenario& scenario) {
  return word * real(scenario.batch.micro) * real(scenario.batch.sequence) * real(scenario.model->hidden) /
         real(scenario.parallel.tp * scenario.parallel.cp);
}

Operator Transformer::op(const char* name, Kind kind, double seconds) const {
  if (class_of(kind) == Class::compute) seconds *= cost_.compute_scale;
  return {name, kind, seconds};
}

Operator Transformer::bytes(const char* name, double count) const {
  return op(name, Kind::elementwise, kernels_.memory_s(count));
}

Operator Transformer::gemm(const char* name, double m, double n, double k, double times) const {
  return op(name, Kind::gemm, times * kernels_.product_s(m, n, k));
}

Transformer::Transformer(const Scenario& scenario, const Network& network)
    : kernels_(scenario.cluster.gpu, scenario.cost_model),
      cost_(scenario.cost_model),
      sizes_(sizes_of(scenario)),
      parallel_(scenario.parallel.tp > 1),
      sequence_parallel_(scenario.parallel.sequence_parallel && scenario.parallel.tp > 1),
      latent_(scenario.model->latent_attention.has_value()),
      ring_(scenario.parallel.cp_exchange == ContextExchange::ring),
      recompute_(scenario.parallel.recompute) {
  make_collectives(scenario, network);
  if (scenario.parallel.pp > 1)
    arrival_ = op("transfer, waited for", Kind::send_recv,
                  (1 - cost_.pp_overlap) * network.transfer(transfer_bytes(scenario)).seconds);
  layer_ = make_layer(scenario, network, false);
  if (scenario.model->experts) expert_layer_ = make_layer(scenario, network, true);
  make_ends(scenario, network);
}

Transformer::Sizes Transformer::sizes_of(const Scenario& scenario) {
  const Model& model = *scenario.model;
  const std::int64_t tp = scenario.parallel.tp;
  Sizes z;
  z.t = real(tp);
  z.cp = real(scenario.parallel.cp);
  z.b = real(scenario.batch.micro);
  z.s = real(scenario.batch.sequence);
  z.tokens = z.b * z.s / z.cp;
  z.h = real(model.hidden);
  z.f = real(model.ffn_hidden);
  z.x = z.tokens * z.h;
  z.heads = head_widths(model, tp);
  z.vocabulary = real(padded_vocabulary(model.vocabulary, tp)) / z.t;
  z.gated = model.gated_ffn;
  return z;
}

void Transformer::make_collectives(const Scenario& scenario, const Network& network) {
  const Sizes& z = sizes_;
  const double exposed = 1 - cost_.tp_overlap;
  if (sequence_parallel_) {
    exchange_ = network.gather_or_scatter(network.tensor, word * z.x);
    gather_ = op("all-gather of activations", Kind::all_gather, exposed * exchange_.seconds);
    scatter_ = op("reduce-scatter of activations", Kind::reduce_scatter, exposed * exchange_.seconds);
  } else if (parallel_) {
    exchange_ = network.all_reduce(network.tensor, word * z.x);
    reduce_ = op("all-reduce of activations", Kind::all_reduce, exposed * exchange_.seconds);
  }
  if (z.cp > 1)  // keys and values of the whole sequence, of the heads on this rank
    context_gather_ =
        network.gather_or_scatter(network.context, word * z.b * z.s * (z.heads.keys + z.heads.values));
  if (scenario.model->experts) {
    // Each tensor rank sends its share of the tokens, once for each expert a token visits; the ranks that
    // share an expert then gather what the others of them received.
    const std::int64_t copies = scenario.model->experts->top_k;
    const double tokens = word * z.x / z.t;
    dispatch_ = network.all_to_all(network.expert, tokens, copies);
    const CommunicationTime shared =
        network.gather_or_scatter(network.expert_tensor, tokens * real(copies * scenario.parallel.etp));
    dispatch_.seconds += shared.seconds;
    if (dispatch_.how.empty()) dispatch_.how = shared.how;
  }
}

void Transformer::enter(Items& items) const {
  if (sequence_parallel_) items.push_back({gather_, Group::tensor});
}

void Transformer::leave(Items& items) const {
  if (sequence_parallel_)
    items.push_back({scatter_, Group::tensor});
  else if (parallel_)
    items.push_back({reduce_, Group::tensor});
}

double Transformer::attention_s(bool backward) const {
  const Sizes& z = sizes_;
  // A context rank computes an equal share of the scores.
  const double scores = z.b * z.heads.heads * z.s * z.s / z.cp;
  const double both = 2 * scores * (z.heads.query + z.heads.value);  // FLOPs of the two products, all scores
  if (cost_.flash_attention) return kernels_.flash_s((backward ? flash_backward_time : 1) * both / 2);
  const double product_s = kernels_.score_product_s(both / 2);
  return (backward ? 4 : 2) * product_s +
         kernels_.memory_s((backward ? score_backward : score_forward) * scores);
}

/// Products of low-rank attention: down to the ranks (whole on every tensor rank), up to the heads (split).
void Transformer::add_latent_projections(Items& items, const Scenario& scenario, double times) const {
  const Sizes& z = sizes_;
  const LatentAttention& a = *scenario.model->latent_attention;
  const double share = sequence_parallel_ ? z.t : 1;  // the way down works on the tokens a rank holds
  const double down = real(a.query_rank + a.kv_rank + a.rope_dim),
               from = a.query_rank > 0 ? real(a.query_rank) : z.h;
  items.push_back({gemm("query, key and value product, down", z.tokens / share, down, z.h, times)});
  items.push_back({gemm("query product, up", z.tokens, z.heads.heads * z.heads.query, from, times)});
  items.push_back(
      {gemm("key and value product, up", z.tokens,
            z.heads.heads * (real(scenario.model->head_dim) + z.heads.value), real(a.kv_rank), times)});
}

void Transformer::add_attention(Items& items, bool backward) const {
  const Sizes& z = sizes_;
  const double attention = attention_s(backward);
  if (z.cp == 1) {
    items.push_back({op("attention", Kind::attention, attention)});
    return;
  }
  // Backward sees keys and values again, and sums their gradients.
  const double around = context_gather_.seconds;
  if (ring_) {
    // The pieces travel beside the products of the piece before; the rest of their time counts.
    const double exposed = std::max(0.0, (backward ? 2 : 1) * around - attention * cost_.compute_scale);
    items.push_back({op("keys and values around the ring", Kind::send_recv, exposed), Group::context});
    items.push_back({op("attention", Kind::attention, attention)});
    return;
  }
  items.push_back({op("all-gather of keys and values", Kind::all_gather, around), Group::context});
  items.push_back({op("attention", Kind::attention, attention)});
  if (backward)
    items.push_back(
        {op("reduce-scatter of key and value gradients", Kind::reduce_scatter, around), Group::context});
}

void Transformer::add_plain_ffn(Items& items, double width, bool backward) const {
  const Sizes& z = sizes_;
  const double products = backward ? 2 : 1, columns = width / z.t;
  const double activation = z.gated ? (backward ? gated_backward : gated_forward)
                                    : (backward ? activation_backward : activation_forward);
  const Item in{gemm("FFN input product", z.tokens, columns, z.h, z.gated ? 2 * products : products)};
  const Item out{gemm("FFN output product", z.tokens, z.h, columns, products)};
  items.push_back(backward ? out : in);
  items.push_back({bytes("activation", activation * z.tokens * columns)});
  items.push_back(backward ? in : out);
}

/// Router, shared experts, then the routed ones; tokens are taken to spread evenly over the experts.
void Transformer::add_experts(Items& items, const Scenario& scenario, bool backward) const {
  const Sizes& z = sizes_;
  const Experts& e = *scenario.model->experts;
  const Parallel& p = scenario.parallel;
  const double products = backward ? 2 : 1, k = real(e.top_k);
  const double held = z.tokens / z.t;  // tokens that this rank routes
  if (e.shared > 0) {
    enter(items);
    add_plain_ffn(items, real(e.shared * e.ffn_hidden), backward);
    leave(items);
  }
  const bool spread = p.ep * p.etp > 1;
  const auto exchange = [&](const char* name) {
    if (spread) items.push_back({op(name, Kind::all_to_all, dispatch_.seconds), Group::expert});
  };
  items.push_back({gemm("router product", held, real(e.count), z.h, products)});
  items.push_back({bytes("tokens to the order of the experts", permute_both * k * held * z.h)});
  exchange("tokens to their experts");
  const double rows = held * k * real(p.etp), columns = real(e.ffn_hidden) / real(p.etp);
  const double local = real(e.count / p.ep);
  const double activation = z.gated ? (backward ? gated_backward : gated_forward)
                                    : (backward ? activation_backward : activation_forward);
  const auto grouped = [&](const char* name, double n, double depth, double times) {
    items.push_back({op(name, Kind::gemm, times * kernels_.product_s(rows, n, depth, local))});
  };
  grouped("experts' input product", columns, z.h, z.gated ? 2 * products : products);
  items.push_back({bytes("activation", activation * rows * columns)});
  grouped("experts' output product", z.h, columns, products);
  exchange("tokens back from their experts");
  items.push_back({bytes("tokens to their own order", permute_both * k * held * z.h)});
}

// Residual, dropout and norm after a block's collective belong to the block before; they are accounted at the
// beginning of the next layer, so that a layer, and with it every chunk, ends in a tensor collective. Those
// after the last layer stand in the head. Backward mirrors it. Under sequence parallelism the input of the
// block is gathered once more for the gradient of the weights; that collective runs beside the product that
// gives the gradient of the input and takes no time of its own.
Transformer::Items Transformer::make_pass(const Scenario& scenario, bool experts, bool backward) const {
  const Sizes& z = sizes_;
  const double products = backward ? 2 : 1;  // backward: gradients of the input and of the weights
  const double norm_bytes = (backward ? residual_norm_backward : residual_norm_forward) / 2 * z.x;
  const Item norm{bytes("residual, dropout and norm", sequence_parallel_ ? norm_bytes / z.t : norm_bytes)};
  const double queries = z.heads.heads * z.heads.query;
  const Item reshape{bytes("bias and transpose of query, key and value", reshape_both * z.tokens * queries)};
  const Item projection{gemm("projection product", z.tokens, z.h, z.heads.heads * z.heads.value, products)};
  const auto inputs = [&](Items& to) {
    if (latent_)
      add_latent_projections(to, scenario, products);
    else
      to.push_back({gemm("query, key and value product", z.tokens, queries + z.heads.keys + z.heads.values,
                         z.h, products)});
  };
  const auto attention_block = [&](Items& to) {
    to.push_back(norm);
    enter(to);
    if (!backward) {
      inputs(to);
      to.push_back(reshape);
      add_attention(to, false);
      to.push_back(projection);
    } else {
      to.push_back(projection);
      if (recompute_ == Recompute::selective) {
        Items again;
        add_attention(again, false);
        for (Item& item : again) {
          item.op.name += ", recomputed";
          to.push_back(item);
        }
      }
      add_attention(to, true);
      to.push_back(reshape);
      inputs(to);
    }
    leave(to);
  };
  const auto ffn_block = [&](Items& to) {
    to.push_back(norm);
    if (experts) return add_experts(to, scenario, backward);
    enter(to);
    add_plain_ffn(to, z.f, backward);
    leave(to);
  };
  Items items;
  if (backward) {
    ffn_block(items);
    attention_block(items);
  } else {
    attention_block(items);
    ffn_block(items);
  }
  return items;
}

Transformer::Sharding Transformer::shard(const Scenario& scenario, const Network& network, bool experts,
                                         double forward_s, double backward_s) const {
  const Parallel& p = scenario.parallel;
  Sharding s;
  if (!shards_gradients(p) || network.shard.size < 2) return s;
  // Experts spread over replicas are sharded over fewer ranks; the time of their gather is that of a ring
  // over the ranks that hold the same ones.
  const Parameters held = layer_parameters(*scenario.model, experts, p);
  const auto seconds = [&](double bytes_each) {
    double sum = network.gather_or_scatter(network.shard, bytes_each * (held.plain + held.norms)).seconds;
    // Without experts there is no such collective: its latencies would count for nothing.
    if (held.experts > 0)
      sum += network.gather_or_scatter(network.expert_data, bytes_each * held.experts).seconds;
    return sum;
  };
  s.reduce_s = seconds(cost_.gradient_bytes);
  if (shards_parameters(p)) s.gather_s = seconds(word);
  // What does not fit beside the compute of the layer that runs meanwhile.
  if (recompute_ == Recompute::full) backward_s += forward_s;
  s.exposed_forward_s = std::max(0.0, s.gather_s - forward_s);
  s.exposed_backward_s = std::max(0.0, s.gather_s + s.reduce_s - backward_s);
  return s;
}

Transformer::Layer Transformer::make_layer(const Scenario& scenario, const Network& network,
                                           bool experts) const {
  Layer layer;
  // Selective recomputation comes on top of the layer's own time and of the floor.
  const auto is_again = [](const Item& item) { return item.op.name.ends_with(", recomputed"); };
  double again = 0;
  const auto finish = [&](Items& items, double floor_s) {
    double sum = 0;
    for (const Item& item : items) (is_again(item) ? again : sum) += item.op.scale_s;
    // The host launches kernels at its own pace: a layer is never faster than the floor.
    const double gap = std::max(0.0, floor_s * cost_.compute_scale - sum);
    Operator gaps = op("launch gaps", Kind::compute_other, 0);
    gaps.scale_s = gap;
    items.insert(items.begin(), Item{gaps});
    return sum + gap;
  };
  layer.forward = make_pass(scenario, experts, false);
  layer.backward = make_pass(scenario, experts, true);
  layer.forward_s = finish(layer.forward, cost_.layer_floor_s);
  layer.backward_s = finish(layer.backward, 2 * cost_.layer_floor_s);
  layer.sharding = shard(scenario, network, experts, layer.forward_s, layer.backward_s + again);
  // Beside a layer run the gather for the next one and, backward, the reduction of the one before. What is
  // left of them depends on the whole stage: build_workload fills it in.
  const auto beside = [&](Items& items, const char* name, Kind kind, double seconds) {
    if (seconds > 0) items.push_back({op(name, kind, 0), Group::shard, op(name, kind, seconds)});
  };
  beside(layer.forward, "parameter all-gather", Kind::all_gather, layer.sharding.gather_s);
  beside(layer.backward, "parameter all-gather", Kind::all_gather, layer.sharding.gather_s);
  beside(layer.backward, "gradient reduce-scatter", Kind::reduce_scatter, layer.sharding.reduce_s);
  return layer;
}

void Transformer::make_ends(const Scenario& scenario, const Network& network) {
  const Sizes& z = sizes_;
  const auto norm = [&](double each) {
    return bytes("residual, dropout and norm", each / 2 * z.x / (sequence_parallel_ ? z.t : 1));
  };
  embedding_lookup_ = op("embedding lookup", Kind::embedding, kernels_.memory_s(lookup * z.x));
  embedding_gradient_ = op("embedding gradient", Kind::embedding,
                           kernels_.memory_s(lookup_gradient_read * z.x + lookup_gradient_add * z.x / z.t));
  head_norm_ = norm(residual_norm_forward);
  last_norm_ = norm(residual_norm_backward);
  const double head_s = kernels_.wide_product_s(z.tokens, z.vocabulary, z.h);
  head_forward_ = op("head product", Kind::gemm, head_s);
  head_backward_ = op("head product", Kind::gemm, 2 * head_s);
  loss_forward_ = op("loss", Kind::loss, kernels_.memory_s(logit_forward * z.tokens * z.vocabulary));
  loss_backward_ = op("loss", Kind::loss, kernels_.memory_s(logit_backward * z.tokens * z.vocabulary));
  // Maximum, sum of exponentials and the wanted logit: three numbers of 32 bits a token, one after another.
  loss_statistics_ =
      op("loss statistics", Kind::all_reduce, 3 * network.all_reduce(network.tensor, 4 * z.tokens).seconds);

  // Nothing runs before the first gather and after the last reduction of a pass that could hide them.
  const Parallel& p = scenario.parallel;
  const double embedding = embedding_parameters(*scenario.model, p.tp);
  const Sharding& first = sharding(has_experts(*scenario.model, 0));
  const auto seconds = [&](double bytes_each) {
    return network.gather_or_scatter(network.shard, bytes_each * embedding).seconds;
  };
  if (shards_parameters(p))
    embedding_gather_ = op("first parameter all-gather", Kind::all_gather, first.gather_s + seconds(word));
  if (shards_gradients(p))
    embedding_reduce_ = op("last gradient reduce-scatter", Kind::reduce_scatter,
                           first.reduce_s + seconds(cost_.gradient_bytes));
}

void Transformer::play(Program& program, const Items& items) const {
  for (const Item& item : items) {
    if (item.group == Group::none)
      program.compute(item.op);
    else
      program.collective(item.op, item.group, item.beside);
  }
}

void Transformer::layer_backward(Program& program, bool experts) const {
  if (recompute_ == Recompute::full) {
    // Parameters are there from the gather of the backward pass.
    for (const Item& item : of(experts).forward)
      if (item.group == Group::none)
        program.compute(item.op);
      else if (item.group != Group::shard)
        program.collective(item.op, item.group);
  }
  play(program, of(experts).backward);
}

void Transformer::embedding_forward(Program& program) const {
  if (embedding_gather_.scale_s > 0) program.collective(embedding_gather_, Group::shard);
  program.compute(embedding_lookup_);
  Items end;
  leave(end);
  play(program, end);
}

// The first layer's norm has its gradient here, as every layer's has it in the layer below. Under sequence
// parallelism the gradient is gathered before it is added to the rows; the sum is put before the last
// collective so that the chunk ends in one.
void Transformer::embedding_backward(Program& program) const {
  if (sequence_parallel_) {
    program.compute(last_norm_);
    program.compute(embedding_gradient_);
    Items end;
    enter(end);
    play(program, end);
  } else {
    program.compute_before_last_collective(last_norm_);
    program.compute_before_last_collective(embedding_gradient_);
  }
  if (embedding_reduce_.scale_s > 0) program.collective(embedding_reduce_, Group::shard);
}

void Transformer::head_forward(Program& program) const {
  program.compute(head_norm_);
  Items begin;
  enter(begin);
  play(program, begin);
  program.compute(head_forward_);
  program.compute(loss_forward_);
  if (parallel_) program.collective(loss_statistics_, Group::tensor);
}

void Transformer::head_backward(Program& program) const {
  program.compute(loss_backward_);
  program.compute(head_backward_);
  Items end;
  leave(end);
  play(program, end);
}

}  // namespace prism::workload
