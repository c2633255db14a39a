// SPDX-License-Identifier: Apache-2.0
// The knobs of the form: a table. Each names the value it shows by JSON Pointer and says what changing it does to
// the user's text. Rules of validity are the core's; a knob only keeps together what belongs together (a schedule
// and its virtual stages, the two sides of the batch equation).

import { valueAt, withValue } from "../base/json";
import type { Result } from "../base/result";

/** What the fields read. */
export interface Reading {
  text: string;
  /** The text as data; undefined while it is not JSON. */
  data: unknown;
  /** The scenario as the core resolved it, from the last result; it knows what the text leaves out. */
  resolved: Record<string, unknown> | undefined;
  presets: Presets | undefined;
}

export interface Presets {
  model?: { name: string }[];
  gpu?: { name: string }[];
  variability?: { name: string; summary?: string }[];
  schedule?: string[];
}

export interface Option {
  value: string;
  label: string;
}

interface Base {
  id: string;
  group: "job" | "layout" | "batch" | "variability" | "run";
  label: string;
  /** Diagnostics at or below this pointer belong to the field. */
  pointer: string;
  /** One line under the label's control: what it means. */
  help?: (reading: Reading, result: Result | undefined) => string;
  shown?: (reading: Reading) => boolean;
}

export interface NumberField extends Base {
  kind: "number";
  /** Arrow keys and buttons: ×2 and ÷2, or ±1. */
  step: "double" | "one";
  /** The number shown is `scale` times the one in the text (percent for shares). */
  scale?: number;
  unit?: string;
  write: (reading: Reading, value: number) => string;
}

export interface ChoiceField extends Base {
  kind: "choice";
  options: (reading: Reading) => Option[];
  value: (reading: Reading) => string;
  write: (reading: Reading, value: string) => string;
}

export interface SeedField extends Base {
  kind: "seed";
  write: (reading: Reading, value: string) => string;
}

export type Field = NumberField | ChoiceField | SeedField;

export const groups: { id: Base["group"]; title: string }[] = [
  { id: "job", title: "Job" },
  { id: "layout", title: "Layout" },
  { id: "batch", title: "Batch" },
  { id: "variability", title: "Variability" },
  { id: "run", title: "Simulation" },
];

const set = (pointer: string) => (r: Reading, value: number | string) => withValue(r.text, pointer, value);

export interface Shown {
  value: unknown;
  /** False: the text leaves it out; the value is one the core took. */
  written: boolean;
}

/** A field's value: as written, else as resolved. */
export function shown(reading: Reading, pointer: string): Shown {
  const written = valueAt(reading.data, pointer);
  if (written !== undefined) return { value: written, written: true };
  return { value: valueAt(reading.resolved, pointer), written: false };
}

/** A name that may stand as text or as { "preset": name, … }. */
function presetName(reading: Reading, pointer: string): string {
  const { value } = shown(reading, pointer);
  if (typeof value === "string") return value;
  const name = valueAt(value, "/preset");
  return typeof name === "string" ? name : "";
}

function presetOptions(list: { name: string }[] | undefined, current: string): Option[] {
  const options = (list ?? []).map(({ name }) => ({ value: name, label: name }));
  if (current !== "" && !options.some((o) => o.value === current))
    options.unshift({ value: current, label: current });
  if (current === "") options.unshift({ value: "", label: "own figures (see the text)" });
  return options;
}

const hasModel = (r: Reading) => valueAt(r.data, "/model") !== undefined;

/**
 * Writes one number of global = micro × micro_batches × dp. If the text then holds all of global, micro_batches and
 * dp, `derived` is taken out of it, for the core to work out.
 */
const equation = (pointer: string, derived: string) => (r: Reading, value: number) => {
  const text = withValue(r.text, pointer, value);
  const sides = ["/batch/global", "/batch/micro_batches", "/parallel/dp"];
  const written = sides.every((side) => side === pointer || valueAt(r.data, side) !== undefined);
  return written ? withValue(text, derived, undefined) : text;
};

