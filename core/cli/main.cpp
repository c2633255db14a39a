// SPDX-License-Identifier: Apache-2.0
// The program `prism`: arguments to options.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "commands.h"
#include "evidence.h"
#include "prism/scenario.h"
#include "study.h"
#include "timeline.h"
#include "training_study.h"

namespace {

using namespace prism::cli;

constexpr const char* file_help = "Scenario or result document; - reads standard input";

/// CLI11 itself takes -1, and anything too large, for the largest unsigned number.
template <class Integer>
std::string whole_number(const std::string& text) {
  Integer value;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return "";
  return "a whole number below 2^" + std::to_string(std::numeric_limits<Integer>::digits) +
         " is expected, not " + text;
}

void add_overrides(CLI::App* command, Overrides& o) {
  command->add_option("--trials", o.trials, "Number of trials, instead of the scenario's")
      ->check(whole_number<std::int64_t>);
  command->add_option("--seed", o.seed, "Seed, instead of the scenario's")
      ->check(whole_number<std::uint64_t>);
  command->add_option("--engine", o.engine, "fast, exact or reference, instead of the scenario's");
}

void add_threads(CLI::App* command, unsigned& threads) {
  command
      ->add_option("--threads", threads,
                   "Threads; by default as many as the machine has. Results do not depend on it")
      ->check(CLI::Range(1u, 1024u));
}

/// A word in the place of a command that is none: said by name, with the names there are.
bool knows_command(const CLI::App& app, const std::string& name) {
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return true;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  print_fault("unknown_command", "there is no command \"" + name + "\"; there are: " + known, false);
  return false;
}

/// What went to a full disk or a closed pipe is no success.
int written(int code) {
  if (std::cout.flush()) return code;
  print_fault("unwritable", "cannot write to standard output", false);
  return refused;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("prism: how long a training step takes, as a distribution");
  app.name("prism");
  app.set_version_flag("--version", "prism " + std::string(prism::engine_version));
  app.require_subcommand(1);
  int code = done;

  RunOptions run_options;
  CLI::App* run_command = app.add_subcommand("run", "Run a scenario and print the step-time distribution");
  run_command->add_option("FILE", run_options.file, file_help)->required();
  add_overrides(run_command, run_options.overrides);
  add_threads(run_command, run_options.threads);
  CLI::Option* run_samples =
      run_command->add_option("--samples", run_options.samples_file, "Write every trial to this CSV file");
  CLI::Option* run_json = run_command->add_flag("--json", run_options.json, "Print the result document");
  run_command->add_flag("--csv", run_options.csv, "Print the quantiles as CSV")->excludes(run_json);
  CLI::Option* run_blocks =
      run_command->add_option("--blocks", run_options.blocks,
                              "Only blocks A to B - 1 of 256 trials each, into a file for prism merge");
  CLI::Option* run_part = run_command->add_option("-o,--output", run_options.part_file, "That file");
  run_blocks->needs(run_part)->excludes(run_json)->excludes(run_samples);
  run_part->needs(run_blocks);
  run_command->callback([&] { code = run(run_options); });

  MergeOptions merge_options;
  CLI::App* merge_command = app.add_subcommand(
      "merge", "Join the parts that runs with --blocks wrote: the result of the whole run");
  merge_command->add_option("PART", merge_options.files, "Files of prism run --blocks")->required();
  add_threads(merge_command, merge_options.threads);
  merge_command->add_flag("--json", merge_options.json, "Print the result document");
  merge_command->callback([&] { code = merge(merge_options); });

  CheckOptions check_options;
  CLI::App* check_command = app.add_subcommand("check", "Check a scenario and list what it assumes");
  check_command->add_option("FILE", check_options.file, file_help)->required();
  check_command->add_flag("--json", check_options.json,
                          "Print the plan and the warnings, or the errors, as JSON");
  check_command->callback([&] { code = check(check_options); });

  bool presets_json = false;
  CLI::App* presets_command = app.add_subcommand("presets", "List the presets");
  presets_command->add_flag("--json", presets_json, "Print their contents and sources");
  presets_command->callback([&] { code = presets(presets_json); });

  ModelImportOptions model_import_options;
  CLI::App* model_import_command =
      app.add_subcommand("import-model", "Turn a Hugging Face config.json into a scenario's model");
  model_import_command->add_option("FILE", model_import_options.file, "config.json; - reads standard input")
      ->required();
  model_import_command
      ->add_option("--stages", model_import_options.stages,
                   "Show how each rule spreads the layers over so many virtual stages")
      ->check(CLI::Range(1, 65536));
  model_import_command->callback([&] { code = import_model(model_import_options); });

  LinkOptions link_options;
  CLI::App* link_command = app.add_subcommand("link", "Make a link that opens this scenario on the page");
  link_command->add_option("FILE", link_options.file, file_help)->required();
  add_overrides(link_command, link_options.overrides);
  add_threads(link_command, link_options.threads);
  link_command->add_option("--page", link_options.page, "Address of the page, put before the link");
  link_command->add_flag("--no-run", link_options.no_run, "Do not run it: the link then holds no digest");
  link_command->callback([&] { code = link(link_options); });

  OpenOptions open_options;
  CLI::App* open_command =
      app.add_subcommand("open", "Print a link's scenario and run it to compare the digest");
  open_command->add_option("LINK", open_options.link, "A link, or its part from # on; - reads standard input")
      ->required();
  add_threads(open_command, open_options.threads);
  open_command->add_flag("--json", open_options.json, "Print engine, digests and scenario as JSON");
  open_command->add_flag("--no-run", open_options.no_run, "Only print it");
  open_command->callback([&] { code = open(open_options); });

  TrainingStudyOptions training_study;
  CLI::App* study_command = app.add_subcommand("study", "Questions that take many variants of a scenario");
  study_command->require_subcommand(1);
  VariantStudyOptions variant_study;
  add_variant_studies(*study_command, variant_study, code);
  add_training_studies(*study_command, training_study, code);
  TimelineOptions timeline;
  add_timeline_study(*study_command, timeline, code);

  ImportOptions import_options;
  CLI::App* import_command =
      app.add_subcommand("import", "Read a trace, a log or a launch script and say what is in it");
  import_command->add_option("KIND", import_options.kind, "kineto, operators, nccl, steps or megatron")
      ->required()
      ->check(CLI::IsMember({"kineto", "operators", "nccl", "steps", "megatron"}));
  import_command
      ->add_option("FILE", import_options.files, "What was measured, gzip or not; - reads standard input")
      ->required();
  import_command->add_option("--scenario", import_options.scenario_file,
                             "Write the job as a scenario to this file");
  import_command->add_option("--timeline", import_options.timeline_file,
                             "Write a step, measured, replayed and ideal, as a Chrome trace to this file");
  import_command->add_option("--against", import_options.against,
                             "With steps: run this scenario and judge its step times by the log");
  add_threads(import_command, import_options.threads);
  import_command->add_flag("--json", import_options.json, "Print everything as JSON");
  import_command->callback([&] { code = import_evidence(import_options); });

  FitOptions fit_options;
  CLI::App* fit_command =
      app.add_subcommand("fit", "Fit distributions to numbers and say which can be told apart");
  fit_command
      ->add_option("FILE", fit_options.file,
                   "Numbers, one a line, or a step-time log; - reads standard input")
      ->required();
  fit_command->add_flag("--json", fit_options.json, "Print every family as JSON");
  fit_command->callback([&] { code = fit_file(fit_options); });

  ValidateOptions validate_options;
  CLI::App* validate_command =
      app.add_subcommand("validate", "Predict steps of an operator trace from its other steps");
  validate_command
      ->add_option("TRACE", validate_options.file, "Operator trace, CSV or JSON rows, gzip or not")
      ->required();
  validate_command
      ->add_option("--split", validate_options.split,
                   "odd-even or halves: which steps are held out, by position")
      ->check(CLI::IsMember({"odd-even", "halves"}));
  validate_command->add_option("--without", validate_options.without, "Step numbers left out on both sides")
      ->delimiter(',');
  validate_command->add_option("--trials", validate_options.trials, "Steps predicted, 2000 by default")
      ->check(CLI::Range(std::int64_t{100}, std::int64_t{1000000}));
  validate_command->add_option("--seed", validate_options.seed, "Seed, 1 by default")
      ->check(whole_number<std::uint64_t>);
  validate_command->add_flag("--json", validate_options.json, "Print everything as JSON");
  validate_command->callback([&] { code = validate_file(validate_options); });

  if (argc > 1 && argv[1][0] != '-' && !knows_command(app, argv[1])) return usage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    code = app.exit(e) == 0 ? done : usage;
  } catch (const std::bad_alloc&) {
    print_fault("out_of_memory", "there is not enough memory for this", false);
    code = refused;
  }
  return written(code);
}
