// SPDX-License-Identifier: Apache-2.0
// An operator trace made up for tests: a job whose every time is known, as the rows a recorder would write.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "prism/evidence_operators.h"

namespace prism::made_up {

struct Job {
  int replicas = 2, stages = 2, micro_batches = 3, steps = 4;
  /// Seconds of a compute: forward?, replica, stage, micro-batch, step.
  std::function<double(bool, int, int, int, int)> compute = [](bool forward, int, int, int, int) {
    return forward ? 1.0 : 2.0;
  };
  double transfer = 0.01, tail = 0.1, gap = 0.0;
};

struct Row {
  int replica, stage, step, index;
  std::string type;
  double start, duration;
};

/// GPipe order on every worker: all forwards, then all backwards. A worker waits for its sends, as in
/// recorded jobs.
inline std::vector<Row> rows_of(const Job& job) {
  std::vector<Row> rows;
  for (int step = 0; step < job.steps; ++step) {
    std::vector<std::vector<double>> free(static_cast<std::size_t>(job.replicas),
                                          std::vector<double>(static_cast<std::size_t>(job.stages), 0));
    const auto at = [&](int r, int s) -> double& {
      return free[static_cast<std::size_t>(r)][static_cast<std::size_t>(s)];
    };
    const auto add = [&](int r, int s, const char* type, int k, double from, double lasts) {
      rows.push_back({r, s, step, k, type, from, lasts});
    };
    const auto together = [&](const char* type, std::vector<std::pair<int, int>> workers, double lasts) {
      double latest = 0;
      for (auto [r, s] : workers) latest = std::max(latest, at(r, s));
      for (auto [r, s] : workers) {
        add(r, s, type, 0, at(r, s), latest + lasts - at(r, s));
        at(r, s) = latest + lasts;
      }
    };
    for (int s = 0; s < job.stages; ++s) {
      std::vector<std::pair<int, int>> replicas;
      for (int r = 0; r < job.replicas; ++r) replicas.push_back({r, s});
      together("params-all-gather", replicas, job.tail);
    }
    for (int r = 0; r < job.replicas; ++r)
      for (int direction = 0; direction < 2; ++direction) {
        const bool forward = direction == 0;
        for (int k = 0; k < job.micro_batches; ++k)
          for (int i = 0; i < job.stages; ++i) {
            const int s = forward ? i : job.stages - 1 - i, from = forward ? s - 1 : s + 1;
            if (from >= 0 && from < job.stages) {
              const double latest = std::max(at(r, from), at(r, s)), end = latest + job.transfer;
              add(r, from, forward ? "forward-send" : "backward-send", k, at(r, from), end - at(r, from));
              add(r, s, forward ? "forward-recv" : "backward-recv", k, at(r, s), end - at(r, s));
              at(r, from) = at(r, s) = end;
            }
            const double lasts = job.compute(forward, r, s, k, step);
            add(r, s, forward ? "forward-compute" : "backward-compute", k, at(r, s) + job.gap, lasts);
            at(r, s) += job.gap + lasts;
          }
      }
    for (int r = 0; r < job.replicas; ++r)
      for (int s = 0; s < job.stages; ++s) {
        add(r, s, "gc", 0, at(r, s), 0);
        add(r, s, "layernorm-grads-all-reduce", 0, at(r, s), job.tail);
        at(r, s) += job.tail;
      }
    if (job.stages > 1)
      for (int r = 0; r < job.replicas; ++r)
        together("embedding-grads-all-reduce", {{r, 0}, {r, job.stages - 1}}, job.tail);
    std::vector<std::pair<int, int>> all;
    for (int s = 0; s < job.stages; ++s) {
      std::vector<std::pair<int, int>> replicas;
      for (int r = 0; r < job.replicas; ++r) replicas.push_back({r, s}), all.push_back({r, s});
      together("grads-reduce-scatter", replicas, job.tail);
    }
    together("optimizer-clip-main-grad", all, job.tail);
    for (auto [r, s] : all) {
      add(r, s, "optimizer", 0, at(r, s), job.tail);
      at(r, s) += job.tail;
    }
  }
  return rows;
}

inline std::string csv_of(const Job& job, const std::vector<Row>& rows) {
  std::string out = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";
  char line[200];
  for (const Row& r : rows) {
    std::snprintf(line, sizeof line, "%d,%d,%d,%d,%s,%.17g,%.17g,%d,0,0,0\n", r.replica, r.stage,
                  r.replica * job.stages + r.stage, 100 + 10 * r.step, r.type.c_str(), r.start, r.duration,
                  r.index);
    out += line;
  }
  return out;
}

inline Result<OperatorTrace> read(const std::string& text, Account* account = nullptr) {
  OperatorTraceReader reader;
  for (std::size_t i = 0; i < text.size(); i += 4097) reader.feed(std::string_view(text).substr(i, 4097));
  auto trace = reader.finish();
  if (account) *account = reader.account();
  return trace;
}

inline OperatorTrace trace_of(const Job& job) { return *read(csv_of(job, rows_of(job))); }

}  // namespace prism::made_up
