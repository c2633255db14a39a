// SPDX-License-Identifier: Apache-2.0
// The data behind each chart as a table: what the page shows under a chart and what a CSV file holds.
import * as format from "./format";
import type { Result } from "./result";
import { kindText, quantileDecimals, quantiles, quantileText } from "./sentences";

export interface Table {
  /** Columns on the page, and in a file. */
  headings: string[];
  keys: string[];
  /** Cells as shown; and as exported: exact, in seconds. */
  rows: { shown: string[]; exact: (string | number | null)[] }[];
}

export function quantileTable(result: Result): Table {
  const step = result.step_time_s;
  const unit = format.unitFor(step.p50);
  return {
    headings: ["Quantile", "Step time", `${Math.round(100 * step.confidence)} % interval (${unit.name})`],
    keys: ["quantile", "step_time_s", "low_s", "high_s"],
    rows: quantiles.map(({ name, label }) => {
      const interval = step.intervals[name];
      return {
        shown: [
          label,
          quantileText(step, name),
          format.interval(interval, unit, quantileDecimals(step, name).interval),
        ],
        exact: [name, step[name], interval[0], interval[1]],
      };
    }),
  };
}

/** Width of an ordinary bin of the histogram, seconds: the narrowest, since the outermost two reach further. */
function binWidth(result: Result): number {
  const { edges } = result.step_time_s.histogram;
  return Math.min(...edges.slice(1).map((edge, i) => edge - edges[i]!));
}

/** The width of step time for which heights are drawn: of two results the narrower one's, so that no share exceeds 1. */
export const barWidth = (result: Result, pinned: Result | null = null) =>
  Math.min(binWidth(result), pinned ? binWidth(pinned) : Number.POSITIVE_INFINITY);

export function histogramTable(result: Result): Table {
  const { edges, counts } = result.step_time_s.histogram;
  const unit = format.unitFor(result.step_time_s.p50);
  const decimals = format.decimalsFor(edges[0]! / unit.seconds, binWidth(result) / unit.seconds / 2);
  return {
    headings: [`From (${unit.name})`, `To (${unit.name})`, "Trials", "Share"],
    keys: ["from_s", "to_s", "trials", "share"],
    rows: counts.map((n, i) => ({
      shown: [
        format.number(edges[i]! / unit.seconds, decimals),
        format.number(edges[i + 1]! / unit.seconds, decimals),
        format.count(n),
        format.percent(n / result.trials, 2),
      ],
      exact: [edges[i]!, edges[i + 1]!, n, n / result.trials],
    })),
  };
}

/** The curve on the page at every 5 %, in the file at every point. */
export function cumulativeTable(result: Result): Table {
  const step = result.step_time_s;
  const unit = format.unitFor(step.p50);
  const decimals = format.decimalsFor(step.p50 / unit.seconds, step.sd / unit.seconds / 50);
  return {
    headings: [`Step time (${unit.name})`, "Share of steps at or below"],
    keys: ["step_time_s", "share"],
    rows: step.ecdf.map(([x, share]) => ({
      shown: [format.number(x / unit.seconds, decimals), format.percent(share)],
      exact: [x, share],
    })),
  };
}

export function pathTable(result: Result): Table {
  const unit = format.unitFor(result.step_time_s.p50);
  return {
    headings: [
      "Operator kind",
      "Class",
      "Share",
      `Mean (${unit.name})`,
      `Standard error (${unit.name})`,
      `Without variability (${unit.name})`,
    ],
    keys: ["kind", "class", "share", "mean_s", "standard_error_s", "deterministic_s"],
    rows: [...(result.critical_path?.kinds ?? [])]
      .sort((a, b) => b.share - a.share)
      .map((k) => ({
        shown: [
          kindText(k.kind),
          k.class,
          format.percent(k.share),
          format.durationNumber(k.mean_s, k.standard_error_s, unit),
          format.significant(k.standard_error_s / unit.seconds, 2),
          format.durationNumber(k.deterministic_s, k.standard_error_s, unit),
        ],
        exact: [k.kind, k.class, k.share, k.mean_s, k.standard_error_s, k.deterministic_s],
      })),
  };
}

export function ranksTable(result: Result): Table {
  const unit = format.unitFor(result.step_time_s.p50);
  const time = (s: number) => format.durationNumber(s, null, unit);
  return {
    headings: [
      "Pipeline rank",
      "Layers of its virtual stages",
      `Compute (${unit.name})`,
      `Communication (${unit.name})`,
      `Idle (${unit.name})`,
      "Idle / step",
      "Idle / busy",
    ],
    keys: [
      "pipeline_rank",
      "layers",
      "compute_s",
      "communication_s",
      "idle_s",
      "idle_over_step",
      "idle_over_busy",
    ],
    rows: result.ranks.map((r) => {
      const busy = r.compute_s + r.communication_s;
      const ofStep = r.idle_s / (busy + r.idle_s);
      const ofBusy = r.idle_s / busy;
      return {
        shown: [
          String(r.pipeline_rank),
          r.layers.join(", "),
          time(r.compute_s),
          time(r.communication_s),
          time(r.idle_s),
          format.percent(ofStep),
          format.percent(ofBusy),
        ],
        exact: [
          r.pipeline_rank,
          r.layers.join(" "),
          r.compute_s,
          r.communication_s,
          r.idle_s,
          ofStep,
          ofBusy,
        ],
      };
    }),
  };
}
