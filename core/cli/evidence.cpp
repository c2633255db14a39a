// SPDX-License-Identifier: Apache-2.0
#include "evidence.h"

#include <iostream>
#include <optional>

#include "evidence_file.h"
#include "evidence_text.h"
#include "format.h"
#include "input.h"
#include "output.h"
#include "prism/evidence_launch.h"
#include "prism/evidence_timeline.h"
#include "runner.h"

namespace prism::cli {
namespace {

std::string name_of(const std::string& file) { return file == "-" ? "standard input" : file; }

int refuse(const std::string& file, const std::vector<Diagnostic>& faults, bool json) {
  for (const Diagnostic& d : faults) {
    print_fault(code_name(d.code),
                name_of(file) + ": " + d.message + (d.hint.empty() ? "" : " (" + d.hint + ")"), json);
    if (json) break;
  }
  return refused;
}

/// Feeds a reader; prints why and returns false if the file cannot be read.
template <class Reader>
bool feed(Reader& reader, const std::string& file, bool json) {
  const auto fault = read_pieces(file, [&](std::string_view piece) {
    if constexpr (std::is_same_v<decltype(reader.feed(piece)), bool>)
      return reader.feed(piece);
    else
      return reader.feed(piece), true;
  });
  if (fault) print_fault("unreadable", *fault, json);
  return !fault;
}

int import_operators(const ImportOptions& o) {
  const std::string& file = o.files[0];
  OperatorTraceReader reader;
  if (!feed(reader, file, o.json)) return refused;
  const auto trace = reader.finish();
  if (!trace) return refuse(file, trace.diagnostics, o.json);
  const auto evidence = examine(*trace);
  if (!evidence) return refuse(file, evidence.diagnostics, o.json);
  if (o.json)
    std::cout << operator_evidence_json(*trace, *evidence, reader.account()) << "\n";
  else
    std::cout << account_text(reader.account()) << operator_text(*trace, *evidence);
  if (!o.timeline_file.empty() &&
      !write_file(o.timeline_file, timeline_json(*trace, trace->steps() / 2), o.json))
    return refused;
  if (o.scenario_file.empty()) return done;
  const std::size_t slash = file.find_last_of('/');
  const std::string base = file.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string scenario = scenario_from(*trace, *evidence, "Measured job: " + printable(base));
  return write_file(o.scenario_file, scenario, o.json) ? done : refused;
}

int import_kineto(const ImportOptions& o) {
  std::vector<DeviceTrace> traces;
  std::string documents;
  for (const std::string& file : o.files) {
    DeviceTraceReader reader;
    if (!feed(reader, file, o.json)) return refused;
    auto trace = reader.finish();
    if (!trace) return refuse(file, trace.diagnostics, o.json);
    if (o.json)
      documents += (documents.empty() ? "" : ",\n") + device_trace_json(*trace, reader.account());
    else
      std::cout << (o.files.size() > 1 ? printable(file) + "\n" : "") << account_text(reader.account())
                << device_trace_text(*trace);
    traces.push_back(std::move(*trace));
  }
  if (o.json) std::cout << (o.files.size() > 1 ? "[" + documents + "]" : documents) << "\n";
  const MatchedCollectives matched = match_collectives(traces);
  if (!o.json && matched.ranks > 1) std::cout << matched_text(matched);
  return done;
}

int import_benchmark(const ImportOptions& o) {
  BenchmarkReader reader;
  if (!feed(reader, o.files[0], o.json)) return refused;
  const auto benchmark = reader.finish();
  if (!benchmark) return refuse(o.files[0], benchmark.diagnostics, o.json);
  if (o.json)
    std::cout << benchmark_json(*benchmark, reader.account()) << "\n";
  else
    std::cout << account_text(reader.account()) << benchmark_text(*benchmark);
  return done;
}

constexpr std::size_t warm_up = 2;  ///< steps

/// The trials of a scenario against measured steps.
std::optional<Judgement> judged(const std::string& scenario, const std::vector<double>& steps,
                                unsigned threads, bool json) {
  const auto input = read_input(scenario, {}, json);
  if (!input) return std::nullopt;
  auto job = prepare(*input, json);
  if (!job) return std::nullopt;
  ProgressLine line;
  const Finished parts = run_job(*job, threads, [&](double share) { line.show(share); });
  const Outcome outcome = merge(*job->simulation, parts.trials, {}, {});
  return judge({outcome.step_s.begin(), outcome.step_s.end()}, steps, job->scenario.run.seed);
}

int import_steps(const ImportOptions& o) {
  StepLogReader reader;
  if (!feed(reader, o.files[0], o.json)) return refused;
  const auto log = reader.finish();
  if (!log) return refuse(o.files[0], log.diagnostics, o.json);
  const std::vector<double> steps = settled_steps(*log, warm_up);
  const auto fit = fit_steps(steps);
  if (!fit) return refuse(o.files[0], fit.diagnostics, o.json);
  std::optional<Judgement> judgement;
  if (!o.against.empty() && !(judgement = judged(o.against, steps, o.threads, o.json))) return refused;
  if (o.json) {
    std::cout << step_evidence_json(*fit, steps, reader.account(), judgement ? &*judgement : nullptr) << "\n";
    return done;
  }
  std::cout << account_text(reader.account())
            << "  note: the first 2 steps of each run are taken for warm-up and left out\n"
            << step_fit_text(*fit, steps);
  if (judgement)
    std::cout << "\n" << printable(o.against) << " against these steps\n" << judgement_text(*judgement);
  return done;
}

int import_launch(const ImportOptions& o) {
  LaunchReader reader;
  if (!feed(reader, o.files[0], o.json)) return refused;
  const auto launch = reader.finish();
  if (!launch) return refuse(o.files[0], launch.diagnostics, o.json);
  if (o.json)
    std::cout << launch_json(*launch, reader.account()) << "\n";
  else
    std::cout << account_text(reader.account()) << "\n" << launch_scenario(*launch);
  if (o.scenario_file.empty()) return done;
  return write_file(o.scenario_file, launch_scenario(*launch), o.json) ? done : refused;
}

}  // namespace

int import_evidence(const ImportOptions& o) {
  if (o.files.size() > 1 && o.kind != "kineto") {
    print_fault("usage", "one file at a time; several only for kineto, one a rank", o.json);
    return usage;
  }
  if (!o.scenario_file.empty() && o.kind != "operators" && o.kind != "megatron") {
    print_fault("usage", "--scenario goes with operators and megatron: only they describe a job", o.json);
    return usage;
  }
  if (!o.against.empty() && o.kind != "steps") {
    print_fault("usage", "--against goes with steps", o.json);
    return usage;
  }
  if (!o.timeline_file.empty() && o.kind != "operators") {
    print_fault("usage", "--timeline goes with operators", o.json);
    return usage;
  }
  for (const std::string* output : {&o.scenario_file, &o.timeline_file})
    if (!output->empty() && !spares_inputs(*output, o.files, o.json)) return refused;
  if (!o.scenario_file.empty() && o.scenario_file == o.timeline_file) {
    print_fault("usage", "--scenario and --timeline need a file each", o.json);
    return usage;
  }
  if (o.kind == "operators") return import_operators(o);
  if (o.kind == "kineto") return import_kineto(o);
  if (o.kind == "nccl") return import_benchmark(o);
  if (o.kind == "steps") return import_steps(o);
  return import_launch(o);
}

int fit_file(const FitOptions& o) {
  StepLogReader reader;
  if (!feed(reader, o.file, o.json)) return refused;
  const auto log = reader.finish();
  if (!log) return refuse(o.file, log.diagnostics, o.json);
  std::vector<double> samples;
  for (const auto& run : log->runs) samples.insert(samples.end(), run.seconds.begin(), run.seconds.end());
  const auto fit = fit_families(samples);
  if (!fit) return refuse(o.file, fit.diagnostics, o.json);
  if (o.json) {
    std::cout << fit_json(*fit, samples.size()) << "\n";
    return done;
  }
  std::cout << account_text(reader.account()) << fit_text(*fit);
  if (const auto error = refit_error(samples, fit->families[fit->best].family, 200, 1))
    std::cout << "\nwhat the number of samples leaves open (95 %, refits to redrawn samples): median "
              << significant(error->median_low, 5) << " to " << significant(error->median_high, 5) << ", p95 "
              << significant(error->p95_low, 5) << " to " << significant(error->p95_high, 5) << "\n";
  return done;
}

int validate_file(const ValidateOptions& o) {
  OperatorTraceReader reader;
  if (!feed(reader, o.file, o.json)) return refused;
  const auto trace = reader.finish();
  if (!trace) return refuse(o.file, trace.diagnostics, o.json);
  ValidationOptions options;
  options.split = o.split == "halves" ? Split::halves : Split::odd_even;
  options.trials = static_cast<int>(o.trials);
  options.seed = o.seed;
  options.without = o.without;
  const auto validation = validate(*trace, options);
  if (!validation) return refuse(o.file, validation.diagnostics, o.json);
  std::cout << (o.json ? validation_json(*validation) + "\n" : validation_text(*validation));
  return done;
}

}  // namespace prism::cli
