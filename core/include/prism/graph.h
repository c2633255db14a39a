// SPDX-License-Identifier: Apache-2.0
// Schedules, and the task graph of one replica's pipeline that they compile to.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "prism/diagnostic.h"

namespace prism {

/// `weight`: gradients of the weights, where a schedule plays them apart from those of the activations.
enum class Pass : std::uint8_t { forward, backward, weight };
inline constexpr std::size_t pass_count = 3;

struct PipelineShape {
  std::int64_t ranks = 1;           ///< p
  std::int64_t virtual_stages = 1;  ///< v; virtual stage s of p*v is on rank s mod p
  std::int64_t micro_batches = 1;   ///< m
  std::int64_t stages() const { return ranks * virtual_stages; }
};

/// One pass of one micro-batch through one virtual stage: a chunk.
struct ScheduledTask {
  std::int32_t stage;
  Pass pass;
  std::int32_t micro_batch;
};

/// A schedule is an order of chunks for each rank, in which the micro-batches of one stage and pass ascend.
/// Adding one is one new file and one line in schedules().
struct Schedule {
  std::string_view name;
  std::string_view rule;  ///< the layouts it accepts, one sentence
  bool splits_weights;    ///< plays Pass::weight apart
  /// Faults of a layout against the rule, with JSON Pointers and the numbers.
  std::vector<Diagnostic> (*check)(const PipelineShape&);
  std::vector<ScheduledTask> (*order)(const PipelineShape&, std::int64_t rank);
};
std::span<const Schedule> schedules();
const Schedule* find_schedule(std::string_view name);

/// The most chunks whose activations a rank holds at once: from a forward pass to the last pass that needs
/// them.
std::int64_t activations_in_flight(const Schedule& schedule, const PipelineShape& shape, std::int64_t rank);

/// Chunks of one replica in a topological order, with what each waits for. Dependencies between chunks on one
/// rank are implied by the order on that rank; those between ranks are transfers, and transfers that leave a
/// rank in one direction queue behind each other.
struct Graph {
  struct Task {
    std::int32_t rank;
    std::int32_t stage;
    Pass pass;
    std::int32_t micro_batch;
    std::int32_t previous;       ///< task before it on the rank, or -1
    std::int32_t source;         ///< task whose transfer it waits for, or -1
    std::int32_t receive_slot;   ///< where that transfer's arrival time is kept, or -1
    std::int32_t send_slot;      ///< where its own transfer's arrival time goes, or -1 if it sends nothing
    std::int32_t link;           ///< queue of its own transfer: 2 * rank + pass; -1 if it sends nothing
    std::int32_t link_previous;  ///< task whose transfer is before its own on the link, or -1
  };
  PipelineShape shape;
  std::vector<Task> tasks;
  std::vector<std::int32_t> last_on_rank;  ///< [ranks]
  std::int32_t slots = 0;                  ///< arrival slots; reused once read, so they stay in cache
};

/// Largest number of chunks a replica may have: a scenario of so many is checked within seconds.
inline constexpr std::int64_t max_tasks = std::int64_t{1} << 20;

Result<Graph> compile_graph(const PipelineShape& shape, std::string_view schedule);

}  // namespace prism
