// SPDX-License-Identifier: Apache-2.0
// prism run, prism check
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "commands.h"
#include "format.h"
#include "output.h"
#include "parts.h"
#include "result_text.h"
#include "runner.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;

void print_warnings(const Job& job, const Input& input) {
  for (const Diagnostic& d : job.warnings) std::cerr << diagnostic_text(d, input) << "\n";
}

void print_notes(const Workload& workload) {
  if (workload.notes.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const Workload::Note& note : workload.notes) rows.push_back({note.about + ": " + note.text});
  std::cout << "\nChosen by the cost model\n" << printable(table(rows), true);
}

/// Grouped by where the values come from.
void print_assumptions(const Scenario& s) {
  std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> groups;
  for (const Scenario::Assumption& a : s.assumptions) {
    const std::string origin = a.source.empty() ? a.origin : a.origin + " (" + a.source + ")";
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == origin; });
    if (group == groups.end()) group = groups.insert(group, {origin, {}});
    group->second.push_back({a.pointer + " = " + a.value});
  }
  if (!groups.empty()) std::cout << "\nAssumed, because not written\n";
  for (const auto& [origin, rows] : groups)
    std::cout << "  " << printable(origin) << "\n" << printable(table(rows, "    "), true);
}

bool write_samples(std::ofstream& out, const Job& job, const Parts& trials) {
  const Outcome outcome = prism::merge(*job.simulation, trials, {}, {});
  errno = 0;
  out << "trial,step_time_s\n";
  for (std::size_t i = 0; i < outcome.step_s.size(); ++i) out << i << ',' << exact(outcome.step_s[i]) << '\n';
  out.close();
  return !out.fail();
}

int run_part(const RunOptions& options, const std::string& scenario, Job& job) {
  std::pair<std::int64_t, std::int64_t> range;
  try {
    range = block_range(*options.blocks, unit_count(*job.simulation, Phase::trials));
  } catch (const std::runtime_error& e) {
    print_fault("usage", e.what(), options.json);
    return usage;
  }
  try {
    const auto [first, last] = range;
    PartFile part{std::string(engine_version), scenario, first, {}};
    ProgressLine line;
    part.blocks = run_blocks(job, options.threads, first, last, [&](double share) { line.show(share); });
    write_part(options.part_file, part);
  } catch (const std::runtime_error& e) {
    print_fault("unusable_part", e.what(), options.json);
    return refused;
  }
  return done;
}

}  // namespace

void print_result(const Job& job, const Finished& parts, unsigned threads, bool json, bool csv) {
  Parts training;
  if (job.scenario.training_run)
    training =
        run_training_parts(**prepare_training(training_setup(job, parts.trials, parts.check)), threads, {});
  const std::string result = result_json(job, parts.trials, parts.attribution, parts.check, training);
  if (json) {
    std::cout << result << "\n";
  } else {
    const auto document = ordered_json::parse(result);
    std::cout << (csv ? quantile_csv(document) : result_text(document));
  }
}

int run(const RunOptions& options) {
  for (const std::string& output : {options.samples_file.value_or(""), options.part_file})
    if (!output.empty() && !spares_inputs(output, {options.file}, options.json)) return refused;
  const auto input = read_input(options.file, options.overrides, options.json);
  if (!input) return refused;
  auto job = prepare(*input, options.json);
  if (!job) return refused;
  if (!options.json) print_warnings(*job, *input);

  if (options.blocks) return run_part(options, input->text, *job);
  // Before the work: a place where nothing can be written is found at once.
  std::ofstream samples;
  errno = 0;
  if (options.samples_file) samples.open(*options.samples_file, std::ios::binary);
  const auto unwritable = [&] {
    print_fault("unwritable", cannot_write(*options.samples_file), options.json);
    return refused;
  };
  if (samples.fail()) return unwritable();
  Finished parts;
  {
    ProgressLine line;
    parts = run_job(*job, options.threads, [&](double share) { line.show(share); });
  }
  print_result(*job, parts, options.threads, options.json, options.csv);
  return !options.samples_file || write_samples(samples, *job, parts.trials) ? done : unwritable();
}

int check(const CheckOptions& options) {
  const auto input = read_input(options.file, {}, options.json);
  if (!input) return refused;
  const auto job = prepare(*input, options.json);
  if (!job) return refused;

  if (options.json) {
    std::cout << "{\"ok\":true,\"plan\":" << plan_json(*job)
              << ",\"warnings\":" << diagnostics_json(job->warnings) << "}\n";
    return done;
  }
  print_warnings(*job, *input);
  const Scenario& s = job->scenario;
  std::cout << printable(input->name) << ": no errors. " << grouped(s.parallel.world()) << " GPUs, "
            << grouped(s.run.trials) << " trials, seed " << s.run.seed << ", " << s.run.engine << " engine.\n"
            << "Without variability the step takes " << significant(deterministic(*job->simulation).step_s, 4)
            << " s.\n";
  print_notes(job->workload);
  print_assumptions(s);
  return done;
}

}  // namespace prism::cli
