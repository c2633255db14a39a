// SPDX-License-Identifier: Apache-2.0
#include "evidence/op_type.h"

namespace prism {
namespace {

constexpr std::array<std::string_view, op_types> names = {"backward-compute",
                                                          "backward-recv",
                                                          "backward-send",
                                                          "embedding-grads-all-reduce",
                                                          "forward-compute",
                                                          "forward-recv",
                                                          "forward-send",
                                                          "gc",
                                                          "grads-reduce-scatter",
                                                          "layernorm-grads-all-reduce",
                                                          "optimizer",
                                                          "optimizer-clip-main-grad",
                                                          "params-all-gather"};

}  // namespace

std::string_view op_type_name(OpType type) { return names[static_cast<std::size_t>(type)]; }

std::optional<OpType> find_op_type(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<OpType>(i);
  return std::nullopt;
}

bool is_compute(OpType type) { return type == OpType::forward_compute || type == OpType::backward_compute; }

bool is_p2p(OpType type) {
  return type == OpType::forward_send || type == OpType::forward_recv || type == OpType::backward_send ||
         type == OpType::backward_recv;
}

bool is_idealised_by_mean(OpType type) {
  return is_compute(type) || type == OpType::optimizer || type == OpType::gc;
}

}  // namespace prism
