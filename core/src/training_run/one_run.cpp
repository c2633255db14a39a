// SPDX-License-Identifier: Apache-2.0
// One run from start to end: segments of steps between checkpoints, and what interrupts them. Every
// nanosecond goes through spend(), so the account closes whatever happens.
//
// While the job waits for a node, is pre-empted or under maintenance it does not run and no failure strikes:
// the failure processes stand still (they are memoryless, so nothing is lost by it). Slow nodes, pre-emptions
// and maintenance keep wall-clock time; one that falls due while the job is down is dealt with as soon as it
// is up.
#include <algorithm>
#include <cmath>
#include <limits>

#include "training_run/prepared.h"
#include "training_run/repairs.h"
#include "training_run/step_sums.h"

namespace prism::training {
namespace {

constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max() / 4;

Nanoseconds gap(double mean_ns, Words& words) {
  return static_cast<Nanoseconds>(std::min(words.exponential() * mean_ns, 3e18 / 2));
}

/// A place to go back to.
struct Mark {
  std::int64_t step = 0, boundary = 0;
  Nanoseconds left = 0;        ///< of the segment from step to boundary; 0: it has not begun
  Nanoseconds productive = 0;  ///< the account at that place
};

class OneRun {
 public:
  OneRun(const Training& t, std::int64_t run, std::vector<Stretch>* timeline, std::size_t most)
      : t_(t),
        plan_(t.setup.plan),
        sums_(t, run),
        repairs_(t.setup.plan.spares, t.setup.seed, run),
        slow_words_(t.setup.seed, run, "fail slow"),
        preempt_words_(t.setup.seed, run, "pre-emption"),
        timeline_(timeline),
        most_stretches_(most) {
    record_.stops.resize(plan_.causes.size() + other_stops.size());
    durable_.resize(t.tiers.size());
    flying_.resize(t.tiers.size());
    for (const Training::Cause& c : t.causes) {
      cause_words_.emplace_back(t.setup.seed, run, c.name);
      next_of_cause_.push_back(gap(c.mean_gap_ns, cause_words_.back()));
    }
    find_next_failure();
    if (t.slow_gap_ns > 0) next_slow_ = gap(t.slow_gap_ns, slow_words_);
    if (plan_.preemption && plan_.preemption->per_day > 0) next_preemption_ = preemption_gap();
    if (plan_.maintenance) next_maintenance_ = nanoseconds(plan_.maintenance->every_s);
  }

  RunRecord run() {
    const Nanoseconds start = nanoseconds(plan_.first_start_s);
    spend(Spent::first_start, start);
    pause_failures(start);
    started();
    begin_segment();
    while (record_.finished) {
      const Nanoseconds next = next_event();
      if (next > now_ && advance(next)) break;
      record_.finished = now_ < t_.give_up && failures_ < most_failures;
      if (record_.finished) handle();
    }
    record_.wall = now_;
    return std::move(record_);
  }

 private:
  // ---- The account
  // ------------------------------------------------------------------------------------------
  void spend(Spent what, Nanoseconds time) {
    if (time <= 0) return;
    if (timeline_) draw(what, time);
    now_ += time;
    record_.spent[static_cast<std::size_t>(what)] += time;
    if (stop_ >= 0) record_.stops[static_cast<std::size_t>(stop_)].lost += time;
  }

  Nanoseconds& productive() { return record_.spent[static_cast<std::size_t>(Spent::productive)]; }

  void draw(Spent what, Nanoseconds time) {
    const bool running = what == Spent::productive || what == Spent::checkpoint || what == Spent::fail_slow ||
                         what == Spent::reduced || what == Spent::warm_up;
    if (running) what = Spent::productive;
    const int stop = running ? -1 : stop_;
    if (!timeline_->empty() && timeline_->back().end == now_ && timeline_->back().spent == what &&
        timeline_->back().stop == stop)
      timeline_->back().end += time;
    else if (timeline_->size() < most_stretches_)
      timeline_->push_back({now_, now_ + time, what, stop});
  }

  // ---- Events
  // -----------------------------------------------------------------------------------------------
  void find_next_failure() {
    next_failure_ = never;
    for (std::size_t i = 0; i < next_of_cause_.size(); ++i)
      if (next_of_cause_[i] + paused_ < next_failure_) {
        next_failure_ = next_of_cause_[i] + paused_;
        next_cause_ = i;
      }
  }

  void pause_failures(Nanoseconds time) {
    paused_ += time;
    if (next_failure_ < never) next_failure_ += time;
  }

