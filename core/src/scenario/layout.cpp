// SPDX-License-Identifier: Apache-2.0
// `parallel` and `batch`: degrees, schedule, the batch equation, layers per virtual stage. What a schedule or
// tensor parallelism asks of a layout is checked where the form lives (graph, workload).
#include <array>
#include <numeric>

#include "scenario/layers.h"
#include "scenario/parts.h"
#include "scenario/words.h"

namespace prism::scenario {
namespace {

constexpr std::int64_t most_gpus = 1'048'576;
constexpr std::int64_t most_sequences = 1'000'000'000;

constexpr std::array<std::string_view, 2> rank_orders = {"tp-cp-dp-pp", "tp-cp-pp-dp"};
constexpr std::array<std::string_view, 3> recomputes = {"none", "selective", "full"};
constexpr std::array<std::string_view, 2> exchanges = {"all-gather", "ring"};
constexpr std::array<std::string_view, 2> gathers = {"per_micro_batch", "per_step"};

constexpr std::string_view list_hint =
    "give \"layers_per_virtual_stage\": a list of numbers in model order, or \"one-less-first-and-last\", "
    "\"front\" or "
    "\"back\"";

/// The four numbers of the batch equation: what is known, and whether the rest may be worked out.
struct Equation {
  std::optional<std::int64_t> global, micro, micro_batches, dp;
  bool sound = true;  ///< false: one of them was given and refused
};

std::string product(std::initializer_list<std::pair<std::string_view, std::int64_t>> factors) {
  std::string text;
  for (const auto& [name, n] : factors) {
    if (!text.empty()) text += " x ";
    text += std::string(name) + " " + shown(n);
  }
  return text;
}

/// global / (a x b), or a fault with the numbers.
std::optional<std::int64_t> quotient(Section& batch, std::int64_t global, std::string_view wanted,
                                     std::pair<std::string_view, std::int64_t> a,
                                     std::pair<std::string_view, std::int64_t> b) {
  const std::int64_t divisor = a.second * b.second;
  if (global % divisor == 0) return global / divisor;
  batch.fault_at("global", Code::not_divisible,
                 "global = micro x micro_batches x dp: global " + shown(global) + " does not divide by " +
                     product({a, b}) + " = " + shown(divisor) + ", so there is no whole " +
                     std::string(wanted));
  return std::nullopt;
}

bool solve(Section& batch, Section& parallel, Equation& e) {
  if (!e.sound) return false;
  const auto derive = [](Section& s, std::string_view key, std::optional<std::int64_t> v,
                         std::string origin) {
    if (v) s.put_assumed(key, *v, "derived: " + origin);
    return v;
  };
  if (!e.micro && !(e.global && e.micro_batches && e.dp)) {
    e.micro = 1;
    batch.put_assumed("micro", 1, "default");
  }
  if (!e.dp) {
    if (e.global && e.micro_batches) {
      const auto d =
          quotient(batch, *e.global, "dp", {"micro", *e.micro}, {"micro_batches", *e.micro_batches});
      e.dp = derive(parallel, "dp", d, "global / (micro x micro_batches)");
      if (!e.dp) return false;
    } else {
      e.dp = 1;
      parallel.put_assumed("dp", 1, "default");
    }
  }
  if (!e.micro) {
    const auto b = quotient(batch, *e.global, "micro", {"micro_batches", *e.micro_batches}, {"dp", *e.dp});
    e.micro = derive(batch, "micro", b, "global / (micro_batches x dp)");
    return e.micro.has_value();
  }
  if (!e.global && !e.micro_batches) {
    constexpr std::array<std::string_view, 2> keys = {"global", "micro_batches"};
    batch.missing_one_of(
        keys, "one of \"global\" and \"micro_batches\" is missing: global = micro x micro_batches x dp");
    return false;
  }
  if (!e.micro_batches) {
    const auto m = quotient(batch, *e.global, "micro_batches", {"micro", *e.micro}, {"dp", *e.dp});
    e.micro_batches = derive(batch, "micro_batches", m, "global / (micro x dp)");
    return e.micro_batches.has_value();
  }
  const std::int64_t replica = *e.micro * *e.micro_batches;  // both at most 10^6
  const bool fits = replica <= most_sequences / *e.dp;
  if (!fits) {
    batch.fault(
        Code::too_large,
        "global = " + product({{"micro", *e.micro}, {"micro_batches", *e.micro_batches}, {"dp", *e.dp}}) +
            " is more than " + shown(most_sequences) + " sequences");
    return false;
  }
  if (!e.global) {
    e.global = derive(batch, "global", replica * *e.dp, "micro x micro_batches x dp");
    return true;
  }
  if (*e.global == replica * *e.dp) return true;
  batch.fault_at("global", Code::inconsistent,
                 "global = micro x micro_batches x dp: global " + shown(*e.global) + " is not " +
                     product({{"micro", *e.micro}, {"micro_batches", *e.micro_batches}, {"dp", *e.dp}}) +
                     " = " + shown(replica * *e.dp),
                 "leave one of them out and it is worked out");
  return false;
}

bool read_layer_list(Section& parallel, const Json& list, std::int64_t stages,
                     std::vector<std::int64_t>& to) {
  const std::string at = parallel.at("layers_per_virtual_stage");
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::int64_t n;
    if (!read_integer(parallel.notes(), list[i], child(at, i), {0, 10'000}, n)) return false;
    to.push_back(n);
  }
  if (static_cast<std::int64_t>(to.size()) == stages) return true;
  parallel.fault_at("layers_per_virtual_stage", Code::inconsistent,
                    "the list has " + std::to_string(to.size()) +
                        " numbers for pp x virtual_stages = " + shown(stages) + " virtual stages");
  return false;
}

/// `sizes`: "pp 16 x virtual_stages 8 = 128".
void read_layers(Section& parallel, Scenario& to, bool job, bool model_known, const std::string& sizes) {
  constexpr std::string_view key = "layers_per_virtual_stage";
  const std::int64_t stages = to.parallel.pp * to.parallel.virtual_stages;
  std::vector<std::int64_t>& layers = to.parallel.layers_per_virtual_stage;
  const Json* value = parallel.take(key);

  if (value && (value->is_array() || value->is_number())) {
    if (value->is_array()) {
      if (!read_layer_list(parallel, *value, stages, layers)) return;
    } else {
      std::int64_t each;
      if (!read_integer(parallel.notes(), *value, parallel.at(key), {0, 10'000}, each)) return;
      layers.assign(static_cast<std::size_t>(stages), each);
      parallel.notes().assume(parallel.at(key), "derived: " + shown(each) + " on each virtual stage", {});
    }
    parallel.put(key, layers);
    const std::int64_t sum = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
    if (job && model_known && sum != to.model->layers)
      parallel.fault_at(
          key, Code::inconsistent,
          "the virtual stages hold " + shown(sum) + " layers, the model has " + shown(to.model->layers));
    return;
  }

  std::string rule = "even";
  if (value && !value->is_string()) {
    parallel.fault_at(
        key, Code::wrong_type,
        "expected a list of numbers, one number or the name of a rule, found " + described(*value));
    return;
  }
  if (value && !parallel.name(key, rule, layer_rule_names(), "a rule")) return;
  if (!job) {
    if (value) {
      parallel.fault_at(key, Code::inconsistent,
                        "without a model there is no number of layers to spread by a rule",
                        "give a list, or one number for all virtual stages");
      return;
    }
    layers.assign(static_cast<std::size_t>(stages), 1);
    parallel.put_assumed(key, layers, "default: one layer on each virtual stage");
    return;
  }
  if (!model_known) return;
  const LayerRule& chosen = *find_layer_rule(rule);
  const auto spread = chosen.spread(to.model->layers, stages);
  if (!spread) {
    const std::string numbers = shown(to.model->layers) + " layers over " + sizes + " virtual stages";
    if (value)
      parallel.fault_at(key, Code::not_divisible, numbers + ": " + std::string(chosen.condition),
                        std::string(list_hint));
    else
      parallel.fault(Code::not_divisible, numbers + " do not divide", std::string(list_hint));
    return;
  }
  layers = *spread;
  parallel.put_assumed(key, layers, (value ? "derived: rule " : "default: rule ") + rule);
}

/// Keys of a job only, whose rules need no replicas.
void read_forms(Section& parallel, Scenario& to) {
  Parallel& p = to.parallel;
  using Whole = Assumed<std::int64_t>;
  std::string order(rank_orders[0]), recompute(recomputes[0]), exchange(exchanges[0]), gather(gathers[0]);
  parallel.name("cp_exchange", exchange, exchanges, "a form of context parallelism",
                Assumed<std::string>{exchange});
  p.cp_exchange = enumerator<ContextExchange>(exchanges, exchange);
  if (to.model && to.model->experts) {
    parallel.integer("ep", p.ep, {1, 65'536}, Whole{1});
    parallel.integer("etp", p.etp, {1, 1024}, Whole{p.tp, "derived: tp"});
  } else {
    for (std::string_view key : {"ep", "etp"}) {
      if (to.model)
        refuse_key(parallel, key, Code::inconsistent, "the model has no experts to be parallel over",
                   "leave it out, or give the model \"experts\"");
      else
        parallel.take(key);
    }
  }
  parallel.name("rank_order", order, rank_orders, "a rank order",
                Assumed<std::string>{order, "default", "Megatron-LM's order of ranks"});
  p.rank_order = enumerator<RankOrder>(rank_orders, order);
  std::int64_t zero = 0;
  const bool levelled = parallel.integer("zero", zero, {0, 3}, Whole{0});
  p.zero = static_cast<int>(zero);
  if (!levelled)
    parallel.take("dp_shard");
  else if (zero > 0)
    parallel.reserve("dp_shard");
  else
    refuse_key(parallel, "dp_shard", Code::inconsistent, "without ZeRO nothing is sharded",
               "leave it out, or give \"zero\"");
  if (parallel.name("gather", gather, gathers, "a time to gather", Assumed<std::string>{gather}) &&
      levelled) {
    p.gather = enumerator<Gather>(gathers, gather);
    if (zero >= 2 && p.pp > 1 && p.gather != Gather::per_step)
      parallel.fault_at(
          "zero", Code::inconsistent,
          "zero " + shown(zero) + " with pp " + shown(p.pp) + " needs \"gather\": \"per_step\"",
          "a pipeline would gather the parameters again for each of its micro-batches; per_step gathers "
          "once, or take zero 1");
  }
  // Written out only where it is given: scenarios from before it was known keep their digest.
  constexpr std::string_view overlap = "overlap_grad_reduce";
  if (!parallel.has(overlap))
    parallel.take(overlap);
  else if (parallel.boolean(overlap, p.overlap_grad_reduce) && p.overlap_grad_reduce && levelled && zero >= 2)
    parallel.fault_at(overlap, Code::inconsistent,
                      "overlap_grad_reduce needs zero 0 or 1, found zero " + shown(zero),
                      "ZeRO-2 and 3 reduce in every micro-batch");
  parallel.boolean("sequence_parallel", p.sequence_parallel, Assumed<bool>{false});
  parallel.name("recompute", recompute, recomputes, "a recompute mode", Assumed<std::string>{recompute});
  p.recompute = enumerator<Recompute>(recomputes, recompute);
}

/// Keys of a job that count against the replicas.
void read_shards(Section& parallel, Parallel& p) {
  if (p.zero > 0 &&
      parallel.integer("dp_shard", p.dp_shard, {1, 1'000'000}, Assumed<std::int64_t>{p.dp, "derived: dp"}) &&
      p.dp % p.dp_shard != 0)
    parallel.fault_at("dp_shard", Code::not_divisible,
                      "dp " + shown(p.dp) + " does not divide by dp_shard " + shown(p.dp_shard));
  const std::int64_t stage = p.tp * p.cp * p.dp;
  if (stage % (p.etp * p.ep) != 0)
    parallel.fault_at(parallel.has("ep") ? "ep" : "etp", Code::not_divisible,
                      product({{"tp", p.tp}, {"cp", p.cp}, {"dp", p.dp}}) + " = " + shown(stage) +
                          " ranks of a stage do not divide by " + product({{"etp", p.etp}, {"ep", p.ep}}) +
                          " = " + shown(p.etp * p.ep));
}

}  // namespace

void read_layout(Section& root, Scenario& to, bool job, bool model_known) {
  Notes& notes = root.notes();
  Section parallel(notes, root.take("parallel"), root.at("parallel"));
  const Json* batch_value = root.require("batch");
  Section batch(notes, batch_value, root.at("batch"));
  Parallel& p = to.parallel;
  using Whole = Assumed<std::int64_t>;

  bool degrees = parallel.integer("tp", p.tp, {1, 1024}, Whole{1});
  degrees &= parallel.integer("cp", p.cp, {1, 1024}, Whole{1});
  const bool pipeline = parallel.integer("pp", p.pp, {1, 1024}, Whole{1});
  degrees &= pipeline;
  Equation e;
  const auto given = [&](Section& s, std::string_view key, std::optional<std::int64_t>& n,
                         std::int64_t high) {
    s.reserve(key);
    std::int64_t v;
    if (!s.has(key))
      s.take(key);
    else if (s.integer(key, v, {1, high}))
      n = v;
    else
      e.sound = false;
  };
  given(parallel, "dp", e.dp, 1'000'000);
  parallel.name("schedule", p.schedule, schedule_names(), "a schedule", Assumed<std::string>{"1f1b"});
  const bool chunks = parallel.integer("virtual_stages", p.virtual_stages, {1, 64}, Whole{1});
  parallel.reserve("layers_per_virtual_stage");
  if (pipeline && chunks && !parallel.broken())
    read_layers(parallel, to, job, model_known,
                product({{"pp", p.pp}, {"virtual_stages", p.virtual_stages}}) + " = " +
                    shown(p.pp * p.virtual_stages));
  else
    parallel.take("layers_per_virtual_stage");

  const bool forms_sound = [&] {
    const std::size_t before = notes.faults;
    if (job) {
      read_forms(parallel, to);
    } else {
      for (std::string_view key : {"cp_exchange", "ep", "etp", "rank_order", "zero", "dp_shard", "gather",
                                   "overlap_grad_reduce", "sequence_parallel", "recompute"})
        refuse_key(parallel, key, Code::inconsistent,
                   "with \"operators\" this has no effect: the list says what is computed", "leave it out");
    }
    return notes.faults == before;
  }();

  bool shards_read = false;
  if (batch_value && !batch.broken()) {
    given(batch, "global", e.global, most_sequences);
    given(batch, "micro", e.micro, 1'000'000);
    given(batch, "micro_batches", e.micro_batches, 1'000'000);
    if (job)
      batch.integer("sequence", to.batch.sequence, {1, 100'000'000});
    else
      refuse_key(batch, "sequence", Code::inconsistent,
                 "with \"operators\" this has no effect: latencies are given", "leave it out");
    if (!parallel.broken() && solve(batch, parallel, e)) {
      to.batch.global = *e.global;
      to.batch.micro = *e.micro;
      to.batch.micro_batches = *e.micro_batches;
      p.dp = *e.dp;
      if (job && degrees && forms_sound) {
        read_shards(parallel, p);
        shards_read = true;
      }
      if (degrees && p.world() > most_gpus)
        parallel.fault(Code::too_large, product({{"tp", p.tp}, {"cp", p.cp}, {"pp", p.pp}, {"dp", p.dp}}) +
                                            " = " + shown(p.world()) + " GPUs are more than " +
                                            shown(most_gpus));
    }
    batch.finish();
  }
  if (job && !shards_read && p.zero > 0) parallel.take("dp_shard");
  parallel.finish();
  root.put("parallel", std::move(parallel.echo));
  root.put("batch", std::move(batch.echo));
}

}  // namespace prism::scenario