/** "2 × 3 = 6", from the resolved layout. */
const product = (...factors: [string, number][]) => factors.map(([name, n]) => `${name} ${n}`).join(" × ");

const interleaved = "interleaved-1f1b";

const custom_variability = (compute: number, communication: number) => ({
  factors: [
    { what: "compute", scope: "operation", period: "operation", lognormal: { median: 1, cv: compute } },
    {
      what: "communication",
      scope: "operation",
      period: "operation",
      lognormal: { median: 1, cv: communication },
    },
  ],
});
const cvPointer = (i: number) => `/variability/factors/${i}/lognormal/cv`;
const whatAt = (r: Reading, i: number) => valueAt(r.data, `/variability/factors/${i}/what`);
/** The shape that the form itself writes; anything richer is edited as text. */
const isCustom = (r: Reading) =>
  whatAt(r, 0) === "compute" &&
  whatAt(r, 1) === "communication" &&
  whatAt(r, 2) === undefined &&
  valueAt(r.data, cvPointer(0)) !== undefined &&
  valueAt(r.data, cvPointer(1)) !== undefined;

export const fields: Field[] = [
  {
    kind: "choice",
    id: "model",
    group: "job",
    label: "Model",
    pointer: "/model",
    shown: hasModel,
    options: (r) => presetOptions(r.presets?.model, presetName(r, "/model")),
    value: (r) => presetName(r, "/model"),
    write: set("/model"),
  },
  {
    kind: "choice",
    id: "gpu",
    group: "job",
    label: "GPU",
    pointer: "/cluster/gpu",
    shown: hasModel,
    options: (r) => presetOptions(r.presets?.gpu, presetName(r, "/cluster/gpu")),
    value: (r) => presetName(r, "/cluster/gpu"),
    write: set("/cluster/gpu"),
  },
  {
    kind: "number",
    id: "dp",
    group: "layout",
    label: "Replicas (dp)",
    pointer: "/parallel/dp",
    step: "double",
    help: (_, result) => (result ? gpusLine(result) : ""),
    write: equation("/parallel/dp", "/batch/micro_batches"),
  },
  {
    kind: "number",
    id: "tp",
    group: "layout",
    label: "Tensor (tp)",
    pointer: "/parallel/tp",
    step: "double",
    write: set("/parallel/tp"),
  },
  {
    kind: "number",
    id: "pp",
    group: "layout",
    label: "Pipeline (pp)",
    pointer: "/parallel/pp",
    step: "double",
    write: set("/parallel/pp"),
  },
  {
    kind: "choice",
    id: "schedule",
    group: "layout",
    label: "Schedule",
    pointer: "/parallel/schedule",
    options: (r) =>
      presetOptions(
        r.presets?.schedule?.map((name) => ({ name })),
        String(shown(r, "/parallel/schedule").value ?? ""),
      ),
    value: (r) => String(shown(r, "/parallel/schedule").value ?? ""),
    write: (r, value) => {
      const text = withValue(r.text, "/parallel/schedule", value);
      const stages = Number(shown(r, "/parallel/virtual_stages").value ?? 1);
      if (value === interleaved) return stages > 1 ? text : withValue(text, "/parallel/virtual_stages", 2);
      return stages > 1 ? withValue(text, "/parallel/virtual_stages", 1) : text;
    },
  },
  {
    kind: "number",
    id: "virtual_stages",
    group: "layout",
    label: "Virtual stages a rank",
    pointer: "/parallel/virtual_stages",
    step: "double",
    write: (r, value) => {
      const text = withValue(r.text, "/parallel/virtual_stages", value);
      const schedule = shown(r, "/parallel/schedule").value;
      if (value > 1 && schedule !== interleaved) return withValue(text, "/parallel/schedule", interleaved);
      if (value === 1 && schedule === interleaved) return withValue(text, "/parallel/schedule", "1f1b");
      return text;
    },
  },
  {
    kind: "number",
    id: "global",
    group: "batch",
    label: "Global batch",
    pointer: "/batch/global",
    unit: "sequences",
    step: "double",
    write: equation("/batch/global", "/batch/micro_batches"),
  },
  {
    kind: "number",
    id: "micro",
    group: "batch",
    label: "Micro-batch",
    pointer: "/batch/micro",
    unit: "sequences",
    step: "double",
    shown: hasModel,
    write: equation("/batch/micro", "/batch/micro_batches"),
  },
  {
    kind: "number",
    id: "micro_batches",
    group: "batch",
    label: "Micro-batches a replica",
    pointer: "/batch/micro_batches",
    step: "double",
    help: (_, result) => (result ? batchLine(result) : ""),
    write: equation("/batch/micro_batches", "/batch/global"),
  },
  {
    kind: "choice",
    id: "variability",
    group: "variability",
    label: "Variability",
    pointer: "/variability",
    options: (r) => [
      ...(r.presets?.variability ?? []).map(({ name }) => ({ value: name, label: name })),
      ...(r.presets || variabilityOf(r) === "custom"
        ? []
        : [{ value: variabilityOf(r), label: variabilityOf(r) }]),
      {
        value: "custom",
        label: isCustom(r) || variabilityOf(r) !== "custom" ? "own jitter" : "own factors (see the text)",
      },
    ],
    value: variabilityOf,
    help: (r) => r.presets?.variability?.find((p) => p.name === variabilityOf(r))?.summary ?? "",
    write: (r, value) =>
      withValue(r.text, "/variability", value === "custom" ? custom_variability(0.05, 0.15) : value),
  },
  {
    kind: "number",
    id: "cv_compute",
    group: "variability",
    label: "Jitter of compute",
    pointer: cvPointer(0),
    unit: "% (CV)",
    scale: 100,
    step: "one",
    shown: isCustom,
    write: set(cvPointer(0)),
  },
  {
    kind: "number",
    id: "cv_communication",
    group: "variability",
    label: "Jitter of communication",
    pointer: cvPointer(1),
    unit: "% (CV)",
    scale: 100,
    step: "one",
    shown: isCustom,
    write: set(cvPointer(1)),
  },
  {
    kind: "number",
    id: "trials",
    group: "run",
    label: "Trials",
    pointer: "/run/trials",
    step: "double",
    write: set("/run/trials"),
  },
  {
    kind: "choice",
    id: "engine",
    group: "run",
    label: "Engine",
    pointer: "/run/engine",
    options: () => engines.map(({ name }) => ({ value: name, label: name })),
    value: engineOf,
    help: (r) => engines.find(({ name }) => name === engineOf(r))?.does ?? "",
    write: set("/run/engine"),
  },
  { kind: "seed", id: "seed", group: "run", label: "Seed", pointer: "/run/seed", write: set("/run/seed") },
];

