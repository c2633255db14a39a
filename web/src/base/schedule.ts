// SPDX-License-Identifier: Apache-2.0
// Several runs with deadlines on one cluster (docs/training-run.md, Studies), in words and tables.
import type { Origin } from "./exports";
import * as format from "./format";
import { isObject } from "./json";
import type { Diagnostic } from "./result";
import type { Table } from "./tables";
import { day } from "./training";

export interface Share {
  probability: number;
  interval: [number, number];
}
export interface Place {
  /** Index into `scheduled`. */
  run: number;
  p50_start_s: number;
  p95_start_s: number;
  mean_finish_s: number;
  p50_finish_s: number;
  p95_finish_s: number;
  finished: number;
  met: Share;
}
export interface Order {
  places: Place[];
  all_met: Share;
}
export interface Schedule {
  prism_study: "schedule";
  engine_version: string;
  seed: string;
  runs: number;
  digest: string;
  scheduled: { name: string; deadline_days: number; steps: number; gpus: number; seed: string }[];
  by_p95: Order;
  by_mean: Order;
}

/** A run as the user lists it. */
export interface Listed {
  id: number;
  name: string;
  /** The scenario's text. */
  text: string;
  steps: number;
  days: number;
}

/** `list` with a scenario as another run, under a name of its own; null if the scenario has no training run. */
export function withRun(
  list: readonly Listed[],
  scenario: { name: string; text: string },
  days: number,
): Listed[] | null {
  const { training_run } = JSON.parse(scenario.text) as { training_run?: unknown };
  if (!isObject(training_run)) return null;
  const taken = new Set(list.map((run) => run.name));
  let name = scenario.name;
  for (let i = 2; taken.has(name); i++) name = `${scenario.name} (${i})`;
  const id = 1 + Math.max(-1, ...list.map((run) => run.id));
  return [...list, { id, name, text: scenario.text, steps: Number(training_run.steps), days }];
}

/** `shortened`: the text with as many trials as one waits for. */
export function scheduleQuestion(list: readonly Listed[], shortened: (text: string) => string) {
  const runs = list.map(({ name, text, steps, days }) => {
    const scenario = JSON.parse(shortened(text)) as { training_run: object };
    return {
      name,
      scenario: { ...scenario, training_run: { ...scenario.training_run, steps } },
      deadline_days: days,
    };
  });
  return { study: "schedule", runs };
}

/** A refusal with the name of the run that it is about. */
export function refusalText({ pointer, message }: Diagnostic, list: readonly Listed[]): string {
  const [, index, place] = /^\/runs\/(\d+)(?:\/scenario)?(.*)$/.exec(pointer) ?? [];
  const run = list[Number(index)];
  return run ? `${run.name}: ${message}${place ? ` [${place}]` : ""}` : message;
}

export interface ShownOrder {
  name: string;
  order: Order;
}

/** The orders that differ: one, or two. */
export function ordersOf({ by_p95, by_mean }: Schedule): ShownOrder[] {
  const same = by_p95.places.every((place, i) => place.run === by_mean.places[i]?.run);
  if (same) return [{ name: "By p95 and by mean", order: by_p95 }];
  return [
    { name: "By p95", order: by_p95 },
    { name: "By mean", order: by_mean },
  ];
}

const percents = ({ probability, interval: [low, high] }: Share) =>
  `${format.percent(probability)} (95 % interval ${format.percent(low)} to ${format.percent(high)})`;

export function scheduleReading(s: Schedule): string {
  const inOrder = (order: Order) => order.places.map((p) => s.scheduled[p.run]!.name).join(", then ");
  const chance = (order: Order) =>
    `${order.places.length === 1 ? "The deadline is met" : "All deadlines are met"} with a chance of ${percents(order.all_met)}`;
  return ordersOf(s)
    .map(({ name, order }) => `${name}: ${inOrder(order)}. ${chance(order)}.`)
    .join(" ");
}

/** Samples that were given up count with the time until then. */
const days = (p: Place, seconds: number) => `${p.finished < 1 ? "> " : ""}${format.number(seconds / day, 2)}`;
const shares = ({ probability, interval: [low, high] }: Share) => [
  format.percent(probability),
  `${format.percent(low)} to ${format.percent(high)}`,
];

/** `orders`: of those that differ, the ones to list. Cells on the page leave the order out. */
export function scheduleTable(s: Schedule, orders = ordersOf(s)): Table {
  const places = orders.flatMap(({ name, order }) =>
    order.places.map((p, i) => {
      const run = s.scheduled[p.run]!;
      return {
        shown: [
          run.name,
          format.significant(run.deadline_days, 4),
          ...shares(p.met),
          format.number(p.p50_start_s / day, 2),
          days(p, p.p50_finish_s),
          days(p, p.p95_finish_s),
        ],
        exact: [
          run.name,
          name,
          i + 1,
          run.steps,
          run.deadline_days * day,
          p.met.probability,
          ...p.met.interval,
          p.p50_start_s,
          p.p95_start_s,
          p.mean_finish_s,
          p.p50_finish_s,
          p.p95_finish_s,
          p.finished,
        ],
      };
    }),
  );
  const all = orders.map(({ name, order }) => ({
    shown: ["All deadlines", "", ...shares(order.all_met), "", "", ""],
    exact: [
      "all deadlines",
      name,
      ...Array<null>(3).fill(null),
      order.all_met.probability,
      ...order.all_met.interval,
      ...Array<null>(6).fill(null),
    ],
  }));
  return {
    headings: [
      "Run",
      "Due, day",
      "Met",
      "95 % interval",
      "Start, half within",
      "Finish, half within",
      "95 % within",
    ],
    keys: [
      "run",
      "order",
      "place",
      "steps",
      "deadline_s",
      "met_probability",
      "met_low",
      "met_high",
      "p50_start_s",
      "p95_start_s",
      "mean_finish_s",
      "p50_finish_s",
      "p95_finish_s",
      "finished",
    ],
    rows: s.scheduled.length > 1 ? [...places, ...all] : places,
  };
}

/** No link carries several scenarios: the question itself is in the JSON file. */
export function scheduleOrigin(s: Schedule, question: object): Origin {
  const { engine_version, seed, digest } = s;
  const sample = `${format.count(s.runs)} runs of each`;
  return {
    title: "",
    members: { study: "schedule", seed, sample, engine_version, digest, question },
    lines: [
      ...s.scheduled.map(
        (run, i) =>
          `Run ${i + 1}: ${run.name}, ${run.steps} steps on ${run.gpus} GPUs, due in ${run.deadline_days} days, seed ${run.seed}`,
      ),
      "Study: schedule",
      `Sample: ${sample}`,
      `Engine: Prism ${engine_version}`,
      `Digest of the study: ${digest}`,
    ],
    caption: `Prism ${engine_version}, seed ${seed}, ${sample}, digest ${digest}`,
    link: "",
  };
}
