// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type Planning, planningReading } from "../../web/src/base/planning";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

/** Means in seconds by interval in minutes, all with the same standard error. */
const asked = (error: number, means: [minutes: number, mean_s: number][]): Planning => ({
  prism_study: "checkpoint",
  seed: "1",
  runs: 1000,
  digest: "",
  curve: {
    best_interval_s: 130 * 60,
    exact_interval_s: 0,
    young_interval_s: 0,
    daly_interval_s: 0,
    points: means.map(([minutes, mean_wall_clock_s]) => ({
      interval_s: minutes * 60,
      mean_wall_clock_s,
      standard_error_s: error,
      p95_wall_clock_s: 0,
      goodput: 1,
    })),
  },
});
const means: [number, number][] = [
  [60, 10_500],
  [90, 10_200],
  [130, 10_000],
  [200, 10_250],
  [300, 10_900],
];

test("the best interval is told with those that are as short within the error", () => {
  // 1.96 times the error of a difference is 277 s.
  expect(plain(planningReading(asked(100, means)))).toBe(
    "The run is shortest with a checkpoint every 130 min, and as short within the error of the means from 90.0 to 200 min.",
  );
  expect(planningReading(asked(1, means))).not.toContain("as short");
});
