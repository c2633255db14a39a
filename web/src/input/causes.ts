// SPDX-License-Identifier: Apache-2.0
// The causes of variability as the form shows them: the preset's, then the user's own. What a change does to the
// text; which values are valid is the core's business.

import { isObject, valueAt, withBlock, withValue } from "../base/json";
import { capital, kindText } from "../base/sentences";
import { type ChoiceField, type Field, type Option, presetName, type Reading } from "./reading";

export type List = "preset_factors" | "factors" | "preset_stalls" | "stalls";
type Item = Record<string, unknown>;

export interface Cause {
  list: List;
  index: number;
  value: Item;
  /** False: silenced, and still in its place, so that every other cause keeps its draws. */
  on: boolean;
}

export const lists: List[] = ["preset_factors", "preset_stalls", "factors", "stalls"];
export const isOwn = (cause: Cause) => cause.list === "factors" || cause.list === "stalls";
const isStall = (list: List) => list === "stalls" || list === "preset_stalls";
export const pointerTo = ({ list, index }: Cause) => `/variability/${list}/${index}`;

const factor_default: Item = {
  what: "compute",
  scope: "node",
  period: "run",
  lognormal: { median: 1, cv: 0.05 },
};
const stall_default: Item = { what: "communication", per_node_hour: 0.1, exponential: { mean_s: 1 } };

/** The name of the preset that the text starts from. */
export function variabilityPreset(r: Reading): string {
  const written = valueAt(r.data, "/variability");
  if (typeof written === "string") return written;
  return presetName(r, "/variability") || "none";
}

function writtenOf(r: Reading): Item {
  const written = valueAt(r.data, "/variability");
  return isObject(written) ? written : { preset: variabilityPreset(r) };
}

/** What the preset stands for: from the core's table, else from its last result. */
function tableOf(r: Reading, list: List, preset = variabilityPreset(r)): Item[] {
  if (list === "factors" || list === "stalls") return [];
  const entry = r.presets?.variability?.find((p) => p.name === preset);
  if (entry) return (list === "preset_factors" ? entry.factors : entry.stalls) ?? [];
  const resolved = valueAt(r.resolved, "/variability");
  return isObject(resolved) && resolved.preset === preset ? itemsOf(resolved[list]) : [];
}

const itemsOf = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isObject) : []);

function listOf(r: Reading, list: List): Item[] {
  const written = writtenOf(r)[list];
  return written === undefined ? tableOf(r, list) : itemsOf(written);
}

export function causesOf(r: Reading): Cause[] {
  return lists.flatMap((list) =>
    listOf(r, list).map((value, index) => ({ list, index, value, on: isOn(value, list) })),
  );
}

const isOn = (value: Item, list: List) =>
  isStall(list) ? value.per_node_hour !== 0 : valueAt(value, "/constant/value") !== 1;

const about = ["what", "scope", "period", "name", "source", "per_node_hour"];
/** The law of a cause: its family or regime, and the parameters. */
export function lawOf(value: Item): [family: string, parameters: unknown] {
  const family = Object.keys(value).find((key) => !about.includes(key)) ?? "";
  return [family, value[family]];
}

function withLaw(value: Item, family: string, parameters: unknown): Item {
  const [old] = lawOf(value);
  const entries = Object.entries(value).map(([key, x]) =>
    key === old ? ([family, parameters] as const) : ([key, x] as const),
  );
  return Object.fromEntries(entries);
}

/** The text with one list of causes replaced; what is then as the preset has it is not written out. */
function withList(r: Reading, list: List, items: Item[]): string {
  const next: Item = { ...writtenOf(r), [list]: items };
  if (JSON.stringify(items) === JSON.stringify(tableOf(r, list))) delete next[list];
  return withVariability(r, next);
}

function withVariability(r: Reading, next: Item): string {
  const keys = ["preset", "preset_factors", "factors", "preset_stalls", "stalls"];
  const ordered = Object.fromEntries(keys.filter((k) => next[k] !== undefined).map((k) => [k, next[k]]));
  const others = Object.fromEntries(Object.entries(next).filter(([k]) => !keys.includes(k)));
  const value: Item = { ...ordered, ...others };
  const onlyPreset = Object.keys(value).length === 1 && typeof value.preset === "string";
  return withBlock(r.text, "/variability", onlyPreset ? value.preset : value);
}

