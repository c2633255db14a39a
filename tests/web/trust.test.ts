// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Result } from "../../web/src/base/result";
import {
  calibrationText,
  errorText,
  memoryReading,
  memoryTable,
  trustReading,
} from "../../web/src/base/trust";
import { sampleResult } from "./sample-result";

type Memory = NonNullable<Result["memory"]>;

const rank = (pipeline_rank: number, activations: number) => ({
  pipeline_rank,
  parameters: 5,
  gradients: 10,
  optimizer: 2.5,
  activations,
  working: 0,
  total: 17.5 + activations,
  chunks_in_flight: 4 - pipeline_rank,
});
const memory = (activations: number): Memory => ({
  unit: "GiB",
  gpu: 80,
  most: 17.5 + activations,
  fullest_rank: 0,
  fits: 17.5 + activations <= 80 ? "yes" : "no",
  not_counted: "communication buffers",
  ranks: [rank(0, activations), rank(1, activations / 2)],
});

test("memory is told with what the GPU has and what is not counted", () => {
  expect(memoryReading(memory(40))).toBe(
    "GPUs of pipeline rank 0 hold the most, about 57.5 of 80.0 GiB. Not counted: communication buffers.",
  );
  expect(memoryReading(memory(100))).toContain("118 of 80.0 GiB: by this estimate it does not fit");
});

test("the table of memory has a row for each pipeline rank, its parts exact", () => {
  const table = memoryTable(memory(40));
  expect(table.rows.map((row) => row.shown[0])).toEqual(["0", "1"]);
  expect(table.rows[1]!.exact).toEqual([1, 5, 10, 2.5, 20, 0, 37.5, 3]);
  expect(table.headings).toHaveLength(table.rows[0]!.shown.length);
});

const nearest = (...errors: number[]): Partial<Result> => ({
  validation: {
    nearest: errors.map((error, i) => ({ run: `run ${i}`, gpus: 512, layouts: "one", error, fitted: false })),
    text: "",
  },
});

test("the reading names the worst of the nearest measurements, whatever its sign", () => {
  const result = sampleResult({ result: nearest(0.02, -0.081, 0.01) });
  expect(trustReading(result)).toContain("In the 3 measured runs most like this one");
  expect(trustReading(result)).toContain("within 8.1");
});

test("without a measurement near it says so", () => {
  const validation = { nearest: [], text: "no measurement near this: why" };
  expect(trustReading(sampleResult({ result: { validation } }))).toMatch(
    /^There is no measurement near this: why\. Calibrate/,
  );
});

test("an error of several layouts has no sign", () => {
  expect(errorText({ layouts: "one", error: -0.042 })).toMatch(/^−4.2/);
  expect(errorText({ layouts: "several", error: 0.061 })).toMatch(/^6.1.*on average$/);
});

test("a calibrated result says by what, and one that is not says nothing", () => {
  const calibration = { to: "mean" as const, measured_s: 7.1, efficiency_factor: 0.934, trials: 1024 };
  expect(calibrationText(sampleResult({ result: { calibration } }))).toMatch(
    /^Calibrated: compute runs at 0.934 times .* simulated mean meets the measured 7.1.s \(solved on 1,024 trials\)/,
  );
  expect(calibrationText(sampleResult())).toBeNull();
});
