// SPDX-License-Identifier: Apache-2.0
// The lessons, made from examples/lessons/ when the page is built; fetched when one is asked for.
import type { Lesson } from "../base/lesson";

const files = import.meta.glob<Lesson>("../../../examples/lessons/*.json", {
  import: "default",
  eager: true,
});

const order = [
  "jitter-averages-out",
  "maxima-grow",
  "slow-node",
  "bubble",
  "network-regime",
  "checkpoint-interval",
];

/** By name, in the order in which they build on each other. */
export const lessons: Map<string, Lesson> = new Map(
  order.map((name) => [name, files[`../../../examples/lessons/${name}.json`]!]),
);
