// SPDX-License-Identifier: Apache-2.0
// Numbers for people: with their unit, and with as many digits as their interval allows.

import type { Interval } from "./result";

/** Between a number and its unit: they stay on one line. */
const nbsp = "\u00a0";

export interface Unit {
  name: "s" | "ms" | "µs" | "min" | "h" | "days";
  /** Seconds in one. */
  seconds: number;
}

const units: Unit[] = [
  { name: "h", seconds: 3600 },
  { name: "min", seconds: 60 },
  { name: "s", seconds: 1 },
  { name: "ms", seconds: 1e-3 },
  { name: "µs", seconds: 1e-6 },
];

/** The unit in which a duration of `seconds` reads best; values shown together share one. */
export function unitFor(seconds: number): Unit {
  const size = Math.abs(seconds);
  if (size >= 3 * 3600) return units[0]!;
  if (size >= 180) return units[1]!;
  return units.slice(2).find((u) => size >= u.seconds) ?? units[size === 0 ? 2 : 4]!;
}

/** The fewest decimals that round by no more than the half-width of the interval, 3 to 6 digits in all. */
export function decimalsFor(value: number, halfWidth: number | null): number {
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const least = 2 - magnitude;
  const most = 5 - magnitude;
  const wanted =
    halfWidth === null || !(halfWidth > 0) || !Number.isFinite(halfWidth)
      ? least
      : Math.ceil(-Math.log10(2 * halfWidth) - 1e-9);
  return Math.max(0, Math.min(12, Math.max(least, Math.min(most, wanted))));
}

/** Half the width of an interval around a value; one side stands for both when the other does not exist. */
export function halfWidth(value: number, [low, high]: Interval): number | null {
  if (low !== null && high !== null) return (high - low) / 2;
  if (low !== null) return value - low;
  if (high !== null) return high - value;
  return null;
}

/**
 * Decimals for an estimate that stands beside its interval: one more than `decimalsFor` says, which is what the
 * interval is printed with, where rounding would put the estimate outside it.
 */
export function decimalsWithin(value: number, [low, high]: Interval): { value: number; interval: number } {
  const half = halfWidth(value, [low, high]);
  const coarse = decimalsFor(value, half);
  const interval = decimalsFor(value, half === null ? null : half / 10);
  const rounded = Number(value.toFixed(coarse));
  const inside = (low === null || rounded >= low) && (high === null || rounded <= high);
  return { value: inside ? coarse : interval, interval };
}

/** For a headline: the fewest decimals, of three digits or more, with which the estimate still lies in its interval. */
export function fewestWithin(value: number, bounds: Interval): number {
  const [low, high] = bounds;
  const most = decimalsWithin(value, bounds).value;
  for (let decimals = decimalsFor(value, null); decimals < most; decimals++) {
    const rounded = Number(value.toFixed(decimals));
    if ((low === null || rounded >= low) && (high === null || rounded <= high)) return decimals;
  }
  return most;
}

/** Commas between thousands. Not by the browser's own formatter: its first use alone takes longer than the first view. */
function commas(digits: string): string {
  const [whole = "", fraction] = digits.split(".");
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? parted : `${parted}.${fraction}`;
}

const grouped = (value: number, decimals: number) => commas(value.toFixed(decimals));

export function number(value: number, decimals = 0): string {
  return grouped(value, decimals);
}

/** A whole count: "16,384". */
export const count = (value: number): string => grouped(value, 0);

/** Three significant digits, with a thousands letter when large: "2.48 M". */
export function short(value: number): string {
  const size = Math.abs(value);
  const [scale, letter] =
    size >= 1e12
      ? [1e12, `${nbsp}T`]
      : size >= 1e9
        ? [1e9, `${nbsp}G`]
        : size >= 1e6
          ? [1e6, `${nbsp}M`]
          : size >= 1e5
            ? [1e3, `${nbsp}k`]
            : [1, ""];
  return significant(value / scale, 3) + letter;
}

export function significant(value: number, digits: number): string {
  if (value === 0) return "0";
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return grouped(value, Math.min(decimals, 12));
}

/** A duration with its unit. `half` is the half-width of its interval in seconds. */
export function duration(seconds: number, half: number | null = null, unit = unitFor(seconds)): string {
  return `${durationNumber(seconds, half, unit)}${nbsp}${unit.name}`;
}

/** A duration known exactly: up to six digits, none of them for show. */
export function exactDuration(seconds: number): string {
  const unit = unitFor(seconds);
  return `${commas(String(Number((seconds / unit.seconds).toPrecision(6))))}${nbsp}${unit.name}`;
}

/** The same without the unit, for tables whose heading names it. */
export function durationNumber(seconds: number, half: number | null, unit: Unit): string {
  const value = seconds / unit.seconds;
  return grouped(value, decimalsFor(value, half === null ? null : half / unit.seconds));
}

/** "6.905 to 6.919 s", "at least 6.9 s" where a bound does not exist. */
export function interval([low, high]: Interval, unit: Unit, decimals: number): string {
  const text = (seconds: number) => grouped(seconds / unit.seconds, decimals);
  if (low !== null && high !== null) return `${text(low)} to ${text(high)}`;
  if (low !== null) return `at least ${text(low)}`;
  if (high !== null) return `at most ${text(high)}`;
  return "not known";
}

/** A value and its standard error to two digits: "6.8301 ± 0.0012". */
export function withError(value: number, error: number): string {
  if (!(error > 0)) return significant(value, 6);
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(error))));
  return `${grouped(value, decimals)} ± ${grouped(error, decimals)}`;
}

/** A share as percent: "41.2 %". */
export function percent(share: number, decimals = 1): string {
  return `${grouped(100 * share, decimals)}${nbsp}%`;
}

/** Time left, coarse: "about 3 s", "about 2 min". */
export function timeLeft(seconds: number): string {
  if (seconds < 1) return "less than 1 s";
  if (seconds < 90) return `about ${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min`;
  return `about ${significant(seconds / 3600, 2)} h`;
}

/** Milliseconds of computing: "0.84 s", "120 ms". */
export function elapsed(ms: number): string {
  return ms < 950 ? `${Math.round(ms)} ms` : `${grouped(ms / 1000, ms < 9950 ? 2 : 1)} s`;
}
