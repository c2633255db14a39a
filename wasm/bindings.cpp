// SPDX-License-Identifier: Apache-2.0
// The core as JavaScript sees it (module.d.ts): a table of coarse calls and nothing else. Texts and bytes are
// copied in and out, so that no JavaScript object ever points into memory that may grow.
//
// A bad scenario is data: prepare() returns it as diagnostics. A wrong call (an unknown handle, phase or
// unit) is a bug of the caller and throws an Error.
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "binding.h"
#include "prism/report.h"
#include "prism/study_report.h"

namespace {

using emscripten::val;

std::map<int, prism::Job> jobs;
int last_handle = 0;

prism::Job& job_of(int handle) {
  const auto found = jobs.find(handle);
  if (found == jobs.end()) throw std::invalid_argument("unknown handle " + std::to_string(handle));
  return found->second;
}

prism::Phase phase_of(const std::string& name) {
  for (int i = 0; i < prism::phase_count; ++i)
    if (prism::phase_names[i] == name) return static_cast<prism::Phase>(i);
  throw std::invalid_argument("unknown phase " + name);
}

val copied_out(std::vector<std::byte> bytes) { return val::global("Uint8Array").new_(view(bytes)); }

prism::Parts parts_in(const val& arrays) {
  prism::Parts parts(arrays["length"].as<std::size_t>());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = copied_in(val(arrays[i]));
  return parts;
}

std::string prepare(const std::string& text) {
  prism::Result<prism::Job> job = prism::prepare_job(text);
  if (!job) return R"({"ok":false,"errors":)" + prism::diagnostics_json(job.diagnostics) + "}";
  const int handle = ++last_handle;
  std::string answer = R"({"ok":true,"handle":)" + std::to_string(handle) + R"(,"plan":)" +
                       prism::plan_json(*job) + R"(,"warnings":)" + prism::diagnostics_json(job->warnings) +
                       "}";
  jobs.emplace(handle, std::move(*job));
  return answer;
}

val run_unit(int handle, const std::string& phase_text, double unit) {
  const prism::Simulation& simulation = *job_of(handle).simulation;
  const prism::Phase phase = phase_of(phase_text);
  if (!(unit >= 0 && unit < static_cast<double>(prism::unit_count(simulation, phase))))
    throw std::out_of_range("no unit " + std::to_string(unit) + " in phase " + phase_text);
  return copied_out(prism::run_unit(simulation, phase, static_cast<std::int64_t>(unit)));
}

void learn(int handle, const val& pilot) { prism::learn(*job_of(handle).simulation, parts_in(pilot)); }

std::string finish(int handle, const val& trials, const val& attribution, const val& check) {
  return prism::result_json(job_of(handle), parts_in(trials), parts_in(attribution), parts_in(check));
}

val samples(int handle, const val& trials) {
  const prism::Outcome outcome = prism::merge(*job_of(handle).simulation, parts_in(trials), {}, {});
  std::vector<std::byte> bytes(outcome.step_s.size() * sizeof(double));
  std::memcpy(bytes.data(), outcome.step_s.data(), bytes.size());
  return copied_out(std::move(bytes));
}

void release(int handle) { jobs.erase(handle); }

std::string import_model(const std::string& config, double virtual_stages) {
  if (!(virtual_stages >= 1 && virtual_stages <= 1e6)) throw std::out_of_range("virtual stages from 1 to 1000000");
  return prism::model_import_json(config, static_cast<std::int64_t>(virtual_stages));
}

std::map<int, prism::StudyPlan> studies;

const prism::StudyPlan& study_of(int handle) {
  const auto found = studies.find(handle);
  if (found == studies.end()) throw std::invalid_argument("unknown study " + std::to_string(handle));
  return found->second;
}

std::string study_plan(const std::string& text, const std::string& question_text) {
  auto question = prism::read_question(question_text);
  auto plan = question ? prism::plan_study(text, *question)
                       : prism::Result<prism::StudyPlan>::faults(std::move(question.diagnostics));
  if (!plan) return R"({"ok":false,"errors":)" + prism::diagnostics_json(plan.diagnostics) + "}";
  std::string answer = R"({"ok":true,"handle":)" + std::to_string(++last_handle) + R"(,"plan":)" +
                       prism::study_plan_json(*plan) + "}";
  studies.emplace(last_handle, std::move(*plan));
  return answer;
}

val study_unit(int handle, double unit) {
  const prism::StudyPlan& plan = study_of(handle);
  if (!(unit >= 0 && unit < static_cast<double>(plan.variants.size())))
    throw std::out_of_range("no unit " + std::to_string(unit) + " in this study");
  return copied_out(prism::run_variant(plan, static_cast<std::int64_t>(unit)));
}

std::string study_finish(int handle, const val& parts) {
  prism::Parts all = copied_in(parts);
  if (all.size() != study_of(handle).variants.size()) throw std::invalid_argument("a study needs all its parts");
  return prism::study_json(study_of(handle), all);
}

void study_release(int handle) { studies.erase(handle); }

std::string version() { return std::string(prism::engine_version); }

std::string presets() { return prism::presets_json(); }

}  // namespace

EMSCRIPTEN_BINDINGS(prism) {
  emscripten::function("version", &Guarded<version>::call);
  emscripten::function("presets", &Guarded<presets>::call);
  emscripten::function("prepare", &Guarded<prepare>::call);
  emscripten::function("run_unit", &Guarded<run_unit>::call);
  emscripten::function("learn", &Guarded<learn>::call);
  emscripten::function("finish", &Guarded<finish>::call);
  emscripten::function("samples", &Guarded<samples>::call);
  emscripten::function("release", &Guarded<release>::call);
  emscripten::function("study_plan", &Guarded<study_plan>::call);
  emscripten::function("study_unit", &Guarded<study_unit>::call);
  emscripten::function("study_finish", &Guarded<study_finish>::call);
  emscripten::function("study_release", &Guarded<study_release>::call);
  emscripten::function("import_model", &Guarded<import_model>::call);
}
