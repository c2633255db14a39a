// SPDX-License-Identifier: Apache-2.0
// A study: variants of one scenario on the same noise, and a reduction. Variants share seed and stream names,
// so what a change leaves alone is drawn alike in all of them, and differences are known far better than the
// times themselves. Each variant is one unit of work that depends on nothing but the plan: any number of
// threads or workers gives the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/scenario.h"

namespace prism {

class TableStore;

enum class StudyKind { sensitivity, placement, scaling, compare, scale_variability, sweep };
inline constexpr std::array<std::string_view, 6> study_names{"sensitivity", "placement",         "scaling",
                                                             "compare",     "scale-variability", "sweep"};

/// A change of the scenario with a name of its own.
struct NamedChange {
  std::string name;
  std::vector<Edit> edits;
};

/// What is asked; each study reads its own members.
struct StudyQuestion {
  StudyKind kind = StudyKind::sensitivity;

  double faster = 0.9;  ///< sensitivity: base times of a kind are also scaled by this

  // Placement.
  std::vector<double> slow{1.05, 1.1, 1.25, 1.5};  ///< factors of a slow place
  std::string unit = "node";                       ///< gpu or node
  std::int64_t count = 1;                          ///< slow places

  // Scaling.
  std::vector<std::int64_t> gpus;                  ///< empty: doubling from one replica to 131,072
  bool strong = false;                             ///< the global batch is kept, not the batch of a replica
  std::vector<double> slow_down{1.02, 1.05, 1.1};  ///< P(step > x times the step without variability)

  // Compare.
  std::vector<NamedChange> layouts;  ///< empty: enumerated; their `run` is the base's whatever they say
  std::int64_t most = 128;           ///< of the enumerated ones, by an estimate of their time

  std::vector<double> times{0, 0.5, 1, 2,
                            4};  ///< scale-variability: multiples of the deviation of the logarithm
  double faster_compute = 1;     ///< and base times of compute by this: the next generation of GPUs

  // Sweep.
  std::string pointer;              ///< JSON Pointer of a number in the scenario
  std::vector<std::string> values;  ///< JSON texts
};

struct Variant {
  std::string name;
  std::vector<Edit> edits;  ///< that make it of the scenario
  std::vector<double> at;   ///< its place on the study's axes
  std::string scenario;     ///< JSON text
  double work = 1;          ///< relative to the others, for progress
};

struct StudyPlan {
  StudyQuestion question;
  Scenario base;
  std::string text;               ///< of the base, overrides included
  std::vector<std::string> axes;  ///< of Variant::at
  std::vector<Variant> variants;  ///< [0] is what the others are compared with
  struct LeftOut {
    std::string name, why;
  };
  std::vector<LeftOut> left_out;
  std::vector<std::string> notes;      ///< what was assumed, in sentences
  std::vector<Diagnostic> warnings;    ///< of the base
  std::shared_ptr<TableStore> tables;  ///< what variants have in common is made once
};

/// Trials that a study needs at least: its intervals come from blocks of them.
inline constexpr std::int64_t least_study_trials = 128;

/// Faults: those of the scenario; a question that it does not fit.
Result<StudyPlan> plan_study(std::string_view scenario_text, const StudyQuestion& question);

/// Plays all trials of one variant. Little-endian bytes for merge_study.
std::vector<std::byte> run_variant(const StudyPlan& plan, std::int64_t variant);

/// One variant, played.
struct VariantRun {
  std::string fault;  ///< why it could not be played; then the rest is empty
  double deterministic_s = 0;
  std::vector<double> step_s;
  std::vector<double> critical_path;  ///< [kind_count] shares; of variant 0 of a sensitivity study only
};
VariantRun variant_run(std::span<const std::byte> bytes);

/// A value with its 95 % interval.
struct Interval {
  double value = 0, low = 0, high = 0;
};
/// A variant against variant 0, on the same trials. `differs`: the interval, widened for the number of
/// variants that are compared (Bonferroni), leaves zero out.
struct Difference {
  Interval seconds;
  bool differs = false;
};
struct VariantResult {
  bool played = false;
  std::string fault;
  double deterministic_s = 0;
  Interval mean, sd, p50, p95, p99;
  std::vector<double> quantiles;  ///< at study_masses
  Difference mean_difference, sd_difference, p50_difference, p95_difference, p99_difference;
  Difference from_best;        ///< of the p95, against the variant with the least
  std::vector<double> beyond;  ///< scaling: P(step > x times its own deterministic step)
};
/// Where the curves of the variants are read off.
std::vector<double> study_masses();

struct StudyResult {
  std::int64_t trials = 0, blocks = 0;
  std::vector<VariantResult> variants;
  std::vector<double> critical_path;  ///< as in VariantRun
  int best_mean = -1, best_p95 = -1;  ///< indices of variants; -1: none was played
  std::vector<int> tied;              ///< with best_p95, which comes first: cannot be told apart at p95
};
StudyResult reduce_study(const StudyPlan& plan, std::span<const VariantRun> runs);

}  // namespace prism
