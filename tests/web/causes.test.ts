// SPDX-License-Identifier: Apache-2.0
// The causes of variability and the slow places as the form shows and changes them.
import { describe, expect, test } from "vitest";
import {
  type Cause,
  causeFields,
  causesOf,
  causeText,
  restored,
  silenced,
  withAdded,
  withRemoved,
} from "../../web/src/input/causes";
import { placeFields } from "../../web/src/input/place-fields";
import { placeOutcome, placesOf, placeTitle, withoutPlace, withPlace } from "../../web/src/input/places";
import type { ChoiceField, NumberField, Presets, Reading } from "../../web/src/input/reading";
import { sampleResult } from "./sample-result";

const jitter = {
  what: "compute",
  scope: "operation",
  period: "operation",
  lognormal: { median: 1, cv: 0.02 },
  source: "measured somewhere",
};
const regime = {
  what: "inter_node",
  scope: "cluster",
  period: "step",
  two_state: { slow: 2, share: 0.2, dwell_steps: 400 },
  source: "read somewhere",
};
const stall = { what: "communication", per_node_hour: 0.05, exponential: { mean_s: 0.1 }, source: "logs" };
const own = { what: "gemm", scope: "node", period: "run", name: "old boards", gamma: { median: 1, cv: 0.1 } };
const presets: Presets = {
  variability: [
    { name: "none", factors: [], stalls: [] },
    { name: "busy", factors: [jitter, regime], stalls: [stall] },
  ],
  cause_target: ["compute", "communication", "gemm"],
  scope: [
    { name: "operation", meaning: "each operation on its own" },
    { name: "node", meaning: "all GPUs of a node" },
    { name: "cluster", meaning: "all GPUs" },
  ],
  period: [
    { name: "operation", meaning: "one operation" },
    { name: "step", meaning: "one step" },
    { name: "run", meaning: "the whole run" },
  ],
  distribution: [
    { name: "constant", parameters: [[{ name: "value", has_unit: true }]] },
    {
      name: "lognormal",
      parameters: ["median", "mean"].map((name) => [
        { name, has_unit: true },
        { name: "cv", has_unit: false },
      ]),
    },
    { name: "exponential", parameters: [[{ name: "mean", has_unit: true }]] },
  ],
};
const reading = (variability: unknown, more: object = {}): Reading => {
  const text = JSON.stringify({
    prism: 1,
    model: "m",
    ...(variability !== undefined && { variability }),
    ...more,
  });
  return { text, data: JSON.parse(text), resolved: undefined, presets };
};
const again = (text: string): Reading => ({ text, data: JSON.parse(text), resolved: undefined, presets });
const variability = (text: string) => JSON.parse(text).variability;
const field = <F>(r: Reading, cause: Cause, id: string) =>
  causeFields(r, cause).find((f) => f.id.endsWith(id)) as F;

test("a preset's causes are listed before one's own, and read in words", () => {
  const r = reading({ preset: "busy", factors: [own] });
  const causes = causesOf(r);
  expect(causes.map((c) => c.list)).toEqual(["preset_factors", "preset_factors", "preset_stalls", "factors"]);
  expect(causes.every((c) => c.on)).toBe(true);
  const texts = causes.map((c) => causeText(r, c));
  expect(texts[0]).toEqual({
    title: "Compute, each operation",
    shared: "each operation on its own",
    law: "log-normal, CV 2\u00a0%",
  });
  expect(texts[1]!.title).toBe("Communication between nodes, all GPUs");
  expect(texts[1]!.shared).toBe("shared by all GPUs, for one step");
  expect(texts[1]!.law).toBe("2 times in 20\u00a0% of the steps, in spells of 400 steps");
  expect(texts[2]!.title).toBe("Stalls of communication");
  expect(texts[2]!.law).toBe("0.05 a node and hour of such work; exponential, mean 0.1\u00a0s");
  expect(texts[3]!.title).toBe("old boards");
});

test("no two causes have the same title", () => {
  const r = reading({
    preset: "busy",
    factors: [{ ...jitter, scope: "gpu" }, jitter, regime, own, own],
    stalls: [stall],
  });
  const titles = causesOf(r).map((c) => causeText(r, c).title);
  expect(titles).toHaveLength(9);
  expect(new Set(titles).size).toBe(9);
  expect(titles).toContain("Compute, each GPU");
  expect(titles).toContain("Compute, each operation (2)");
});

describe("a switch", () => {
  test("silences a cause of the preset in its place, and back on leaves the preset's name alone", () => {
    const r = reading("busy");
    const off = silenced(r, causesOf(r)[1]!);
    const { two_state: _, source, ...rest } = regime;
    expect(variability(off)).toEqual({
      preset: "busy",
      preset_factors: [jitter, { ...rest, constant: { value: 1 }, source }],
    });
    const causes = causesOf(again(off));
    expect(causes.map((c) => c.on)).toEqual([true, false, true]);
    expect(causeText(again(off), causes[1]!).law).toBe("always 1");
    expect(variability(restored(again(off), causes[1]!, []))).toBe("busy");
  });
  test("silences a stall by its rate", () => {
    const r = reading("busy");
    const off = silenced(r, causesOf(r)[2]!);
    expect(variability(off).preset_stalls).toEqual([{ ...stall, per_node_hour: 0 }]);
    expect(variability(restored(again(off), causesOf(again(off))[2]!, []))).toBe("busy");
  });
  test("brings a cause of one's own back as it last was", () => {
    const r = reading({ factors: [own] });
    const off = again(silenced(r, causesOf(r)[0]!));
    expect(variability(off.text).factors).toEqual([
      { what: "gemm", scope: "node", period: "run", name: "old boards", constant: { value: 1 } },
    ]);
    const cause = causesOf(off)[0]!;
    expect(variability(restored(off, cause, [off.text, "{ no JSON", r.text])).factors).toEqual([own]);
    expect(causesOf(again(restored(off, cause, [])))[0]!.on).toBe(true);
  });
});

