// SPDX-License-Identifier: Apache-2.0
// What evidence says, as people read it.
#pragma once

#include <string>
#include <vector>

#include "prism/evidence_benchmark.h"
#include "prism/evidence_fit.h"
#include "prism/evidence_job.h"
#include "prism/evidence_steps.h"
#include "prism/evidence_trace.h"

namespace prism::cli {

std::string account_text(const Account& account);
std::string operator_text(const OperatorTrace& trace, const OperatorEvidence& evidence);
std::string device_trace_text(const DeviceTrace& trace);
std::string matched_text(const MatchedCollectives& matched);
std::string benchmark_text(const CollectiveBenchmark& benchmark);
std::string step_fit_text(const StepFit& fit, const std::vector<double>& seconds);
std::string fit_text(const Fit& fit);
std::string judgement_text(const Judgement& judgement);
std::string validation_text(const Validation& validation);

}  // namespace prism::cli
