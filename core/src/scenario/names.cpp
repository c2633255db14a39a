// SPDX-License-Identifier: Apache-2.0
// The words that stand for enumerators in JSON.
#include <array>

#include "prism/scenario.h"
#include "scenario/words.h"

namespace prism {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::syntax:
      return "syntax";
    case Code::duplicate_key:
      return "duplicate_key";
    case Code::too_deep:
      return "too_deep";
    case Code::too_large:
      return "too_large";
    case Code::not_a_number:
      return "not_a_number";
    case Code::unknown_key:
      return "unknown_key";
    case Code::missing_key:
      return "missing_key";
    case Code::wrong_type:
      return "wrong_type";
    case Code::out_of_range:
      return "out_of_range";
    case Code::unknown_name:
      return "unknown_name";
    case Code::inconsistent:
      return "inconsistent";
    case Code::not_divisible:
      return "not_divisible";
    case Code::impossible_distribution:
      return "impossible_distribution";
    case Code::unsupported:
      return "unsupported";
  }
  return {};
}

namespace {
constexpr std::array<std::string_view, kind_count> kind_names = {
    "gemm",       "attention",     "elementwise", "embedding",          "loss",
    "optimizer",  "compute_other", "all_reduce",  "all_gather",         "reduce_scatter",
    "all_to_all", "broadcast",     "send_recv",   "communication_other"};
constexpr std::array<std::string_view, 5> schedules = {"gpipe", "1f1b", "interleaved-1f1b",
                                                       "interleaved-1f1b-relaxed", "zb-h1"};
}  // namespace

std::string_view kind_name(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

Class class_of(Kind kind) { return kind < Kind::all_reduce ? Class::compute : Class::communication; }

std::span<const std::string_view> schedule_names() { return schedules; }

bool splits_weight_gradients(std::string_view schedule) { return schedule == "zb-h1"; }

std::span<const std::string_view> scenario::kind_words() { return kind_names; }

}  // namespace prism