const withItem = (r: Reading, { list, index }: Cause, item: Item) =>
  withList(
    r,
    list,
    listOf(r, list).map((old, i) => (i === index ? item : old)),
  );

/** Another preset; causes of the user's own stay. */
export function withPreset(r: Reading, preset: string): string {
  const written = writtenOf(r);
  const own = (list: "factors" | "stalls") => {
    const items = itemsOf(written[list]);
    return items.length > 0 ? { [list]: items } : {};
  };
  return withVariability(r, { preset, ...own("factors"), ...own("stalls") });
}

/** Silences a cause without taking it out: a factor becomes the constant 1, a stall never comes. */
export function silenced(r: Reading, cause: Cause): string {
  return withItem(
    r,
    cause,
    isStall(cause.list)
      ? { ...cause.value, per_node_hour: 0 }
      : withLaw(cause.value, "constant", { value: 1 }),
  );
}

/** Brings a silenced cause back: as the preset has it, else as it last was in one of `earlier` texts, newest first. */
export function restored(r: Reading, cause: Cause, earlier: Iterable<string>): string {
  const { list, index, value } = cause;
  const same = (other: Item | undefined) =>
    other?.what === value.what && other?.scope === value.scope && other?.period === value.period;
  const table = tableOf(r, list)[index];
  if (table && same(table)) return withItem(r, cause, table);
  for (const text of earlier) {
    const data = dataOf(text);
    const before = itemsOf(valueAt(data, `/variability/${list}`))[index];
    if (before && same(before) && isOn(before, list)) return withItem(r, cause, before);
  }
  return withItem(
    r,
    cause,
    isStall(list)
      ? { ...value, per_node_hour: stall_default.per_node_hour }
      : withLaw(value, ...lawOf(factor_default)),
  );
}

function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const withAdded = (r: Reading, list: "factors" | "stalls") =>
  withList(r, list, [...listOf(r, list), list === "factors" ? factor_default : stall_default]);

export const withRemoved = (r: Reading, { list, index }: Cause) =>
  withList(
    r,
    list,
    listOf(r, list).filter((_, i) => i !== index),
  );

// Words

const targets: Record<string, string> = {
  intra_node: "communication inside a node",
  inter_node: "communication between nodes",
};
/** What a cause acts on, in words. */
export const targetText = (what: unknown) => targets[String(what)] ?? kindText(String(what));

const meaning = (list: { name: string; meaning: string }[] | undefined, name: unknown) =>
  list?.find((entry) => entry.name === name)?.meaning ?? String(name).replaceAll("_", " ");

/** Of whom a draw is, for a title. */
const holder = (scope: unknown) =>
  scope === "cluster" ? "all GPUs" : `each ${scope === "gpu" ? "GPU" : String(scope).replace("_", "-")}`;

export interface CauseText {
  /** Its own among all causes. */
  title: string;
  /** Who shares it, for how long. */
  shared: string;
  law: string;
}

/** What it acts on, and of whom; two causes may be alike in both. */
function plainTitle({ value, list }: Cause): string {
  if (typeof value.name === "string" && value.name) return value.name;
  const what = targetText(value.what);
  if (isStall(list)) return `Stalls of ${what}`;
  return capital(what) + (value.scope ? `, ${holder(value.scope)}` : "");
}

function titleOf(r: Reading, cause: Cause): string {
  const title = plainTitle(cause);
  const alike = causesOf(r).filter((other) => plainTitle(other) === title);
  const at = alike.findIndex((other) => pointerTo(other) === pointerTo(cause));
  return at > 0 ? `${title} (${at + 1})` : title;
}

