// SPDX-License-Identifier: Apache-2.0
#include "runner.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace prism::cli {
namespace {

struct Task {
  std::function<std::vector<std::byte>()> work;
  double draws;
  std::vector<std::byte>* part;  ///< where the result goes
};

void add_task(std::vector<Task>& tasks, const Simulation& s, Phase phase, std::int64_t unit,
              std::vector<std::byte>& part) {
  tasks.push_back({[&s, phase, unit] { return run_unit(s, phase, unit); }, unit_draws(s, phase), &part});
}

void add_tasks(std::vector<Task>& tasks, const Simulation& s, Phase phase, Parts& parts) {
  parts.resize(static_cast<std::size_t>(unit_count(s, phase)));
  for (std::size_t i = 0; i < parts.size(); ++i)
    add_task(tasks, s, phase, static_cast<std::int64_t>(i), parts[i]);
}

/// Every thread takes the next task until none is left.
void run_tasks(std::vector<Task>& tasks, unsigned threads, const std::function<void(double)>& report) {
  // Large units first: a large one started last would keep one thread busy alone.
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Task& a, const Task& b) { return a.draws > b.draws; });

  std::mutex mutex;
  std::condition_variable moved;
  std::size_t next = 0, finished = 0;
  double draws_done = 0;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (next < tasks.size()) {
      const Task& task = tasks[next++];
      lock.unlock();
      *task.part = task.work();
      lock.lock();
      draws_done += task.draws;
      if (++finished == tasks.size()) moved.notify_all();
    }
  };

  std::vector<std::thread> pool;
  const auto wanted = std::min<std::size_t>(threads, tasks.size());
  for (std::size_t i = 0; i < wanted; ++i) pool.emplace_back(work);
  {
    std::unique_lock lock(mutex);
    while (!moved.wait_for(lock, std::chrono::milliseconds(100), [&] { return finished == tasks.size(); })) {
      const double sofar = draws_done;
      lock.unlock();
      report(sofar);
      lock.lock();
    }
  }
  for (std::thread& t : pool) t.join();
  report(draws_done);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

unsigned or_all(unsigned threads) {
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

/// Units of equal work.
Parts run_units(std::size_t count, const std::function<std::vector<std::byte>(std::size_t)>& unit,
                unsigned threads, const std::function<void(double)>& progress) {
  Parts parts(count);
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back({[&unit, i] { return unit(i); }, 1, &parts[i]});
  run_tasks(tasks, or_all(threads), [&](double sofar) {
    if (progress) progress(sofar / static_cast<double>(count));
  });
  return parts;
}

}  // namespace

Parts run_training_parts(const Training& training, unsigned threads,
                         const std::function<void(double)>& progress) {
  return run_units(
      static_cast<std::size_t>(training_units(training)),
      [&](std::size_t i) { return run_training_unit(training, static_cast<std::int64_t>(i)); }, threads,
      progress);
}

Parts run_timeline(const TimelinePlan& plan, unsigned threads, const std::function<void(double)>& progress) {
  return run_units(
      timeline_units(plan), [&](std::size_t i) { return run_timeline_unit(plan, i); }, threads, progress);
}

Parts run_planning(const Planning& planning, unsigned threads, const std::function<void(double)>& progress) {
  return run_units(
      planning_units(planning), [&](std::size_t i) { return run_planning_unit(planning, i); }, threads,
      progress);
}

Parts run_study(const StudyPlan& plan, unsigned threads, const std::function<void(double)>& progress) {
  Parts parts(plan.variants.size());
  std::vector<Task> tasks;
  double all = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tasks.push_back({[&plan, i] { return run_variant(plan, static_cast<std::int64_t>(i)); },
                     plan.variants[i].work, &parts[i]});
    all += plan.variants[i].work;
  }
  run_tasks(tasks, or_all(threads), [&](double sofar) {
    if (progress) progress(sofar / all);
  });
  return parts;
}

namespace {

/// The pilot, then these tasks.
void run_learned(Job& job, unsigned threads, std::vector<Task> tasks,
                 const std::function<void(double)>& progress) {
  Simulation& s = *job.simulation;
  Parts pilot;
  std::vector<Task> first;
  add_tasks(first, s, Phase::pilot, pilot);

  double total = 0, before = 0;
  for (const auto* list : {&first, &tasks})
    for (const Task& t : *list) total += t.draws;
  const auto report = [&](double sofar) {
    if (progress) progress(total > 0 ? (before + sofar) / total : 1);
  };

  run_tasks(first, or_all(threads), report);
  for (const Task& t : first) before += t.draws;
  learn(s, pilot);
  run_tasks(tasks, or_all(threads), report);
}

}  // namespace

Finished run_job(Job& job, unsigned threads, const std::function<void(double)>& progress) {
  Finished out;
  std::vector<Task> tasks;
  add_tasks(tasks, *job.simulation, Phase::trials, out.trials);
  add_tasks(tasks, *job.simulation, Phase::attribution, out.attribution);
  add_tasks(tasks, *job.simulation, Phase::check, out.check);
  run_learned(job, threads, std::move(tasks), progress);
  return out;
}

void run_rest(Job& job, unsigned threads, Finished& rest, const std::function<void(double)>& progress) {
  std::vector<Task> tasks;
  add_tasks(tasks, *job.simulation, Phase::attribution, rest.attribution);
  add_tasks(tasks, *job.simulation, Phase::check, rest.check);
  run_learned(job, threads, std::move(tasks), progress);
}

Parts run_blocks(Job& job, unsigned threads, std::int64_t first, std::int64_t last,
                 const std::function<void(double)>& progress) {
  Parts blocks(static_cast<std::size_t>(last - first));
  std::vector<Task> tasks;
  for (std::int64_t unit = first; unit < last; ++unit)
    add_task(tasks, *job.simulation, Phase::trials, unit, blocks[static_cast<std::size_t>(unit - first)]);
  run_learned(job, threads, std::move(tasks), progress);
  return blocks;
}

ProgressLine::ProgressLine() : watched_(isatty(STDERR_FILENO) != 0), started_s_(now_s()) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::announce(double share, double elapsed) {
  constexpr double settled_s = 3, long_s = 60;
  if (announced_ || elapsed < settled_s || !(share > 0)) return;
  const double left = elapsed * (1 - share) / share;
  announced_ = true;
  if (left > long_s)
    std::fprintf(stderr, "prism: this takes about %.0f minutes more\n", std::ceil(left / 60));
}

void ProgressLine::show(double share) {
  const double elapsed = now_s() - started_s_;
  if (!watched_) return announce(share, elapsed);
  if (elapsed < 0.3) return;  // short work needs no line
  drawn_ = true;
  std::fprintf(stderr, "\r\033[K%3.0f %%", 100 * share);
  if (share > 0.02 && share < 1) std::fprintf(stderr, ", about %.0f s left", elapsed * (1 - share) / share);
  std::fflush(stderr);
}

}  // namespace prism::cli
