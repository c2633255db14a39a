// SPDX-License-Identifier: Apache-2.0
// Spare nodes and the repair shop.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "training_run/prepared.h"
#include "training_run/words.h"

namespace prism::training {

class Repairs {
 public:
  Repairs(const std::optional<Spares>& spares, std::uint64_t seed, std::int64_t run)
      : spares_(spares), words_(seed, run, "repair") {
    if (spares && spares->crews > 0) free_.assign(static_cast<std::size_t>(spares->crews), 0);
  }

  /// A node breaks now and goes to repair. When another is there to take its place: now, if a spare is left.
  Nanoseconds replace(Nanoseconds now) {
    if (!spares_) return now;
    const double factor = words_.exponential();
    const Nanoseconds time = nanoseconds(spares_->repair_s * (spares_->exponential ? factor : 1));
    Nanoseconds begin = now;
    if (!free_.empty()) {  // the first crew to be free, first come first served
      const auto crew = std::min_element(free_.begin(), free_.end());
      begin = std::max(now, *crew);
      *crew = begin + time;
    }
    done_.erase(std::remove_if(done_.begin(), done_.end(), [&](Nanoseconds at) { return at <= now; }),
                done_.end());
    done_.push_back(begin + time);
    const auto broken = static_cast<std::int64_t>(done_.size());
    if (broken <= spares_->nodes) return now;
    // Enough must come back for no more to be missing than there are spares.
    const auto nth = done_.begin() + static_cast<std::ptrdiff_t>(broken - spares_->nodes - 1);
    std::nth_element(done_.begin(), nth, done_.end());
    return *nth;
  }

 private:
  std::optional<Spares> spares_;
  Words words_;
  std::vector<Nanoseconds> free_;  ///< when each crew has finished what it has
  std::vector<Nanoseconds> done_;  ///< when each broken node is back
};

}  // namespace prism::training
