// SPDX-License-Identifier: Apache-2.0
// One door for a page: a file of any kind, fed in pieces; what it says, then what takes longer to find out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace prism {

/// What a file is, from its first bytes: "operators", "kineto", "nccl", "megatron" or "steps" (whatever is
/// left).
std::string_view evidence_kind(std::string_view first_bytes);

class EvidenceImport {
 public:
  /// `kind` as above, or "auto": decided once 64 KiB or the whole file are there.
  explicit EvidenceImport(std::string_view kind);
  ~EvidenceImport();
  EvidenceImport(EvidenceImport&&) noexcept;
  /// False once no more is wanted; found() then says why.
  bool feed(std::string_view piece);
  /// Call once, after the last piece. {"ok": true, "evidence": {...}} or {"ok": false, "errors": [...]}.
  std::string found();
  /// After found(). {"scenario": text or null, "validation": {...} or null, "input_error": {...} or null}.
  std::string rest(std::string_view title);
  /// After found(). A step of an operator trace in the Chrome format; empty for all else.
  std::string timeline() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace prism
