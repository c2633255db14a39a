// SPDX-License-Identifier: Apache-2.0
#include "workload/transformer.h"

#include <algorithm>

namespace prism::workload {
namespace {

// Activations and weights are 16-bit in every product and collective.
constexpr double word = 2;

// Memory traffic of the element-wise kernels of a layer, bytes an element, from counting reads and writes of
// Megatron's kernels: x = tokens * hidden, f = tokens * ffn_hidden.
constexpr double residual_norm_forward = 22,
                 residual_norm_backward = 28;  // per x; two norms, dropouts, residuals
constexpr double reshape_both = 16;            // per x / t; bias and transposes of q, k, v
constexpr double activation_forward = 4, activation_backward = 6;  // per f / t
constexpr double gated_forward = 10, gated_backward = 14;
// Attention without flash: score matrix through scale, mask, softmax and dropout, bytes a score.
constexpr double score_forward = 9, score_backward = 11;
// A flash backward pass computes five products where forward computes two, at a lower rate.
constexpr double flash_backward_time = 2.75;
// Head: logits through cast, maximum, exponential, sum and gradient, bytes a logit.
constexpr double logit_forward = 12, logit_backward = 8;
// Embedding: read and write a row; gradient rows are added in 32 bits.
constexpr double lookup = 4, lookup_gradient_read = 2, lookup_gradient_add = 8;

/// Key-value heads on one tensor rank. Fewer heads than ranks: each is held by several, as in Megatron-LM.
std::int64_t kv_heads_held(const Model& model, std::int64_t tp) {
  return std::max<std::int64_t>(1, model.kv_heads / tp);
}

}  // namespace

std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t tp) {
  const std::int64_t unit = 128 * tp;
  return (vocabulary + unit - 1) / unit * unit;
}

double layer_norm_parameters(const Model& model) { return 2 * static_cast<double>(model.hidden); }

double layer_parameters(const Model& model, std::int64_t tp) {
  const double h = static_cast<double>(model.hidden);
  const double q = static_cast<double>(model.heads * model.head_dim);
  const double kv = static_cast<double>(kv_heads_held(model, tp) * tp * model.head_dim);
  const double matrices = model.gated_ffn ? 3 : 2;
  const double sharded = h * (q + 2 * kv) + q * h + matrices * h * static_cast<double>(model.ffn_hidden);
  return sharded / static_cast<double>(tp) + layer_norm_parameters(model);
}

double embedding_parameters(const Model& model, std::int64_t tp) {
  return static_cast<double>(padded_vocabulary(model.vocabulary, tp) / tp) *
         static_cast<double>(model.hidden);
}

// A GEMM takes its arithmetic at a constant share of the peak plus a constant (tile tails, gaps, small
// kernels), and never less than reading and writing its matrices. The constant is what a saturating
// efficiency e0 * F / (F + F0) amounts to.
double Transformer::gemm_s(double m, double n, double k) const {
  const double arithmetic = 2 * m * n * k / (gpu_.peak_flops * cost_.gemm_efficiency) + cost_.gemm_overhead_s;
  return std::max(arithmetic, memory_s(word * (m * k + k * n + m * n)));
}

double Transformer::memory_s(double bytes) const {
  return bytes / (gpu_.memory_bytes_per_s * cost_.memory_efficiency);
}

Operator Transformer::op(const char* name, Kind kind, double seconds) const {
  return {name, kind, seconds};
}

Operator Transformer::gemm(const char* name, double m, double n, double k, double times) const {
  return op(name, Kind::gemm, times * gemm_s(m, n, k));
}

double Transformer::Pass::seconds(double collectives_s) const {
  return residual_norm.scale_s * 2 + qkv.scale_s + reshape.scale_s + attention.scale_s + projection.scale_s +
         ffn_in.scale_s + activation.scale_s + ffn_out.scale_s + gaps.scale_s + collectives_s;
}

