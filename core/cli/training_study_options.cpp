// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "number_options.h"
#include "training_study.h"

namespace prism::cli {
namespace {

CLI::App* add(CLI::App& study, TrainingStudyOptions& o, int& code, const char* name, const char* what,
              int (*run)(const TrainingStudyOptions&)) {
  CLI::App* command = study.add_subcommand(name, what);
  command
      ->add_option("FILE", o.files, "Scenario or result document with a training_run; - reads standard input")
      ->required();
  command->add_option("--trials", o.overrides.trials,
                      "Number of trials of the step, instead of the scenario's");
  command->add_option("--seed", o.overrides.seed, "Seed, instead of the scenario's");
  command->add_option("--threads", o.threads, "Threads; by default as many as the machine has")
      ->check(CLI::Range(1u, 1024u));
  command->add_flag("--json", o.json, "Print the document");
  command->callback([run, &o, &code] { code = run(o); });
  return command;
}

void add_deadline(CLI::App* command, TrainingStudyOptions& o) {
  add_number(command, "--within-days", o.within_days, "In how many days the run must be finished", 1e-6, 1e5)
      ->required();
  add_number(command, "--probability", o.probability, "Chance of finishing in time that is asked for (0.95)",
             0.001, 0.999);
}

}  // namespace

void add_training_studies(CLI::App& study, TrainingStudyOptions& o, int& code) {
  add(study, o, code, "checkpoint", "Wall-clock time by checkpoint interval, and the best one",
      study_checkpoint);
  CLI::App* spares = add(study, o, code, "spares", "How many spare nodes the run needs", study_spares);
  add_deadline(spares, o);
  spares->add_option("--most", o.most, "Largest number of spares tried (32)")->check(CLI::Range(0, 1000));
  CLI::App* capacity =
      add(study, o, code, "capacity", "The smallest GPU count, and the latest start", study_capacity);
  add_deadline(capacity, o);
  add_list(capacity, "--replicas", o.replicas,
           "Data-parallel sizes to try, small to large; same global batch", 1, 1'000'000);
  CLI::App* schedule =
      add(study, o, code, "schedule", "Several runs with deadlines on one cluster", study_schedule);
  add_list(schedule, "--deadline-days", o.deadline_days, "For each file, in how many days from now", 1e-6,
           1e5, Repeats::yes)
      ->required();
}

}  // namespace prism::cli
