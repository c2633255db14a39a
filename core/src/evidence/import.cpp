// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>

#include "evidence/json_text.h"
#include "evidence/lines.h"
#include "prism/evidence_benchmark.h"
#include "prism/evidence_import.h"
#include "prism/evidence_job.h"
#include "prism/evidence_launch.h"
#include "prism/evidence_steps.h"
#include "prism/evidence_timeline.h"
#include "prism/evidence_trace.h"

namespace prism {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t enough_to_tell = 1 << 16;
constexpr std::size_t warm_up = 2;

using Reader = std::variant<std::monostate, OperatorTraceReader, DeviceTraceReader, BenchmarkReader,
                            LaunchReader, StepLogReader>;

void start(Reader& reader, std::string_view kind) {
  if (kind == "operators")
    reader.emplace<OperatorTraceReader>();
  else if (kind == "kineto")
    reader.emplace<DeviceTraceReader>();
  else if (kind == "nccl")
    reader.emplace<BenchmarkReader>();
  else if (kind == "megatron")
    reader.emplace<LaunchReader>();
  else
    reader.emplace<StepLogReader>();
}

std::string refusal(const std::vector<Diagnostic>& faults) {
  Json errors = Json::array();
  for (const Diagnostic& d : faults)
    errors.push_back({{"code", code_name(d.code)},
                      {"pointer", d.pointer},
                      {"message", d.message},
                      {"hint", d.hint},
                      {"severity", "error"},
                      {"line", 0},
                      {"column", 0}});
  return evidence_dump({{"ok", false}, {"errors", errors}});
}

/// The documents are JSON text already.
std::string answer(const std::string& evidence, const std::string& scenario = {},
                   const std::string& validation = {}, const std::string& timeline = {}) {
  const auto text = [](const std::string& t) {
    return t.empty() ? std::string("null") : evidence_dump(Json(t));
  };
  return "{\"ok\":true,\"evidence\":" + evidence + ",\"scenario\":" + text(scenario) +
         ",\"validation\":" + (validation.empty() ? "null" : validation) + ",\"timeline\":" + text(timeline) +
         "}";
}

/// The step whose measured time is the median: one that shows what is usual.
int typical_step(const OperatorTrace& trace) {
  const auto measured = measured_step_times(trace);
  std::vector<int> order(measured.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return measured[static_cast<std::size_t>(a)] < measured[static_cast<std::size_t>(b)];
  });
  return order[order.size() / 2];
}

std::string finished(OperatorTraceReader& reader, std::string_view title) {
  const auto trace = reader.finish();
  if (!trace) return refusal(trace.diagnostics);
  const auto evidence = examine(*trace);
  if (!evidence) return refusal(evidence.diagnostics);
  const auto validation = validate(*trace, {});
  return answer(operator_evidence_json(*trace, *evidence, reader.account()),
                scenario_from(*trace, *evidence, "Measured job: " + std::string(title)),
                validation ? validation_json(*validation) : "", timeline_json(*trace, typical_step(*trace)));
}

std::string finished(DeviceTraceReader& reader, std::string_view) {
  const auto trace = reader.finish();
  return trace ? answer(device_trace_json(*trace, reader.account())) : refusal(trace.diagnostics);
}

std::string finished(BenchmarkReader& reader, std::string_view) {
  const auto benchmark = reader.finish();
  return benchmark ? answer(benchmark_json(*benchmark, reader.account())) : refusal(benchmark.diagnostics);
}

std::string finished(LaunchReader& reader, std::string_view) {
  const auto launch = reader.finish();
  return launch ? answer(launch_json(*launch, reader.account()), launch_scenario(*launch))
                : refusal(launch.diagnostics);
}

std::string finished(StepLogReader& reader, std::string_view) {
  const auto log = reader.finish();
  if (!log) return refusal(log.diagnostics);
  const std::vector<double> settled = settled_steps(*log, warm_up);
  const auto fit = fit_steps(settled);
  if (!fit) return refusal(fit.diagnostics);
  return answer(step_evidence_json(*fit, settled, reader.account()));
}

std::string finished(std::monostate, std::string_view) { return {}; }

}  // namespace

std::string_view evidence_kind(std::string_view first) {
  const auto has = [&](std::string_view word) { return first.find(word) != std::string_view::npos; };
  const std::string_view text = trimmed(first);
  const bool json = !text.empty() && (text.front() == '{' || text.front() == '[');
  if (has("optype") && has("dp_rank")) return "operators";
  if (json) return "kineto";
  if (has("algbw") || has("busbw") || has("_perf")) return "nccl";
  if (has("--num-layers") || has("torchrun") || has("pretrain_gpt") || has("--tensor-model-parallel-size"))
    return "megatron";
  return "steps";
}

struct EvidenceImport::State {
  std::string kind;
  std::string held;  ///< until the kind is known
  Reader reader;
  bool wants_more = true;

  void begin() {
    if (kind == "auto") kind = evidence_kind(held);
    start(reader, kind);
    pass(held);
    held = {};
  }
  void pass(std::string_view piece) {
    std::visit(
        [&](auto& r) {
          using R = std::decay_t<decltype(r)>;
          if constexpr (std::is_same_v<R, DeviceTraceReader>)
            wants_more = r.feed(piece);
          else if constexpr (!std::is_same_v<R, std::monostate>)
            r.feed(piece);
        },
        reader);
  }
};

EvidenceImport::EvidenceImport(std::string_view kind) : state_(std::make_unique<State>()) {
  state_->kind = kind;
}
EvidenceImport::~EvidenceImport() = default;
EvidenceImport::EvidenceImport(EvidenceImport&&) noexcept = default;

bool EvidenceImport::feed(std::string_view piece) {
  State& s = *state_;
  if (!std::holds_alternative<std::monostate>(s.reader)) return s.pass(piece), s.wants_more;
  s.held.append(piece);
  if (s.kind != "auto" || s.held.size() >= enough_to_tell) s.begin();
  return s.wants_more;
}

std::string EvidenceImport::finish(std::string_view title) {
  State& s = *state_;
  if (std::holds_alternative<std::monostate>(s.reader)) s.begin();
  return std::visit([&](auto& r) { return finished(r, title); }, s.reader);
}

}  // namespace prism
