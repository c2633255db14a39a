// SPDX-License-Identifier: Apache-2.0
#include "prism/workload.h"

#include "workload/doors.h"
#include "workload/layout_rules.h"

namespace prism {

Result<Workload> build_workload(const Scenario& scenario) {
  auto faults = workload::check_layout(scenario);
  if (!faults.empty()) return Result<Workload>::faults(std::move(faults));

  auto result = scenario.model ? workload::from_job(scenario) : workload::from_operator_list(scenario);
  if (!result) return result;
  result->tp = scenario.parallel.tp * scenario.parallel.cp;
  result->pp = scenario.parallel.pp;
  result->dp = scenario.parallel.dp;
  result->virtual_stages = scenario.parallel.virtual_stages;
  result->micro_batches = scenario.batch.micro_batches;
  result->schedule = scenario.parallel.schedule;
  result->tokens = static_cast<double>(scenario.batch.global) * static_cast<double>(scenario.batch.sequence);
  return result;
}

}  // namespace prism