  /// Takes the failure that is due.
  std::size_t strike() {
    ++failures_;
    const std::size_t cause = next_cause_;
    next_of_cause_[cause] += std::max<Nanoseconds>(1, gap(t_.causes[cause].mean_gap_ns, cause_words_[cause]));
    find_next_failure();
    return cause;
  }

  Nanoseconds preemption_gap() { return gap(86400 * ns_per_s / plan_.preemption->per_day, preempt_words_); }

  Nanoseconds next_event() const {
    Nanoseconds next = std::min({t_.give_up, next_failure_, next_slow_, next_preemption_, next_maintenance_});
    for (Nanoseconds at : notices_) next = std::min(next, at);
    for (Nanoseconds at : returns_) next = std::min(next, at);
    return next;
  }

  /// Whatever is due. One thing at a time: handling it takes time, and the failure process goes first again.
  void handle() {
    if (next_failure_ <= now_) return fail(strike());
    if (take_due(returns_)) return find_speed();
    if (next_slow_ <= now_) {
      notices_.push_back(next_slow_ + nanoseconds(plan_.fail_slow->notice_s));
      next_slow_ += std::max<Nanoseconds>(1, gap(t_.slow_gap_ns, slow_words_));
      return find_speed();
    }
    for (std::size_t i = 0; i < notices_.size(); ++i)
      if (notices_[i] <= now_) return notice(i);
    if (next_preemption_ <= now_) return preempt();
    if (next_maintenance_ <= now_) return maintain();
  }

  bool take_due(std::vector<Nanoseconds>& list) const {
    const auto due = std::find_if(list.begin(), list.end(), [&](Nanoseconds at) { return at <= now_; });
    if (due == list.end()) return false;
    list.erase(due);
    return true;
  }

  // ---- Running
  // ----------------------------------------------------------------------------------------------
  void find_speed() {
    slow_ = notices_.empty() ? 1 : t_.slow_inflation;
    const auto all = static_cast<double>(t_.setup.replicas);
    stretch_ = slow_ * (all / (all - static_cast<double>(returns_.size())));
  }

  void started() { warm_steps_ = plan_.warm_up.steps; }

  void warm(std::int64_t steps) {
    const std::int64_t n = std::min(steps, warm_steps_);
    if (n == 0) return;
    warm_steps_ -= n;
    warm_left_ =
        nanoseconds(static_cast<double>(n) * (plan_.warm_up.factor - 1) * t_.basics.step_s * sums_.factor());
  }

  void begin_segment() {
    boundary_ = plan_.steps;
    for (const Training::Tier& tier : t_.tiers)
      boundary_ = std::min(boundary_, (step_ / tier.steps + 1) * tier.steps);
    left_ = std::max<Nanoseconds>(1, nanoseconds(sums_.next(boundary_ - step_)));
    writing_ = false;
    warm_left_ = 0;
    warm(boundary_ - step_);
  }

  /// The most durable tier that is due where the segment ends.
  std::size_t due_tier() const {
    for (std::size_t l = t_.tiers.size(); l-- > 0;)
      if (step_ % t_.tiers[l].steps == 0) return l;
    return t_.tiers.size() - 1;  // the end of the run
  }

  /// Runs until `until`; true: the run is finished.
  bool advance(Nanoseconds until) {
    for (;;) {
      if (!writing_) {
        if (warm_left_ > 0) {
          const Nanoseconds time = std::min(warm_left_, until - now_);
          spend(Spent::warm_up, time);
          warm_left_ -= time;
          if (now_ == until) return false;
        }
        if (!work(until)) return false;
        step_ = boundary_;
        if (step_ == plan_.steps && !plan_.last_checkpoint) return true;
        tier_ = due_tier();
        const Training::Tier& tier = t_.tiers[tier_];
        // The last one is not over before it is complete.
        left_ = tier.write + (step_ == plan_.steps ? tier.background : 0);
        writing_ = true;
      }
      // A tier takes one write at a time: the next waits for the one in the background.
      const Flight& flight = flying_[tier_];
      if (flight.present && flight.complete > now_) {
        spend(Spent::checkpoint, std::min(flight.complete, until) - now_);
        if (now_ == until) return false;
      }
      const Nanoseconds time = std::min(left_, until - now_);
      spend(Spent::checkpoint, time);
      left_ -= time;
      if (left_ > 0) return false;
      written();
      if (step_ == plan_.steps) return true;
      begin_segment();
      if (now_ == until) return false;
    }
  }

