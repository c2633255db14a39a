// SPDX-License-Identifier: Apache-2.0
// The knobs of the form: a table. Each names the value it shows by JSON Pointer and says what changing it does to
// the user's text. Rules of validity are the core's; a knob only keeps together what belongs together (a schedule
// and its virtual stages, the two sides of the batch equation).

import { number } from "../base/format";
import { isObject, valueAt, withValue } from "../base/json";
import type { Result } from "../base/result";
import { capital } from "../base/sentences";
import { calibrationText } from "../base/trust";
import { variabilityPreset, withPreset } from "./causes";
import { type Base, type Field, type Option, presetName, type Reading, shown } from "./reading";

export const groups: { id: Base["group"]; title: string }[] = [
  { id: "job", title: "Job" },
  { id: "layout", title: "Layout" },
  { id: "batch", title: "Batch" },
  { id: "calibration", title: "Calibration" },
  { id: "variability", title: "Variability" },
  { id: "place", title: "Slow place" },
  { id: "run", title: "Simulation" },
];

const set = (pointer: string) => (r: Reading, value: number | string) => withValue(r.text, pointer, value);

/** Of a choice whose value the text spells out. */
const own_figures = "own figures";

/** `current` is empty where the text spells the value out, or leaves it out and no result tells what was assumed. */
function presetOptions(
  r: Reading,
  pointer: string,
  list: { name: string }[] | undefined,
  current: string,
): Option[] {
  const options = (list ?? []).map(({ name }) => ({ value: name, label: name }));
  if (current !== "" && !options.some((o) => o.value === current))
    options.unshift({ value: current, label: current });
  const written = valueAt(r.data, pointer) !== undefined;
  if (current === "") options.unshift({ value: "", label: written ? own_figures : "assumed" });
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
const isInterleaved = (schedule: unknown) => String(schedule).startsWith(interleaved);

export const fields: Field[] = [
  {
    kind: "choice",
    id: "model",
    group: "job",
    label: "Model",
    pointer: "/model",
    shown: hasModel,
    options: (r) => presetOptions(r, "/model", r.presets?.model, presetName(r, "/model")),
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
    options: (r) => presetOptions(r, "/cluster/gpu", r.presets?.gpu, presetName(r, "/cluster/gpu")),
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
    help: (r) => (hasModel(r) ? tensorRule(r) : ""),
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
    kind: "number",
    id: "cp",
    group: "layout",
    label: "Context (cp)",
    pointer: "/parallel/cp",
    step: "double",
    shown: hasModel,
    help: (r) => `Ranks that share a sequence: 2 × cp must divide its ${count(r, "/batch/sequence")} tokens.`,
    write: set("/parallel/cp"),
  },
  {
    kind: "number",
    id: "ep",
    group: "layout",
    label: "Expert (ep)",
    pointer: "/parallel/ep",
    step: "double",
    otherwise: 1,
    shown: hasExperts,
    help: (r) =>
      `Must divide the ${count(r, "/model/experts/count")} experts of a layer, and etp × ep the tp × cp × dp ranks of a stage; it needs no GPUs of its own.`,
    write: set("/parallel/ep"),
  },
  {
    kind: "choice",
    id: "schedule",
    group: "layout",
    label: "Schedule",
    pointer: "/parallel/schedule",
    options: (r) =>
      presetOptions(
        r,
        "/parallel/schedule",
        r.presets?.schedule?.map((name) => ({ name })),
        String(shown(r, "/parallel/schedule").value ?? ""),
      ),
    value: (r) => String(shown(r, "/parallel/schedule").value ?? ""),
    help: scheduleRule,
    write: (r, value) => {
      const text = withValue(r.text, "/parallel/schedule", value);
      const stages = Number(shown(r, "/parallel/virtual_stages").value ?? 1);
      if (isInterleaved(value)) return stages > 1 ? text : withValue(text, "/parallel/virtual_stages", 2);
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
      if (value > 1 && !isInterleaved(schedule)) return withValue(text, "/parallel/schedule", interleaved);
      if (value === 1 && isInterleaved(schedule)) return withValue(text, "/parallel/schedule", "1f1b");
      return text;
    },
  },
  {
    kind: "choice",
    id: "layer_rule",
    group: "layout",
    label: "Layers on the stages",
    pointer: "/parallel/layers_per_virtual_stage",
    shown: hasModel,
    options: (r) => {
      const rules = (r.presets?.layers_per_virtual_stage ?? []).map(({ name }) => ({
        value: name,
        label: name,
      }));
      const now = layerRule(r);
      if (!rules.some((rule) => rule.value === now)) rules.unshift({ value: now, label: now || own_figures });
      return rules;
    },
    value: layerRule,
    help: (r) => {
      const condition = r.presets?.layers_per_virtual_stage?.find(
        ({ name }) => name === layerRule(r),
      )?.condition;
      return condition ? `${capital(condition)}.` : "";
    },
    write: set("/parallel/layers_per_virtual_stage"),
  },
  {
    kind: "choice",
    id: "zero",
    group: "layout",
    label: "ZeRO level",
    pointer: "/parallel/zero",
    shown: hasModel,
    options: () => named("0", "1", "2", "3"),
    value: (r) => String(shown(r, "/parallel/zero").value ?? 0),
    help: (r) => zeroMeanings[Number(shown(r, "/parallel/zero").value ?? 0)] ?? "",
    write: withZero,
  },
  {
    kind: "choice",
    id: "overlap_grad_reduce",
    group: "layout",
    label: "Gradient reduction",
    pointer: "/parallel/overlap_grad_reduce",
    // ZeRO-2 and 3 reduce in every micro-batch.
    shown: (r) => hasModel(r) && Number(shown(r, "/parallel/zero").value ?? 0) < 2,
    options: () => [
      { value: "after", label: "after backward" },
      { value: "beside", label: "beside backward" },
    ],
    value: (r) => (overlapsReduction(r) ? "beside" : "after"),
    help: (r) =>
      overlapsReduction(r)
        ? "In buckets. dp_overlap acts on the parameter all-gather only."
        : "At once; dp_overlap is the share hidden.",
    write: (r, when) =>
      withValue(r.text, "/parallel/overlap_grad_reduce", when === "beside" ? true : undefined),
  },
  {
    kind: "choice",
    id: "recompute",
    group: "layout",
    label: "Recompute",
    pointer: "/parallel/recompute",
    shown: hasModel,
    options: () => named("none", "selective", "full"),
    value: (r) => String(shown(r, "/parallel/recompute").value ?? "none"),
    help: () => "What the backward pass computes again: nothing, attention, or the whole layer.",
    write: set("/parallel/recompute"),
  },
  {
    kind: "choice",
    id: "rank_order",
    group: "layout",
    label: "Rank order",
    pointer: "/parallel/rank_order",
    shown: hasModel,
    options: () => named("tp-cp-dp-pp", "tp-cp-pp-dp"),
    value: (r) => String(shown(r, "/parallel/rank_order").value ?? "tp-cp-dp-pp"),
    help: () => "Fastest first: which ranks share a node, and so which groups leave it.",
    write: set("/parallel/rank_order"),
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
    kind: "number",
    id: "calibrate",
    group: "calibration",
    label: "Measured median step",
    pointer: "/cost_model/calibrate",
    unit: "s",
    step: "scale",
    shown: hasModel,
    value: (r) => valueAt(r.data, "/cost_model/calibrate/median_step_s"),
    help: (_, result) =>
      (result && calibrationText(result)) ??
      "If you have measured one: the efficiency of compute is solved for. Empty: not calibrated.",
    write: (r, value) => withValue(r.text, "/cost_model/calibrate", { median_step_s: value }),
    clear: (r) => withValue(r.text, "/cost_model/calibrate", undefined),
  },
  {
    kind: "choice",
    id: "variability",
    group: "variability",
    label: "Preset",
    pointer: "/variability",
    options: (r) => presetOptions(r, "/variability", r.presets?.variability, variabilityPreset(r)),
    value: variabilityPreset,
    help: (r) => r.presets?.variability?.find((p) => p.name === variabilityPreset(r))?.summary ?? "",
    write: withPreset,
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

const named = (...names: string[]): Option[] => names.map((name) => ({ value: name, label: name }));

/** A resolved number, for a rule. */
const count = (r: Reading, pointer: string) => {
  const { value } = shown(r, pointer);
  return typeof value === "number" ? number(value) : "";
};

function hasExperts(r: Reading): boolean {
  return isObject(valueAt(r.resolved, "/model/experts")) || valueAt(r.data, "/parallel/ep") !== undefined;
}

const overlapsReduction = (r: Reading) => valueAt(r.data, "/parallel/overlap_grad_reduce") === true;

const zeroMeanings = [
  "Gradients are all-reduced; every replica holds everything.",
  "Replicas share the optimizer: reduce-scatter of gradients, all-gather of parameters.",
  "Replicas share the gradients too. With pp above 1 they gather once a step.",
  "Replicas share the parameters too. With pp above 1 they gather once a step.",
];

/**
 * What goes with the level: a pipeline cannot gather in every micro-batch, without ZeRO nothing is sharded, and
 * from 2 on gradients are reduced in every micro-batch.
 */
function withZero(r: Reading, level: string): string {
  let text = withValue(r.text, "/parallel/zero", Number(level));
  const pipelined = Number(shown(r, "/parallel/pp").value ?? 1) > 1;
  if (Number(level) >= 2 && pipelined) text = withValue(text, "/parallel/gather", "per_step");
  if (Number(level) >= 2) text = withValue(text, "/parallel/overlap_grad_reduce", undefined);
  return level === "0" ? withValue(text, "/parallel/dp_shard", undefined) : text;
}

/** The rule's name; empty for numbers, which are the text's. Without the key the layers must divide evenly. */
function layerRule(r: Reading): string {
  const written = valueAt(r.data, "/parallel/layers_per_virtual_stage");
  return written === undefined ? "even" : typeof written === "string" ? written : "";
}

function tensorRule(r: Reading): string {
  const tp = shown(r, "/parallel/tp").value;
  const heads = valueAt(r.resolved, "/model/heads");
  return typeof tp === "number" && typeof heads === "number"
    ? `Must divide the ${heads} attention heads and the inner width of the feed-forward block.`
    : "";
}

/** What the chosen schedule asks for (docs/scenario.md), with the numbers in question. */
function scheduleRule(r: Reading): string {
  const at = (pointer: string) => String(shown(r, pointer).value ?? "?");
  const schedule = at("/parallel/schedule");
  if (!isInterleaved(schedule)) return "One virtual stage a rank.";
  const micro = at("/batch/micro_batches");
  const pp = at("/parallel/pp");
  return `Needs 2 or more virtual stages, and ${
    schedule === interleaved
      ? `micro-batches (${micro}) that divide by pp (${pp})`
      : `pp (${pp}) or more micro-batches (${micro})`
  }.`;
}

function gpusLine({ layout: l }: Result): string {
  const factors: [string, number][] = [
    ["tp", l.tp],
    ["cp", l.cp],
    ["pp", l.pp],
    ["dp", l.dp],
  ];
  return `${product(...factors.filter(([name, n]) => name !== "cp" || n > 1))} = ${number(l.gpus)} GPUs`;
}

function batchLine({ layout: l, scenario }: Result): string {
  const global = Number(valueAt(scenario, "/batch/global"));
  const micro = Number(valueAt(scenario, "/batch/micro"));
  return `${product(["micro", micro], ["micro-batches", l.micro_batches], ["dp", l.dp])} = ${number(global)} sequences`;
}
