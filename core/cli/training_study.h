// SPDX-License-Identifier: Apache-2.0
// prism study checkpoint | spares | capacity | schedule: questions about a training run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input.h"

namespace CLI {
class App;
}

namespace prism::cli {

struct TrainingStudyOptions {
  std::vector<std::string> files;  ///< schedule takes several, the others one
  Overrides overrides;
  unsigned threads = 0;
  bool json = false;
  double within_days = 0, probability = 0.95;
  std::int64_t most = 32;              ///< spares
  std::vector<std::int64_t> replicas;  ///< capacity: sizes to try; empty: from a quarter to four times
  std::vector<double> deadline_days;   ///< schedule: one for each file
};

/// Adds the four to `study`. `code` receives the exit code of the one that is called.
void add_training_studies(CLI::App& study, TrainingStudyOptions& options, int& code);

int study_checkpoint(const TrainingStudyOptions& options);
int study_spares(const TrainingStudyOptions& options);
int study_capacity(const TrainingStudyOptions& options);
int study_schedule(const TrainingStudyOptions& options);

}  // namespace prism::cli
