// SPDX-License-Identifier: Apache-2.0
// The document of a timeline (docs/studies.md): its rows, what lies where on them, and the way from one piece to another.
export interface RankSeconds {
  compute_s: number;
  communication_s: number;
  waiting_s: number;
  after_its_chunks_s: number;
  with_other_replicas_s: number;
}
/** The lists have an entry for each chunk. */
export interface TimelineStep {
  mass: number;
  trial: number;
  step_s: number;
  replica: number;
  decided_by_rank: number;
  ranks: RankSeconds[];
  start_ns: number[];
  end_ns: number[];
  wait_ns: number[];
  communication_ns: number[];
  transfer_ns: number[];
  critical: number[];
}
export interface Timeline {
  prism_study: "timeline";
  engine_version: string;
  title: string;
  seed: string;
  trials: number;
  ranks: number;
  replicas: number;
  schedule: string;
  passes: string[];
  chunks: { rank: number[]; stage: number[]; pass: number[]; micro_batch: number[]; waits_for: number[] };
  steps: TimelineStep[];
  digest: string;
}

/** One step of a timeline, and the chunks of each rank in the order in which they ran. */
export interface Rows {
  timeline: Timeline;
  step: TimelineStep;
  order: number[][];
}

export function rowsOf(timeline: Timeline, step: TimelineStep): Rows {
  const order: number[][] = Array.from({ length: timeline.ranks }, () => []);
  timeline.chunks.rank.forEach((rank, chunk) => {
    order[rank]!.push(chunk);
  });
  return { timeline, step, order };
}

/** What a rank does for a while. `chunk`: the one run or waited before; -1 after the last. */
export interface Piece {
  kind: "wait" | "chunk" | "after" | "others";
  rank: number;
  chunk: number;
}
export interface Span {
  from: number;
  to: number;
}

const ns = 1e9;
export const stepNs = (step: TimelineStep) => step.step_s * ns;
/** Shorter than the record can tell from nothing. */
const nothing_s = 0.5e-9;

export function piecesOf({ step, order }: Rows, rank: number): Piece[] {
  const pieces: Piece[] = [];
  for (const chunk of order[rank] ?? []) {
    if (step.wait_ns[chunk]! > 0) pieces.push({ kind: "wait", rank, chunk });
    pieces.push({ kind: "chunk", rank, chunk });
  }
  const { after_its_chunks_s, with_other_replicas_s } = step.ranks[rank]!;
  if (after_its_chunks_s > nothing_s) pieces.push({ kind: "after", rank, chunk: -1 });
  if (with_other_replicas_s > nothing_s) pieces.push({ kind: "others", rank, chunk: -1 });
  return pieces;
}

/** When the rank's last chunk ended. */
export const lastEnd = ({ step, order }: Rows, rank: number) => step.end_ns[order[rank]!.at(-1)!] ?? 0;

/** In nanoseconds of the step. */
export function spanOf(rows: Rows, { kind, rank, chunk }: Piece): Span {
  const { step } = rows;
  const own = lastEnd(rows, rank) + step.ranks[rank]!.after_its_chunks_s * ns;
  switch (kind) {
    case "wait":
      return { from: step.start_ns[chunk]! - step.wait_ns[chunk]!, to: step.start_ns[chunk]! };
    case "chunk":
      return { from: step.start_ns[chunk]!, to: step.end_ns[chunk]! };
    case "after":
      return { from: lastEnd(rows, rank), to: own };
    case "others":
      return { from: own, to: stepNs(step) };
  }
}

export const same = (a: Piece, b: Piece) => a.kind === b.kind && a.rank === b.rank && a.chunk === b.chunk;

/** What the rank does at a time; times off the step are those of its ends. */
export function pieceAt(rows: Rows, rank: number, time: number): Piece | null {
  const pieces = piecesOf(rows, rank);
  return pieces.find((piece) => spanOf(rows, piece).to > time) ?? pieces.at(-1) ?? null;
}