  /// The rest of the segment, or as much of it as fits; true: all of it.
  bool work(Nanoseconds until) {
    const Nanoseconds time = until - now_;
    if (stretch_ == 1) {
      const Nanoseconds done = std::min(left_, time);
      spend(Spent::productive, done);
      left_ -= done;
      return left_ == 0;
    }
    const auto whole = static_cast<Nanoseconds>(std::ceil(static_cast<double>(left_) * stretch_));
    const Nanoseconds spent = std::min(whole, time);
    const Nanoseconds done =
        whole <= time
            ? left_
            : std::min({left_ - 1, spent, static_cast<Nanoseconds>(static_cast<double>(spent) / stretch_)});
    const Nanoseconds extra = spent - done;
    const auto slow = static_cast<Nanoseconds>(static_cast<double>(extra) * ((slow_ - 1) / (stretch_ - 1)));
    spend(Spent::productive, done);
    spend(Spent::fail_slow, slow);
    spend(Spent::reduced, extra - slow);
    left_ -= done;
    return left_ == 0;
  }

  // ---- Checkpoints
  // ------------------------------------------------------------------------------------------
  void written() {
    const Mark mark{step_, step_, 0, productive()};
    const Nanoseconds background = t_.tiers[tier_].background;
    settle();
    if (background > 0)
      flying_[tier_] = {true, now_ + background, mark};
    else
      durable_[tier_] = mark;
  }

  void settle() {
    for (std::size_t l = 0; l < flying_.size(); ++l)
      if (flying_[l].present && flying_[l].complete <= now_) {
        durable_[l] = flying_[l].mark;
        flying_[l].present = false;
      }
  }

  /// Back to the latest checkpoint that is complete and readable. `luck` in [0, 1).
  void roll_back(double luck) {
    settle();
    std::size_t from = t_.tiers.size() - 1;
    for (std::size_t l = 0; l < from; ++l)
      if (luck < t_.tiers[l].survives && durable_[l].productive > durable_[from].productive) from = l;
    const Mark mark = durable_[from];
    for (std::size_t l = 0; l < durable_.size(); ++l) {
      flying_[l].present = false;
      if (durable_[l].productive > mark.productive) durable_[l] = mark;
    }
    const Nanoseconds lost = productive() - mark.productive;
    productive() -= lost;
    record_.spent[static_cast<std::size_t>(Spent::lost_work)] += lost;
    record_.stops[static_cast<std::size_t>(stop_)].lost += lost;
    step_ = mark.step;
    boundary_ = mark.boundary;
    left_ = mark.left;
    writing_ = false;
  }

  /// A checkpoint out of turn, complete before the job stops. False: a failure came first, and has been dealt
  /// with.
  bool save() {
    const Training::Tier& tier = t_.tiers.back();
    if (!pass(Spent::checkpoint, tier.write + tier.background)) {
      fail(strike());
      return false;
    }
    if (writing_) {  // this one takes its place
      writing_ = false;
      left_ = 0;
    }
    const Mark mark{step_, boundary_, left_, productive()};
    std::fill(durable_.begin(), durable_.end(), mark);
    std::fill(flying_.begin(), flying_.end(), Flight{});
    return true;
  }

  // ---- Interruptions
  // ----------------------------------------------------------------------------------------
  /// Time during which a failure may strike; false: it has, and is still to be taken.
  bool pass(Spent what, Nanoseconds time) {
    if (plan_.failures_during_recovery && next_failure_ < now_ + time) {
      spend(what, next_failure_ - now_);
      return false;
    }
    spend(what, time);
    if (!plan_.failures_during_recovery) pause_failures(time);
    return true;
  }

  void wait_for(Nanoseconds ready) {
    const Nanoseconds time = std::min(ready, std::max(t_.give_up, now_)) - now_;
    if (time <= 0) return;
    spend(Spent::no_spare, time);
    pause_failures(time);
  }

  void stopped_by(std::size_t stop) {
    stop_ = static_cast<int>(stop);
    ++record_.stops[stop].count;
  }

