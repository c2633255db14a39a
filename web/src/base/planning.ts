// SPDX-License-Identifier: Apache-2.0
// Questions about a training run (docs/training-run.md, Studies), in words and tables.
import * as format from "./format";
import type { Table } from "./tables";
import { day, span } from "./training";

export type PlanningName = "checkpoint" | "spares" | "capacity";

export interface IntervalPoint {
  interval_s: number;
  mean_wall_clock_s: number;
  standard_error_s: number;
  p95_wall_clock_s: number;
  goodput: number;
}
export interface Chance {
  x: number;
  probability: number;
  interval: [number, number];
  mean_wall_clock_s: number;
  p95_wall_clock_s: number;
  goodput: number;
  finished: number;
}
export interface Planning {
  prism_study: PlanningName;
  seed: string;
  runs: number;
  digest: string;
  within_days?: number;
  asked_probability?: number;
  curve?: {
    best_interval_s: number;
    exact_interval_s: number;
    young_interval_s: number;
    daly_interval_s: number;
    points: IntervalPoint[];
  };
  capacity?: {
    answer: number | null;
    interval: [number | null, number | null];
    point_estimate: number | null;
    /** The answer is the smallest size tried; whether fewer would do was not looked at. */
    or_fewer: boolean;
    candidates: Chance[];
  };
  left_out?: { dp: number; why: string }[];
  latest_start?: {
    before_deadline_s: number | null;
    interval_s: [number | null, number | null];
    point_estimate_s: number;
  };
}

const counted = (x: number | null) => (x === null ? "none of those tried" : format.count(x));

/** The intervals tried whose mean cannot be told from the least one by the errors of the two. */
function asShort({ points, best_interval_s }: NonNullable<Planning["curve"]>): string {
  const least = points.reduce((a, b) => (b.mean_wall_clock_s < a.mean_wall_clock_s ? b : a));
  const alike = points.filter(
    (p) =>
      p.mean_wall_clock_s - least.mean_wall_clock_s <=
      1.96 * Math.hypot(p.standard_error_s, least.standard_error_s),
  );
  const [first, last] = [alike[0]!, alike.at(-1)!];
  const unit = format.unitFor(best_interval_s);
  const low = format.durationNumber(first.interval_s, null, unit);
  return first === last
    ? ""
    : `, and as short within the error of the means from ${low} to ${format.duration(last.interval_s, null, unit)}`;
}

export function planningReading(p: Planning): string {
  const { curve, capacity, latest_start } = p;
  if (curve) {
    const shortest = `The run is shortest with a checkpoint every ${span(curve.best_interval_s)}${asShort(curve)}`;
    if (curve.exact_interval_s <= 0) return `${shortest}.`;
    return `${shortest}; formulas say ${span(curve.exact_interval_s)} exactly, ${span(curve.daly_interval_s)} Daly, ${span(curve.young_interval_s)} Young.`;
  }
  if (!capacity) return "";
  const what = p.prism_study === "spares" ? "Spare nodes" : "GPUs";
  const [low, high] = capacity.interval;
  // Where nothing is known from below, or no size does at all.
  const range = [...(low === null ? [] : [counted(low)]), counted(high)].join(" to ");
  const upTo = low === null && high !== null ? "up to " : "";
  const asked = `${what} for ${format.percent(p.asked_probability ?? 0)} chance of finishing within ${format.significant(p.within_days ?? 0, 4)} days: ${counted(capacity.answer)}${capacity.or_fewer ? " or fewer: the smallest size tried" : ""} (95 % interval ${upTo}${range}); a point estimate, without failures, says ${counted(capacity.point_estimate)}.`;
  if (!latest_start) return asked;
  const before = latest_start.before_deadline_s;
  return `${asked} ${before === null ? "On the scenario’s own GPUs too few runs ever finish." : `On the scenario’s own GPUs: start ${span(before)} before the deadline.`}`;
}

export function planningTable(p: Planning): Table {
  if (p.curve)
    return {
      headings: ["Interval", "Mean, days", "Standard error", "95 % within", "Productive"],
      keys: ["interval_s", "mean_wall_clock_s", "standard_error_s", "p95_wall_clock_s", "goodput"],
      rows: p.curve.points.map((c) => ({
        shown: [
          span(c.interval_s),
          format.number(c.mean_wall_clock_s / day, 3),
          format.number(c.standard_error_s / day, 3),
          format.number(c.p95_wall_clock_s / day, 2),
          format.percent(c.goodput, 2),
        ],
        exact: [c.interval_s, c.mean_wall_clock_s, c.standard_error_s, c.p95_wall_clock_s, c.goodput],
      })),
    };
  const days = (c: Chance, seconds: number) =>
    `${c.finished < 1 ? "> " : ""}${format.number(seconds / day, 2)}`;
  return {
    headings: [
      p.prism_study === "spares" ? "Spares" : "GPUs",
      "In time",
      "95 % interval",
      "Mean, days",
      "95 % within",
      "Productive",
    ],
    keys: ["x", "probability", "low", "high", "mean_wall_clock_s", "p95_wall_clock_s", "goodput"],
    rows: (p.capacity?.candidates ?? []).map((c) => ({
      shown: [
        format.count(c.x),
        format.percent(c.probability),
        `${format.percent(c.interval[0])} to ${format.percent(c.interval[1])}`,
        days(c, c.mean_wall_clock_s),
        days(c, c.p95_wall_clock_s),
        format.percent(c.goodput),
      ],
      exact: [c.x, c.probability, ...c.interval, c.mean_wall_clock_s, c.p95_wall_clock_s, c.goodput],
    })),
  };
}
