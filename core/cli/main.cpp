// SPDX-License-Identifier: Apache-2.0
// The program `prism`: arguments to options.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "commands.h"
#include "evidence.h"
#include "number_options.h"
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

/// What a browser opens by a click; anything else would be a link that does something else.
std::string page_address(const std::string& text) {
  for (const std::string_view scheme : {"https://", "http://"})
    if (text.starts_with(scheme) && text.size() > scheme.size() &&
        text.find_first_of(" \t\r\n\"<>#") == std::string::npos)
      return "";
  return "an address that starts with https:// or http:// and has no # is expected, not " + text;
}

/// Options of every command; the one that is called reads its own.
struct Options {
  RunOptions run;
  MergeOptions merge;
  CheckOptions check;
  bool presets_json = false;
  ModelImportOptions model_import;
  LinkOptions link;
  OpenOptions open;
  TrainingStudyOptions training_study;
  VariantStudyOptions variant_study;
  TimelineOptions timeline;
  ImportOptions import;
  FitOptions fit;
  ValidateOptions validate;
};

void add_run(CLI::App& app, RunOptions& o, int& code) {
  CLI::App* command = app.add_subcommand("run", "Run a scenario and print the step-time distribution");
  command->add_option("FILE", o.file, file_help)->required();
  add_overrides(command, o.overrides);
  add_threads(command, o.threads);
  CLI::Option* samples =
      command->add_option("--samples", o.samples_file, "Write every trial to this CSV file");
  CLI::Option* json = command->add_flag("--json", o.json, "Print the result document");
  CLI::Option* csv = command->add_flag("--csv", o.csv, "Print the quantiles as CSV")->excludes(json);
  CLI::Option* blocks = command->add_option(
      "--blocks", o.blocks, "Only blocks A to B - 1 of 256 trials each, into a file for prism merge");
  CLI::Option* part = command->add_option("-o,--output", o.part_file, "That file");
  blocks->needs(part)->excludes(json)->excludes(csv)->excludes(samples);
  part->needs(blocks);
  command->callback([&] { code = run(o); });
}

void add_merge(CLI::App& app, MergeOptions& o, int& code) {
  CLI::App* command = app.add_subcommand(
      "merge", "Join the parts that runs with --blocks wrote: the result of the whole run");
  command->add_option("PART", o.files, "Files of prism run --blocks")->required();
  add_threads(command, o.threads);
  command->add_flag("--json", o.json, "Print the result document");
  command->callback([&] { code = merge(o); });
}

void add_check(CLI::App& app, CheckOptions& o, int& code) {
  CLI::App* command = app.add_subcommand("check", "Check a scenario and list what it assumes");
  command->add_option("FILE", o.file, file_help)->required();
  command->add_flag("--json", o.json, "Print the plan and the warnings, or the errors, as JSON");
  command->callback([&] { code = check(o); });
}

void add_presets(CLI::App& app, bool& json, int& code) {
  CLI::App* command = app.add_subcommand("presets", "List the presets");
  command->add_flag("--json", json, "Print their contents and sources");
  command->callback([&] { code = presets(json); });
}

void add_model_import(CLI::App& app, ModelImportOptions& o, int& code) {
  CLI::App* command =
      app.add_subcommand("import-model", "Turn a Hugging Face config.json into a scenario's model");
  command->add_option("FILE", o.file, "config.json; - reads standard input")->required();
  command
      ->add_option("--stages", o.stages, "Show how each rule spreads the layers over so many virtual stages")
      ->check(CLI::Range(1, 65536));
  command->callback([&] { code = import_model(o); });
}

void add_link(CLI::App& app, LinkOptions& o, int& code) {
  CLI::App* command = app.add_subcommand("link", "Make a link that opens this scenario on the page");
  command->add_option("FILE", o.file, file_help)->required();
  add_overrides(command, o.overrides);
  add_threads(command, o.threads);
  command->add_option("--page", o.page, "Address of the page, put before the link")->check(page_address);
  command->add_flag("--no-run", o.no_run, "Do not run it: the link then holds no digest");
  command->callback([&] { code = link(o); });
}