const engines = [
  { name: "fast", does: "Simulates the replicas that can decide the step." },
  { name: "exact", does: "Simulates every replica: slower, to check the fast engine." },
  { name: "reference", does: "Simulates every rank, literally: only for small jobs." },
];

function engineOf(r: Reading): string {
  return String(shown(r, "/run/engine").value ?? "fast");
}

function variabilityOf(r: Reading): string {
  const written = valueAt(r.data, "/variability");
  if (typeof written === "string") return written;
  const factors = valueAt(written, "/factors");
  if (Array.isArray(factors) && factors.length > 0) return "custom";
  return presetName(r, "/variability") || "none";
}

function gpusLine({ layout: l }: Result): string {
  const factors: [string, number][] = [
    ["tp", l.tp],
    ["cp", l.cp],
    ["pp", l.pp],
    ["dp", l.dp],
  ];
  return `${product(...factors.filter(([name, n]) => name !== "cp" || n > 1))} = ${l.gpus.toLocaleString("en-GB")} GPUs`;
}

function batchLine({ layout: l, scenario }: Result): string {
  const global = Number(valueAt(scenario, "/batch/global"));
  const micro = Number(valueAt(scenario, "/batch/micro"));
  return `${product(["micro", micro], ["micro-batches", l.micro_batches], ["dp", l.dp])} = ${global.toLocaleString("en-GB")} sequences`;
}
