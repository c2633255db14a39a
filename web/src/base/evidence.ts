// SPDX-License-Identifier: Apache-2.0
// What an import answers (core: prism/evidence_import.h), and what the page says about it.

import type { Origin } from "./exports";
import type { Diagnostic } from "./result";
import type { Table } from "./tables";

export interface Count {
  what: string;
  count: number;
}
export interface Account {
  format: string;
  bytes: number;
  records: number;
  used: number;
  ignored: Count[];
  kinds: Count[];
  notes: string[];
}
export interface WorkerView {
  replica: number;
  stage: number;
  rank: number;
  forward_s: number;
  backward_s: number;
  /** Relative to the median over the replicas of its stage. */
  forward: number;
  backward: number;
  slowdown: number;
  slow: boolean;
}
export interface Group {
  group: string;
  slowdown: number;
}
export interface Episode {
  kind: "cold_or_stalled" | "drift";
  what: string;
  steps: number[];
  usual_s: number;
  there_s: number;
  changes_the_step_by: number;
}
export interface OperatorEvidence {
  kind: "operator_trace";
  account: Account;
  layout: { dp: number; pp: number };
  steps: number[];
  measured_s: number[];
  replayed_s: number[];
  ideal_s: number;
  healthy_s: number | null;
  slowdown: number;
  by_type: Group[];
  by_stage: Group[];
  by_replica: Group[];
  last_stage: { removed: number };
  slowest_workers: { removed: number };
  workers: WorkerView[];
  spread: { fresh_and_content: number; worker_and_step: number; step_level: number; worker: number };
  episodes: Episode[];
}
export interface DeviceEvidence {
  kind: "device_trace";
  account: Account;
  kernels: { name: string; kind: string; count: number; total_s: number; median_s: number; p95_s: number }[];
  steps: { step: number; seconds: number }[];
}
export interface BenchmarkEvidence {
  kind: "collective_benchmark";
  account: Account;
  rows: { bytes: number; time_us: number; algorithm_gbyte_per_s: number; bus_gbyte_per_s: number }[];
  latency_bandwidth?: { alpha_us: number; algorithm_gbyte_per_s: number; worst_relative_error: number };
}
export interface StepEvidence {
  kind: "step_times";
  account: Account;
  steps: number;
  parameters: number;
  median_s: number;
  correlation: number;
  quantiles: { p: number; fit_s: number; steps_s: number }[];
  distribution: unknown;
}
export interface LaunchEvidence {
  kind: "launch_arguments";
  account: Account;
  assumed: string[];
  not_modelled: string[];
  unknown: string[];
}
export type Evidence = OperatorEvidence | DeviceEvidence | BenchmarkEvidence | StepEvidence | LaunchEvidence;

export interface Judgement {
  quantiles: { p: number; predicted_s: number; observed_s: number; error: number }[];
  ks: number;
  ks_null: { p: number; mean: number; critical_5_percent: number };
}
export interface Validation {
  training_steps: number[];
  held_out_steps: number[];
  observed_s: number[];
  predicted_s: number[];
  prediction: Judgement;
  independent_by_type: Judgement;
  independent_by_type_and_stage: Judgement;
  baselines: {
    constant: { step_s: number; p50_error: number; p95_error: number; ks: number };
    resampled_training_steps: Judgement;
  };
}

export type Found = { ok: true; evidence: Evidence } | { ok: false; errors: Diagnostic[] };

/** What takes longer than the evidence. */
export interface Rest {
  scenario: string | null;
  validation: Validation | null;
  /** What the steps recorded leave open. */
  input_error: unknown;
}

const scenario_limit = 8_000_000;

/**
 * Whether a file is evidence rather than a scenario: by name, by size, or by its first characters. A scenario is
 * JSON that says "prism".
 */
