// SPDX-License-Identifier: Apache-2.0
#include "training_run/step_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "training_run/quantiles.h"

namespace prism::training {

namespace {
/// Delays expected in one sum beyond which they go into its mean and variance instead of being drawn.
constexpr double many_delays = 32;
constexpr double normal_up_to_cv = 0.125;  // the table of normal draws ends at 6.3 deviations
}  // namespace

StepSums::StepSums(const Training& t, std::int64_t run)
    : model_(t.setup.step),
      normal_(t.normal),
      noise_(t.setup.seed, run, "steps"),
      spells_(t.setup.seed, run, "spells") {
  Words between(t.setup.seed, run, "between runs");
  factor_ = at(model_.between_runs, between.uniform());
  for (std::size_t i = 0; i < model_.tails.size(); ++i) {
    const StepModel::TailEvents& tail = model_.tails[i];
    const RawMoments m = moments_of(tail.delay_s);
    Words words(t.setup.seed, run, "rare delays " + std::to_string(i));
    const double first =
        tail.per_step > 0 ? words.exponential() / tail.per_step : std::numeric_limits<double>::infinity();
    tails_.push_back({first, words, m.mean, m.square});
  }
  if (model_.states.size() == 1) {
    spell_left_ = std::numeric_limits<std::int64_t>::max();
    return;
  }
  // The stationary law: visits in proportion to w_i (W - w_i), each of the state's mean length.
  double total = 0, steps = 0;
  for (const StepModel::State& s : model_.states) total += s.weight;
  const auto share = [&](const StepModel::State& s) { return s.weight * (total - s.weight) * s.dwell_steps; };
  for (const StepModel::State& s : model_.states) steps += share(s);
  double position = spells_.uniform() * steps;
  while (state_ + 1 < model_.states.size() && position >= share(model_.states[state_]))
    position -= share(model_.states[state_++]);
  start_spell();
}

/// Geometric, so what is left of a spell has the law of a whole one.
void StepSums::start_spell() {
  const double dwell = model_.states[state_].dwell_steps;
  const double u = spells_.uniform();
  const double steps = dwell > 1 ? log_exact(u) / log1p_exact(-1 / dwell) : 0;
  spell_left_ = 1 + static_cast<std::int64_t>(std::min(steps, 9e15));
}

void StepSums::leave_state() {
  double others = 0;
  for (std::size_t i = 0; i < model_.states.size(); ++i)
    if (i != state_) others += model_.states[i].weight;
  double position = spells_.uniform() * others;
  std::size_t chosen = state_;
  for (std::size_t i = 0; i < model_.states.size(); ++i) {
    if (i == state_) continue;
    chosen = i;
    if (position < model_.states[i].weight) break;
    position -= model_.states[i].weight;
  }
  state_ = chosen;
  start_spell();
}

double StepSums::next(std::int64_t steps) {
  double mean = 0, variance = 0, delays = 0;
  for (std::int64_t left = steps; left > 0;) {
    const std::int64_t taken = std::min(left, spell_left_);
    const StepModel::State& s = model_.states[state_];
    mean += static_cast<double>(taken) * s.mean_s;
    variance += static_cast<double>(taken) * s.variance_s2;
    left -= taken;
    if (model_.states.size() > 1 && (spell_left_ -= taken) == 0) leave_state();
  }
  const auto count = static_cast<double>(steps);
  for (std::size_t i = 0; i < tails_.size(); ++i) {
    Tail& tail = tails_[i];
    const double rate = model_.tails[i].per_step;
    if (rate * count > many_delays) {
      mean += rate * count * tail.mean;
      variance += rate * count * tail.square;
      continue;
    }
    while (tail.steps_left < count) {
      delays += at(model_.tails[i].delay_s, tail.words.uniform());
      tail.steps_left += tail.words.exponential() / rate;
    }
    tail.steps_left -= count;
  }
  const auto z = static_cast<double>(sample(normal_.bucket.data(), noise_.word()));
  double sum;
  if (variance <= normal_up_to_cv * normal_up_to_cv * mean * mean) {
    sum = mean + std::sqrt(variance) * z;
  } else {
    const double log_variance = log1p_exact(variance / (mean * mean));
    sum = mean * exp_exact(std::sqrt(log_variance) * z - log_variance / 2);
  }
  return factor_ * (sum + delays);
}

}  // namespace prism::training
