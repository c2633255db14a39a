// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "prism/evidence_trace.h"

namespace prism {
namespace {

/// Lower case, without _ and -: AllReduce, all_reduce and allReduce are one.
std::string squeezed(std::string_view name) {
  std::string out;
  for (char c : name.substr(0, 256)) {
    if (c == '_' || c == '-') continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  return out;
}

using Word = std::pair<std::string_view, std::string_view>;
/// RCCL calls its kernels nccl...; only where a name says rccl is it told apart. HCCL's begin with hcom too.
constexpr Word libraries[] = {{"rccl", "RCCL"},       {"hccl", "HCCL"},    {"hcom", "HCCL"},
                              {"oneccl", "oneCCL"},   {"ccl::", "oneCCL"}, {"nccl", "NCCL"},
                              {"mscclkernel", "RCCL"}};
/// Longer words first: reduce is in most of them.
constexpr Word kinds[] = {{"reducescatter", "reduce_scatter"},
                          {"allreduce", "all_reduce"},
                          {"allgather", "all_gather"},
                          {"alltoall", "all_to_all"},
                          {"broadcast", "broadcast"},
                          {"sendrecv", "send_recv"},
                          {"barrier", "barrier"},
                          {"send", "send_recv"},
                          {"recv", "send_recv"},
                          {"receive", "send_recv"},
                          {"reduce", "reduce"}};

}  // namespace

std::optional<CollectiveName> collective_name(std::string_view kernel) {
  const std::string name = squeezed(kernel);
  for (const auto& [word, library] : libraries) {
    if (name.find(word) == std::string::npos) continue;
    for (const auto& [spelling, kind] : kinds)
      if (name.find(spelling) != std::string::npos) return CollectiveName{library, kind};
    return CollectiveName{library, "other"};
  }
  return std::nullopt;
}

}  // namespace prism
