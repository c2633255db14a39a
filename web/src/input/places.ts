// SPDX-License-Identifier: Apache-2.0
// Places made slower than the rest (what_if): the list of them in the text, and what is said of each.

import { isObject, valueAt, withBlock } from "../base/json";
import type { Result } from "../base/result";
import { capital } from "../base/sentences";
import { targetText } from "./causes";
import type { Reading } from "./reading";

export type SlowPlace = Record<string, unknown>;

export const placesOf = (r: Reading): SlowPlace[] => {
  const written = valueAt(r.data, "/what_if");
  return Array.isArray(written) ? written.filter(isObject) : [];
};

const slow_node: SlowPlace = { where: { pp: 0, dp: 0, unit: "node" }, factor: 1.2 };

export const withPlaces = (r: Reading, places: SlowPlace[]) =>
  withBlock(r.text, "/what_if", places.length > 0 ? places : undefined);

export const withPlace = (r: Reading) => withPlaces(r, [...placesOf(r), slow_node]);
export const withoutPlace = (r: Reading, index: number) => withPlaces(r, placesOf(r).toSpliced(index, 1));

const changes = ["factor", "node_quantile", "operator_quantile"] as const;
export type Change = (typeof changes)[number];
export const changeOf = (place: SlowPlace): Change =>
  changes.find((key) => place[key] !== undefined) ?? "factor";

/** A place changed in another way, at that way's first value; what is slow can be said of a factor alone. */
export function changedBy(place: SlowPlace, change: Change): SlowPlace {
  const { factor: _factor, node_quantile: _node, operator_quantile: _operator, what, ...rest } = place;
  if (change !== "factor") return { ...rest, [change]: 0.95 };
  return { ...rest, ...(what !== undefined && { what }), factor: 1.2 };
}

export const unitOf = (place: SlowPlace) => String(valueAt(place, "/where/unit") ?? "node");
export const whatOf = (place: SlowPlace) => String(place.what ?? "compute");
export const coordinate = (place: SlowPlace, key: string) => Number(valueAt(place, `/where/${key}`) ?? 0);

/** Where it is: "the node of pipeline rank 3 in replica 0". */
export function placeTitle(place: SlowPlace): string {
  const rank = `pipeline rank ${coordinate(place, "pp")} of replica ${coordinate(place, "dp")}`;
  return unitOf(place) === "gpu"
    ? `GPU ${coordinate(place, "tp")} of ${rank}`
    : `The node of ${rank}${coordinate(place, "tp") > 0 ? `, GPU ${coordinate(place, "tp")}` : ""}`;
}

/** What the engine made of it. */
export function placeOutcome(place: SlowPlace, index: number, result: Result | undefined): string {
  const multiplier = result?.what_if[index]?.multiplier;
  if (multiplier === undefined) return "";
  return `${capital(targetText(whatOf(place)))} there takes ${Number(multiplier.toPrecision(4))} times as long as usual${changeOf(place) === "factor" ? "" : ", in every step"}.`;
}
