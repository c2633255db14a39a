// SPDX-License-Identifier: Apache-2.0
// Measured evidence: what every import says about what it read. The forms of evidence have headers of their
// own: evidence_operators.h, evidence_steps.h, evidence_trace.h, evidence_benchmark.h, evidence_launch.h, and
// evidence_fit.h for distributions. Readers are fed pieces of any size, so that a file need not fit in
// memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/diagnostic.h"

namespace prism {

/// What became of a file: nothing is dropped without a word.
struct Account {
  struct Count {
    std::string what;
    std::int64_t count;
  };
  std::string format;              ///< how the file was understood, e.g. "operator trace, CSV"
  std::int64_t bytes = 0;          ///< after inflating
  std::int64_t records = 0;        ///< rows, events or lines seen
  std::int64_t used = 0;           ///< of them used
  std::vector<Count> ignored;      ///< reason and how many; in order of first appearance
  std::vector<Count> kinds;        ///< what the used ones are
  std::vector<std::string> notes;  ///< what a reader must know before believing the figures

  void ignore(std::string_view reason, std::int64_t n = 1) { add(ignored, reason, n); }
  void recognise(std::string_view kind, std::int64_t n = 1) { add(kinds, kind, n); }

 private:
  static void add(std::vector<Count>& list, std::string_view what, std::int64_t n) {
    for (Count& c : list)
      if (c.what == what) {
        c.count += n;
        return;
      }
    list.push_back({std::string(what), n});
  }
};
/// One JSON object, compact.
std::string account_json(const Account& account);

/// Linear interpolation between order statistics (Hyndman-Fan type 7, the default of numpy and R); `sorted`
/// ascending and not empty, 0 <= p <= 1.
double quantile_of_sorted(const std::vector<double>& sorted, double p);

}  // namespace prism
