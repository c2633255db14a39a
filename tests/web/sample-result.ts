// SPDX-License-Identifier: Apache-2.0
import type { QuantileName, Result, StepTime } from "../../web/src/base/result";

const shares: Record<QuantileName, number> = {
  p1: 0.01,
  p5: 0.05,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  p99_9: 0.999,
};

/** A result whose step times are uniform between 6 and 7 s, intervals ± 0.007 s, deterministic 6.2 s. */
export function sampleResult(change: { step?: Partial<StepTime>; result?: Partial<Result> } = {}): Result {
  const names = Object.keys(shares) as QuantileName[];
  const each = <T>(f: (share: number) => T) =>
    Object.fromEntries(names.map((n) => [n, f(shares[n])])) as Record<QuantileName, T>;
  return {
    prism_result: 1,
    engine_version: "0.1.0",
    title: "Sample",
    seed: "5",
    trials: 10000,
    trials_asked: 10000,
    partial: false,
    engine: {
      path: "fast",
      replicas: 8,
      replicas_simulated: 2,
      varies: true,
      shortlist: 0,
      group_exponent: 0,
      sampling: "chunk",
      tasks: 10,
      decided_by_residual: 0,
      check: null,
    },
    step_time_s: {
      ...each((p) => 6 + p),
      deterministic: 6.2,
      mean: 6.5,
      mean_standard_error: 0.003,
      sd: 0.29,
      cv: 0.045,
      min: 6,
      max: 7,
      intervals: each((p): [number, number] => [6 + p - 0.007, 6 + p + 0.007]),
      confidence: 0.95,
      guarantee: { confidence: 0.95, coverage: 0.95, within: 6.955 },
      histogram: { edges: [6, 6.4, 6.5, 6.6, 7], counts: [4000, 1000, 1000, 4000] },
      ecdf: [
        [6, 0],
        [6.5, 0.5],
        [7, 1],
      ],
      within: [],
      ...change.step,
    },
    critical_path: {
      trials: 512,
      kinds: [
        {
          kind: "all_reduce",
          class: "communication",
          mean_s: 1.5,
          standard_error_s: 0.01,
          share: 0.25,
          deterministic_s: 1.4,
        },
        {
          kind: "gemm",
          class: "compute",
          mean_s: 4.5,
          standard_error_s: 0.02,
          share: 0.75,
          deterministic_s: 4.4,
        },
      ],
    },
    ranks: [
      { pipeline_rank: 0, layers: [1, 2], compute_s: 4, communication_s: 1, idle_s: 1.5 },
      { pipeline_rank: 1, layers: [2, 1], compute_s: 5, communication_s: 1, idle_s: 0.5 },
    ],
    layout: {
      gpus: 16,
      nodes: 2,
      tp: 1,
      cp: 1,
      pp: 2,
      dp: 8,
      virtual_stages: 2,
      micro_batches: 4,
      schedule: "interleaved-1f1b",
      layers_per_virtual_stage: [1, 2, 2, 1],
      layers: 6,
    },
    throughput: null,
    memory: null,
    calibration: null,
    validation: null,
    what_if: [],
    notes: [],
    warnings: [],
    assumptions: [],
    scenario: {},
    digest: "0123456789abcdef",
    ...change.result,
  };
}
