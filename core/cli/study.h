// SPDX-License-Identifier: Apache-2.0
// prism study sensitivity | placement | scaling | compare | scale-variability | sweep.
#pragma once

#include <string>
#include <vector>

#include "input.h"
#include "prism/study.h"

namespace CLI {
class App;
}

namespace prism::cli {

struct VariantStudyOptions {
  std::string file;
  Overrides overrides;
  unsigned threads = 0;
  bool json = false, csv = false;
  StudyQuestion question;
  std::vector<std::string> layouts;  ///< compare: other scenario files
  std::string variants_directory;    ///< where the scenario of each variant goes; empty: nowhere
};

/// Adds the six to `study`. `code` receives the exit code of the one that is called.
void add_variant_studies(CLI::App& study, VariantStudyOptions& options, int& code);

int study_variants(const VariantStudyOptions& options);

}  // namespace prism::cli
