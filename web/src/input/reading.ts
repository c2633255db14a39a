// SPDX-License-Identifier: Apache-2.0
// What the form reads, and what a field of it is.

import { valueAt } from "../base/json";
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
  variability?: {
    name: string;
    summary?: string;
    factors?: Record<string, unknown>[];
    stalls?: Record<string, unknown>[];
  }[];
  schedule?: string[];
  layers_per_virtual_stage?: { name: string; condition: string }[];
  cause_target?: string[];
  scope?: { name: string; meaning: string }[];
  period?: { name: string; meaning: string }[];
  /** Families; each set of parameters that one takes. */
  distribution?: { name: string; parameters: { name: string; has_unit: boolean }[][] }[];
}

export interface Option {
  value: string;
  label: string;
}

export interface Base {
  id: string;
  group: "job" | "layout" | "batch" | "calibration" | "variability" | "place" | "run";
  label: string;
  /** Diagnostics at or below this pointer belong to the field. */
  pointer: string;
  /** One line under the label's control: what it means. */
  help?: (reading: Reading, result: Result | undefined) => string;
  shown?: (reading: Reading) => boolean;
}

export interface NumberField extends Base {
  kind: "number";
  /** Arrow keys and buttons: ×2 and ÷2 (of whole numbers, or of any), or ±1. */
  step: "double" | "scale" | "one";
  /** Shown where neither the text nor the result has a value. */
  otherwise?: number;
  /** The number shown is `scale` times the one in the text (percent for shares). */
  scale?: number;
  unit?: string;
  /** Where the value shown is not the one at the pointer. */
  value?: (reading: Reading) => unknown;
  write: (reading: Reading, value: number) => string;
  /** What emptying the field does; nothing without it. */
  clear?: (reading: Reading) => string;
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

export function readingOf(
  text: string,
  resolved: Record<string, unknown> | undefined,
  presets: Presets | undefined,
): Reading {
  return { text, data: dataOf(text), resolved, presets };
}

/** The user's text as data, tolerant of being no JSON. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
export function presetName(reading: Reading, pointer: string): string {
  const { value } = shown(reading, pointer);
  if (typeof value === "string") return value;
  const name = valueAt(value, "/preset");
  return typeof name === "string" ? name : "";
}
