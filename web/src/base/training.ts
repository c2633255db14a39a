// SPDX-License-Identifier: Apache-2.0
// The training run in words and tables.
import * as format from "./format";
import type { Result, TrainingRun } from "./result";
import type { Table } from "./tables";

export const day = 86400;

const words: Record<string, string> = {
  productive: "productive",
  checkpoint: "checkpoint writes",
  lost_work: "lost work",
  detection: "detection",
  restart: "restart",
  no_spare: "waiting for a node",
  fail_slow: "slow nodes",
  reduced: "replicas out",
  warm_up: "warm-up",
  preempted: "pre-empted",
  maintenance: "maintenance",
  first_start: "first start",
};
export const lossText = (what: string) => words[what] ?? what.replaceAll("_", " ");

/** "54.4 days", "3.1 h". */
export function span(seconds: number): string {
  if (seconds >= 2 * day) return `${format.significant(seconds / day, 3)} days`;
  return format.duration(seconds);
}

export function runReading(run: TrainingRun): string {
  const { p95, failure_free } = run.wall_clock_s;
  const without = `without failures it would take ${span(failure_free)}`;
  if (p95 === null) {
    const never = 1 - run.finished / run.runs;
    return `${format.percent(never)} of the runs never finish: they were given up after ${span(run.given_up_after_s)} or 100,000 failures; ${without}.`;
  }
  const by = run.finish.p95 ? `, by ${run.finish.p95.replace("T", " ")} UTC` : "";
  return `95 of 100 runs finish within ${span(p95)}${by}; ${without}.`;
}

export function goodputReading(run: TrainingRun): string {
  const losses = [...run.spent.slice(1)].sort((a, b) => b.share - a.share);
  const largest = losses[0];
  const productive = `${format.percent(run.goodput.mean)} of the time is productive`;
  if (!largest || largest.mean_s === 0) return `${productive}.`;
  return `${productive}; the largest loss is ${lossText(largest.what)}, ${format.percent(largest.share)}.`;
}

export function oneRunReading(run: TrainingRun): string {
  const stops = run.timeline.stretches.filter((s) => s[3] >= 0).length;
  const end = run.timeline.stretches.at(-1)?.[1] ?? 0;
  if (stops === 0) return `The first simulated run is not stopped once in ${span(end)}.`;
  return `The first simulated run stands still ${stops === 1 ? "once" : `${format.count(stops)} times`} in ${span(end)}.`;
}

export interface Part {
  begin: number;
  end: number;
  running: boolean;
  what: string;
  cause: string | null;
}

export const stretchText = (s: Part) =>
  `${s.cause ?? "running"}: ${lossText(s.what)}, ${span(s.end - s.begin)}`;

const otherStops = ["fail slow", "pre-emption", "maintenance"];

export function parts(run: TrainingRun, causes: readonly string[]): Part[] {
  const all = [...causes, ...otherStops];
  return run.timeline.stretches.map(([begin, end, what, stop]) => ({
    begin,
    end,
    running: stop < 0,
    what: run.timeline.names[what] ?? "",
    cause: stop < 0 ? null : (all[stop] ?? null),
  }));
}

/** Rows of equal length, of whole days, so that the run fits on six of them or fewer; parts are cut where rows end. */
export function timelineRows(run: TrainingRun): {
  days: number;
  rows: { begin: number; stretches: Part[] }[];
} {
  const all = parts(run, []);
  const end = all.at(-1)?.end ?? 0;
  const days = Math.max(1, Math.ceil(end / day / 6));
  const rows = Array.from({ length: Math.max(1, Math.ceil(end / (days * day))) }, (_, i) => ({
    begin: i * days * day,
    stretches: [] as Part[],
  }));
  for (const part of all) {
    for (let i = Math.floor(part.begin / (days * day)); i < rows.length; i++) {
      const row = rows[i]!;
      const limit = row.begin + days * day;
      if (part.begin >= limit) continue;
      if (part.end <= row.begin) break;
      row.stretches.push({ ...part, begin: Math.max(part.begin, row.begin), end: Math.min(part.end, limit) });
    }
  }
  return { days, rows };
}

export function spentTable(run: TrainingRun): Table {
  return {
    headings: ["Where the time goes", "A run", "Share"],
    keys: ["what", "mean_s", "share"],
    rows: run.spent.map((s) => ({
      shown: [lossText(s.what), span(s.mean_s), format.percent(s.share, 2)],
      exact: [s.what, s.mean_s, s.share],
    })),
  };
}

export function causesTable(run: TrainingRun): Table {
  return {
    headings: ["What stops it", "Times a run", "Lost a run", "Share"],
    keys: ["cause", "mean_count", "mean_lost_s", "share"],
    rows: [...run.stops]
      .sort((a, b) => b.share - a.share)
      .map((s) => ({
        shown: [
          s.cause,
          format.significant(s.mean_count, 3),
          span(s.mean_lost_s),
          format.percent(s.share, 2),
        ],
        exact: [s.cause, s.mean_count, s.mean_lost_s, s.share],
      })),
  };
}

const days: format.Unit = { name: "days", seconds: day };

export function finishTable(run: TrainingRun): Table {
  const wall = run.wall_clock_s;
  return {
    headings: ["Quantile", "Days", `${Math.round(100 * wall.confidence)} % interval`],
    keys: ["quantile", "wall_clock_s", "low_s", "high_s"],
    rows: (["p5", "p50", "p95", "p99"] as const).map((name) => {
      const [low, high] = wall.intervals[name];
      const value = wall[name];
      const inDays = (x: number | null) => (x === null ? null : x / day);
      const decimals = format.decimalsWithin((value ?? low ?? day) / day, [inDays(low), inDays(high)]);
      return {
        shown: [
          name,
          value === null ? "never" : format.number(value / day, decimals.value),
          format.interval(wall.intervals[name], days, decimals.interval),
        ],
        exact: [name, wall[name], low, high],
      };
    }),
  };
}

export function finishHistogramTable(run: TrainingRun): Table {
  const { edges, counts } = run.wall_clock_s.histogram ?? { edges: [], counts: [] };
  const width = Math.min(...edges.slice(1).map((edge, i) => edge - edges[i]!));
  const decimals = format.decimalsFor((edges[0] ?? day) / day, width / day / 2);
  const text = (seconds: number) => format.number(seconds / day, decimals);
  return {
    headings: ["From (days)", "To (days)", "Runs", "Share"],
    keys: ["from_s", "to_s", "runs", "share"],
    rows: counts.map((n, i) => ({
      shown: [text(edges[i]!), text(edges[i + 1]!), format.count(n), format.percent(n / run.runs, 2)],
      exact: [edges[i]!, edges[i + 1]!, n, n / run.runs],
    })),
  };
}

export function timelineTable(result: Result): Table {
  const run = result.training_run!;
  return {
    headings: ["From (days)", "To (days)", "What"],
    keys: ["begin_s", "end_s", "what"],
    rows: parts(run, []).map((p) => ({
      shown: [
        format.number(p.begin / day, 3),
        format.number(p.end / day, 3),
        p.running ? "running" : lossText(p.what),
      ],
      exact: [p.begin, p.end, p.running ? "running" : p.what],
    })),
  };
}
