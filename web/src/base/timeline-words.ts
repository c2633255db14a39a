// SPDX-License-Identifier: Apache-2.0
// A timeline in words and tables. All numbers are the document's; here they get their unit.
import * as format from "./format";
import type { Table } from "./tables";
import {
  cause,
  longestWaits,
  type Piece,
  type Rows,
  spanOf,
  stepNs,
  type Timeline,
  type TimelineStep,
} from "./timeline";

const ns = 1e-9;

/** A moment of the step: all of one step with the same unit and decimals, six digits for the last. */
function moment(step: TimelineStep, time_ns: number): string {
  const unit = format.unitFor(step.step_s);
  const decimals = Math.max(0, 5 - Math.floor(Math.log10(step.step_s / unit.seconds)));
  return `${format.number((time_ns * ns) / unit.seconds, decimals)}\u00a0${unit.name}`;
}

const lasting = (time_ns: number) => format.duration(time_ns * ns);

/** "the step at p95", "the median step". */
export const stepName = ({ mass }: TimelineStep) =>
  mass === 0.5 ? "the median step" : `the step at p${Number((100 * mass).toPrecision(4))}`;

/** "forward of micro-batch 4 (stage 19)". */
export function chunkName({ passes, chunks }: Timeline, chunk: number): string {
  const pass = passes[chunks.pass[chunk]!] ?? "pass";
  return `${pass} of micro-batch ${chunks.micro_batch[chunk]} (stage ${chunks.stage[chunk]})`;
}

export function timelineReading(timeline: Timeline, step: TimelineStep): string {
  const waiting = step.ranks.map((rank) => rank.waiting_s / step.step_s);
  const [least, most] = [Math.min(...waiting), Math.max(...waiting)];
  const on_path = step.critical.reduce((sum, critical) => sum + critical, 0);
  const name = stepName(step);
  const who =
    timeline.replicas > 1
      ? `replica ${format.count(step.replica)} of ${format.count(timeline.replicas)} decided it, on pipeline rank ${step.decided_by_rank}`
      : `pipeline rank ${step.decided_by_rank} decided it`;
  const waits =
    timeline.ranks > 1
      ? ` Its ranks stood waiting within the pipeline for ${format.percent(least)} to ${format.percent(most)} of the step.`
      : "";
  return `${name[0]!.toUpperCase()}${name.slice(1)} took ${moment(step, stepNs(step))}: ${who}. The path that decided it runs over ${format.count(on_path)} of ${format.count(step.critical.length)} chunks.${waits}`;
}

/** A piece of a rank's time, and why it began when it did. */
export function explanation(rows: Rows, piece: Piece): string {
  const { timeline, step } = rows;
  const { kind, rank, chunk } = piece;
  const { from, to } = spanOf(rows, piece);
  switch (kind) {
    case "wait":
      return `Rank ${rank} waits ${lasting(step.wait_ns[chunk]!)} before the ${chunkName(timeline, chunk)}${waitedFor(rows, chunk)}. ${waitOnPath(rows, chunk)}`;
    case "chunk":
      return `Rank ${rank}, ${chunkName(timeline, chunk)}: from ${moment(step, from)} to ${moment(step, to)}, ${lasting(to - from)}, of which ${lasting(step.communication_ns[chunk]!)} in collectives. ${chunkBegan(rows, piece)} ${chunkOnPath(step, chunk)}`;
    case "after":
      return `After its last chunk, at ${moment(step, from)}, rank ${rank} works ${lasting(to - from)} more by itself.`;
    case "others":
      return `From ${moment(step, from)} to the end of the step rank ${rank} is with the other replicas for ${lasting(to - from)}: the reduction, and waiting for the latest replica.${
        rank === step.decided_by_rank ? " This rank decided the step." : ""
      }`;
  }
}

function waitedFor({ timeline, step }: Rows, chunk: number): string {
  const source = timeline.chunks.waits_for[chunk]!;
  if (source < 0) return "";
  return ` for rank ${timeline.chunks.rank[source]}, whose ${chunkName(timeline, source)} ended at ${moment(step, step.end_ns[source]!)} and took ${lasting(step.transfer_ns[source]!)} to send`;
}

function waitOnPath({ timeline, step }: Rows, chunk: number): string {
  if (!step.critical[chunk]) return off_path;
  return step.critical[timeline.chunks.waits_for[chunk]!]
    ? "On the path that decided the step: it comes to this rank by that transfer."
    : "The chunk after it is on the path that decided the step.";
}

const off_path = "Not on the path that decided the step.";
const chunkOnPath = (step: TimelineStep, chunk: number) =>
  step.critical[chunk] ? "On the path that decided the step." : off_path;