/** In another step the rank may not have waited before that chunk. */
export function inStep(rows: Rows, piece: Piece): Piece {
  return piece.kind === "wait" && !(rows.step.wait_ns[piece.chunk]! > 0)
    ? { ...piece, kind: "chunk" }
    : piece;
}

/** Waits, longest first. */
export function longestWaits({ step, timeline }: Rows, most: number): Piece[] {
  return step.wait_ns
    .map((wait, chunk) => ({ wait, chunk }))
    .filter(({ wait }) => wait > 0)
    .sort((a, b) => b.wait - a.wait || a.chunk - b.chunk)
    .slice(0, most)
    .map(({ chunk }) => ({ kind: "wait", rank: timeline.chunks.rank[chunk]!, chunk }));
}

export type Move =
  | "previous"
  | "next"
  | "above"
  | "below"
  | "previous-wait"
  | "next-wait"
  | "first"
  | "last"
  | "follow";

/** Where a move leads from a piece, or from nowhere; the piece itself where there is nothing further. */
export function moved(rows: Rows, from: Piece | null, move: Move): Piece | null {
  if (!from) {
    const first = piecesOf(rows, 0)[0];
    return first && (move === "next-wait" || move === "last") ? moved(rows, first, move) : (first ?? null);
  }
  const pieces = piecesOf(rows, from.rank);
  const at = pieces.findIndex((piece) => same(piece, from));
  const waits = (piece: Piece) => piece.kind === "wait";
  const middle = () => {
    const { from: start, to } = spanOf(rows, from);
    return (start + to) / 2;
  };
  const there: Record<Move, () => Piece | null | undefined> = {
    previous: () => pieces[at - 1],
    next: () => pieces[at + 1],
    above: () => (from.rank > 0 ? pieceAt(rows, from.rank - 1, middle()) : null),
    below: () => (from.rank + 1 < rows.order.length ? pieceAt(rows, from.rank + 1, middle()) : null),
    "previous-wait": () => pieces.slice(0, at).findLast(waits),
    "next-wait": () => pieces.slice(at + 1).find(waits),
    first: () => pieces[0],
    last: () => pieces.at(-1),
    follow: () => cause(rows, from),
  };
  return there[move]() ?? from;
}

/**
 * What a piece began after: a wait and what follows it, the chunk waited for; anything else, what the rank did before.
 * Followed again and again it leads to the beginning of the step.
 */
export function cause(rows: Rows, piece: Piece): Piece | null {
  const { chunks } = rows.timeline;
  if (piece.chunk >= 0 && rows.step.wait_ns[piece.chunk]! > 0) {
    const source = chunks.waits_for[piece.chunk]!;
    return source < 0 ? null : { kind: "chunk", rank: chunks.rank[source]!, chunk: source };
  }
  const pieces = piecesOf(rows, piece.rank);
  return pieces[pieces.findIndex((p) => same(p, piece)) - 1] ?? null;
}

/** A window on the time axis, as much of the step as is shown. */
export const whole = (timeline: Timeline): Span => ({ from: 0, to: Math.max(...timeline.steps.map(stepNs)) });

const least_ns = 1000;

function within(window: Span, limit: Span): Span {
  const width = Math.min(window.to - window.from, limit.to - limit.from);
  const from = Math.max(limit.from, Math.min(window.from, limit.to - width));
  return { from, to: from + width };
}

/** `factor` below 1 shows less; the time `at` stays where it is. */
export function zoomed(window: Span, factor: number, at: number, limit: Span): Span {
  const width = window.to - window.from;
  const wanted = Math.max(least_ns, Math.min(width * factor, limit.to - limit.from));
  const from = at - ((at - window.from) / width) * wanted;
  return within({ from, to: from + wanted }, limit);
}

export const panned = ({ from, to }: Span, by: number, limit: Span) =>
  within({ from: from + by, to: to + by }, limit);

/** The window itself where it shows the middle of the span, else one of the same width around it. */
export function showing(window: Span, { from, to }: Span, limit: Span): Span {
  const middle = (from + to) / 2;
  return middle >= window.from && middle <= window.to
    ? window
    : panned(window, middle - (window.from + window.to) / 2, limit);
}
