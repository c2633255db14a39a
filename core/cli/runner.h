// SPDX-License-Identifier: Apache-2.0
// Runs every unit of a job on threads. The parts come back in unit order, so the number of threads changes
// nothing.
#pragma once

#include <functional>

#include "prism/planning.h"
#include "prism/study.h"
#include "prism/timeline.h"

namespace prism::cli {

struct Finished {
  Parts trials, attribution, check;
};

/// `threads` 0: as many as the machine has. `progress`, if given, is called from the calling thread about ten
/// times a second with the share of the work done, 0 to 1.
Finished run_job(Job& job, unsigned threads, const std::function<void(double)>& progress);

/// Pilot, and all but the trials, which are in `done` already.
void run_rest(Job& job, unsigned threads, Finished& done, const std::function<void(double)>& progress);
/// Only blocks first ... last - 1 of the trials.
Parts run_blocks(Job& job, unsigned threads, std::int64_t first, std::int64_t last,
                 const std::function<void(double)>& progress);

/// Every unit of a training run, in unit order.
Parts run_training_parts(const Training& training, unsigned threads,
                         const std::function<void(double)>& progress);

/// Every variant of a study, in order.
Parts run_study(const StudyPlan& plan, unsigned threads, const std::function<void(double)>& progress);

/// Every candidate of a planning question, in order.
Parts run_timeline(const TimelinePlan& plan, unsigned threads, const std::function<void(double)>& progress);
Parts run_planning(const Planning& planning, unsigned threads, const std::function<void(double)>& progress);

/// The result, with its training run, as text, JSON or CSV on standard output.
void print_result(const Job& job, const Finished& parts, unsigned threads, bool json, bool csv);

/// One line on stderr, redrawn, if a terminal watches; otherwise an estimate for long work.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  ///< wipes the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(double share);

 private:
  /// What nobody watches says once how long it will take, if that is more than a minute.
  void announce(double share, double elapsed);

  bool watched_;
  bool drawn_ = false, announced_ = false;
  double started_s_;
};

}  // namespace prism::cli
