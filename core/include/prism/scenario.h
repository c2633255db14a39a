// SPDX-License-Identifier: Apache-2.0
// A scenario: what the user asks, as plain data. Reading is strict; what was not given is marked as assumed.
// Seconds, bytes and rates per second; the JSON keys carry the user's units.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/diagnostic.h"
#include "prism/distribution.h"
#include "prism/training_plan.h"

namespace prism {

inline constexpr std::string_view engine_version = "0.1.0";

/// Operator kinds: what an operator does. `class_of` sorts them.
enum class Kind {
  // compute
  gemm,
  attention,
  elementwise,
  embedding,
  loss,
  optimizer,
  compute_other,
  // communication
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  send_recv,
  communication_other
};
inline constexpr int kind_count = 14;
std::string_view kind_name(Kind kind);  ///< the word in JSON, e.g. "all_gather"
enum class Class { compute, communication };
Class class_of(Kind kind);

/// Mixture of experts in place of the feed-forward block.
struct Experts {
  std::int64_t count = 0;        ///< routed experts of a layer
  std::int64_t top_k = 0;        ///< experts that a token visits
  std::int64_t ffn_hidden = 0;   ///< width of one expert
  std::int64_t shared = 0;       ///< experts beside them that every token visits, each as wide
  std::int64_t dense_first = 0;  ///< layers in front that have the plain feed-forward block
};

/// Attention through low-rank projections (MLA, arXiv 2405.04434). Queries and keys of a head are head_dim +
/// rope_dim wide.
struct LatentAttention {
  std::int64_t query_rank = 0;  ///< 0: queries come straight from the hidden state
  std::int64_t kv_rank = 0, rope_dim = 0, value_dim = 0;
};

/// Transformer shape.
struct Model {
  std::string name;  ///< preset name, or "custom"
  std::int64_t layers = 0, hidden = 0, ffn_hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, vocabulary = 0;
  bool gated_ffn = false;        ///< SwiGLU-like: three FFN matrices instead of two
  bool tied_embeddings = false;  ///< input embedding and output head share weights
  std::optional<Experts> experts;
  std::optional<LatentAttention> latent_attention;
};

enum class Recompute { none, selective, full };
enum class RankOrder { tp_cp_dp_pp, tp_cp_pp_dp };
enum class ContextExchange { all_gather, ring };  ///< how context ranks see each other's keys and values
/// When ZeRO-2 and 3 gather parameters and reduce gradients.
enum class Gather { per_micro_batch, per_step };

struct Parallel {
  std::int64_t tp = 1, cp = 1, pp = 1, dp = 1;
  std::string schedule;             ///< name in the schedule registry: gpipe, 1f1b, interleaved-1f1b
  std::int64_t virtual_stages = 1;  ///< v: chunks of layers on one pipeline rank
  std::vector<std::int64_t>
      layers_per_virtual_stage;  ///< pp*v entries, in model order; virtual stage s is on rank s mod pp
  RankOrder rank_order = RankOrder::tp_cp_dp_pp;
  ContextExchange cp_exchange = ContextExchange::all_gather;
  std::int64_t ep =
      1;  ///< expert-parallel degree; etp * ep divides tp * cp * dp and needs no GPUs of its own
  std::int64_t etp = 1;       ///< tensor-parallel degree of the experts
  int zero = 0;               ///< ZeRO level, 0 to 3
  std::int64_t dp_shard = 0;  ///< replicas that ZeRO shards over; divides dp; 0: all of them
  Gather gather = Gather::per_micro_batch;
  bool overlap_grad_reduce = false;  ///< gradients are reduced beside the last micro-batch's backward pass
  bool sequence_parallel = false;
  Recompute recompute = Recompute::none;
  std::int64_t world() const { return tp * cp * pp * dp; }
};

struct Batch {
  std::int64_t global = 0;         ///< B = micro * micro_batches * dp, sequences
  std::int64_t micro = 1;          ///< b, sequences
  std::int64_t micro_batches = 0;  ///< m, per replica and step
  std::int64_t sequence = 0;       ///< tokens; 0 for an operator list without a model
};

struct Gpu {
  std::string name;
  double peak_flops = 0;  ///< dense, at the training precision, FLOP/s
  double memory_bytes = 0;
  double memory_bytes_per_s = 0;
  double attention_peak_flops =
      0;  ///< dense, 16-bit: attention is not computed in fewer bits; 0: as peak_flops
};

struct Cluster {
  Gpu gpu;
  std::int64_t gpus_per_node = 8;
  std::int64_t nvlink_domain = 0;  ///< consecutive GPUs that the links of intra_node join; 0: gpus_per_node
  std::int64_t domain() const { return nvlink_domain > 0 ? nvlink_domain : gpus_per_node; }
  struct Link {
    double bytes_per_s = 0;  ///< per GPU and direction
    double latency_s = 0;    ///< alpha of one step
  } intra_node, inter_node;
};

enum class Calibration { none, median, mean };

/// The assumed numbers of the cost model; every one can be overridden ("cost_model" in JSON).
struct CostModel {
  double gemm_efficiency = 0;    ///< e0, share of the dense peak
  double gemm_overhead_s = 0;    ///< c0: tile tails, gaps and small kernels not modelled, per GEMM
  double memory_efficiency = 0;  ///< share of the memory bandwidth that element-wise kernels reach
  bool flash_attention = false;
  double attention_efficiency = 0;  ///< flash attention's share of the dense peak
  double network_efficiency = 0;  ///< share of the link rate that collectives reach, inside and between nodes
  double layer_floor_s = 0;    ///< host floor of one layer's forward pass (kernel launches); backward twice
  double gradient_bytes = 0;   ///< bytes a parameter in gradient reduction
  double optimizer_bytes = 0;  ///< memory traffic of the optimizer, bytes a parameter
  double tp_overlap = 0;       ///< share of tensor-parallel communication hidden behind compute
  double dp_overlap = 0;       ///< share of data-parallel communication hidden behind compute; with
                               ///< Parallel::overlap_grad_reduce, of the parameter all-gather
  double pp_overlap =
      1;  ///< share of a pipeline transfer that runs beside compute; the receiver waits for the rest
  Calibration calibration = Calibration::none;
  double calibrate_to_s = 0;  ///< measured median or mean step
  double compute_scale = 1;   ///< multiplies every compute operator: 1 / the factor that calibration finds
};

/// One operator of a user's list.
struct OperatorSpec {
  enum class Scope { layer, stage, step };
  enum class Phase { forward, backward };
  enum class Group {
    none,
    tp,
    cp,
    dp,
    world
  };  ///< whom a collective synchronises; none for compute and send_recv
  std::string name;
  Scope scope = Scope::layer;
  Phase phase = Phase::forward;  ///< not used with scope step
  Kind kind = Kind::compute_other;
  Group group = Group::none;
  std::vector<std::int64_t>
      stages;  ///< virtual stages it is on (scope stage) or pipeline ranks (scope step); empty = all
  Distribution latency;  ///< seconds
};

/// A random factor that multiplies base latencies; median 1.
struct Factor {
  enum class Scope { operation, micro_batch, gpu, node, replica, cluster };
  enum class Period { operation, step, run };
  /// How a cluster-wide factor of period step moves from one step to the next. A trial takes it from its
  /// stationary law; the training run lets it evolve.
  struct Regime {
    double dwell_steps = 0;  ///< two states: mean length of a stay in the less likely one; 0: not two states
    double correlation = 0;  ///< AR(1) of the factor's logarithm, from step to step
  };
  std::string what;  ///< a kind, "compute", "communication", "intra_node" or "inter_node"
  Scope scope = Scope::operation;
  Period period = Period::operation;
  Distribution factor;
  std::string key = {};  ///< identity: what its random streams are named by
  std::optional<Regime> regime = {};
  std::string pointer = "/variability";  ///< of its entry; a preset's factors have none
};

/// Rare interruptions: while a task of base duration x runs on n nodes, Poisson events of mean per_node_s * n
/// * x, each of which delays that task on one rank.
struct Stall {
  std::string what;       ///< as in Factor
  double per_node_s = 0;  ///< events per node and second of such work
  Distribution duration;  ///< seconds
  std::string key;
};

/// A number that multiplies something of all operators that `what` names.
struct Multiple {
  std::string what;  ///< as in Factor
  double by = 1;
};

/// One place made slower than the rest.
struct WhatIf {
  enum class Unit { gpu, node };
  enum class Change { factor, node_quantile, operator_quantile };
  std::int64_t pp = 0, dp = 0, tp = 0;  ///< coordinates of a rank on the unit
  Unit unit = Unit::node;
  std::string what = "compute";  ///< as in Factor; with the quantiles always "compute"
  Change change = Change::factor;
  double value = 1;  ///< the factor, or the lower mass of the quantile
};

/// What the finite number of measurements behind a scenario leaves open: the central 95 % over bootstrap
/// refits, relative to the answer.
struct InputError {
  std::int64_t measurements = 0, refits = 0;
  double p50_low = 1, p50_high = 1, p95_low = 1, p95_high = 1;
};

struct Run {
  std::int64_t trials = 10000;
  std::uint64_t seed = 1;
  std::string engine = "fast";  ///< fast, exact or reference
  std::int64_t attribution_trials = 256;
  std::vector<double> step_within_s;  ///< asked x: report P(step <= x)
};

struct Scenario {
  std::string title;
  std::optional<Model> model;  ///< none when `operators` is given
  std::vector<OperatorSpec> operators;
  std::string precision = "bf16";  ///< of products: bf16, fp8 or fp4
  Parallel parallel;
  Batch batch;
  Cluster cluster;       ///< meaningful with a model
  CostModel cost_model;  ///< meaningful with a model
  std::string variability_preset;
  std::vector<Factor> factors;
  std::vector<Stall> stalls;
  std::vector<WhatIf> what_if;
  std::optional<InputError> input_error;  ///< none: not known
  std::vector<Multiple> scale;            ///< of base times: a faster GPU, a slower network
  std::vector<Multiple> spread;           ///< of variability, by class: x becomes median (x / median)^by
  std::vector<std::string>
      silenced;  ///< targets, as in Factor, that take every variable quantity at its mean
  std::optional<TrainingPlan> training_run;
  Run run;