void add_open(CLI::App& app, OpenOptions& o, int& code) {
  CLI::App* command = app.add_subcommand("open", "Print a link's scenario and run it to compare the digest");
  command->add_option("LINK", o.link, "A link, or its part from # on; - reads standard input")->required();
  add_threads(command, o.threads);
  command->add_flag("--json", o.json, "Print engine, digests and scenario as JSON");
  command->add_flag("--no-run", o.no_run, "Only print it");
  command->callback([&] { code = open(o); });
}

void add_studies(CLI::App& app, Options& o, int& code) {
  CLI::App* command = app.add_subcommand("study", "Questions that take many variants of a scenario");
  command->require_subcommand(1);
  add_variant_studies(*command, o.variant_study, code);
  add_training_studies(*command, o.training_study, code);
  add_timeline_study(*command, o.timeline, code);
}

void add_import(CLI::App& app, ImportOptions& o, int& code) {
  CLI::App* command =
      app.add_subcommand("import", "Read a trace, a log or a launch script and say what is in it");
  command->add_option("KIND", o.kind, "kineto, operators, nccl, steps or megatron")
      ->required()
      ->check(CLI::IsMember({"kineto", "operators", "nccl", "steps", "megatron"}));
  command->add_option("FILE", o.files, "What was measured, gzip or not; - reads standard input")->required();
  command->add_option("--scenario", o.scenario_file, "Write the job as a scenario to this file");
  command->add_option("--timeline", o.timeline_file,
                      "Write a step, measured, replayed and ideal, as a Chrome trace to this file");
  command->add_option("--against", o.against,
                      "With steps: run this scenario and judge its step times by the log");
  add_threads(command, o.threads);
  command->add_flag("--json", o.json, "Print everything as JSON");
  command->callback([&] { code = import_evidence(o); });
}

void add_fit(CLI::App& app, FitOptions& o, int& code) {
  CLI::App* command =
      app.add_subcommand("fit", "Fit distributions to numbers and say which can be told apart");
  command->add_option("FILE", o.file, "Numbers, one a line, or a step-time log; - reads standard input")
      ->required();
  command->add_flag("--json", o.json, "Print every family as JSON");
  command->callback([&] { code = fit_file(o); });
}

void add_validate(CLI::App& app, ValidateOptions& o, int& code) {
  CLI::App* command =
      app.add_subcommand("validate", "Predict steps of an operator trace from its other steps");
  command->add_option("TRACE", o.file, "Operator trace, CSV or JSON rows, gzip or not")->required();
  command->add_option("--split", o.split, "odd-even or halves: which steps are held out, by position")
      ->check(CLI::IsMember({"odd-even", "halves"}));
  add_list(command, "--without", o.without, "Step numbers left out on both sides", 0, std::int64_t{1} << 53);
  command->add_option("--trials", o.trials, "Steps predicted, 2000 by default")
      ->check(CLI::Range(std::int64_t{100}, std::int64_t{1000000}));
  command->add_option("--seed", o.seed, "Seed, 1 by default")->check(whole_number<std::uint64_t>);
  command->add_flag("--json", o.json, "Print everything as JSON");
  command->callback([&] { code = validate_file(o); });
}

void add_commands(CLI::App& app, Options& o, int& code) {
  add_run(app, o.run, code);
  add_merge(app, o.merge, code);
  add_check(app, o.check, code);
  add_presets(app, o.presets_json, code);
  add_model_import(app, o.model_import, code);
  add_link(app, o.link, code);
  add_open(app, o.open, code);
  add_studies(app, o, code);
  add_import(app, o.import, code);
  add_fit(app, o.fit, code);
  add_validate(app, o.validate, code);
}

/// Words in the place of a command that are none: said by name, with the names there are.
bool knows_commands(const CLI::App& app, int argc, char** argv) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  if (commands.empty() || argc < 2 || argv[1][0] == '-') return true;
  std::string known;
  for (const CLI::App* command : commands) {
    if (command->get_name() == argv[1]) return knows_commands(*command, argc - 1, argv + 1);
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  const std::string where = app.get_parent() ? app.get_name() + " has" : "there is";
  print_fault("unknown_command", where + " no command \"" + argv[1] + "\"; there are: " + known, false);
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
  Options options;
  add_commands(app, options, code);
  if (!knows_commands(app, argc, argv)) return usage;
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
