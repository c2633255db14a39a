// SPDX-License-Identifier: Apache-2.0
// A result in plain words. Every figure a person reads first is made here, so page, share dialog and exports
// cannot disagree.

import * as format from "./format";
import type { QuantileName, Result, StepTime } from "./result";

export const quantiles: { name: QuantileName; share: number; label: string; words: string }[] = [
  { name: "p1", share: 0.01, label: "p1", words: "1 of 100 steps finishes within" },
  { name: "p5", share: 0.05, label: "p5", words: "5 of 100 within" },
  { name: "p25", share: 0.25, label: "p25", words: "25 of 100 within" },
  { name: "p50", share: 0.5, label: "p50, median", words: "half within" },
  { name: "p75", share: 0.75, label: "p75", words: "75 of 100 within" },
  { name: "p90", share: 0.9, label: "p90", words: "90 of 100 within" },
  { name: "p95", share: 0.95, label: "p95", words: "95 of 100 within" },
  { name: "p99", share: 0.99, label: "p99", words: "99 of 100 within" },
  { name: "p99_9", share: 0.999, label: "p99.9", words: "999 of 1,000 within" },
];

const half = (step: StepTime, name: QuantileName) => format.halfWidth(step[name], step.intervals[name]);

/** Decimals of a quantile and of its interval, in the unit of the whole result. */
export function quantileDecimals(step: StepTime, name: QuantileName): { value: number; interval: number } {
  const { seconds } = format.unitFor(step.p50);
  const [low, high] = step.intervals[name];
  return format.decimalsWithin(step[name] / seconds, [low && low / seconds, high && high / seconds]);
}

/** A quantile with its unit and its honest digits. */
export function quantileText(step: StepTime, name: QuantileName): string {
  const unit = format.unitFor(step.p50);
  return `${format.number(step[name] / unit.seconds, quantileDecimals(step, name).value)}\u00a0${unit.name}`;
}

function headlineDecimals(step: StepTime, name: QuantileName): number {
  const { seconds } = format.unitFor(step.p50);
  const [low, high] = step.intervals[name];
  return format.fewestWithin(step[name] / seconds, [low && low / seconds, high && high / seconds]);
}

/** A quantile as a headline: as few digits as its interval, which stands below it, allows. */
export function headlineText(step: StepTime, name: QuantileName): string {
  const unit = format.unitFor(step.p50);
  return `${format.number(step[name] / unit.seconds, headlineDecimals(step, name))}\u00a0${unit.name}`;
}

/** The interval of a quantile: "6.905 to 6.919 s". */
export function intervalText(step: StepTime, name: QuantileName): string {
  const unit = format.unitFor(step.p50);
  return `${format.interval(step.intervals[name], unit, quantileDecimals(step, name).interval)} ${unit.name}`;
}

/** True if every trial took the same time: there is no distribution to show. */
export const isConstant = (step: StepTime) => step.min === step.max;

/** The deterministic step time, with the digits of the p95 that stands beside it. */
export function deterministicText(step: StepTime): string {
  if (isConstant(step)) return format.exactDuration(step.deterministic);
  const unit = format.unitFor(step.p50);
  const own = format.decimalsFor(step.deterministic / unit.seconds, null);
  const decimals = Math.max(own, headlineDecimals(step, "p95"));
  return `${format.number(step.deterministic / unit.seconds, decimals)}\u00a0${unit.name}`;
}

export interface AnswerText {
  /** The first sentence, its figure apart so that it can stand out. */
  lead: [before: string, figure: string, after: string];
  rest: string;
  guarantee: string;
}

export function answer(result: Result): AnswerText {
  const step = result.step_time_s;
  if (isConstant(step)) {
    return {
      lead: ["Every step takes ", format.exactDuration(step.p50), "."],
      rest: result.engine.varies
        ? `All ${format.count(result.trials)} trials came out alike.`
        : "Nothing in this scenario varies.",
      guarantee: "",
    };
  }
  const confidence = Math.round(100 * step.guarantee.confidence);
  const coverage = Math.round(100 * step.guarantee.coverage);
  const { within } = step.guarantee;
  return {
    lead: ["95 of 100 steps finish within ", headlineText(step, "p95"), "."],
    rest: `Without variability every step would take ${deterministicText(step)}.`,
    guarantee:
      within === null
        ? `There are too few trials yet to guarantee a time for ${coverage} % of the steps.`
        : `With ${confidence} % confidence, at least ${coverage} % of the steps this model describes finish within ${format.duration(within, (half(step, "p95") ?? 0) / 10, format.unitFor(step.p50))}.`,
  };
}