  /// Canonical resolved scenario as JSON text: every value, keys in schema order, fixed number format. Part
  /// of the digest.
  std::string resolved;
  /// One entry for each value in `resolved` that the user did not write.
  struct Assumption {
    std::string pointer;  ///< into `resolved`
    std::string value;    ///< JSON text
    std::string origin;   ///< "preset llama-3.1-405b", "derived: global / (micro * dp)", "default", ...
    std::string source;   ///< where a preset's figure comes from; may be empty
  };
  std::vector<Assumption> assumptions;
  /// Pointers of numbers that are written and are not what would have been assumed.
  std::vector<std::string> own_numbers;
};

/// Reads, checks and resolves a scenario. Every diagnostic carries pointer, line and column.
/// Errors refuse the scenario; warnings stand beside it. Text that is a *result* document is accepted too:
/// its `scenario` member is read.
Result<Scenario> read_scenario(std::string_view text);

/// A new value, JSON text, at a JSON Pointer; without one the member is taken away.
struct Edit {
  std::string pointer;
  std::string value;
};
/// The scenario with these changes, as JSON text that read_scenario may accept. Members on the way are made;
/// a preset's name on the way becomes {"preset": name}; "/-" at the end of a pointer appends to a list.
/// `text` is a scenario or a result document that read_scenario accepts.
std::string edited(std::string_view text, const std::vector<Edit>& edits);

/// Line and column of the value (or the object) at `pointer` in `text`; {0, 0} if there is none.
struct Position {
  int line, column;
};
Position locate(std::string_view text, std::string_view pointer);
/// Gives each diagnostic that has no line yet its place in `text`: the value at its pointer; the key for
/// `unknown_key`; the nearest object around it where the value was derived and is not in the text. Pointers
/// come in relative to the scenario and leave relative to `text`, which may be a result document.
void place(std::string_view text, std::vector<Diagnostic>& diagnostics);

/// A model read from elsewhere, with the origin of every figure.
struct ModelImport {
  Model model;
  struct Entry {
    std::string field, value, from;  ///< from: the key it was read from, or why it was taken so
  };
  std::vector<Entry> account;
  std::vector<std::string> left_out;  ///< parts of the source that the model has no place for
};
/// Reads a Hugging Face config.json: names that mean the same, a nested text_config, missing key-value heads,
/// latent attention, experts behind dense layers. Refuses what would lose layers or work in silence.
Result<ModelImport> read_hugging_face(std::string_view text);
/// The model as the `model` object of a scenario, as JSON text.
std::string model_json(const Model& model);

/// How a named rule of layers_per_virtual_stage spreads layers; no stages: its condition is broken.
struct LayerSpread {
  std::string_view rule, condition;
  std::vector<std::int64_t> layers_per_virtual_stage;
};
std::vector<LayerSpread> layer_spreads(std::int64_t layers, std::int64_t stages);

/// Names of the pipeline schedules, as in JSON. Their rules live with the schedules, in the graph room.
std::span<const std::string_view> schedule_names();
/// Whether a schedule plays the gradients of the weights apart from those of the activations.
bool splits_weight_gradients(std::string_view schedule);

/// Names, contents and sources of all presets, as JSON: {"model": [...], "gpu": [...], "variability": [...],
/// ...}.
std::string presets_json();

}  // namespace prism
