// SPDX-License-Identifier: Apache-2.0
// Two scenarios beside each other: what differs in the texts, and what the real module makes of the change.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  asLayout,
  changedMembers,
  comparisonReading,
  comparisonTable,
  curvesTable,
} from "../../web/src/base/compare";
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

const first = {
  prism: 1,
  title: "A",
  model: "llama-3.1-8b",
  parallel: { tp: 4, pp: 4, dp: 2 },
  batch: { global: 32, sequence: 8192 },
  cluster: { gpu: "h100-sxm" },
  variability: "dedicated",
  run: { trials: 256, seed: "1" },
};
const compared = (second: object, from: object = first): Study => {
  const layout = asLayout("B", { ...from }, { ...second });
  const question = JSON.stringify({ study: "compare", layouts: [layout] });
  const planned = JSON.parse(engine.study_plan(JSON.stringify(from), question)) as Planned;
  if (!planned.ok) throw new Error(planned.errors[0]?.message);
  const parts = planned.plan.units.map((_, unit) => engine.study_unit(planned.handle, unit));
  return JSON.parse(engine.study_finish(planned.handle, parts)) as Study;
};
const plain = (text: string) => text.replaceAll("\u00a0", " ");

describe("the members that differ", () => {
  test("are named by their place, with both values", () => {
    const second = { ...first, parallel: { tp: 4, pp: 2, dp: 4, zero: 1 }, scale: { gemm: 1 } };
    expect(changedMembers({ written: first }, { written: second })).toEqual([
      { pointer: "/parallel/pp", before: "4", after: "2" },
      { pointer: "/parallel/dp", before: "2", after: "4" },
      { pointer: "/parallel/zero", before: "–", after: "1" },
      { pointer: "/scale", before: "–", after: '{"gemm":1}' },
    ]);
  });
  test("are none between a scenario and itself", () =>
    expect(changedMembers({ written: first }, { written: first })).toEqual([]));
  test("are not those that one leaves out and the core takes alike", () => {
    const resolved = {
      ...first,
      parallel: { ...first.parallel, schedule: "1f1b", zero: 0 },
      cost_model: { flash_attention: true, overlap: true },
      variability: { preset: "dedicated", factors: [] },
    };
    const second = {
      ...first,
      parallel: { ...first.parallel, schedule: "1f1b", zero: 1 },
      cost_model: { flash_attention: false },
    };
    expect(changedMembers({ written: first, resolved }, { written: second })).toEqual([
      { pointer: "/parallel/zero", before: "0, not written", after: "1" },
      { pointer: "/cost_model/flash_attention", before: "true, not written", after: "false" },
    ]);
    const { variability: _, ...third } = first;
    expect(changedMembers({ written: third, resolved }, { written: first })).toEqual([
      { pointer: "/variability", before: "–", after: '"dedicated"' },
    ]);
  });
});

test("the change carries whole members, takes away what is missing, and leaves trials and seed", () => {
  const { variability, ...without } = first;
  const layout = asLayout("B", first, { ...without, cluster: { gpu: "a100-80gb-sxm" }, run: { seed: "9" } });
  expect(variability).toBe("dedicated");
  expect(layout).toEqual({ name: "B", "/cluster": { gpu: "a100-80gb-sxm" }, "/variability": null });
});

test("every example, changed into every other, is that other one", () => {
  const names = JSON.parse(readFileSync("examples/index.json", "utf8")) as { file: string }[];
  const texts = names.map(({ file }) => JSON.parse(readFileSync(`examples/${file}`, "utf8")));
  for (const from of texts)
    for (const to of texts) {
      const changed = { ...from };
      for (const [pointer, value] of Object.entries(asLayout("B", from, to))) {
        if (value === null) delete changed[pointer.slice(1)];
        else if (pointer !== "name") changed[pointer.slice(1)] = value;
      }
      expect(changed).toEqual({ ...to, run: from.run });
    }
});

test("a slower GPU is longer at p95, by what two runs of their own say", () => {
  const slower = { ...first, title: "B", cluster: { gpu: "a100-80gb-sxm" } };
  const study = compared(slower);
  const alone = compared(first, slower);
  const [a, b] = study.variants;
  expect(b!.difference.p95_s.value).toBeCloseTo(b!.p95_s.value - a!.p95_s.value, 9);
  // The second one alone has the same numbers: the change made the scenario that was brought.
  expect(b!.p95_s.value).toBe(alone.variants[0]!.p95_s.value);
  expect(plain(comparisonReading(study))).toMatch(
    /^The p95 of B is \d[\d.]* s \(\d+\.\d %\) longer than that of this scenario; the 95 % interval is [\d.]+ to [\d.]+ s\.$/,
  );
  expect(plain(comparisonReading(alone))).toMatch(/shorter than that of this scenario/);
  const p95 = comparisonTable(study).rows.find((row) => row.exact[0] === "p95")!;
  expect(p95.exact[3]).toBe(b!.difference.p95_s.value);
  expect(curvesTable(study, 1).rows).toHaveLength(study.masses.length);
});

test("two that are alike cannot be told apart, and a faulty one says why", () => {
  expect(comparisonReading(compared({ ...first, title: "B" }))).toBe(
    "At p95, B cannot be told apart from this scenario.",
  );
  expect(() => compared({ ...first, parallel: { tp: 3, pp: 4, dp: 2 } })).toThrow(/not divisible by tp 3/);
});
