// SPDX-License-Identifier: Apache-2.0
// prism study timeline: sampled steps chunk by chunk.
#pragma once

#include <string>
#include <vector>

#include "input.h"

namespace CLI {
class App;
}

namespace prism::cli {

struct TimelineOptions {
  std::string file;
  Overrides overrides;
  unsigned threads = 0;
  bool json = false, csv = false;
  std::vector<double> masses;  ///< quantiles to show; empty: the core's own choice
};

void add_timeline_study(CLI::App& study, TimelineOptions& options, int& code);

int study_timeline(const TimelineOptions& options);

}  // namespace prism::cli
