// SPDX-License-Identifier: Apache-2.0
// The training run as people read it: sentences, tables, and the rows of the drawn run.
import { expect, test } from "vitest";
import type { TrainingRun } from "../../web/src/base/result";
import {
  causesTable,
  day,
  finishHistogramTable,
  finishTable,
  goodputReading,
  oneRunReading,
  runReading,
  spentTable,
  timelineRows,
} from "../../web/src/base/training";

/** Forty days, of which 38 are productive; stretches are days 0 to 30 running, one day down, and the rest. */
function sampleRun(change: Partial<TrainingRun> = {}): TrainingRun {
  const names = ["p1", "p5", "p25", "p50", "p75", "p90", "p95", "p99", "p99_9"] as const;
  const each = <T>(f: (i: number) => T) =>
    Object.fromEntries(names.map((n, i) => [n, f(i)])) as Record<(typeof names)[number], T>;
  return {
    runs: 100,
    finished: 100,
    given_up_after_s: 380 * day,
    nodes: 10,
    step: { mean_s: 1, sd_s: 0.1 },
    checkpoint: { interval_steps: 600, interval_s: 600, write_s: 5 },
    wall_clock_s: {
      ...each((i) => (38 + 0.5 * i) * day),
      failure_free: 38 * day,
      mean: 40 * day,
      mean_standard_error: 600,
      sd: 6000,
      intervals: each((i): [number, number | null] => [
        (37.9 + 0.5 * i) * day,
        i < 7 ? (38.1 + 0.5 * i) * day : null,
      ]),
      confidence: 0.95,
      histogram: { edges: [38 * day, 40 * day, 42 * day], counts: [60, 40] },
      ecdf: [
        [38 * day, 0],
        [42 * day, 1],
      ],
    },
    goodput: { mean: 0.95, mean_standard_error: 0.001, p5: 0.94, p50: 0.95, p95: 0.96 },
    spent: [
      { what: "productive", mean_s: 38 * day, share: 0.95 },
      { what: "checkpoint", mean_s: 0.5 * day, share: 0.0125 },
      { what: "no_spare", mean_s: 1.5 * day, share: 0.0375 },
    ],
    stops: [
      { cause: "disk", mean_count: 1, mean_lost_s: 3600, share: 0.001 },
      { cause: "node", mean_count: 20, mean_lost_s: 1.4 * day, share: 0.0365 },
    ],
    finish: { start: "2026-01-01", p50: "2026-02-10T00:00", p95: "2026-02-11T00:00", within: [] },
    cost: null,
    theory: null,
    timeline: {
      run: 0,
      names: ["productive", "restart"],
      stretches: [
        [0, 30 * day, 0, -1],
        [30 * day, 31 * day, 1, 1],
        [31 * day, 40 * day, 0, -1],
      ],
    },
    ...change,
  };
}

test("says when the run is done, and what it would take without failures", () => {
  expect(runReading(sampleRun())).toBe(
    "95 of 100 runs finish within 41.0 days, by 2026-02-11 00:00 UTC; without failures it would take 38.0 days.",
  );
});

test("says that runs never finish", () => {
  const run = sampleRun({ finished: 20 });
  run.wall_clock_s.p95 = null;
  expect(runReading(run).replace(/\s/g, " ")).toBe(
    "80.0 % of the runs never finish: they were given up after 380 days or 100,000 failures; without failures it would take 38.0 days.",
  );
  expect(finishTable(run).rows[2]!.shown[1]).toBe("never");
});

test("names the largest loss, whatever its place", () => {
  expect(goodputReading(sampleRun()).replace(/\s/g, " ")).toBe(
    "95.0 % of the time is productive; the largest loss is waiting for a node, 3.8 %.",
  );
});

test("tables hold what files need: exact seconds, and the costliest cause first", () => {
  expect(spentTable(sampleRun()).rows[1]!.exact).toEqual(["checkpoint", 0.5 * day, 0.0125]);
  expect(causesTable(sampleRun()).rows.map((r) => r.exact[0])).toEqual(["node", "disk"]);
  expect(finishTable(sampleRun()).rows[3]!.shown[2]).toMatch(/^at least /);
});

test("quantiles have the digits of their intervals, and what is drawn is a table too", () => {
  const run = sampleRun();
  run.wall_clock_s.p50 = 4.23702 * day;
  run.wall_clock_s.intervals.p50 = [4.23687 * day, 4.23774 * day];
  expect(finishTable(run).rows[1]!.shown).toEqual(["p50", "4.2370", "4.23687 to 4.23774"]);
  expect(finishHistogramTable(run).rows.map((r) => r.shown)).toEqual([
    ["38.0", "40.0", "60", "60.00\u00a0%"],
    ["40.0", "42.0", "40", "40.00\u00a0%"],
  ]);
});

test("the drawn run is cut into rows without loss", () => {
  const run = sampleRun();
  const { days, rows } = timelineRows(run);
  expect(days).toBe(7);
  expect(rows.length).toBe(6);
  const parts = rows.flatMap((r) => r.stretches);
  let at = 0;
  for (const part of parts) {
    expect(part.begin).toBe(at);
    at = part.end;
  }
  expect(at).toBe(40 * day);
  for (const row of rows)
    for (const part of row.stretches) {
      expect(part.begin).toBeGreaterThanOrEqual(row.begin);
      expect(part.end).toBeLessThanOrEqual(row.begin + days * day);
    }
  const down = parts.filter((p) => !p.running).reduce((sum, p) => sum + p.end - p.begin, 0);
  expect(down).toBe(day);
  expect(oneRunReading(run)).toBe("The first simulated run stands still once in 40.0 days.");
});
