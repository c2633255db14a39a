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

/// `evidence` is JSON text already.
std::string answer(const std::string& evidence) { return "{\"ok\":true,\"evidence\":" + evidence + "}"; }

/// What is left to ask of a file once it has been read.
struct Measured {
  OperatorTrace trace;
  OperatorEvidence evidence;
};
using Kept = std::variant<std::monostate, Measured, LaunchArguments>;

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

std::string found(OperatorTraceReader& reader, Kept& kept) {
  auto trace = reader.finish();
  if (!trace) return refusal(trace.diagnostics);
  auto evidence = answers_of(*trace);
  if (!evidence) return refusal(evidence.diagnostics);
  std::string text = answer(operator_evidence_json(*trace, *evidence, reader.account()));
  kept = Measured{std::move(*trace), std::move(*evidence)};
  return text;
}

std::string found(DeviceTraceReader& reader, Kept&) {
  const auto trace = reader.finish();
  return trace ? answer(device_trace_json(*trace, reader.account())) : refusal(trace.diagnostics);
}

std::string found(BenchmarkReader& reader, Kept&) {
  const auto benchmark = reader.finish();
  return benchmark ? answer(benchmark_json(*benchmark, reader.account())) : refusal(benchmark.diagnostics);
}

std::string found(LaunchReader& reader, Kept& kept) {
  auto launch = reader.finish();
  if (!launch) return refusal(launch.diagnostics);
  std::string text = answer(launch_json(*launch, reader.account()));
  kept = std::move(*launch);
  return text;
}

std::string found(StepLogReader& reader, Kept&) {
  const auto log = reader.finish();
  if (!log) return refusal(log.diagnostics);
  const std::vector<double> settled = settled_steps(*log, warm_up);
  const auto fit = fit_steps(settled);
  if (!fit) return refusal(fit.diagnostics);
  return answer(step_evidence_json(*fit, settled, reader.account()));
}

std::string found(std::monostate, Kept&) { return {}; }

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
  Kept kept;
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

std::string EvidenceImport::found() {
  State& s = *state_;
  if (std::holds_alternative<std::monostate>(s.reader)) s.begin();
  std::string text = std::visit([&](auto& r) { return prism::found(r, s.kept); }, s.reader);
  s.reader.emplace<std::monostate>();
  return text;
}

std::string EvidenceImport::rest(std::string_view title) {
  std::string scenario, validation, error;
  if (auto* job = std::get_if<Measured>(&state_->kept)) {
    job->evidence.input_error = input_error_of(job->trace, job->evidence);
    error = input_error_json(job->evidence.input_error);
    scenario = scenario_from(job->trace, job->evidence, "Measured job: " + std::string(title));
    if (const auto judged = validate(job->trace, {})) validation = validation_json(*judged);
  } else if (const auto* launch = std::get_if<LaunchArguments>(&state_->kept)) {
    scenario = launch_scenario(*launch);
  }
  const auto or_null = [](const std::string& json) { return json.empty() ? "null" : json; };
  return "{\"scenario\":" + (scenario.empty() ? "null" : evidence_dump(Json(scenario))) +
         ",\"validation\":" + or_null(validation) + ",\"input_error\":" + or_null(error) + "}";
}

std::string EvidenceImport::timeline() const {
  const auto* job = std::get_if<Measured>(&state_->kept);
  return job ? timeline_json(job->trace, typical_step(job->trace)) : "";
}

}  // namespace prism
