// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "evidence/empirical_law.h"
#include "evidence/moments.h"
#include "evidence/shared_levels.h"

namespace prism {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<double>;  ///< by step, seconds

/// Kinds tell causes apart: a pass is mostly matrix products, and its level is not that of launch gaps.
constexpr const char *pass = "gemm", *on_the_host = "compute_other";
constexpr double smallest_cv = 1e-3;  ///< below it a factor is not worth its line
constexpr std::size_t most_what_ifs = 64;

/// An operator without its law, and what was measured of it on healthy workers.
struct Entry {
  Json op;
  std::vector<Row> rows;
};

class Writer {
 public:
  Writer(const OperatorTrace& trace, const OperatorEvidence& e)
      : trace_(trace), e_(e), of_(trace), shared_(shared_compute(trace, e)) {
    collect();
  }

  Json operators() {
    Json list = Json::array();
    for (Entry& entry : entries_) {
      const Row* level = level_of(entry.op["kind"]);
      std::vector<double> samples;
      for (const Row& row : entry.rows)
        for (std::size_t s = 0; s < row.size(); ++s) samples.push_back(level ? row[s] / (*level)[s] : row[s]);
      entry.op["latency"] = law_of_times(std::move(samples));
      list.push_back(std::move(entry.op));
    }
    return list;
  }

  Json factors() const {
    Json list = Json::array();
    add_level(list, pass, "micro_batch", "operation", shared_.micro_batch, "content of a micro-batch");
    add_level(list, pass, "cluster", "step", shared_.step, "level of a step, computing");
    for (const auto& [kind, level] : levels_)
      add_level(list, kind, "cluster", "step", level, "level of a step, " + kind);
    add_spread(list, "run", shared_.worker_cv, "lasting differences of healthy workers");
    add_spread(list, "step", shared_.worker_step_cv, "a worker from step to step");
    return list;
  }

  /// The slow workers as they were measured, slowest first.
  Json slow_workers() const {
    std::vector<std::pair<double, const WorkerView*>> slow;
    for (const WorkerView& w : e_.workers) {
      const auto stage = static_cast<std::size_t>(w.stage), r = static_cast<std::size_t>(w.replica);
      const double usual = shared_.usual[0][stage] + shared_.usual[1][stage];
      double own = 0;
      for (std::size_t way = 0; way < 2; ++way)
        if (shared_.usual[way][stage] > 0) own += e_.parts.worker_mean[way][stage][r];
      if (w.slow && usual > 0) slow.push_back({own / usual, &w});
    }
    std::stable_sort(slow.begin(), slow.end(), [](auto& a, auto& b) { return a.first > b.first; });
    slow.resize(std::min(slow.size(), most_what_ifs));
    Json list = Json::array();
    for (const auto& [factor, w] : slow)
      list.push_back({{"where", {{"pp", w->stage}, {"dp", w->replica}, {"unit", "gpu"}}},
                      {"what", pass},
                      {"factor", seven_digits(factor)}});
    return list;
  }

 private:
  void collect() {
    for (const bool is_forward : {true, false}) {
      const char* phase = is_forward ? "forward" : "backward";
      for (int s = 0; s < trace_.stages; ++s)
        add({{"name", std::string(phase) + ", stage " + std::to_string(s)},
             {"scope", "stage"},
             {"phase", phase},
             {"kind", pass},
             {"stages", {s}}},
            passes(is_forward ? 0 : 1, s));
      add({{"name", std::string("transfer, ") + phase},
           {"scope", "stage"},
           {"phase", phase},
           {"kind", "send_recv"}},
          pooled({is_forward ? OpType::forward_send : OpType::backward_send,
                  is_forward ? OpType::forward_recv : OpType::backward_recv}));
    }
    for (int s = 0; s < trace_.stages; ++s)
      add({{"name", "launch gaps, stage " + std::to_string(s)},
           {"scope", "step"},
           {"kind", on_the_host},
           {"stages", {s}}},
          gaps(s));
    step_end("layer-norm gradients", "elementwise", OpType::layernorm_grads_all_reduce, false);
    step_end("embedding gradients", "all_reduce", OpType::embedding_grads_all_reduce, true);
    step_end("gradients", "reduce_scatter", OpType::grads_reduce_scatter, true);
    if (trace_.workers() > 1)
      add({{"name", "gradient clipping"},
           {"scope", "step"},
           {"kind", "communication_other"},
           {"group", "world"}},
          pooled({OpType::optimizer_clip_main_grad}));
    step_end("optimizer", "optimizer", OpType::optimizer, false);
    step_end("parameters", "all_gather", OpType::params_all_gather, true);
    find_levels();
  }

  bool slow(int worker) const { return e_.workers[static_cast<std::size_t>(worker)].slow; }
  std::size_t steps() const { return static_cast<std::size_t>(trace_.steps()); }