export function causeText(r: Reading, cause: Cause): CauseText {
  const { value, list, on } = cause;
  const title = titleOf(r, cause);
  if (isStall(list)) {
    return {
      title,
      shared: "one GPU stops, and whoever waits for it",
      law: on ? `${digits(value.per_node_hour)} a node and hour of such work; ${lawText(value)}` : "never",
    };
  }
  const scope = meaning(r.presets?.scope, value.scope);
  const lasts = value.period === "operation" ? "" : `, for ${meaning(r.presets?.period, value.period)}`;
  return {
    title,
    shared: value.scope === "operation" ? scope : `shared by ${scope}${lasts}`,
    law: on ? lawText(value) : "always 1",
  };
}

const digits = (x: unknown) => (typeof x === "number" ? String(Number(x.toPrecision(6))) : String(x));
const percentText = (x: unknown) => (typeof x === "number" ? `${digits(100 * x)}\u00a0%` : String(x));
const familyText = (family: string) => (family === "lognormal" ? "log-normal" : family.replaceAll("_", " "));

function lawText(value: Item): string {
  const [family, parameters] = lawOf(value);
  const p = isObject(parameters) ? parameters : {};
  if (family === "two_state")
    return `${digits(p.slow)} times in ${percentText(p.share)} of the steps, in spells of ${digits(p.dwell_steps)} steps`;
  if (family === "ar1") return `wanders from step to step, CV ${percentText(p.cv)}`;
  if (family === "mixture" && Array.isArray(parameters)) return `mixture of ${parameters.length}`;
  if (family === "empirical") return "empirical";
  const words = Object.entries(p)
    .filter(([key, x]) => !(key === "median" && x === 1))
    .map(([key, x]) => {
      const [, parameter = key, unit = ""] = /^(.*?)(?:_(us|ms|s))?$/.exec(key) ?? [];
      const shown = parameter === "cv" ? percentText(x) : digits(x);
      return `${parameter === "cv" ? "CV" : parameter.replaceAll("_", " ")} ${shown}${unit && `\u00a0${unit.replace("us", "µs")}`}`;
    });
  return [familyText(family), ...words].join(", ");
}

// Fields of a cause of the user's own

const fresh = ["operation", "micro_batch"];
const regimes: Record<string, Item> = {
  two_state: { slow: 2, share: 0.1, dwell_steps: 100 },
  ar1: { cv: 0.1, correlation: 0.9 },
};
const regimeTexts: Record<string, string> = { two_state: "two states", ar1: "wandering" };

const holds = (sets: { name: string }[][], ...wanted: string[]) =>
  sets.some((set) => set.length === wanted.length && wanted.every((w) => set.some((p) => p.name === w)));

/** The shapes that the form can write: those with a median (of stalls: a mean) and a CV, and the regimes. */
function shapes(r: Reading, cause: Cause): Option[] {
  const { value, list } = cause;
  const centre = isStall(list) ? "mean" : "median";
  const usable = (r.presets?.distribution ?? [])
    .filter((f) => holds(f.parameters, centre, "cv") || (isStall(list) && holds(f.parameters, "mean")))
    .map((f) => ({ value: f.name, label: familyText(f.name) }));
  if (value.scope === "cluster" && value.period === "step")
    usable.push(...Object.keys(regimes).map((name) => ({ value: name, label: regimeTexts[name]! })));
  const [now] = lawOf(value);
  if (!usable.some((option) => option.value === now))
    usable.unshift({ value: now, label: `${familyText(now)} (see the text)` });
  return usable;
}

function withShape(r: Reading, cause: Cause, family: string): Item {
  const { value, list } = cause;
  const [, old] = lawOf(value);
  const before = isObject(old) ? old : {};
  const regime = regimes[family];
  if (regime) return withLaw(value, family, regime);
  const cv = typeof before.cv === "number" ? before.cv : isStall(list) ? 0.5 : 0.05;
  if (!isStall(list)) return withLaw(value, family, { median: 1, cv });
  const sets = r.presets?.distribution?.find((f) => f.name === family)?.parameters ?? [];
  const mean = Object.fromEntries(Object.entries(before).filter(([key]) => key.startsWith("mean_")));
  const centre = Object.keys(mean).length > 0 ? mean : { mean_s: 1 };
  return withLaw(value, family, holds(sets, "mean") ? centre : { ...centre, cv });
}