  /// A failure and those that strike while it is dealt with. `down`: no replica is up to go on without the
  /// others.
  void fail(std::size_t cause, bool down = false) {
    Nanoseconds ready = now_;
    for (;;) {
      const Training::Cause& c = t_.causes[cause];
      stopped_by(static_cast<std::size_t>(t_.stop_of_cause[cause]));
      // Always the same number of words, so that an option leaves later draws alone.
      const double luck = cause_words_[cause].uniform();
      const bool replaced = cause_words_[cause].uniform() < c.replacement;
      if (failures_ >= most_failures || now_ >= t_.give_up) break;
      if (replaced) ready = std::max(ready, repairs_.replace(now_));
      const auto out = static_cast<std::int64_t>(returns_.size()) + 1;
      if (plan_.elastic && !down && out <= plan_.elastic->most_replicas_out && out < t_.setup.replicas) {
        const bool passed = pass(Spent::detection, c.detection) &&
                            pass(Spent::restart, nanoseconds(plan_.elastic->reconfigure_s));
        returns_.push_back(std::max(ready, now_) + c.restart);
        find_speed();
        if (passed) break;
      } else {
        down = true;
        roll_back(luck);
        if (pass(Spent::detection, c.detection)) {
          wait_for(ready);
          if (pass(Spent::restart, c.restart)) {
            resume();
            break;
          }
        }
      }
      cause = strike();
    }
    stop_ = -1;
  }

  /// All replicas start, from where the last roll-back or save left them.
  void resume() {
    returns_.clear();
    find_speed();
    started();
    if (left_ == 0)
      begin_segment();
    else
      warm(boundary_ - step_);
  }

  /// Restart after a planned stop.
  void restart(double seconds) {
    if (pass(Spent::restart, nanoseconds(seconds)))
      resume();
    else
      fail(strike(), true);
    stop_ = -1;
  }

  void notice(std::size_t which) {
    if (!plan_.fail_slow->evict) {
      notices_.erase(notices_.begin() + static_cast<std::ptrdiff_t>(which));
      return find_speed();
    }
    if (!save()) return;  // it is still there, and due
    notices_.erase(notices_.begin() + static_cast<std::ptrdiff_t>(which));
    stopped_by(plan_.causes.size());
    wait_for(repairs_.replace(now_));
    restart(plan_.fail_slow->restart_s);
    find_speed();
  }

  void preempt() {
    if (plan_.preemption->checkpoint_first && !save()) return;
    stopped_by(plan_.causes.size() + 1);
    if (!plan_.preemption->checkpoint_first) roll_back(0);
    leave(Spent::preempted, gap(plan_.preemption->away_s * ns_per_s, preempt_words_));
    next_preemption_ = now_ + preemption_gap();
    restart(plan_.preemption->restart_s);
  }

  void maintain() {
    if (!save()) return;
    stopped_by(plan_.causes.size() + 2);
    leave(Spent::maintenance, nanoseconds(plan_.maintenance->lasting_s));
    // By the calendar; a window that passed while the job was down is over.
    const Nanoseconds every = nanoseconds(plan_.maintenance->every_s);
    next_maintenance_ += ((now_ - next_maintenance_) / every + 1) * every;
    restart(plan_.maintenance->restart_s);
  }

  void leave(Spent what, Nanoseconds time) {
    time = std::min(time, std::max<Nanoseconds>(t_.give_up - now_, 0));
    spend(what, time);
    pause_failures(time);
  }

  struct Flight {
    bool present = false;
    Nanoseconds complete = 0;
    Mark mark{};
  };

  const Training& t_;
  const TrainingPlan& plan_;
  RunRecord record_;
  StepSums sums_;
  Repairs repairs_;
  std::vector<Words> cause_words_;
  Words slow_words_, preempt_words_;

  Nanoseconds now_ = 0;
  std::int64_t failures_ = 0;
  int stop_ = -1;  ///< what the job is down for

  // Where the job is.
  std::int64_t step_ = 0, boundary_ = 0;  ///< the segment, or what is being written, at step_
  Nanoseconds left_ = 0;                  ///< of the segment at full speed, or of the write
  bool writing_ = false;
  std::size_t tier_ = 0;
  std::int64_t warm_steps_ = 0;
  Nanoseconds warm_left_ = 0;
  double slow_ = 1, stretch_ = 1;
  std::vector<Mark> durable_;
  std::vector<Flight> flying_;

  // What is to come.
  std::vector<Nanoseconds>
      next_of_cause_;  ///< on the failures' own clock, which stands while the job does not run
  Nanoseconds paused_ = 0;
  Nanoseconds next_failure_ = never;
  std::size_t next_cause_ = 0;
  Nanoseconds next_slow_ = never, next_preemption_ = never, next_maintenance_ = never;
  std::vector<Nanoseconds> notices_;  ///< when each slow node is noticed
  std::vector<Nanoseconds> returns_;  ///< when each replica that is out comes back

  std::vector<Stretch>* timeline_;
  std::size_t most_stretches_;
};

}  // namespace

RunRecord play(const Training& t, std::int64_t run, std::vector<Stretch>* timeline,
               std::size_t most_stretches) {
  return OneRun(t, run, timeline, most_stretches).run();
}

}  // namespace prism::training