describe("causes of one's own", () => {
  test("are added and taken out; the preset stays", () => {
    const added = again(withAdded(reading("busy"), "factors"));
    expect(variability(added.text)).toMatchObject({ preset: "busy", factors: [{ scope: "node" }] });
    expect(variability(withRemoved(added, causesOf(added).at(-1)!))).toBe("busy");
    const stalled = again(withAdded(reading(undefined), "stalls"));
    expect(variability(stalled.text).stalls).toHaveLength(1);
  });
  test("scope and period stay consistent, and a regime ends where it cannot be", () => {
    const r = reading({
      factors: [{ what: "compute", scope: "cluster", period: "step", ar1: { cv: 0.1, correlation: 0.9 } }],
    });
    const cause = causesOf(r)[0]!;
    const fresh = variability(field<ChoiceField>(r, cause, "_scope").write(r, "operation")).factors[0];
    expect(fresh).toMatchObject({ scope: "operation", period: "operation", lognormal: { median: 1 } });
    expect(fresh.ar1).toBeUndefined();
    const shape = field<ChoiceField>(r, cause, "_shape");
    expect(shape.options(r).map((o) => o.value)).toEqual(["lognormal", "two_state", "ar1"]);
    expect(shape.value(r)).toBe("ar1");
    expect(variability(shape.write(r, "lognormal")).factors[0].lognormal).toEqual({ median: 1, cv: 0.1 });
    const spread = field<NumberField>(r, cause, "_cv");
    expect(variability(spread.write(r, 0.2)).factors[0].ar1).toEqual({ cv: 0.2, correlation: 0.9 });
  });
  test("a stall has a rate and a length", () => {
    const r = reading({ stalls: [stall] });
    const cause = causesOf(r)[0]!;
    expect(variability(field<NumberField>(r, cause, "_rate").write(r, 2)).stalls[0].per_node_hour).toBe(2);
    const shape = field<ChoiceField>(r, cause, "_shape");
    expect(shape.options(r).map((o) => o.value)).toEqual(["lognormal", "exponential"]);
    expect(variability(shape.write(r, "lognormal")).stalls[0].lognormal).toEqual({ mean_s: 0.1, cv: 0.5 });
  });
});

describe("slow places", () => {
  const layout = { parallel: { tp: 8, pp: 4, dp: 16 } };
  const place = <F>(r: Reading, id: string) => placeFields(r, 0).find((f) => f.id.endsWith(id)) as F;
  test("one is added, changed and taken out", () => {
    const r = again(withPlace(reading(undefined, layout)));
    expect(placesOf(r)).toHaveLength(1);
    expect(placeTitle(placesOf(r)[0]!)).toBe("The node of pipeline rank 0 of replica 0");
    const moved = again(place<NumberField>(r, "_pp").write(r, 3));
    expect(place<NumberField>(moved, "_pp").unit).toBe("0\u00a0to\u00a03");
    const gpu = again(place<ChoiceField>(moved, "_unit").write(moved, "gpu"));
    expect(placeTitle(placesOf(gpu)[0]!)).toBe("GPU 0 of pipeline rank 3 of replica 0");
    expect(place(gpu, "_tp")).toBeDefined();
    expect(place(moved, "_tp")).toBeUndefined();
    expect(JSON.parse(withoutPlace(gpu, 0)).what_if).toBeUndefined();
  });
  test("a quantile takes the place of a factor, and what it acts on goes with the factor", () => {
    const r = again(withPlace(reading(undefined, layout)));
    const what = again(place<ChoiceField>(r, "_what").write(r, "gemm"));
    expect(placesOf(what)[0]).toMatchObject({ what: "gemm", factor: 1.2 });
    const quantile = again(place<ChoiceField>(what, "_change").write(what, "node_quantile"));
    expect(placesOf(quantile)[0]).toEqual({ where: { pp: 0, dp: 0, unit: "node" }, node_quantile: 0.95 });
    expect(place(quantile, "_what")).toBeUndefined();
    const held = again(place<ChoiceField>(quantile, "_change").write(quantile, "operator_quantile"));
    expect(placesOf(held)[0]).toEqual({ where: { pp: 0, dp: 0, unit: "node" }, operator_quantile: 0.95 });
    expect(again(place<NumberField>(held, "_quantile").write(held, 0.99)).text).toContain(
      '"operator_quantile": 0.99',
    );
    const back = again(place<ChoiceField>(quantile, "_change").write(quantile, "factor"));
    expect(placesOf(back)[0]).toEqual({ where: { pp: 0, dp: 0, unit: "node" }, factor: 1.2 });
  });
  test("the outcome is the engine's", () => {
    const r = again(withPlace(reading(undefined, layout)));
    const result = sampleResult({ result: { what_if: [{ multiplier: 1.0456 }] } });
    expect(placeOutcome(placesOf(r)[0]!, 0, result)).toBe(
      "Compute there takes 1.046 times as long as usual.",
    );
    expect(placeOutcome(placesOf(r)[0]!, 0, undefined)).toBe("");
  });
});