  /// One pass of the healthy workers of a stage, without what is shared.
  std::vector<Row> passes(std::size_t way, int stage) const {
    const OpType type = way == 0 ? OpType::forward_compute : OpType::backward_compute;
    const auto at = static_cast<std::size_t>(stage);
    std::vector<Row> rows;
    for (int r = 0; r < trace_.replicas; ++r) {
      if (slow(r * trace_.stages + stage)) continue;
      for (int k = 0; k < of_.count(r * trace_.stages + stage, type); ++k) {
        const auto op = static_cast<std::size_t>(of_.at(r * trace_.stages + stage, type, k));
        const auto unit = static_cast<std::size_t>(r * shared_.micro_batches + k);
        Row& row = rows.emplace_back(steps());
        for (std::size_t s = 0; s < steps(); ++s)
          row[s] = shared_.usual[way][at] * e_.parts.content[op * steps() + s] *
                   e_.parts.step_level[way][at][s] /
                   (shared_.step[s] * shared_.micro_batch[unit * steps() + s]);
      }
    }
    return rows;
  }
  /// Transfer of the healthy workers of a stage.
  std::vector<Row> transfers(OpType type, int stage) const {
    std::vector<Row> rows;
    for (int r = 0; r < trace_.replicas; ++r) {
      const int worker = r * trace_.stages + stage;
      if (slow(worker)) continue;
      for (int k = 0; k < of_.count(worker, type); ++k) {
        const auto from =
            e_.parts.transfer.begin() + static_cast<std::ptrdiff_t>(of_.at(worker, type, k)) * trace_.steps();
        rows.emplace_back(from, from + trace_.steps());
      }
    }
    return rows;
  }
  std::vector<Row> pooled(std::initializer_list<OpType> types) const {
    std::vector<Row> rows;
    for (const OpType t : types)
      for (int s = 0; s < trace_.stages; ++s)
        for (Row& row : transfers(t, s)) rows.push_back(std::move(row));
    return rows;
  }
  /// All gaps of a worker in a step together.
  std::vector<Row> gaps(int stage) const {
    std::vector<Row> rows;
    for (int r = 0; r < trace_.replicas; ++r) {
      const int worker = r * trace_.stages + stage;
      if (slow(worker)) continue;
      Row& sum = rows.emplace_back(steps(), 0);
      for (std::size_t op = 0; op < trace_.ops.size(); ++op)
        if (trace_.worker(trace_.ops[op]) == worker)
          for (std::size_t s = 0; s < steps(); ++s) sum[s] += e_.parts.gap[op * steps() + s];
    }
    return rows;
  }
  void step_end(const char* name, const char* kind, OpType type, bool collective) {
    // Without data parallelism a collective over replicas has one member: its time stays, as work of the
    // rank.
    const bool alone = collective && trace_.replicas == 1;
    for (int s = 0; s < trace_.stages; ++s) {
      Json op = {{"name", std::string(name) + ", stage " + std::to_string(s)},
                 {"scope", "step"},
                 {"kind", alone ? on_the_host : kind}};
      if (collective && !alone) op["group"] = "dp";
      op["stages"] = {s};
      add(std::move(op), transfers(type, s));
    }
  }
  void add(Json op, std::vector<Row> rows) {
    if (!rows.empty()) entries_.push_back({std::move(op), std::move(rows)});
  }

  /// Of every kind but passes, whose level is known already.
  void find_levels() {
    std::map<std::string, std::vector<Row>> relative;
    for (const Entry& entry : entries_) {
      const std::string kind = entry.op["kind"];
      if (kind == pass) continue;
      for (const Row& row : entry.rows) {
        const double median = median_of(row);
        if (!(median > 0)) continue;
        Row& own = relative[kind].emplace_back(row);
        for (double& x : own) x /= median;
      }
    }
    for (const auto& [kind, rows] : relative) levels_[kind] = common_level(rows);
  }
  const Row* level_of(const std::string& kind) const {
    const auto found = levels_.find(kind);
    return found == levels_.end() ? nullptr : &found->second;
  }

  static void add_level(Json& list, const std::string& kind, const char* scope, const char* period,
                        const Levels& level, const std::string& name) {
    if (level.size() < 2 || variance_of(level) < smallest_cv * smallest_cv) return;
    Json factor = {{"what", kind}, {"scope", scope}, {"period", period}};
    factor.update(law_of_factors(level));
    factor["name"] = name;
    list.push_back(std::move(factor));
  }
  static void add_spread(Json& list, const char* period, double cv, const char* name) {
    if (cv < smallest_cv) return;
    list.push_back({{"what", pass},
                    {"scope", "gpu"},
                    {"period", period},
                    {"lognormal", {{"median", 1}, {"cv", seven_digits(cv)}}},
                    {"name", name}});
  }

  const OperatorTrace& trace_;
  const OperatorEvidence& e_;
  OpIndex of_;
  SharedCompute shared_;
  std::vector<Entry> entries_;
  std::map<std::string, Levels> levels_;
};

}  // namespace

std::string scenario_from(const OperatorTrace& trace, const OperatorEvidence& evidence,
                          const std::string& title) {
  Writer writer(trace, evidence);
  const int micro_batches = OpIndex(trace).count(0, OpType::forward_compute);
  Json out = {{"prism", 1},
              {"title", title.substr(0, 200)},
              {"operators", writer.operators()},
              {"parallel", {{"pp", trace.stages}, {"dp", trace.replicas}, {"schedule", "1f1b"}}},
              {"batch", {{"micro_batches", std::max(micro_batches, 1)}}},
              {"variability", {{"factors", writer.factors()}}}};
  if (Json slow = writer.slow_workers(); !slow.empty()) out["what_if"] = std::move(slow);
  const PredictionError& error = evidence.input_error;
  out["input_error"] = {{"measurements", error.steps},
                        {"refits", error.refits},
                        {"p50", {seven_digits(error.p50_low), seven_digits(error.p50_high)}},
                        {"p95", {seven_digits(error.p95_low), seven_digits(error.p95_high)}}};
  out["run"] = {{"trials", 10000}, {"seed", "1"}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prism