Transformer::Transformer(const Scenario& scenario, const Network& network)
    : gpu_(scenario.cluster.gpu),
      cost_(scenario.cost_model),
      parallel_(scenario.parallel.tp > 1),
      sequence_parallel_(scenario.parallel.sequence_parallel && scenario.parallel.tp > 1),
      recompute_(scenario.parallel.recompute) {
  const Sizes sizes = sizes_of(scenario);
  forward_ = make_pass(sizes, false);
  backward_ = make_pass(sizes, true);
  if (parallel_) make_collectives(sizes, network);
  // The host launches kernels at its own pace: a layer is never faster than the floor.
  const auto gaps = [&](const Pass& pass, double floor_s) {
    return op("launch gaps", Kind::compute_other,
              std::max(0.0, floor_s - pass.seconds(layer_collectives_s_)));
  };
  forward_.gaps = gaps(forward_, cost_.layer_floor_s);
  backward_.gaps = gaps(backward_, 2 * cost_.layer_floor_s);
  make_ends(sizes, network);
}

Transformer::Sizes Transformer::sizes_of(const Scenario& scenario) {
  const Model& model = *scenario.model;
  const std::int64_t tp = scenario.parallel.tp;
  Sizes z;
  z.t = static_cast<double>(tp);
  z.b = static_cast<double>(scenario.batch.micro);
  z.s = static_cast<double>(scenario.batch.sequence);
  z.tokens = z.b * z.s;
  z.h = static_cast<double>(model.hidden);
  z.f = static_cast<double>(model.ffn_hidden);
  z.x = z.tokens * z.h;
  z.heads = static_cast<double>(model.heads) / z.t;
  z.d = static_cast<double>(model.head_dim);
  z.q = z.heads * z.d;
  z.kv = static_cast<double>(kv_heads_held(model, tp)) * z.d;
  z.vocabulary = static_cast<double>(padded_vocabulary(model.vocabulary, tp)) / z.t;
  z.gated = model.gated_ffn;
  return z;
}

Transformer::Pass Transformer::make_pass(const Sizes& z, bool backward) const {
  const double products = backward ? 2 : 1;  // backward: gradients of the input and of the weights
  const double norm = (backward ? residual_norm_backward : residual_norm_forward) / 2 * z.x;
  const double activation = z.gated ? (backward ? gated_backward : gated_forward)
                                    : (backward ? activation_backward : activation_forward);
  Pass pass;
  pass.residual_norm =
      op("residual, dropout and norm", Kind::elementwise, memory_s(sequence_parallel_ ? norm / z.t : norm));
  pass.qkv = gemm("query, key and value product", z.tokens, z.q + 2 * z.kv, z.h, products);
  pass.reshape =
      op("bias and transpose of query, key and value", Kind::elementwise, memory_s(reshape_both * z.x / z.t));
  pass.attention = op("attention", Kind::attention, attention_s(z, backward));
  pass.projection = gemm("projection product", z.tokens, z.h, z.q, products);
  pass.ffn_in = gemm("FFN input product", z.tokens, z.f / z.t, z.h, z.gated ? 2 * products : products);
  pass.activation = op("activation", Kind::elementwise, memory_s(activation * z.tokens * z.f / z.t));
  pass.ffn_out = gemm("FFN output product", z.tokens, z.h, z.f / z.t, products);
  return pass;
}

double Transformer::attention_s(const Sizes& z, bool backward) const {
  const double scores = z.b * z.heads * z.s * z.s;
  const double product = 2 * scores * z.d;  // FLOPs of one of the two products, all scores
  if (cost_.flash_attention) {
    const double causal = 2 * product / 2;
    return (backward ? flash_backward_time : 1) * causal / (gpu_.peak_flops * cost_.attention_efficiency);
  }
  const double product_s = product / (gpu_.peak_flops * cost_.gemm_efficiency) + cost_.gemm_overhead_s;
  return (backward ? 4 : 2) * product_s + memory_s((backward ? score_backward : score_forward) * scores);
}

void Transformer::make_collectives(const Sizes& z, const Network& network) {
  const double exposed = 1 - cost_.tp_overlap;
  if (sequence_parallel_) {
    exchange_ = network.gather_or_scatter(network.tensor, word * z.x);
    gather_ = op("all-gather of activations", Kind::all_gather, exposed * exchange_.seconds);
    scatter_ = op("reduce-scatter of activations", Kind::reduce_scatter, exposed * exchange_.seconds);
    layer_collectives_s_ = 2 * (gather_.scale_s + scatter_.scale_s);
  } else {
    exchange_ = network.all_reduce(network.tensor, word * z.x);
    reduce_ = op("all-reduce of activations", Kind::all_reduce, exposed * exchange_.seconds);
    layer_collectives_s_ = 2 * reduce_.scale_s;
  }
}

