// SPDX-License-Identifier: Apache-2.0
// The result document as the core writes it (docs/result.schema.json). Seconds, bytes, rates per second.

export interface Diagnostic {
  code: string;
  /** JSON Pointer into the scenario text. */
  pointer: string;
  message: string;
  hint: string;
  severity: "error" | "warning";
  /** 1-based; 0 when unknown. Columns count UTF-16 code units. */
  line: number;
  column: number;
}

/** [low, high]; a bound that does not exist is null ("at least …"). */
export type Interval = [number | null, number | null];

export type QuantileName = "p1" | "p5" | "p25" | "p50" | "p75" | "p90" | "p95" | "p99" | "p99_9";

export interface StepTime extends Record<QuantileName, number> {
  deterministic: number;
  mean: number;
  mean_standard_error: number;
  sd: number;
  cv: number;
  min: number;
  max: number;
  /** Distribution-free intervals of the quantiles from order statistics, at `confidence`. */
  intervals: Record<QuantileName, Interval>;
  confidence: number;
  /** With `confidence`, at least `coverage` of the steps this model describes finish within `within` (null: too few trials). */
  guarantee: { confidence: number; coverage: number; within: number | null };
  /** Bin i is [edges[i], edges[i+1]). Widths differ: the outermost bins reach to min and max, so show counts per width. */
  histogram: { edges: number[]; counts: number[] };
  /** Points (step time, share of trials at or below it), from 0 to 1, at most 201; the first is the foot of the first step. */
  ecdf: [number, number][];
  /** P(step <= x) for each asked x, with its Clopper-Pearson interval at `confidence`; its bounds always exist. */
  within: { x: number; probability: number; interval: Interval }[];
}

/** A whole training: failures, checkpoints, and where the wall-clock time goes. Null: among runs that never finish. */
export interface TrainingRun {
  runs: number;
  finished: number;
  given_up_after_s: number;
  nodes: number;
  step: { mean_s: number; sd_s: number };
  checkpoint: { interval_steps: number; interval_s: number; write_s: number };
  wall_clock_s: Record<QuantileName, number | null> & {
    failure_free: number;
    mean: number | null;
    mean_standard_error: number | null;
    sd: number | null;
    intervals: Record<QuantileName, Interval>;
    confidence: number;
    /** Of the runs that finish. */
    histogram: { edges: number[]; counts: number[] } | null;
    ecdf: [number, number][];
  };
  goodput: { mean: number; mean_standard_error: number; p5: number; p50: number; p95: number };
  /** Adds up to the mean wall-clock time; productive first. */
  spent: { what: string; mean_s: number; share: number }[];
  stops: { cause: string; mean_count: number; mean_lost_s: number; share: number }[];
  finish: {
    start: string;
    p50: string | null;
    p95: string | null;
    within: { days: number; probability: number; interval: Interval }[];
  };
  cost: {
    currency: string;
    p5: number | null;
    p50: number | null;
    p95: number | null;
    energy_mwh: { p5: number | null; p50: number | null; p95: number | null };
  } | null;
  theory: {
    mean_time_between_failures_s: number;
    recovery_s: number;
    young_interval_s: number;
    daly_first_order_interval_s: number;
    daly_interval_s: number;
    exact_interval_s: number;
    exact_goodput: number | null;
    linear_goodput: number | null;
  } | null;
  /** Stretches of one run: [begin, end, index into names, index of the cause or -1 while running]. */
  timeline: { run: number; names: string[]; stretches: [number, number, number, number][] };
}

