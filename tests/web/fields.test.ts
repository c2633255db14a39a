// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fields } from "../../web/src/input/fields";
import { type ChoiceField, type NumberField, type Reading, shown } from "../../web/src/input/reading";

const source = readFileSync(new URL("../../examples/llama3-405b-16384-h100.json", import.meta.url), "utf8");
const reading = (text = source, resolved?: Record<string, unknown>): Reading => ({
  text,
  data: JSON.parse(text),
  resolved,
  presets: undefined,
});
const number = (id: string) => fields.find((f): f is NumberField => f.id === id && f.kind === "number")!;
const choice = (id: string) => fields.find((f): f is ChoiceField => f.id === id && f.kind === "choice")!;
const scenario = (parts: object) => JSON.stringify({ prism: 1, model: "m", ...parts });

test("each field has its own name and place", () => {
  expect(new Set(fields.map((f) => f.id)).size).toBe(fields.length);
  expect(new Set(fields.map((f) => f.pointer)).size).toBe(fields.length);
});

test("a number changes itself and no other line", () => {
  const changed = number("tp").write(reading(), 4);
  const lines = source.split("\n");
  const differing = changed.split("\n").filter((line, i) => line !== lines[i]);
  expect(differing.map((l) => l.trim())).toEqual(['"tp": 4,']);
});

test("a measured step is written for calibration, and emptying the field takes it out", () => {
  const field = number("calibrate");
  const text = field.write(reading(scenario({ cost_model: { calibrate: { mean_step_s: 6 } } })), 7.1);
  expect(JSON.parse(text).cost_model).toEqual({ calibrate: { median_step_s: 7.1 } });
  expect(field.value!(reading(text))).toBe(7.1);
  expect(JSON.parse(field.clear!(reading(text))).cost_model).toEqual({});
  expect(JSON.parse(field.write(reading(scenario({})), 7.1)).cost_model).toEqual({
    calibrate: { median_step_s: 7.1 },
  });
});

test("a value that the text leaves out is shown as resolved", () => {
  const r = reading(source, { batch: { micro_batches: 16 } });
  expect(shown(r, "/batch/micro_batches")).toEqual({ value: 16, written: false });
  expect(shown(r, "/batch/global")).toEqual({ value: 2048, written: true });
});

test("a choice without a name says whether the text leaves it out or spells it out", () => {
  const labels = (parts: object) =>
    ["schedule", "gpu"].map((id) => {
      const field = choice(id);
      const r = reading(scenario(parts));
      return field.options(r).find((o) => o.value === field.value(r))?.label;
    });
  expect(labels({})).toEqual(["assumed", "assumed"]);
  expect(labels({ parallel: { schedule: "1f1b" }, cluster: { gpu: { memory_gib: 80 } } })).toEqual([
    "1f1b",
    "own figures",
  ]);
});

describe("the batch equation", () => {
  const written = (text: string) => {
    const { batch, parallel } = JSON.parse(text);
    return { ...batch, ...parallel };
  };
  test("micro-batches given: the global batch is left to the core", () => {
    const text = number("micro_batches").write(
      reading(scenario({ batch: { global: 64, micro: 1 }, parallel: { dp: 4 } })),
      8,
    );
    expect(written(text)).toEqual({ micro: 1, micro_batches: 8, dp: 4 });
  });
  test("the global batch given: micro-batches are left to the core", () => {
    const text = number("global").write(
      reading(scenario({ batch: { micro_batches: 8 }, parallel: { dp: 4 } })),
      64,
    );
    expect(written(text)).toEqual({ global: 64, dp: 4 });
  });
  test("replicas given: micro-batches are left to the core", () => {
    const r = reading(scenario({ batch: { global: 64, micro_batches: 16 } }));
    expect(written(number("dp").write(r, 8))).toEqual({ global: 64, dp: 8 });
  });
  test("nothing is taken out that is not in the way", () => {
    const r = reading(scenario({ batch: { micro_batches: 16 }, parallel: { dp: 2 } }));
    expect(written(number("dp").write(r, 8))).toEqual({ micro_batches: 16, dp: 8 });
  });
});

