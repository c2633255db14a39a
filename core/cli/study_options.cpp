// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "number_options.h"
#include "study.h"

namespace prism::cli {
namespace {

CLI::App* add(CLI::App& study, VariantStudyOptions& o, int& code, StudyKind kind, const char* what) {
  CLI::App* command = study.add_subcommand(std::string(study_names[static_cast<std::size_t>(kind)]), what);
  command->add_option("FILE", o.file, "Scenario or result document; - reads standard input")->required();
  command->add_option("--trials", o.overrides.trials, "Trials of each variant, instead of the scenario's");
  command->add_option("--seed", o.overrides.seed, "Seed, instead of the scenario's");
  command->add_option("--engine", o.overrides.engine, "fast, exact or reference, instead of the scenario's");
  command
      ->add_option("--threads", o.threads,
                   "Threads; by default as many as the machine has. Results do not depend on it")
      ->check(CLI::Range(1u, 1024u));
  CLI::Option* json = command->add_flag("--json", o.json, "Print the document");
  command->add_flag("--csv", o.csv, "Print one line a variant")->excludes(json);
  command
      ->add_option("--variants", o.variants_directory,
                   "Write the scenario of each variant into this directory")
      ->check(CLI::ExistingDirectory);
  command->callback([kind, &o, &code] {
    o.question.kind = kind;
    code = study_variants(o);
  });
  return command;
}

}  // namespace

void add_variant_studies(CLI::App& study, VariantStudyOptions& o, int& code) {
  StudyQuestion& q = o.question;
  CLI::App* sensitivity = add(study, o, code, StudyKind::sensitivity,
                              "Which kinds of operators set the mean, the spread and the p95");
  add_number(sensitivity, "--faster", q.faster, "Also scale the times of each kind by this (0.9)", 0.01,
             0.99);

  CLI::App* placement = add(study, o, code, StudyKind::placement, "Where a slow node hurts most and least");
  add_list(placement, "--slow", q.slow, "How many times slower, a list (1.05,1.1,1.25,1.5)", 1, 1000);
  placement->add_option("--unit", q.unit, "gpu or node (node)")->check(CLI::IsMember({"gpu", "node"}));
  placement->add_option("--count", q.count, "How many of them are slow (1)")->check(CLI::Range(1, 16));

  CLI::App* scaling = add(study, o, code, StudyKind::scaling, "Step time from one replica to 131,072 GPUs");
  add_list(scaling, "--gpus", q.gpus, "Sizes, a list; by default doubling from one replica", 1, 1'048'576);
  scaling->add_flag("--strong", q.strong, "Keep the global batch, not the batch of a replica");
  add_list(scaling, "--slow-down", q.slow_down,
           "Report P(step > x times its time without variability) (1.02,1.05,1.1)", 1, 100);

  CLI::App* compare =
      add(study, o, code, StudyKind::compare, "Layouts and schedules ranked by their 95 % quantile");
  compare->add_option("--with", o.layouts,
                      "Other scenarios to compare with; without any, layouts are enumerated");
  compare->add_option("--most", q.most, "At most so many enumerated layouts (128)")
      ->check(CLI::Range(1, 1000));

  CLI::App* spread =
      add(study, o, code, StudyKind::scale_variability, "Variability multiplied, by class of operators");
  add_list(spread, "--times", q.times, "Multiples, a list (0,0.5,1,2,4)", 0, 10);
  add_number(spread, "--faster-compute", q.faster_compute, "And again with compute times multiplied by this",
             0.001, 1000);

  CLI::App* sweep = add(study, o, code, StudyKind::sweep, "One number of the scenario over a list of values");
  sweep->add_option("--at", q.pointer, "JSON Pointer of the number, such as /batch/micro")->required();
  add_list(sweep, "--values", q.values, "Values, a list")->required();
}

}  // namespace prism::cli