function chunkBegan(rows: Rows, piece: Piece): string {
  const { timeline, step } = rows;
  const waited = step.wait_ns[piece.chunk]!;
  if (waited > 0) return `Before it the rank waited ${lasting(waited)}${waitedFor(rows, piece.chunk)}.`;
  const before = cause(rows, piece);
  return before
    ? `It began as soon as the rank had ended the ${chunkName(timeline, before.chunk)}.`
    : "It began with the step.";
}

/** What following leads to, for the button; null where there is nothing before. */
export function followText(rows: Rows, piece: Piece): string | null {
  const to = cause(rows, piece);
  if (!to) return null;
  return to.rank === piece.rank
    ? "Go to what the rank did before"
    : `Go to what it waited for, on rank ${to.rank}`;
}

const share = (part: number, step: TimelineStep) => format.percent(part / step.step_s);

/** Where each rank's step went; the five add up to it. */
export function spentTable(step: TimelineStep): Table {
  const unit = format.unitFor(step.step_s);
  // What a rank does by itself at its end may be a thousandth of the rest: it has a unit of its own.
  const own = format.unitFor(Math.max(...step.ranks.map((spent) => spent.after_its_chunks_s)));
  const parts = [
    "compute_s",
    "communication_s",
    "waiting_s",
    "after_its_chunks_s",
    "with_other_replicas_s",
  ] as const;
  return {
    headings: [
      "Pipeline rank",
      `Compute (${unit.name})`,
      `Collectives (${unit.name})`,
      `Waiting (${unit.name})`,
      `After its chunks (${own.name})`,
      `With other replicas (${unit.name})`,
      "Waiting / step",
    ],
    keys: ["pipeline_rank", ...parts, "waiting_over_step"],
    rows: step.ranks.map((spent, rank) => ({
      shown: [
        String(rank),
        ...parts.map((part) =>
          part === "after_its_chunks_s"
            ? format.durationNumber(spent[part], null, own)
            : format.number(spent[part] / unit.seconds, 4),
        ),
        share(spent.waiting_s, step),
      ],
      exact: [rank, ...parts.map((part) => spent[part]), spent.waiting_s / step.step_s],
    })),
  };
}

export const waits_listed = 10;

export function waitsTable(rows: Rows): Table {
  const { timeline, step } = rows;
  const { chunks } = timeline;
  const waits = longestWaits(rows, waits_listed);
  const unit = format.unitFor((step.wait_ns[waits[0]?.chunk ?? 0] ?? 0) * ns);
  return {
    headings: [
      "Rank",
      `Waits (${unit.name})`,
      "Before the",
      "For rank",
      "Whose",
      "Ended at",
      "To send",
      "On the deciding path",
    ],
    keys: ["rank", "wait_s", "chunk", "for_rank", "for_chunk", "ended_s", "transfer_s", "critical"],
    rows: waits.map(({ rank, chunk }) => {
      const source = chunks.waits_for[chunk]!;
      const wait = step.wait_ns[chunk]!;
      const known = source >= 0;
      return {
        shown: [
          String(rank),
          format.durationNumber(wait * ns, null, unit),
          chunkName(timeline, chunk),
          known ? String(chunks.rank[source]) : "–",
          known ? chunkName(timeline, source) : "–",
          known ? moment(step, step.end_ns[source]!) : "–",
          known ? lasting(step.transfer_ns[source]!) : "–",
          step.critical[chunk] ? "yes" : "no",
        ],
        exact: [
          rank,
          wait * ns,
          chunkName(timeline, chunk),
          known ? chunks.rank[source]! : null,
          known ? chunkName(timeline, source) : null,
          known ? step.end_ns[source]! * ns : null,
          known ? step.transfer_ns[source]! * ns : null,
          step.critical[chunk]!,
        ],
      };
    }),
  };
}

/** One line a chunk and step, with the columns of `prism study timeline --csv`. For files only: nothing is shown. */
export function chunksTable(timeline: Timeline): Table {
  const { chunks, passes, steps } = timeline;
  const keys = [
    "quantile",
    "trial",
    "rank",
    "stage",
    "pass",
    "micro_batch",
    "start_s",
    "end_s",
    "wait_s",
    "communication_s",
    "transfer_s",
    "critical",
    "waits_for_row",
  ];
  const seconds = (time_ns: number) => (time_ns * ns).toFixed(9);
  return {
    headings: keys,
    keys,
    rows: steps.flatMap((step) =>
      chunks.rank.map((rank, i) => ({
        shown: [],
        exact: [
          step.mass,
          step.trial,
          rank,
          chunks.stage[i]!,
          passes[chunks.pass[i]!]!,
          chunks.micro_batch[i]!,
          ...[step.start_ns, step.end_ns, step.wait_ns, step.communication_ns, step.transfer_ns].map((list) =>
            Number(seconds(list[i]!)),
          ),
          step.critical[i]!,
          chunks.waits_for[i]!,
        ],
      })),
    ),
  };
}
