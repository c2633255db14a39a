// SPDX-License-Identifier: Apache-2.0
// The fields of one slow place: where it is, how it is slow, and by how much.

import { withValue } from "../base/json";
import { targetText } from "./causes";
import { type Change, changedBy, changeOf, coordinate, placesOf, unitOf, whatOf, withPlaces } from "./places";
import { type Field, type NumberField, type Reading, shown } from "./reading";

const change_help: Record<Change, string> = {
  factor: "",
  node_quantile:
    "What lasts there (factors on compute shared by a GPU or node) stands at this quantile; jitter stays random.",
  operator_quantile:
    "Every operation there stands at this quantile of its jitter and of what lasts; what it takes part in is never faster than at this quantile.",
};

export function placeFields(r: Reading, index: number): Field[] {
  return [...where(r, index), howSlow(r, index), ...howMuch(r, index)];
}

const id = (index: number, key: string) => `place_${index}_${key}`;
const at = (index: number, key: string) => `/what_if/${index}/${key}`;
const set = (pointer: string) => (r: Reading, value: number | string) => withValue(r.text, pointer, value);

function where(r: Reading, index: number): Field[] {
  const place = placesOf(r)[index]!;
  const rank = (key: string, label: string): NumberField => {
    const pointer = at(index, `where/${key}`);
    const most = Number(shown(r, `/parallel/${key}`).value ?? 1) - 1;
    return {
      kind: "number",
      id: id(index, key),
      group: "place",
      label,
      pointer,
      otherwise: 0,
      unit: `0\u00a0to\u00a0${most}`,
      step: "one",
      write: set(pointer),
    };
  };
  const pointer = at(index, "where/unit");
  const unit: Field = {
    kind: "choice",
    id: id(index, "unit"),
    group: "place",
    label: "Which",
    pointer,
    options: () => [
      { value: "node", label: "a whole node" },
      { value: "gpu", label: "one GPU" },
    ],
    value: () => unitOf(place),
    write: set(pointer),
  };
  const ranks = [rank("pp", "Pipeline rank"), rank("dp", "Replica")];
  if (unitOf(place) === "gpu" || coordinate(place, "tp") > 0) ranks.push(rank("tp", "Rank in its group"));
  return [unit, ...ranks];
}

function howSlow(r: Reading, index: number): Field {
  const places = placesOf(r);
  const place = places[index]!;
  const now = changeOf(place);
  return {
    kind: "choice",
    id: id(index, "change"),
    group: "place",
    label: "How slow",
    pointer: `/what_if/${index}`,
    options: () => [
      { value: "factor", label: "by a factor" },
      { value: "node_quantile", label: "as one in so many is" },
      { value: "operator_quantile", label: "in every operation" },
    ],
    value: () => now,
    help: () => change_help[now],
    write: (_, change) => withPlaces(r, places.with(index, changedBy(place, change as Change))),
  };
}

function howMuch(r: Reading, index: number): Field[] {
  const place = placesOf(r)[index]!;
  const now = changeOf(place);
  const percent = (key: string, label: string, unit: string): Field => {
    const pointer = at(index, key);
    return {
      kind: "number",
      id: id(index, now === "factor" ? key : "quantile"),
      group: "place",
      label,
      unit,
      pointer,
      step: "one",
      scale: 100,
      write: set(pointer),
    };
  };
  if (now !== "factor")
    return [percent(now, "Slower than", now === "node_quantile" ? "% of its kind" : "% of all times")];
  const pointer = at(index, "what");
  const what: Field = {
    kind: "choice",
    id: id(index, "what"),
    group: "place",
    label: "What is slow",
    pointer,
    options: () =>
      (r.presets?.cause_target ?? [whatOf(place)]).map((target) => ({
        value: target,
        label: targetText(target),
      })),
    value: () => whatOf(place),
    write: set(pointer),
  };
  return [what, percent("factor", "Takes", "% of the usual time")];
}
