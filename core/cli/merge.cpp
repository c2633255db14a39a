// SPDX-License-Identifier: Apache-2.0
// prism merge
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "commands.h"
#include "parts.h"
#include "runner.h"

namespace prism::cli {
namespace {

std::string range_text(std::int64_t first, std::int64_t last) {
  return std::to_string(first) + ":" + std::to_string(last);
}

/// All blocks in order; throws with the ones that are missing or given twice.
Parts joined(std::vector<PartFile>& files, std::int64_t count) {
  std::sort(files.begin(), files.end(),
            [](const PartFile& a, const PartFile& b) { return a.first < b.first; });
  Parts blocks;
  for (PartFile& file : files) {
    const auto have = std::ssize(blocks);
    if (file.first > have)
      throw std::runtime_error("blocks " + range_text(have, file.first) + " are missing");
    if (file.first < have)
      throw std::runtime_error("blocks " + range_text(file.first, have) + " are in two parts");
    std::move(file.blocks.begin(), file.blocks.end(), std::back_inserter(blocks));
  }
  if (std::ssize(blocks) != count)
    throw std::runtime_error("blocks " + range_text(std::ssize(blocks), count) + " are missing");
  return blocks;
}

}  // namespace

int merge(const MergeOptions& options) {
  try {
    std::vector<PartFile> files;
    for (const std::string& path : options.files) {
      files.push_back(read_part(path));
      const PartFile& part = files.back();
      if (part.engine != engine_version)
        throw std::runtime_error(path + " was computed by engine " + part.engine + ", this is " +
                                 std::string(engine_version));
      if (part.scenario != files.front().scenario)
        throw std::runtime_error(path + " is of another scenario, seed or number of trials than " +
                                 options.files.front());
    }
    auto job = prepare_job(files.front().scenario);
    if (!job)
      throw std::runtime_error("the scenario of the parts is refused: " + job.diagnostics.front().message);
    Finished done_parts;
    done_parts.trials = joined(files, unit_count(*job->simulation, Phase::trials));
    {
      ProgressLine line;
      run_rest(*job, options.threads, done_parts, [&](double share) { line.show(share); });
    }
    print_result(*job, done_parts, options.threads, options.json, false);
  } catch (const std::runtime_error& e) {
    print_fault("unusable_part", e.what(), options.json);
    return refused;
  }
  return done;
}

}  // namespace prism::cli
