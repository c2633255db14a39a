// SPDX-License-Identifier: Apache-2.0
// Causes that several invocations share: who is struck by which, and the laws of their draws. The order of
// draws within a cause's stream is by place, replica first, so that a smaller job sees the first draws of a
// larger one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "simulation/held.h"
#include "simulation/laws.h"
#include "simulation/places.h"

namespace prism {

class Causes {
 public:
  using Slot = std::int32_t;  ///< a set of causes that act together; 0: none
  using Mix = std::int32_t;   ///< shares of slots in one draw; 0: nothing acts

  explicit Causes(const Workload& workload);

  /// Compute by what ends it: ranks that differ tell a group more the longer they go separate ways.
  enum Apart { until_collective, weights, apart_count };

  Slot slot_of(Kind kind, bool leaves_node, Apart apart = until_collective);
  /// Of compute that is held at a quantile: what gpu and node factors make of it is in the quantile.
  Slot slot_of_held(Kind kind);
  /// Shares are divided by their sum; slots may repeat.
  Mix mix(const std::vector<std::pair<Slot, double>>& shares);

  /// Laws of compute on one rank between two synchronisations, and how much each weighs.
  using Legs = std::array<std::map<LawBook::Law, double>, apart_count>;

  /// Makes the laws, once all slots are known. `lines` of a group are propagated one by one.
  void prepare(LawBook& book, std::int64_t lines, const Legs& legs);

  struct Cause {
    Factor::Scope scope;
    Factor::Period period;
    Class of_class;
    std::uint64_t key;
    using Laws = std::array<LawBook::Law, apart_count>;
    Laws law = {};  ///< of one unit's draw
    std::map<std::int64_t, Laws> some =
        {};  ///< the same of this many ranks of a group, the others being held
  };
  /// A what-if at one group: what it multiplies, or what it fixes.
  struct Change {
    std::int64_t group;
    std::vector<std::int32_t> ranks;  ///< in the group, ascending
    double factor = 1;
    bool fixes_lasting = false;  ///< gpu and node factors of these ranks are `factor` together
  };
  struct SlotCauses {
    std::vector<std::int32_t> causes;   ///< indices
    std::vector<std::int32_t> changes;  ///< indices
    Class of_class = Class::compute;
    Apart apart = until_collective;
    bool wide = false;  ///< differs from place to place
    bool micro_batch = false;
    bool held = false;  ///< of compute that is held at a quantile
  };

  Places places;
  Held held;
  std::vector<Cause> causes;
  std::vector<Change> changes;
  std::vector<double> what_if_multiplier;  ///< [what_if]; what each comes to
  std::vector<SlotCauses> slots;
  std::vector<std::vector<std::pair<Slot, float>>> mixes;
  std::int64_t lines = 1;
  /// Of the power mean that stands for a group whose ranks differ (docs/design/040-variability.md).
  double exponent[apart_count] = {1, 1};
  bool uses_exponent = false;
  double lasting_cv = 0,
         fresh_cv = 0;  ///< of one rank's gpu factors; of its compute between synchronisations
  /// Whether the power mean may be off by more than it was measured to be.
  bool outside_measured_range() const;

  bool any() const { return slots.size() > 1; }
  bool wide() const;         ///< some slot differs between replicas
  bool micro_batch() const;  ///< some cause changes from micro-batch to micro-batch
  /// Those that a what-if concerns.
  std::vector<std::int64_t> changed_replicas() const;

  /// The multiplier of a group whose ranks are slower by these.
  double group_factor(const std::vector<double>& factors, Apart apart) const;
  /// Lane by lane what a group takes of equally many ranks each: the largest, or for compute the power mean.
  void join(const std::vector<const float*>& rows, bool compute, Apart apart, float* out) const;

 private:
  const Workload* workload_;
  std::vector<std::tuple<std::uint64_t, std::uint64_t, Apart, bool>> slot_sets_;  ///< causes, what-ifs
  Slot slot_of(Kind kind, bool leaves_node, Apart apart, bool held);
};

}  // namespace prism
