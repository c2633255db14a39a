// SPDX-License-Identifier: Apache-2.0
// Two scenarios beside each other: what differs between their texts, and between their step times.
import * as format from "./format";
import { isObject, pointerOf } from "./json";
import type { Difference, Study } from "./study";
import type { Table } from "./tables";

export interface Changed {
  pointer: string;
  /** JSON on one line: as written, else as resolved; "–" where neither is known. */
  before: string;
  after: string;
}

/** A scenario as written, and as the core resolved it where that is known. */
export interface Sides {
  written: unknown;
  resolved?: unknown;
}

/**
 * The members in which two scenarios differ, of those that either writes; lists are compared whole. One that a side
 * leaves out is compared with what the core took for it.
 */
export function changedMembers(before: Sides, after: Sides, path: (string | number)[] = []): Changed[] {
  const [from, to] = [completed(before, after), completed(after, before)];
  if (isObject(from) && isObject(to)) {
    const keys = new Set(
      [before, after].flatMap(({ written }) => (isObject(written) ? Object.keys(written) : [])),
    );
    return [...keys].flatMap((key) =>
      changedMembers(member(before, key), member(after, key), [...path, key]),
    );
  }
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  return [{ pointer: pointerOf(path), before: text(before, from), after: text(after, to) }];
}

const member = ({ written, resolved }: Sides, key: string): Sides => ({
  written: isObject(written) ? written[key] : undefined,
  resolved: isObject(resolved) ? resolved[key] : undefined,
});

/** What a side says of a member that the other writes. Objects are compared by their members, so only as far. */
function completed({ written, resolved }: Sides, other: Sides): unknown {
  if (written !== undefined) return written;
  if (isObject(resolved) !== isObject(other.written)) return undefined;
  return resolved;
}

const text = ({ written }: Sides, value: unknown) => {
  if (value === undefined) return "–";
  return JSON.stringify(value) + (written === undefined ? ", not written" : "");
};

/**
 * The change that makes one scenario of another, as a study takes it: whole members, null for one to take away. Trials and
 * seed stay the first one's, so that both are played on the same noise.
 */
export function asLayout(
  name: string,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const layout: Record<string, unknown> = { name };
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (key === "run" || JSON.stringify(before[key]) === JSON.stringify(after[key])) continue;
    layout[pointerOf([key])] = after[key] ?? null;
  }
  return layout;
}

const unitOf = (study: Study) => format.unitFor(study.variants[0]!.p50_s.value);

/** Null where it cannot be told from none: "0.52 s (7.9 %) longer", and "0.50 to 0.54 s". */
export function changeOfP95(study: Study, index: number): { size: string; range: string } | null {
  const [first, second] = [study.variants[0]!, study.variants[index]!];
  const change = second.difference.p95_s;
  if (!change.differs) return null;
  const unit = unitOf(study);
  const [low, high] = change.interval.map(Math.abs).sort((a, b) => a - b) as [number, number];
  const half = (high - low) / 2;
  const size = format.duration(Math.abs(change.value), half, unit);
  const decimals = format.decimalsFor(Math.abs(change.value) / unit.seconds, half / unit.seconds);
  const share = format.percent(Math.abs(change.value) / first.p95_s.value);
  return {
    size: `${size} (${share}) ${change.value > 0 ? "longer" : "shorter"}`,
    range: `${format.interval([low, high], unit, decimals)} ${unit.name}`,
  };
}

/** "The p95 of B is 0.52 s longer than that of A (0.50 to 0.54 s, …)." */
export function comparisonReading(study: Study, index = 1): string {
  const [first, second] = [study.variants[0], study.variants[index]];
  if (!first || !second) return "";
  if (first.fault !== null) return `The scenario could not be played: ${first.fault}.`;
  if (second.fault !== null) return `${second.name} could not be played: ${second.fault}.`;
  const change = changeOfP95(study, index);
  if (!change) return `At p95, ${second.name} cannot be told apart from this scenario.`;
  return `The p95 of ${second.name} is ${change.size} than that of this scenario; the 95 % interval is ${change.range}.`;
}

/** A difference and its bounds with their signs, all three with the digits of the wider bound. */
export function signedTexts({ value, interval: [low, high] }: Difference, unit: format.Unit) {
  const size = Math.max(Math.abs(low), Math.abs(high)) / unit.seconds;
  const decimals = format.decimalsFor(size, (high - low) / 2 / unit.seconds);
  const text = (seconds: number) =>
    `${seconds < 0 ? "−" : "+"}${format.number(Math.abs(seconds) / unit.seconds, decimals)}`;
  return { value: text(value), low: text(low), high: text(high) };
}

const sides: [string, string] = ["This scenario", "The second one"];

/** Both at a glance, and their difference on the same noise. */
export function comparisonTable(study: Study, [one, other] = sides): Table {
  const [first, second] = [study.variants[0]!, study.variants[1]!];
  const unit = unitOf(study);
  const rows = (
    [
      ["p50", "p50_s"],
      ["p95", "p95_s"],
      ["p99", "p99_s"],
      ["mean", "mean_s"],
      ["spread (sd)", "sd_s"],
    ] as const
  ).map(([name, key]) => {
    const time = ({ value, interval: [low, high] }: { value: number; interval: [number, number] }) =>
      format.durationNumber(value, (high - low) / 2, unit);
    const paired: Difference = second.difference[key];
    const texts = signedTexts(paired, unit);
    return {
      shown: [name, time(first[key]), time(second[key]), texts.value, `${texts.low} to ${texts.high}`],
      exact: [name, first[key].value, second[key].value, paired.value, ...paired.interval],
    };
  });
  return {
    headings: [
      "Step time",
      `${one} (${unit.name})`,
      `${other} (${unit.name})`,
      "Difference",
      "95 % interval",
    ],
    keys: ["what", "first_s", "second_s", "difference_s", "low_s", "high_s"],
    rows,
  };
}

/** The two curves, point by point. */
export function curvesTable(study: Study, index: number): Table {
  const [first, second] = [study.variants[0]!, study.variants[index]!];
  const unit = unitOf(study);
  const time = (seconds: number) => format.durationNumber(seconds, null, unit);
  return {
    headings: ["Share of steps", `First (${unit.name})`, `Second (${unit.name})`],
    keys: ["share", "first_s", "second_s"],
    rows: study.masses.map((mass, i) => {
      const [a, b] = [first.quantiles_s[i] ?? 0, second.quantiles_s[i] ?? 0];
      return { shown: [format.percent(mass), time(a), time(b)], exact: [mass, a, b] };
    }),
  };
}
