// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <pcg_random.hpp>

#include "evidence/graph_builder.h"
#include "prism/evidence_prediction.h"
#include "prism/numerics.h"

namespace prism {
namespace {

constexpr int lanes = 50;  ///< trials replayed at once: enough to vectorise, small enough for a cache

pcg32_oneseq stream(std::uint64_t seed, int trial, std::uint64_t key) {
  return pcg32_oneseq(stream_state(seed, static_cast<std::uint64_t>(trial), key));
}

/// Times and gaps of one trial, into lane `lane` of `width`.
class Drawing {
 public:
  Drawing(const OperatorTrace& trace, const Decomposition& parts, bool by_stage)
      : trace_(trace), parts_(parts), of_(trace), by_stage_(by_stage) {
    for (std::size_t op = 0; op < trace.ops.size(); ++op) {
      const std::size_t pool = pool_of(trace.ops[op]);
      if (pools_.size() <= pool) pools_.resize(pool + 1);
      pools_[pool].push_back(static_cast<int>(op));
    }
  }

  void step_level_and_rows(std::uint64_t seed, int trial, std::vector<double>& time, std::vector<double>& gap,
                           std::size_t lane, std::size_t width) const {
    const auto steps = static_cast<std::size_t>(trace_.steps());
    const auto step = static_cast<std::size_t>(source_step(trace_, trial, seed));
    std::vector<std::size_t> content_step(static_cast<std::size_t>(trace_.replicas));
    std::vector<int> content_replica(content_step.size());
    for (std::size_t r = 0; r < content_step.size(); ++r) {
      auto row = stream(seed, trial, stream_key(stream_key("evidence-replica-row"), r));
      content_step[r] = row(static_cast<std::uint32_t>(steps));
      content_replica[r] = static_cast<int>(row(static_cast<std::uint32_t>(trace_.replicas)));
    }
    for (std::size_t op = 0; op < trace_.ops.size(); ++op) {
      const TraceOp& o = trace_.ops[op];
      gap[op * width + lane] = parts_.gap[op * steps + step];
      if (!is_compute(o.type)) {
        time[op * width + lane] = parts_.transfer[op * steps + step];
        continue;
      }
      const std::size_t way = o.type == OpType::forward_compute ? 0 : 1;
      const auto stage = static_cast<std::size_t>(o.stage), r = static_cast<std::size_t>(o.replica);
      const auto source =
          static_cast<std::size_t>(of_.at(content_replica[r] * trace_.stages + o.stage, o.type, o.index));
      time[op * width + lane] = parts_.worker_mean[way][stage][r] * parts_.step_level[way][stage][step] *
                                parts_.content[source * steps + content_step[r]];
    }
  }

  void independent(std::uint64_t seed, int trial, std::vector<double>& time, std::vector<double>& gap,
                   std::size_t lane, std::size_t width) const {
    const auto steps = static_cast<std::size_t>(trace_.steps());
    auto random = stream(seed, trial, stream_key("evidence-independent"));
    for (std::size_t op = 0; op < trace_.ops.size(); ++op) {
      const std::vector<int>& pool = pools_[pool_of(trace_.ops[op])];
      const auto any = [&](const std::vector<double>& table) {
        const auto source = static_cast<std::size_t>(pool[random(static_cast<std::uint32_t>(pool.size()))]);
        return table[source * steps + random(static_cast<std::uint32_t>(steps))];
      };
      time[op * width + lane] = any(parts_.transfer);
      gap[op * width + lane] = any(parts_.gap);
    }
  }

 private:
  std::size_t pool_of(const TraceOp& op) const {
    const std::size_t stage = by_stage_ ? static_cast<std::size_t>(op.stage) : 0;
    return stage * op_types + static_cast<std::size_t>(op.type);
  }
  const OperatorTrace& trace_;
  const Decomposition& parts_;
  OpIndex of_;
  bool by_stage_;
  std::vector<std::vector<int>> pools_;  ///< operations by type, and stage
};

}  // namespace

int source_step(const OperatorTrace& trace, int trial, std::uint64_t seed) {
  auto random = stream(seed, trial, stream_key("evidence-step"));
  return static_cast<int>(random(static_cast<std::uint32_t>(trace.steps())));
}

std::vector<double> predict_steps(const OperatorTrace& trace, const ReplayGraph& serial,
                                  const Decomposition& parts, Resampling how, int trials,
                                  std::uint64_t seed) {
  const Drawing draw(trace, parts, how != Resampling::independent_by_type);
  std::vector<double> out, time, gap;
  for (int done = 0; done < trials;) {
    const auto width = static_cast<std::size_t>(std::min(lanes, trials - done));
    time.assign(trace.ops.size() * width, 0);
    gap = time;
    for (std::size_t lane = 0; lane < width; ++lane, ++done) {
      if (how == Resampling::step_level_and_rows)
        draw.step_level_and_rows(seed, done, time, gap, lane, width);
      else
        draw.independent(seed, done, time, gap, lane, width);
    }
    const auto step = replay(serial, time, gap, static_cast<int>(width));
    out.insert(out.end(), step.begin(), step.end());
  }
  return out;
}

}  // namespace prism
