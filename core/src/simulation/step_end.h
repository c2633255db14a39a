// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulation/programs.h"

namespace prism {

/// Law of what a rank does after these weights before its group meets; none if it does not convolve.
LawBook::Law law_after(Compiled& compiled, const Compiled::Stream& weights);

/// What every rank does after its last backward: programs, the exchange of tied embeddings and sections.
std::vector<Diagnostic> compile_ending(Compiled& compiled, ProgramCompiler& compiler);
/// Of them, what one rank of a replica does alone.
void compile_alone(const Compiled& compiled, ProgramCompiler& compiler, std::size_t rank,
                   Compiled::Replica& to);
/// And the exchange, with ranks held in the first and the last group.
void compile_exchange(Compiled& compiled, const HeldRanks* first, const HeldRanks* last,
                      Compiled::Replica& to);

/// The pass that completes the gradients of a stage: of StageProgram::gradients().
inline Pass completing_pass(const StageProgram& s) {
  return &s.gradients() == &s.weight ? Pass::weight : Pass::backward;
}
/// By stage, the task that completes the gradients that are reduced beside compute; -1: none.
std::vector<std::int32_t> completing_tasks(const Workload& workload, const Graph& graph);
/// By reduction of a stage, when in that task its gradients are complete: share of the operators' medians.
std::vector<double> completion(const Workload& workload, const StageProgram& stage);

}  // namespace prism
