// SPDX-License-Identifier: Apache-2.0
// The present scenario against a pinned one, in words: variant 1 of a comparison against its variant 0.
import { changeOfP95, signedTexts } from "./compare";
import * as format from "./format";
import type { Difference, Study } from "./study";

export interface Shift {
  name: string;
  value: string;
  note: string;
}

function paired(name: string, difference: Difference, unit: format.Unit): Shift {
  const { interval, differs } = difference;
  if (interval[0] === 0 && interval[1] === 0)
    return { name, value: "no change", note: "alike in every trial" };
  const { value, low, high } = signedTexts(difference, unit);
  const bounds = `${low} to ${high} ${unit.name}`;
  return {
    name,
    value: `${value}\u00a0${unit.name}`,
    note: differs ? bounds : `${bounds}: not told from none`,
  };
}

/** By how much the present step is longer; null if one of the two could not be played. */
export function shifts(study: Study): Shift[] | null {
  const [before, now] = study.variants;
  if (!before || !now || before.fault !== null || now.fault !== null) return null;
  const unit = format.unitFor(before.p50_s.value);
  return [
    paired("Median", now.difference.p50_s, unit),
    paired("p95", now.difference.p95_s, unit),
    paired("Mean", now.difference.mean_s, unit),
  ];
}

export function baselineReading(study: Study): string {
  const fault = study.variants.find((v) => v.fault !== null)?.fault;
  if (fault) return `The two could not be compared: ${fault}.`;
  const change = changeOfP95(study, 1);
  return change
    ? `The p95 is now ${change.size} than that of the pinned result; the 95 % interval is ${change.range}.`
    : "The p95 cannot be told apart from that of the pinned result.";
}
