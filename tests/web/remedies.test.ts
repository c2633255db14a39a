// SPDX-License-Identifier: Apache-2.0
// What the core's own words offer to do about a fault: the real module reads the text before and after.
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Diagnostic } from "../../web/src/base/result";
import { remediesOf } from "../../web/src/input/remedies";

type Answer = { ok: boolean; errors?: Diagnostic[] };
let check: (text: string) => Answer;

beforeAll(async () => {
  const { load } = (await import(resolve(import.meta.dirname, "../wasm/module.mjs"))) as {
    load(): Promise<{ prepare(text: string): string }>;
  };
  const module = await load();
  check = (text) => JSON.parse(module.prepare(text)) as Answer;
});

const base = {
  prism: 1,
  model: "llama-3.1-8b",
  parallel: { tp: 4, pp: 4, dp: 2 },
  batch: { global: 32, micro: 1, sequence: 8192 },
  cluster: { gpu: "h100-sxm" },
  variability: "dedicated",
  run: { trials: 256, seed: "1" },
};
const text = (change: (scenario: typeof base) => void) => {
  const scenario = structuredClone(base);
  change(scenario);
  return JSON.stringify(scenario, null, 2);
};
/** The labels offered for the first fault, and the text after each. */
const offered = (faulty: string) => {
  const fault = check(faulty).errors?.[0];
  if (!fault) throw new Error("no fault");
  return remediesOf(fault).map(({ label, apply }) => ({ label, after: apply(faulty) }));
};

test("the scenario is right before it is spoilt", () => expect(check(text(() => {})).ok).toBe(true));

describe("one click mends it", () => {
  const cases: [string, string[], string][] = [
    ["a misspelt key", ["Use pp"], text((s) => Object.assign(s, { parallel: { tp: 4, ppp: 4, dp: 2 } }))],
    ["a misspelt preset", ["Use h100-sxm"], text((s) => Object.assign(s.cluster, { gpu: "h100" }))],
    [
      "the batch equation",
      ["Use global 16", "Leave out global"],
      text((s) => Object.assign(s.batch, { micro_batches: 8 })),
    ],
    [
      "virtual stages of 1f1b",
      ["Use interleaved-1f1b", "Use virtual_stages 1"],
      text((s) => Object.assign(s.parallel, { schedule: "1f1b", virtual_stages: 2 })),
    ],
    [
      "a schedule that does not divide",
      ["Use interleaved-1f1b-relaxed"],
      text((s) => {
        Object.assign(s.parallel, { schedule: "interleaved-1f1b", virtual_stages: 2 });
        s.batch.global = 12;
      }),
    ],
    [
      "ZeRO-3 over a pipeline",
      ["Use zero 1", "Use gather per_step"],
      text((s) => Object.assign(s.parallel, { zero: 3 })),
    ],
    ["a number in quotation marks", ["Use 4"], text((s) => Object.assign(s.parallel, { tp: "4" }))],
    ["a member without effect", ["Leave out ep"], text((s) => Object.assign(s.parallel, { ep: 2 }))],
    ["a seed that is a number", ['Use "1"'], text((s) => Object.assign(s.run, { seed: 1 }))],
  ];
  test.each(cases)("%s", (_, labels, faulty) => {
    const remedies = offered(faulty);
    expect(remedies.map((r) => r.label)).toEqual(labels);
    for (const { label, after } of remedies) expect(check(after).errors ?? [], label).toEqual([]);
  });
});

test("of layers that do not divide, the rules that the core names are offered", () => {
  const remedies = offered(text((s) => Object.assign(s.parallel, { pp: 5 })));
  expect(remedies.map((r) => r.label)).toEqual(["Use one-less-first-and-last", "Use front", "Use back"]);
  expect(check(remedies[1]!.after).ok).toBe(true);
});

test("no key is renamed to one that is there already", () => {
  const [remedy] = offered(text((s) => Object.assign(s, { parallel: { tp: 4, pp: 4, dpp: 2 } })));
  expect(remedy!.label).toBe("Use pp");
  expect(JSON.parse(remedy!.after).parallel).toEqual({ tp: 4, pp: 4, dpp: 2 });
});

test("nothing is offered where the core names nothing to write", () => {
  expect(offered(text((s) => Object.assign(s.parallel, { tp: 3 })))).toEqual([]);
  expect(offered(text((s) => Object.assign(s.run, { engine: "slow" })))).toEqual([]);
});