export function isEvidence(name: string, size: number, head: string): boolean {
  if (/\.(gz|csv|tsv|log|out|sh|slurm)$/i.test(name)) return true;
  if (/^\s*[{[]/.test(head)) {
    if (/"prism(_result)?"\s*:/.test(head)) return false;
    return size > scenario_limit || /"(traceEvents|optype|ph)"\s*:/.test(head);
  }
  if (/#v\d/.test(head)) return false;
  return (
    size > scenario_limit ||
    /\b(algbw|busbw|elapsed time per iteration|train_step_tim\w+|--num-layers)\b/.test(head)
  );
}

/** Colour of a heat map's cell: 0 at the median or below, 1 from half as much again. */
export const heat = (relative: number): number => Math.max(0, Math.min(1, (relative - 1) / 0.5));

/** Points of a Q–Q plot: for each observed value the predicted one of the same rank. */
export function quantilePairs(
  observed: number[],
  predicted: number[],
): { observed: number; predicted: number }[] {
  const ordered = [...predicted].sort((a, b) => a - b);
  return [...observed]
    .sort((a, b) => a - b)
    .map((value, i) => {
      const at = ((i + 0.5) / observed.length) * ordered.length - 0.5;
      const below = Math.max(0, Math.min(ordered.length - 1, Math.floor(at)));
      const above = Math.min(ordered.length - 1, below + 1);
      const share = Math.max(0, Math.min(1, at - below));
      return { observed: value, predicted: ordered[below]! + share * (ordered[above]! - ordered[below]!) };
    });
}

export const mean = (values: number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

/** The first thing to know about a measured job. */
export function operatorSentence(e: OperatorEvidence): string {
  const slow = e.workers.filter((w) => w.slow);
  const step = mean(e.measured_s);
  if (slow.length > 0 && e.healthy_s !== null) {
    const who = slow
      .map((w) => `replica ${w.replica}, stage ${w.stage}`)
      .slice(0, 3)
      .join("; ");
    const more = slow.length > 3 ? ` and ${slow.length - 3} more` : "";
    return `The job is ${(step / e.healthy_s).toFixed(2)} times slower than without its slow ${slow.length === 1 ? "worker" : "workers"}: ${who}${more}.`;
  }
  if (e.slowdown < 1.03)
    return "No operation is far from its type's usual time: there is no slow-down to explain.";
  const worst = [...e.by_type].sort((a, b) => b.slowdown - a.slowdown)[0];
  return `The step takes ${e.slowdown.toFixed(2)} times its ideal, most of it from ${worst?.group ?? "several types"}.`;
}

/** What a file with figures of a file of measurements says of itself. */
export function evidenceOrigin(file: string, { format, records, used }: Account): Origin {
  return {
    title: file,
    members: { title: file, format, records, used },
    lines: [`File: ${file}`, `Format: ${format}`, `Records: ${records}, ${used} used`],
    caption: `${file}: ${format}, ${records} records, ${used} used`,
    link: "",
  };
}

/** Errors of the prediction and of what it must beat. */
export function judgements(v: Validation): { what: string; p50: number; p95: number; ks: number }[] {
  const { constant, resampled_training_steps } = v.baselines;
  const of = (what: string, j: Judgement) => {
    const at = (mass: number) => j.quantiles.find((q) => q.p === mass)?.error ?? Number.NaN;
    return { what, p50: at(0.5), p95: at(0.95), ks: j.ks };
  };
  return [
    of("prediction", v.prediction),
    of("training steps as they are", resampled_training_steps),
    { what: "constant: their median", p50: constant.p50_error, p95: constant.p95_error, ks: constant.ks },
    of("independent draws by type and stage", v.independent_by_type_and_stage),
    of("independent draws by type", v.independent_by_type),
  ];
}

export type Pair = ReturnType<typeof quantilePairs>[number];

export const pairsTable = (pairs: Pair[]): Table => ({
  headings: ["Observed (s)", "Predicted (s)"],
  keys: ["observed_s", "predicted_s"],
  rows: pairs.map(({ observed, predicted }) => ({
    shown: [String(observed), String(predicted)],
    exact: [observed, predicted],
  })),
});

export const workersTable = (e: OperatorEvidence): Table => ({
  headings: ["Rank", "Replica", "Stage", "Forward", "Backward", "Slow"],
  keys: ["rank", "replica", "stage", "forward_over_median", "backward_over_median", "slow"],
  rows: e.workers.map((w) => {
    const exact = [w.rank, w.replica, w.stage, w.forward, w.backward, w.slow ? 1 : 0];
    return { shown: exact.map(String), exact };
  }),
});
