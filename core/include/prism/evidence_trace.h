// SPDX-License-Identifier: Apache-2.0
// Device traces: PyTorch/Kineto and other files in the Chrome trace format, of any size. Kept are statistics
// by kernel name and the collectives one by one; everything else passes through.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/evidence.h"

namespace prism {

/// Whose kernel a name is, any spelling and case: NCCL, RCCL, HCCL or oneCCL, and what it does (all_reduce,
/// all_gather, reduce_scatter, all_to_all, broadcast, send_recv, reduce, barrier, or other). None for other
/// kernels.
struct CollectiveName {
  std::string_view library, kind;
};
std::optional<CollectiveName> collective_name(std::string_view kernel);

struct DeviceTrace {
  static constexpr std::size_t most_names = 5000;    ///< distinct kernel names; the rest is one class
  static constexpr std::size_t most_samples = 1024;  ///< durations kept a name, chosen without preference
  static constexpr std::size_t most_collectives = 1 << 20;

  struct Kernel {
    std::string name;  ///< at most 512 bytes
    std::string kind;  ///< compute, memory, or the kind of a collective
    std::int64_t count = 0;
    double total_s = 0, least_s = 0, most_s = 0;
    std::vector<double> samples;  ///< seconds, in no order
  };
  struct Collective {
    std::int32_t process;      ///< position in `processes`
    std::int32_t kernel;       ///< position in `kernels`
    std::int64_t start_ns;     ///< since `base_ns`
    std::int64_t duration_ns;  ///< waiting included
  };
  struct Process {
    std::string pid;
    std::int64_t rank = -1;  ///< -1: the file does not say
  };
  struct Step {
    std::int64_t number;
    double seconds;
  };
  std::int64_t rank = -1, world_size = -1;  ///< of the file; -1: not said
  std::string backend;
  std::int64_t base_ns = 0;             ///< first start
  std::vector<Process> processes;       ///< those with kernels
  std::vector<Kernel> kernels;          ///< in the order of their first appearance
  std::vector<Collective> collectives;  ///< in file order
  std::vector<Step> steps;              ///< ProfilerStep annotations, ascending
  std::int64_t kernel_events = 0,
               recognised = 0;  ///< kernels, memory operations not counted; of them collectives
};

class DeviceTraceReader {
 public:
  DeviceTraceReader();
  ~DeviceTraceReader();
  DeviceTraceReader(DeviceTraceReader&&) noexcept;
  /// False once the text cannot be read on; finish() then says why.
  bool feed(std::string_view piece);
  /// Call once. Refused: no JSON, no traceEvents, a file cut off inside an object.
  Result<DeviceTrace> finish();
  const Account& account() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Transfer time of collectives seen by several ranks whose clocks differ: the k-th of a kernel name on each
/// rank are one collective, and its shortest duration is the one that waited least.
struct MatchedCollective {
  std::string name, kind;
  std::vector<double> transfer_s;  ///< one a collective
  double waiting_share = 0;        ///< mean of 1 - shortest / own over all members
};
struct MatchedCollectives {
  std::vector<MatchedCollective> names;
  std::int64_t ranks = 0;
  std::vector<std::string> unmatched;  ///< names whose counts differ between the ranks
};
MatchedCollectives match_collectives(std::span<const DeviceTrace> traces);

std::string device_trace_json(const DeviceTrace& trace, const Account& account);

}  // namespace prism