export interface Result {
  prism_result: 1;
  engine_version: string;
  title: string;
  /** 64-bit, decimal: JavaScript numbers would lose digits. */
  seed: string;
  trials: number;
  trials_asked: number;
  /** True while fewer trials than asked are in, or attribution and check are missing. */
  partial: boolean;
  engine: {
    path: "fast" | "exact" | "reference";
    replicas: number;
    replicas_simulated: number;
    /** Whether anything is random at all. */
    varies: boolean;
    /** Replicas played at their means to choose the simulated ones; 0: all are alike, or all are simulated. */
    shortlist: number;
    /** Exponent of the power mean that stands for a tensor group's lasting factors; 0: not used. */
    group_exponent: number;
    sampling: "chunk" | "segment" | "rank";
    tasks: number;
    decided_by_residual: number;
    /** Fast path only: the first trials again with every replica simulated. */
    check: {
      trials: number;
      mean_difference: number;
      standard_error: number;
      largest_difference: number;
    } | null;
  };
  step_time_s: StepTime;
  /** Seconds of the step's critical path by operator kind: where the time goes. Null until attribution is in. */
  critical_path: {
    trials: number;
    kinds: {
      kind: string;
      class: "compute" | "communication";
      mean_s: number;
      standard_error_s: number;
      share: number;
      /** The same in the deterministic step. */
      deterministic_s: number;
    }[];
  } | null;
  /** One entry a pipeline rank; compute + communication + idle = step time. Means over the attribution trials, or deterministic. */
  ranks: {
    pipeline_rank: number;
    layers: number[];
    compute_s: number;
    communication_s: number;
    idle_s: number;
  }[];
  layout: {
    gpus: number;
    nodes: number;
    tp: number;
    cp: number;
    pp: number;
    dp: number;
    virtual_stages: number;
    micro_batches: number;
    schedule: string;
    layers_per_virtual_stage: number[];
    layers: number;
  };
  /** Null for an operator list without a model. At the median step. */
  throughput: {
    tokens_per_step: number;
    tokens_per_s: number;
    tokens_per_s_per_gpu: number;
    model_flops_per_step: number;
    hardware_flops_per_step: number;
    model_tflops_per_s_per_gpu: number;
    mfu: number;
    hfu: number;
  } | null;
  /** GiB that a GPU of each pipeline rank holds at most, estimated. Null for an operator list. */
  memory: {
    unit: "GiB";
    gpu: number;
    most: number;
    fullest_rank: number;
    /** Uncertain: within 15 % of what the GPU has, which the estimate cannot tell apart. */
    fits: "yes" | "uncertain" | "no";
    not_counted: string;
    ranks: {
      pipeline_rank: number;
      parameters: number;
      gradients: number;
      optimizer: number;
      activations: number;
      working: number;
      total: number;
      chunks_in_flight: number;
    }[];
  } | null;
  /** Only where the scenario states it: what few measurements leave open. Seconds. */
  input_error?: { measurements: number; refits: number; p50: [number, number]; p95: [number, number] };
  /** What one measured step time made of the cost model. */
  calibration: {
    to: "median" | "mean";
    measured_s: number;
    efficiency_factor: number;
    trials: number;
  } | null;
  /** Measured runs most like this job. Null for an operator list. */
  validation: {
    nearest: { run: string; gpus: number; layouts: "one" | "several"; error: number; fitted: boolean }[];
    text: string;
  } | null;
  /** For each what-if of the scenario: what times at its place are multiplied by. */
  what_if: { multiplier: number }[];
  /** Only with a training run in the scenario, once all trials are in. */
  training_run?: TrainingRun;
  notes: { about: string; text: string }[];
  warnings: Diagnostic[];
  assumptions: { pointer: string; value: unknown; origin: string; source: string }[];
  /** The resolved scenario: every value, canonical. */
  scenario: Record<string, unknown>;
  /** 16 hexadecimal digits (docs/digest.md); empty while partial. */
  digest: string;
  /** Only in a file that the page saved: the share link. */
  link?: string;
}

export interface Plan {
  phases: { name: "pilot" | "trials" | "attribution" | "check"; units: number; draws_per_unit: number }[];
  trials: number;
  seed: string;
  engine: string;
  title: string;
  gpus: number;
}

export type Prepared =
  | { ok: true; handle: number; plan: Plan; warnings: Diagnostic[] }
  | { ok: false; errors: Diagnostic[] };
