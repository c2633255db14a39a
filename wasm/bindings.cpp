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
#include "prism/table_store.h"

namespace {

using emscripten::val;

std::map<int, prism::Job> jobs;
int last_handle = 0;
prism::TableStore tables;  // of all scenarios that this module has prepared

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

std::string prepare(const std::string& text) {
  prism::Result<prism::Job> job = prism::prepare_job(text, &tables);
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

val take_tables() { return copied_out(tables.take_new()); }

void learn_tables(const val& bytes) {
  if (!tables.learn(copied_in(bytes))) throw std::invalid_argument("these are not tables of a module");
}

void release(int handle) { jobs.erase(handle); }

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
  emscripten::function("take_tables", &Guarded<take_tables>::call);
  emscripten::function("learn_tables", &Guarded<learn_tables>::call);
  emscripten::function("release", &Guarded<release>::call);
}
