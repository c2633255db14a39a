// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "evidence/graph_builder.h"
#include "evidence/json_text.h"
#include "evidence/moments.h"
#include "prism/evidence_job.h"

namespace prism {
namespace {

using Json = nlohmann::ordered_json;

/// Seven significant digits: the traces have no more, and a link has little room.
double rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", x);
  return std::strtod(text, nullptr);
}

Json quantiles_of(std::vector<double> samples) {
  for (double& x : samples) x = std::max(x, 0.0) * 1e3;
  std::sort(samples.begin(), samples.end());
  if (samples.front() == samples.back()) return {{"constant", {{"value_ms", rounded(samples[0])}}}};
  Json list = Json::array();
  for (const double p : {0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0})
    list.push_back({p, rounded(quantile_of_sorted(samples, p))});
  return {{"empirical", {{"quantiles_ms", list}}}};
}

class Writer {
 public:
  Writer(const OperatorTrace& trace, const OperatorEvidence& e) : trace_(trace), e_(e), of_(trace) {}

  Json operators() {
    for (const bool forward : {true, false}) {
      const char* phase = forward ? "forward" : "backward";
      for (int s = 0; s < trace_.stages; ++s)
        add({{"name", std::string(phase) + ", stage " + std::to_string(s)},
             {"scope", "stage"},
             {"phase", phase},
             {"kind", "compute_other"},
             {"stages", {s}}},
            values(forward ? OpType::forward_compute : OpType::backward_compute, s, e_.parts.transfer));
      auto transfer = pooled({forward ? OpType::forward_send : OpType::backward_send,
                              forward ? OpType::forward_recv : OpType::backward_recv});
      add({{"name", std::string("transfer, ") + phase},
           {"scope", "stage"},
           {"phase", phase},
           {"kind", "send_recv"}},
          std::move(transfer));
    }
    for (int s = 0; s < trace_.stages; ++s)
      add({{"name", "launch gaps, stage " + std::to_string(s)},
           {"scope", "step"},
           {"kind", "compute_other"},
           {"stages", {s}}},
          gaps(s));
    step_end("layer-norm gradients", "compute_other", OpType::layernorm_grads_all_reduce, false);
    step_end("embedding gradients", "all_reduce", OpType::embedding_grads_all_reduce, true);
    step_end("gradients", "reduce_scatter", OpType::grads_reduce_scatter, true);
    if (auto clip = pooled({OpType::optimizer_clip_main_grad}); !clip.empty() && trace_.workers() > 1)
      add({{"name", "gradient clipping"}, {"scope", "step"}, {"kind", "all_reduce"}, {"group", "world"}},
          std::move(clip));
    step_end("optimizer", "optimizer", OpType::optimizer, false);
    step_end("parameters", "all_gather", OpType::params_all_gather, true);
    return std::move(list_);
  }

 private:
  bool slow(int worker) const { return e_.workers[static_cast<std::size_t>(worker)].slow; }

  /// Of the healthy workers of a stage, over all steps.
  std::vector<double> values(OpType type, int stage, const std::vector<double>& table) const {
    std::vector<double> out;
    for (int r = 0; r < trace_.replicas; ++r) {
      const int worker = r * trace_.stages + stage;
      if (slow(worker)) continue;
      for (int k = 0; k < of_.count(worker, type); ++k) {
        const auto row =
            table.begin() + static_cast<std::ptrdiff_t>(of_.at(worker, type, k)) * trace_.steps();
        out.insert(out.end(), row, row + trace_.steps());
      }
    }
    return out;
  }
  std::vector<double> pooled(std::initializer_list<OpType> types) const {
    std::vector<double> out;
    for (const OpType t : types)
      for (int s = 0; s < trace_.stages; ++s) {
        const auto more = values(t, s, e_.parts.transfer);
        out.insert(out.end(), more.begin(), more.end());
      }
    return out;
  }
  /// All gaps of a worker in a step together.
  std::vector<double> gaps(int stage) const {
    std::vector<double> out;
    const auto steps = static_cast<std::size_t>(trace_.steps());
    for (int r = 0; r < trace_.replicas; ++r) {
      const int worker = r * trace_.stages + stage;
      if (slow(worker)) continue;
      std::vector<double> sum(steps, 0);
      for (std::size_t op = 0; op < trace_.ops.size(); ++op)
        if (trace_.worker(trace_.ops[op]) == worker)
          for (std::size_t s = 0; s < steps; ++s) sum[s] += e_.parts.gap[op * steps + s];
      out.insert(out.end(), sum.begin(), sum.end());
    }
    return out;
  }
  void step_end(const char* name, const char* kind, OpType type, bool collective) {
    // Without data parallelism a collective over replicas has one member: its time stays, as work of the
    // rank.
    const bool alone = collective && trace_.replicas == 1;
    for (int s = 0; s < trace_.stages; ++s) {
      Json op = {{"name", std::string(name) + ", stage " + std::to_string(s)},
                 {"scope", "step"},
                 {"kind", alone ? "compute_other" : kind}};
      if (collective && !alone) op["group"] = "dp";
      op["stages"] = {s};
      add(std::move(op), values(type, s, e_.parts.transfer));
    }
  }
  void add(Json op, std::vector<double> samples) {
    if (samples.empty()) return;
    op["latency"] = quantiles_of(std::move(samples));
    list_.push_back(std::move(op));
  }

  const OperatorTrace& trace_;
  const OperatorEvidence& e_;
  OpIndex of_;
  Json list_ = Json::array();
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
              {"run", {{"trials", 10000}, {"seed", "1"}}}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prism
