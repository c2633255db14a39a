// SPDX-License-Identifier: Apache-2.0
// Places made slower than the rest (what_if): where, what, and by how much.

import { isObject, valueAt, withBlock, withValue } from "../base/json";
import type { Result } from "../base/result";
import { capital } from "../base/sentences";
import { targetText } from "./causes";
import { type Field, type NumberField, type Reading, shown } from "./reading";

type Item = Record<string, unknown>;

export const placesOf = (r: Reading): Item[] => {
  const written = valueAt(r.data, "/what_if");
  return Array.isArray(written) ? written.filter(isObject) : [];
};

const slow_node: Item = { where: { pp: 0, dp: 0, unit: "node" }, factor: 1.2 };

const withPlaces = (r: Reading, places: Item[]) =>
  withBlock(r.text, "/what_if", places.length > 0 ? places : undefined);

export const withPlace = (r: Reading) => withPlaces(r, [...placesOf(r), slow_node]);
export const withoutPlace = (r: Reading, index: number) =>
  withPlaces(
    r,
    placesOf(r).filter((_, i) => i !== index),
  );

const changes = ["factor", "node_quantile", "operator_quantile"] as const;
type Change = (typeof changes)[number];
const changeOf = (place: Item): Change => changes.find((key) => place[key] !== undefined) ?? "factor";
const change_help: Record<Change, string> = {
  factor: "",
  node_quantile:
    "What lasts there (factors on compute shared by a GPU or node) stands at this quantile; jitter stays random.",
  operator_quantile:
    "Every operation there stands at this quantile of its jitter and of what lasts; what it takes part in is never faster than at this quantile.",
};
const unitOf = (place: Item) => String(valueAt(place, "/where/unit") ?? "node");
const whatOf = (place: Item) => String(place.what ?? "compute");
const coordinate = (place: Item, key: string) => Number(valueAt(place, `/where/${key}`) ?? 0);

/** Where it is: "the node of pipeline rank 3 in replica 0". */
export function placeTitle(place: Item): string {
  const rank = `pipeline rank ${coordinate(place, "pp")} of replica ${coordinate(place, "dp")}`;
  return unitOf(place) === "gpu"
    ? `GPU ${coordinate(place, "tp")} of ${rank}`
    : `The node of ${rank}${coordinate(place, "tp") > 0 ? `, GPU ${coordinate(place, "tp")}` : ""}`;
}

/** What the engine made of it. */
export function placeOutcome(place: Item, index: number, result: Result | undefined): string {
  const multiplier = result?.what_if[index]?.multiplier;
  if (multiplier === undefined) return "";
  return `${capital(targetText(whatOf(place)))} there takes ${Number(multiplier.toPrecision(4))} times as long as usual${changeOf(place) === "factor" ? "" : ", in every step"}.`;
}

export function placeFields(r: Reading, index: number): Field[] {
  const place = placesOf(r)[index]!;
  const base = `/what_if/${index}`;
  const id = (key: string) => `place_${index}_${key}`;
  const set = (key: string) => (_: Reading, value: number | string) =>
    withValue(r.text, `${base}/${key}`, value);
  const degree = (key: string) => Number(shown(r, `/parallel/${key}`).value ?? 1);
  const at = (key: string, label: string, of: number): NumberField => ({
    kind: "number",
    id: id(key),
    group: "place",
    label,
    pointer: `${base}/where/${key}`,
    otherwise: 0,
    unit: `0\u00a0to\u00a0${of - 1}`,
    step: "one",
    write: set(`where/${key}`),
  });
  const now = changeOf(place);
  const own: Field[] = [
    {
      kind: "choice",
      id: id("unit"),
      group: "place",
      label: "Which",
      pointer: `${base}/where/unit`,
      options: () => [
        { value: "node", label: "a whole node" },
        { value: "gpu", label: "one GPU" },
      ],
      value: () => unitOf(place),
      write: set("where/unit"),
    },
    at("pp", "Pipeline rank", degree("pp")),
    at("dp", "Replica", degree("dp")),
  ];
  if (unitOf(place) === "gpu" || coordinate(place, "tp") > 0)
    own.push(at("tp", "Rank in its group", degree("tp")));
  own.push({
    kind: "choice",
    id: id("change"),
    group: "place",
    label: "How slow",
    pointer: base,
    options: () => [
      { value: "factor", label: "by a factor" },
      { value: "node_quantile", label: "as one in so many is" },
      { value: "operator_quantile", label: "in every operation" },
    ],
    value: () => now,
    help: () => change_help[now],
    write: (_, change) => {
      const { factor: _factor, node_quantile: _node, operator_quantile: _operator, what, ...rest } = place;
      const next =
        change === "factor"
          ? { ...rest, ...(what !== undefined && { what }), factor: 1.2 }
          : { ...rest, [change]: 0.95 };
      return withPlaces(
        r,
        placesOf(r).map((p, i) => (i === index ? next : p)),
      );
    },
  });
  if (now !== "factor") {
    own.push({
      kind: "number",
      id: id("quantile"),
      group: "place",
      label: "Slower than",
      unit: now === "node_quantile" ? "% of its kind" : "% of all times",
      pointer: `${base}/${now}`,
      step: "one",
      scale: 100,
      write: set(now),
    });
  } else {
    own.push(
      {
        kind: "choice",
        id: id("what"),
        group: "place",
        label: "What is slow",
        pointer: `${base}/what`,
        options: () =>
          (r.presets?.cause_target ?? [whatOf(place)]).map((what) => ({
            value: what,
            label: targetText(what),
          })),
        value: () => whatOf(place),
        write: set("what"),
      },
      {
        kind: "number",
        id: id("factor"),
        group: "place",
        label: "Takes",
        unit: "% of the usual time",
        pointer: `${base}/factor`,
        step: "one",
        scale: 100,
        write: set("factor"),
      },
    );
  }
  return own;
}