void Transformer::make_ends(const Sizes& z, const Network& network) {
  embedding_lookup_ = op("embedding lookup", Kind::embedding, memory_s(lookup * z.x));
  embedding_gradient_ = op("embedding gradient", Kind::embedding,
                           memory_s(lookup_gradient_read * z.x + lookup_gradient_add * z.x / z.t));
  head_norm_ = forward_.residual_norm;
  head_forward_ = gemm("head product", z.tokens, z.vocabulary, z.h, 1);
  head_backward_ = gemm("head product", z.tokens, z.vocabulary, z.h, 2);
  loss_forward_ = op("loss", Kind::loss, memory_s(logit_forward * z.tokens * z.vocabulary));
  loss_backward_ = op("loss", Kind::loss, memory_s(logit_backward * z.tokens * z.vocabulary));
  // Maximum, sum of exponentials and the wanted logit: three numbers of 32 bits a token, one after another.
  loss_statistics_ =
      op("loss statistics", Kind::all_reduce, 3 * network.all_reduce(network.tensor, 4 * z.tokens).seconds);
}

double Transformer::layer_forward_s() const { return forward_.seconds(layer_collectives_s_); }

double Transformer::layer_backward_s() const { return backward_.seconds(layer_collectives_s_); }

void Transformer::enter(Program& program) const {
  if (sequence_parallel_) program.collective(gather_, Group::tensor);
}

void Transformer::leave(Program& program) const {
  if (sequence_parallel_) return program.collective(scatter_, Group::tensor);
  if (parallel_) program.collective(reduce_, Group::tensor);
}

// Residual, dropout and norm after a block's collective belong to the block before; they are accounted at the
// beginning of the next layer, so that a layer, and with it every chunk, ends in a tensor collective. Those
// after the last layer stand in the head.
void Transformer::layer_forward(Program& program) const {
  program.compute(forward_.gaps);
  program.compute(forward_.residual_norm);
  enter(program);
  for (const Operator* o : {&forward_.qkv, &forward_.reshape, &forward_.attention, &forward_.projection})
    program.compute(*o);
  leave(program);
  program.compute(forward_.residual_norm);
  enter(program);
  for (const Operator* o : {&forward_.ffn_in, &forward_.activation, &forward_.ffn_out}) program.compute(*o);
  leave(program);
}

// Backward mirrors it: the norm whose gradient follows a block's collective is accounted at the beginning of
// the next block. Under sequence parallelism the input of the block is gathered once more for the gradient of
// the weights; that collective runs beside the product that gives the gradient of the input and takes no time
// of its own.
void Transformer::layer_backward(Program& program) const {
  if (recompute_ == Recompute::full) layer_forward(program);
  program.compute(backward_.gaps);
  program.compute(backward_.residual_norm);
  enter(program);
  for (const Operator* o : {&backward_.ffn_out, &backward_.activation, &backward_.ffn_in})
    program.compute(*o);
  leave(program);
  program.compute(backward_.residual_norm);
  enter(program);
  program.compute(backward_.projection);
  if (recompute_ == Recompute::selective) {
    Operator again = forward_.attention;
    again.name = "attention, recomputed";
    program.compute(again);
  }
  for (const Operator* o : {&backward_.attention, &backward_.reshape, &backward_.qkv}) program.compute(*o);
  leave(program);
}

void Transformer::embedding_forward(Program& program) const {
  program.compute(embedding_lookup_);
  leave(program);
}

// The first layer's norm has its gradient here, as every layer's has it in the layer below. Under sequence
// parallelism the gradient is gathered before it is added to the rows; the sum is put before the last
// collective so that the chunk ends in one.
void Transformer::embedding_backward(Program& program) const {
  if (sequence_parallel_) {
    program.compute(backward_.residual_norm);
    program.compute(embedding_gradient_);
    return enter(program);
  }
  program.compute_before_last_collective(backward_.residual_norm);
  program.compute_before_last_collective(embedding_gradient_);
}

void Transformer::head_forward(Program& program) const {
  program.compute(head_norm_);
  enter(program);
  program.compute(head_forward_);
  program.compute(loss_forward_);
  if (parallel_) program.collective(loss_statistics_, Group::tensor);
}

void Transformer::head_backward(Program& program) const {
  program.compute(loss_backward_);
  program.compute(head_backward_);
  leave(program);
}

}  // namespace prism::workload
