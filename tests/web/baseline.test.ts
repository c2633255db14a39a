// SPDX-License-Identifier: Apache-2.0
// What a change makes of a pinned result, in words: from the real module's comparison.
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { baselineReading, shifts } from "../../web/src/base/baseline";
import { asLayout } from "../../web/src/base/compare";
import type { Planned, Study } from "../../web/src/base/study";

interface StudyModule {
  study_plan(text: string, question: string): string;
  study_unit(handle: number, unit: number): Uint8Array;
  study_finish(handle: number, parts: Uint8Array[]): string;
}
let engine: StudyModule;
beforeAll(async () => {
  const { load } = (await import(resolve(import.meta.dirname, "../wasm/module.mjs"))) as {
    load(name: string): Promise<StudyModule>;
  };
  engine = await load("study");
});

const pinned = {
  prism: 1,
  title: "A",
  model: "llama-3.1-8b",
  parallel: { tp: 4, pp: 4, dp: 2 },
  batch: { global: 32, sequence: 8192 },
  cluster: { gpu: "h100-sxm" },
  variability: "dedicated",
  run: { trials: 256, seed: "1" },
};
function against(now: object): Study {
  const question = JSON.stringify({ study: "compare", layouts: [asLayout("now", pinned, { ...now })] });
  const planned = JSON.parse(engine.study_plan(JSON.stringify(pinned), question)) as Planned;
  if (!planned.ok) throw new Error(planned.errors[0]?.message);
  const parts = planned.plan.units.map((_, unit) => engine.study_unit(planned.handle, unit));
  return JSON.parse(engine.study_finish(planned.handle, parts)) as Study;
}
const plain = (text: string) => text.replaceAll("\u00a0", " ");
const figure = (text: string) =>
  Number(
    plain(text)
      .replace("−", "-")
      .replace(/[^\d.+-].*$/, ""),
  );

test("a slower GPU: every figure is the core's, with its sign, and each has the core's interval", () => {
  const study = against({ ...pinned, cluster: { gpu: "a100-80gb-sxm" } });
  const [, now] = study.variants;
  const [median, p95, mean] = shifts(study)!;
  expect(now!.difference.p95_s.value).toBeGreaterThan(0.1);
  for (const [shift, { value, interval }] of [
    [median!, now!.difference.p50_s],
    [p95!, now!.difference.p95_s],
    [mean!, now!.difference.mean_s],
  ] as const) {
    expect(shift.value).toMatch(/^\+/);
    expect(Math.abs(figure(shift.value) - value)).toBeLessThan(interval[1] - interval[0]);
    const [low, high] = plain(shift.note).split(" to ").map(figure);
    expect(Math.abs(low! - interval[0])).toBeLessThan((interval[1] - interval[0]) / 2);
    expect(Math.abs(high! - interval[1])).toBeLessThan((interval[1] - interval[0]) / 2);
    expect(low!).toBeLessThanOrEqual(figure(shift.value));
    expect(high!).toBeGreaterThanOrEqual(figure(shift.value));
  }
  expect(plain(baselineReading(study))).toMatch(
    /^The p95 is now [\d.]+ s \(\d+\.\d %\) longer than that of the pinned result; the 95 % interval is [\d.]+ to [\d.]+ s\.$/,
  );
});

test("a faster one is shorter, with a minus", () => {
  const study = against({ ...pinned, cluster: { gpu: "b200-sxm" } });
  expect(shifts(study)!.map(({ value }) => value[0])).toEqual(["−", "−", "−"]);
  expect(baselineReading(study)).toContain("shorter than that of the pinned result");
});

test("what no step notices is no change", () => {
  const study = against({ ...pinned, title: "B" });
  expect(shifts(study)!.map(({ value }) => value)).toEqual(["no change", "no change", "no change"]);
  expect(baselineReading(study)).toBe("The p95 cannot be told apart from that of the pinned result.");
});

test("an effect within its interval is called not told from none, with the digits of the interval", () => {
  const study = against({ ...pinned, title: "B" });
  study.variants[1]!.difference.p95_s = { value: 0.0003, interval: [-0.0097, 0.0103], differs: false };
  study.variants[0]!.p50_s.value = 6.5;
  const p95 = shifts(study)![1]!;
  expect(plain(p95.value)).toBe("+0.0003 s");
  expect(p95.note).toBe("−0.0097 to +0.0103 s: not told from none");
});

test("a change that the engine refuses is told instead of figures", () => {
  const study = against({ ...pinned, title: "B" });
  study.variants[1]!.fault = "48 heads are not divisible by tp 5";
  expect(shifts(study)).toBeNull();
  expect(baselineReading(study)).toBe("The two could not be compared: 48 heads are not divisible by tp 5.");
});