/** What more trials do not make smaller. */
export function inputErrorText(result: Result): string {
  const error = result.input_error;
  if (!error)
    return "How well the scenario’s numbers describe a real cluster is another matter, and not known for presets.";
  const range = ([low, high]: [number, number]) =>
    `${format.duration(low, (high - low) / 10)} to ${format.duration(high, (high - low) / 10)}`;
  return `Input error is another matter: ${format.count(error.measurements)} other measured steps would put p50 at ${range(error.p50)} and p95 at ${range(error.p95)} (95 of 100 refits).`;
}

/** What variability costs, in one sentence. */
export function cost(step: StepTime): string {
  if (isConstant(step)) return "";
  const over = (seconds: number) => {
    const share = seconds / step.deterministic - 1;
    const size = `${format.significant(Math.abs(100 * share), 2)}\u00a0%`;
    return share >= 0 ? `${size} longer` : `${size} shorter`;
  };
  return `Half of the steps take ${over(step.p50)} than without variability, the slowest 1 in 100 at least ${over(step.p99)}.`;
}

/** What the share of trials is called while they come in. */
export function basis(result: Result): string {
  return result.trials < result.trials_asked
    ? `first ${format.count(result.trials)} of ${format.count(result.trials_asked)} trials`
    : `${format.count(result.trials)} trials`;
}

const kinds: Record<string, string> = {
  gemm: "matrix multiplication",
  attention: "attention",
  elementwise: "element-wise",
  embedding: "embedding",
  loss: "loss",
  optimizer: "optimizer",
  compute_other: "other compute",
  all_reduce: "all-reduce",
  all_gather: "all-gather",
  reduce_scatter: "reduce-scatter",
  all_to_all: "all-to-all",
  broadcast: "broadcast",
  send_recv: "pipeline transfer",
  communication_other: "other communication",
};
/** An operator kind in words. */
export const kindText = (kind: string) => kinds[kind] ?? kind.replaceAll("_", " ");

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A message of the core as a sentence of its own. */
export const sentence = (text: string) => capital(text) + (/[.!?]$/.test(text) ? "" : ".");

/** One-sentence reading of the critical path. */
export function pathReading(result: Result): string {
  const path = result.critical_path;
  if (!path) return "Where the time goes is worked out after the trials.";
  const shares = new Map<string, number>();
  for (const k of path.kinds) shares.set(k.class, (shares.get(k.class) ?? 0) + k.share);
  const top = [...path.kinds].sort((a, b) => b.share - a.share)[0];
  const compute = shares.get("compute") ?? 0;
  const communication = shares.get("communication") ?? 0;
  if (!top) return "";
  return `Of the chain of operators that decides a step's length, ${format.percent(compute, 0)} is compute and ${format.percent(communication, 0)} communication; the largest part is ${kindText(top.kind)}, ${format.percent(top.share, 0)}.`;
}

export function ranksReading(result: Result): string {
  const { ranks, step_time_s: step } = result;
  if (ranks.length === 0) return "";
  // Rounding leaves a hair below zero where nothing is idle.
  const idle = ranks.map((r) => Math.max(0, r.idle_s / (r.compute_s + r.communication_s + r.idle_s)));
  const least = Math.min(...idle);
  const most = Math.max(...idle);
  const busiest = ranks[idle.indexOf(least)]!.pipeline_rank;
  if (ranks.length === 1) return `The GPUs are idle for ${format.percent(most)} of the step.`;
  return most - least < 0.0005 || step.p50 === 0
    ? `Each pipeline rank is idle for ${format.percent(most)} of the step.`
    : `Pipeline ranks are idle for ${format.percent(least)} to ${format.percent(most)} of the step; rank ${busiest} is the busiest.`;
}

/** Layers on the virtual stages, as runs: "1 stage with 0, 126 with 1". */
export function layersText(perStage: number[]): string {
  const counts = new Map<number, number>();
  for (const n of perStage) counts.set(n, (counts.get(n) ?? 0) + 1);
  const parts = [...counts].sort((a, b) => b[1] - a[1]);
  const plural = (n: number) => (n === 1 ? "1 layer" : `${n} layers`);
  if (parts.length === 1) return `${plural(parts[0]![0])} on each`;
  return parts.map(([n, stages]) => `${plural(n)} on ${format.count(stages)}`).join(", ");
}
