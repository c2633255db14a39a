// SPDX-License-Identifier: Apache-2.0
// Several runs on one cluster as people read them, and the question that is asked about them.
import { expect, test } from "vitest";
import {
  type Listed,
  type Order,
  ordersOf,
  refusalText,
  type Schedule,
  scheduleOrigin,
  scheduleQuestion,
  scheduleReading,
  scheduleTable,
  withRun,
} from "../../web/src/base/schedule";
import { day } from "../../web/src/base/training";

const order = (indices: number[]): Order => ({
  places: indices.map((run, i) => ({
    run,
    p50_start_s: 10 * i * day,
    p95_start_s: 11 * i * day,
    mean_finish_s: 10.5 * (i + 1) * day,
    p50_finish_s: 10 * (i + 1) * day,
    p95_finish_s: 11 * (i + 1) * day,
    finished: i === 0 ? 1 : 0.99,
    met: { probability: 0.9, interval: [0.88, 0.92] },
  })),
  all_met: { probability: 0.8, interval: [0.77, 0.83] },
});
const sample = (by_mean: number[]): Schedule => ({
  prism_study: "schedule",
  engine_version: "0.1.0",
  seed: "1",
  runs: 1000,
  digest: "00",
  scheduled: ["A", "B"].map((name) => ({ name, deadline_days: 30, steps: 5, gpus: 8, seed: "1" })),
  by_p95: order([1, 0]),
  by_mean: order(by_mean),
});
const plain = (text: string) => text.replaceAll("\u00a0", " ");
const scenario = (training_run?: object) => JSON.stringify({ prism: 1, training_run, run: { trials: 9000 } });

test("one order is told once, two apart", () => {
  expect(plain(scheduleReading(sample([1, 0])))).toBe(
    "By p95 and by mean: B, then A. All deadlines are met with a chance of 80.0 % (95 % interval 77.0 % to 83.0 %).",
  );
  expect(ordersOf(sample([0, 1])).map(({ name }) => name)).toEqual(["By p95", "By mean"]);
});

test("the table has every place, and all deadlines together", () => {
  const table = scheduleTable(sample([1, 0]));
  expect(table.rows.map((row) => plain(row.shown.join("|")))).toEqual([
    "B|30.00|90.0 %|88.0 % to 92.0 %|0.00|10.00|11.00",
    "A|30.00|90.0 %|88.0 % to 92.0 %|10.00|> 20.00|> 22.00",
    "All deadlines||80.0 %|77.0 % to 83.0 %|||",
  ]);
  for (const row of table.rows) {
    expect(row.shown.length).toBe(table.headings.length);
    expect(row.exact.length).toBe(table.keys.length);
  }
  const two = scheduleTable(sample([0, 1]));
  expect(two.rows.map((row) => row.exact.slice(0, 3).join(" "))).toEqual([
    "B By p95 1",
    "A By p95 2",
    "A By mean 1",
    "B By mean 2",
    "all deadlines By p95 ",
    "all deadlines By mean ",
  ]);
});

test("a listed run has a name of its own; without a training run it is none", () => {
  const text = scenario({ steps: 5 });
  const one = withRun([], { name: "A", text }, 30)!;
  const two = withRun(one, { name: "A", text }, 20)!;
  expect(two.map(({ id, name, steps, days }) => [id, name, steps, days])).toEqual([
    [0, "A", 5, 30],
    [1, "A (2)", 5, 20],
  ]);
  expect(withRun(two, { name: "B", text: scenario() }, 30)).toBe(null);
});

test("the question has each run's steps and deadline", () => {
  const run: Listed = { id: 0, name: "A", text: scenario({ steps: 5, runs: 7 }), steps: 6, days: 30 };
  expect(scheduleQuestion([run], (text) => text)).toEqual({
    study: "schedule",
    runs: [
      {
        name: "A",
        scenario: { prism: 1, training_run: { steps: 6, runs: 7 }, run: { trials: 9000 } },
        deadline_days: 30,
      },
    ],
  });
});

test("a refusal names the run, and the place in its scenario", () => {
  const list = withRun([], { name: "A", text: scenario({ steps: 5 }) }, 30)!;
  const said = (pointer: string) =>
    refusalText(
      { code: "out_of_range", pointer, message: "no", hint: "", severity: "error", line: 0, column: 0 },
      list,
    );
  expect(said("/runs/0/deadline_days")).toBe("A: no [/deadline_days]");
  expect(said("/runs/0/scenario/training_run/steps")).toBe("A: no [/training_run/steps]");
  expect(said("/runs/0/scenario")).toBe("A: no");
  expect(said("/runs")).toBe("no");
});

test("a file says what each run is", () => {
  const origin = scheduleOrigin(sample([1, 0]), { study: "schedule" });
  expect(origin.lines[1]).toBe("Run 2: B, 5 steps on 8 GPUs, due in 30 days, seed 1");
  expect(origin.members.question).toEqual({ study: "schedule" });
});