describe("schedule and virtual stages go together", () => {
  const parallel = (text: string) => JSON.parse(text).parallel;
  test("1F1B has one virtual stage a rank", () => {
    expect(parallel(choice("schedule").write(reading(), "1f1b"))).toMatchObject({
      schedule: "1f1b",
      virtual_stages: 1,
    });
  });
  test("interleaving has at least two", () => {
    const r = reading(scenario({ parallel: { schedule: "1f1b" } }));
    expect(parallel(choice("schedule").write(r, "interleaved-1f1b"))).toEqual({
      schedule: "interleaved-1f1b",
      virtual_stages: 2,
    });
    expect(parallel(number("virtual_stages").write(r, 4))).toEqual({
      schedule: "interleaved-1f1b",
      virtual_stages: 4,
    });
    expect(parallel(number("virtual_stages").write(reading(), 1))).toMatchObject({
      schedule: "1f1b",
      virtual_stages: 1,
    });
  });
});

test("the relaxed form keeps its virtual stages too, and says what it asks for", () => {
  const relaxed = "interleaved-1f1b-relaxed";
  const parallel = (text: string) => JSON.parse(text).parallel;
  expect(parallel(choice("schedule").write(reading(), relaxed))).toMatchObject({
    schedule: relaxed,
    virtual_stages: 8,
  });
  const text = choice("schedule").write(
    reading(scenario({ parallel: { schedule: "1f1b", pp: 4 } })),
    relaxed,
  );
  expect(parallel(text)).toEqual({ schedule: relaxed, pp: 4, virtual_stages: 2 });
  const r = reading(text, { batch: { micro_batches: 6 } });
  expect(parallel(number("virtual_stages").write(r, 4))).toMatchObject({
    schedule: relaxed,
    virtual_stages: 4,
  });
  expect(choice("schedule").help!(r, undefined)).toContain("pp (4) or more micro-batches (6)");
});

describe("a ZeRO level", () => {
  const parallel = (r: Reading, level: string) => JSON.parse(choice("zero").write(r, level)).parallel;
  test("of a pipeline gathers once a step", () => {
    const r = reading(scenario({ parallel: { pp: 4, zero: 1 } }));
    expect(parallel(r, "3")).toEqual({ pp: 4, zero: 3, gather: "per_step" });
    expect(parallel(reading(scenario({ parallel: { dp: 8 } })), "3")).toEqual({ dp: 8, zero: 3 });
  });
  test("of 0 shards nothing", () => {
    expect(parallel(reading(scenario({ parallel: { zero: 2, dp: 8, dp_shard: 4 } })), "0")).toEqual({
      zero: 0,
      dp: 8,
    });
  });
});

describe("gradient reduction beside the last backward pass", () => {
  const field = choice("overlap_grad_reduce");
  const plain = reading(scenario({ parallel: { dp: 8 } }));
  const beside = reading(scenario({ parallel: { dp: 8, overlap_grad_reduce: true } }));
  test("is a choice, and nothing is written where it is not taken", () => {
    expect([field.value(plain), field.value(beside)]).toEqual(["after", "beside"]);
    expect(JSON.parse(field.write(plain, "beside")).parallel).toEqual({ dp: 8, overlap_grad_reduce: true });
    expect(JSON.parse(field.write(beside, "after")).parallel).toEqual({ dp: 8 });
  });
  test("is not offered from ZeRO-2 on, which takes it back", () => {
    expect(field.shown?.(beside)).toBe(true);
    expect(field.shown?.(reading(scenario({ parallel: { zero: 2 } })))).toBe(false);
    expect(JSON.parse(choice("zero").write(beside, "2")).parallel).toEqual({ dp: 8, zero: 2 });
    expect(JSON.parse(choice("zero").write(beside, "1")).parallel).toEqual({
      dp: 8,
      overlap_grad_reduce: true,
      zero: 1,
    });
  });
});

test("expert parallelism is offered to a model with experts", () => {
  expect(number("ep").shown?.(reading(source, { model: { layers: 2 } }))).toBe(false);
  expect(number("ep").shown?.(reading(source, { model: { experts: { count: 64 } } }))).toBe(true);
});

test("the preset is shown and changed, and keeps causes of the user's own", () => {
  expect(choice("variability").value(reading(scenario({ variability: { factors: [] } })))).toBe("none");
  expect(choice("variability").value(reading(scenario({ variability: "dedicated" })))).toBe("dedicated");
  const own = { what: "gemm", scope: "gpu", period: "run", lognormal: { median: 1, cv: 0.1 } };
  const r = reading(
    scenario({ variability: { preset: "dedicated", preset_factors: [own], factors: [own] } }),
  );
  expect(JSON.parse(choice("variability").write(r, "none")).variability).toEqual({
    preset: "none",
    factors: [own],
  });
  const plain = reading(scenario({ variability: { factors: [] } }));
  expect(JSON.parse(choice("variability").write(plain, "none")).variability).toBe("none");
});
