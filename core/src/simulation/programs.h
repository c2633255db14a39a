// SPDX-License-Identifier: Apache-2.0
// From segments to what a chunk draws.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "simulation/compiled.h"

namespace prism {

/// Consecutive compute operators, and the collective that ends them.
struct Leg {
  std::vector<Operator> compute;
  const Segment* end = nullptr;  ///< null: no collective follows
};
std::vector<Leg> legs_of(const std::vector<Segment>& segments);

bool crosses_replicas(const Leg& leg);
/// Whether a chunk of these ends by synchronising ranks of its stage.
bool ends_in_tensor_collective(const std::vector<Segment>& segments);

/// Rank by rank the larger mass of two groups that exchange something one to one.
HeldRanks larger_masses(const HeldRanks* one, const HeldRanks* other, std::int64_t ranks);
/// What a line feels of a transfer or exchange that takes at least its quantile on the ranks that are held.
/// `follows`: by rank. Where several lines are propagated, its law on one rank as it is: there
/// `least_seconds` has by line what it takes at least (empty: no line is held).
LawBook::Law felt_above(LawBook& book, LawBook::Law separate, const std::vector<LawBook::Law>& follows,
                        const HeldRanks& masses, std::int64_t lines);
std::vector<float> least_seconds(const LawBook& book, LawBook::Law law, const HeldRanks& masses,
                                 std::int64_t lines);
/// Whether two stages do the same work in their chunks, whatever its names. What reduces gradients beside
/// them is compiled apart.
bool same_work(const StageProgram& a, const StageProgram& b);

/// Of one rank, until its first collective.
LawBook::Law first_compute(LawBook& book, const std::vector<Segment>& segments);

/// Builds programs for a number of lines that each stand for `ranks_a_line` tensor ranks, of which some may
/// be held at a quantile.
class ProgramCompiler {
 public:
  ProgramCompiler(Compiled& compiled, std::int64_t ranks_a_line, const HeldRanks* held = nullptr)
      : compiled_(&compiled), ranks_a_line_(ranks_a_line), held_(held) {}

  /// True once a segment had to be split into its operators because they do not convolve.
  bool split = false;

  /// Laws of compute on one rank between two synchronisations, as they were met.
  std::vector<std::pair<Causes::Apart, LawBook::Law>> legs;

  /// `follows`: law of what each rank does next before the group meets; none where it meets at once.
  void append_compute(Program& program, const std::vector<Operator>& operators,
                      LawBook::Law follows = LawBook::none);
  void append_collective(Program& program, const Operator& op, Group group);

  /// What a chunk of a stage draws.
  Program chunk(const StageProgram& stage, Pass pass, LawBook::Law follows = LawBook::none);
  /// What ranks that are early and late in a stage whose groups cross add to the end of the step.
  void append_last(Program& program, const StageProgram& stage);

  Draw draw(const std::vector<Operator>& operators, LawBook::Law law, bool collective, bool leaves_node,
            Causes::Apart apart = Causes::until_collective) const;

 private:
  Program program(const std::vector<Segment>& segments, LawBook::Law follows);
  /// The legs of a pass as they are played, and as draws of the slowest of the ranks that each synchronises.
  struct Walked {
    std::vector<Leg> legs;
    std::vector<PaceLeg> walk;
    std::vector<LawBook::Law> slowest, collective;  ///< of a collective beside compute, what is left of it
    struct Hidden {
      double compute_s, earlier_s;
      Causes::Mix mix;
    };
    std::vector<Hidden> hidden;  ///< and what it runs beside
    double compute_s = 0, communication_s = 0, variance = 0;
  };
  Walked walked(const std::vector<Segment>& segments);
  bool crosses(const StageProgram& stage) const;
  Pace pace_of(const Walked& forward, const Walked& backward) const;
  Program at_pace(const StageProgram& stage, Pass pass);
  /// Nodes that the groups of one kind are on, each counted by itself.
  double nodes_of(Group kind);

  void append(Program& program, const std::vector<Operator>& operators, LawBook::Law law, bool collective,
              bool leaves_node, Causes::Apart apart = Causes::until_collective);

  void hold(Draw& draw, const std::vector<Operator>& operators, LawBook::Law total,
            LawBook::Law follows = LawBook::none, bool at_pace = false) const;

  Compiled* compiled_;
  std::int64_t ranks_a_line_;
  const HeldRanks* held_;
  std::array<double, group_count> nodes_ = {};  ///< known already
};

/// Equal draws of a chunk taken together: a chunk of the one line is the sum of its draws in any order, so n
/// equal ones are one draw of their sum. Those that do not convolve stay apart.
Program grouped(LawBook& book, const Program& program);

}  // namespace prism