/** Scope and period go together, and a regime needs the whole cluster and a step. */
function consistent(value: Item): Item {
  const period = fresh.includes(String(value.scope))
    ? "operation"
    : value.period === "operation"
      ? "run"
      : value.period;
  const next: Item = { ...value, period };
  const [family] = lawOf(next);
  const fits = next.scope === "cluster" && next.period === "step";
  return family in regimes && !fits ? withLaw(next, ...lawOf(factor_default)) : next;
}

/** Parameters shown as percent. */
const shares = ["cv", "share", "correlation", "slow"];
const parameterTexts: Record<string, string> = {
  cv: "Spread (CV)",
  log_sd: "Spread of the logarithm",
  slow: "Time when slow",
  share: "Slow steps",
  dwell_steps: "Spell",
  correlation: "Correlation, step to step",
};
const parameterUnits: Record<string, string> = { dwell_steps: "steps", slow: "% of usual" };

export function causeFields(r: Reading, cause: Cause): Field[] {
  const { value, list } = cause;
  const base = pointerTo(cause);
  const id = `${list}_${cause.index}`;
  const choice = (
    key: string,
    label: string,
    options: Option[],
    write: ChoiceField["write"],
  ): ChoiceField => ({
    kind: "choice",
    id: `${id}_${key}`,
    group: "variability",
    label,
    pointer: `${base}/${key}`,
    options: () => options,
    value: () => String(value[key] ?? ""),
    write,
  });
  const named = (
    names: { name: string; meaning: string }[] | undefined,
    allowed: (name: string) => boolean,
  ) => (names ?? []).filter((n) => allowed(n.name)).map((n) => ({ value: n.name, label: n.meaning }));
  const [family, parameters] = lawOf(value);
  const own: Field[] = [
    choice(
      "what",
      isStall(list) ? "Strikes during" : "Acts on",
      (r.presets?.cause_target ?? [String(value.what)]).map((what) => ({
        value: what,
        label: targetText(what),
      })),
      (_, what) => withItem(r, cause, { ...value, what }),
    ),
  ];
  if (isStall(list)) {
    own.push({
      kind: "number",
      id: `${id}_rate`,
      group: "variability",
      label: "Events",
      unit: "a node and hour",
      pointer: `${base}/per_node_hour`,
      step: "scale",
      write: (_, rate) => withValue(r.text, `${base}/per_node_hour`, rate),
    });
  } else {
    const lasting = !fresh.includes(String(value.scope));
    own.push(
      choice(
        "scope",
        "Shared by",
        named(r.presets?.scope, () => true),
        (_, scope) => withItem(r, cause, consistent({ ...value, scope })),
      ),
      choice(
        "period",
        "Lasts",
        named(r.presets?.period, (name) => lasting !== (name === "operation")),
        (_, period) => withItem(r, cause, consistent({ ...value, period })),
      ),
    );
  }
  own.push({
    ...choice("shape", "Shape", shapes(r, cause), (_, shape) =>
      withItem(r, cause, withShape(r, cause, shape)),
    ),
    pointer: `${base}/${family}`,
    value: () => family,
  });
  if (isObject(parameters))
    for (const [key, x] of Object.entries(parameters)) {
      if (typeof x !== "number" || key === "median") continue;
      const [, parameter = key, time = ""] = /^(.*?)(?:_(us|ms|s))?$/.exec(key) ?? [];
      const share = shares.includes(key);
      const unit = parameterUnits[key] ?? (share ? "%" : time.replace("us", "µs"));
      own.push({
        kind: "number",
        id: `${id}_${key}`,
        group: "variability",
        label: parameterTexts[key] ?? capital(parameter.replaceAll("_", " ")),
        ...(unit && { unit }),
        pointer: `${base}/${family}/${key}`,
        step: share ? "one" : "scale",
        ...(share && { scale: 100 }),
        write: (_, next) => withValue(r.text, `${base}/${family}/${key}`, next),
      });
    }
  return own;
}

/** The text with another preset and nothing else of its variability. */
export const againWith = (text: string, preset: string) => withValue(text, "/variability", preset);
