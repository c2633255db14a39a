// SPDX-License-Identifier: Apache-2.0
// A timeline painted on any surface: the page's canvas and a file's SVG show the same. What follows it here is only where
// each piece lies; a surface knows colours and hatching.
import { type Unit, unitFor } from "../base/format";
import { lastEnd, type Rows, type Span, stepNs } from "../base/timeline";

/** What is painted with one colour and one hatching. */
export type Ink =
  | "idle"
  | "forward"
  | "backward"
  | "weight"
  | "collectives"
  | "after"
  | "others"
  | "path"
  /** Between the path's strip and the chunk below it. */
  | "gap"
  | "axis";
export interface Surface {
  rect(ink: Ink, x: number, y: number, width: number, height: number): void;
  line(ink: Ink, points: [x: number, y: number][]): void;
  text(ink: Ink, content: string, x: number, y: number, align: "start" | "center" | "end"): void;
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Of a rank, gap included. */
  row: number;
}

const axis_px = 40;
export function frameFor(width: number, ranks: number): Frame {
  const row = Math.max(10, Math.min(44, Math.floor(480 / ranks)));
  const top = 4;
  return { width, height: top + row * ranks + axis_px, left: 30, right: 8, top, bottom: axis_px, row };
}

export const inner = (frame: Frame) => frame.width - frame.left - frame.right;
export const xOf = (frame: Frame, window: Span, time: number) =>
  frame.left + ((time - window.from) / (window.to - window.from)) * inner(frame);
export const timeAt = (frame: Frame, window: Span, x: number) =>
  window.from + ((x - frame.left) / inner(frame)) * (window.to - window.from);
/** May be a row that is none. */
export const rankAt = (frame: Frame, y: number) => Math.floor((y - frame.top) / frame.row);
export const middleOf = (frame: Frame, rank: number) => frame.top + (rank + 0.5) * frame.row;
/** Top and height of a rank's bar. */
export function barOf(frame: Frame, rank: number): [top: number, height: number] {
  const gap = frame.row > 14 ? 4 : 2;
  return [frame.top + rank * frame.row + gap / 2, frame.row - gap];
}

/** Of the height of a rank's bar. */
type Part = "all" | "head" | "below head" | "foot";

export function paintTimeline(surface: Surface, rows: Rows, window: Span, frame: Frame) {
  const { timeline, step, order } = rows;
  const x = (time: number) =>
    Math.max(frame.left, Math.min(frame.width - frame.right, xOf(frame, window, time)));
  const strip = Math.min(6, 0.22 * barOf(frame, 0)[1]);
  const bar = (ink: Ink, rank: number, { from, to }: Span, part: Part = "all") => {
    if (to <= from || to <= window.from || from >= window.to) return;
    const [top, height] = barOf(frame, rank);
    const tall = { all: height, head: strip, "below head": 1.5, foot: strip }[part];
    const down = { all: 0, head: 0, "below head": strip, foot: height - strip }[part];
    const left = x(from);
    surface.rect(ink, left, top + down, Math.max(x(to) - left, 0.4), tall);
  };
  const shown = order.map((chunks) => visible(chunks, step, window));
  const pixel = (window.to - window.from) / inner(frame);
  const wide = (chunk: number) => step.end_ns[chunk]! - step.start_ns[chunk]! >= pixel;
  /** A bar for each chunk with an ink; neighbours narrower than a pixel share one. */
  const bars = (inkOf: (chunk: number) => Ink | null, part?: Part) =>
    shown.forEach((chunks, rank) => {
      let run: { ink: Ink; span: Span } | null = null;
      for (const chunk of chunks) {
        const ink = inkOf(chunk);
        const [from, to] = [step.start_ns[chunk]!, step.end_ns[chunk]!];
        if (run && run.ink === ink && !wide(chunk) && from - run.span.to < pixel / 2) {
          run.span.to = to;
          continue;
        }
        if (run) bar(run.ink, rank, run.span, part);
        run = ink && { ink, span: { from, to } };
      }
      if (run) bar(run.ink, rank, run.span, part);
    });

  axis(surface, timeline.ranks, unitFor(step.step_s), window, frame);
  shown.forEach((_, rank) => {
    const ended = lastEnd(rows, rank);
    const own = ended + step.ranks[rank]!.after_its_chunks_s * 1e9;
    bar("idle", rank, { from: 0, to: ended });
    bar("after", rank, { from: ended, to: own });
    bar("others", rank, { from: own, to: stepNs(step) });
  });
  const inks = timeline.passes as Ink[];
  bars((chunk) => inks[timeline.chunks.pass[chunk]!] ?? "forward");
  shown.forEach((chunks, rank) => {
    for (const chunk of chunks.filter(wide)) {
      const to = step.end_ns[chunk]!;
      bar("collectives", rank, { from: to - step.communication_ns[chunk]!, to }, "foot");
    }
  });
  bars((chunk) => (step.critical[chunk] ? "gap" : null), "below head");
  bars((chunk) => (step.critical[chunk] ? "path" : null), "head");
  links(surface, rows, window, frame);
  names(surface, rows, shown, window, frame);
}

/** Chunks of one rank that meet the window: those of a rank follow one another. */
function visible(chunks: number[], step: Rows["step"], { from, to }: Span): number[] {
  const after = (time: number, ends: number[]) => {
    let [low, high] = [0, chunks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[chunks[middle]!]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return chunks.slice(after(from, step.end_ns), after(to, step.start_ns));
}

/** Where the deciding path goes from rank to rank. */
function links(surface: Surface, { timeline, step }: Rows, window: Span, frame: Frame) {
  const { rank, waits_for } = timeline.chunks;
  step.critical.forEach((critical, chunk) => {
    const source = waits_for[chunk]!;
    if (!critical || source < 0 || !step.critical[source] || !(step.wait_ns[chunk]! > 0)) return;
    const [from, to] = [step.end_ns[source]!, step.start_ns[chunk]!];
    if (from < window.from || to > window.to) return;
    surface.line("path", [
      [xOf(frame, window, from), middleOf(frame, rank[source]!)],
      [xOf(frame, window, to), middleOf(frame, rank[chunk]!)],
    ]);
  });
}

/** The micro-batch in each chunk that has room for it. */
function names(surface: Surface, { timeline, step }: Rows, shown: number[][], window: Span, frame: Frame) {
  if (frame.row < 18) return;
  shown.forEach((chunks, rank) => {
    for (const chunk of chunks) {
      const [from, to] = [step.start_ns[chunk]!, step.end_ns[chunk]!];
      const name = String(timeline.chunks.micro_batch[chunk]!);
      const width = ((to - from) / (window.to - window.from)) * inner(frame);
      if (from < window.from || to > window.to || width < 8 * name.length + 6) continue;
      const ink = timeline.passes[timeline.chunks.pass[chunk]!] as Ink;
      surface.text(ink, name, xOf(frame, window, (from + to) / 2), middleOf(frame, rank), "center");
    }
  });
}

/** What each ink stands for, as far as it occurs. */
export function legendOf({ timeline }: Rows): [ink: Ink, label: string][] {
  const passes = timeline.passes.filter((_, pass) => timeline.chunks.pass.includes(pass)) as Ink[];
  return [
    ...passes.map((pass): [Ink, string] => [pass, pass]),
    ["collectives", "collectives, their share of a chunk"],
    ["path", "on the path that decided the step"],
    ["idle", "waiting"],
    ["others", "with other replicas"],
  ];
}

/** Distances of 1, 2 or 5 times a power of ten, at most `most` of them. */
export function ticksOf({ from, to }: Span, most: number): { at: number; decimals: number }[] {
  const least = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const distance = [1, 2, 5, 10].map((n) => n * power).find((d) => d >= least) ?? 10 * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(distance) + 1e-9));
  const first = Math.ceil(from / distance - 1e-9);
  const last = Math.floor(to / distance + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => ({
    at: (first + i) * distance,
    decimals,
  }));
}

function axis(surface: Surface, ranks: number, unit: Unit, window: Span, frame: Frame) {
  const every = Math.ceil(13 / frame.row);
  for (let rank = 0; rank < ranks; rank += every)
    surface.text("axis", String(rank), frame.left - 6, middleOf(frame, rank), "end");
  const scale = unit.seconds * 1e9;
  const bottom = frame.height - frame.bottom + 2;
  const ticks = ticksOf(
    { from: window.from / scale, to: window.to / scale },
    Math.max(2, Math.floor(inner(frame) / 90)),
  );
  for (const { at, decimals } of ticks) {
    const x = xOf(frame, window, at * scale);
    surface.line("axis", [
      [x, bottom],
      [x, bottom + 5],
    ]);
    surface.text("axis", at.toFixed(decimals), x, bottom + 13, x > frame.width - 24 ? "end" : "center");
  }
  surface.text(
    "axis",
    `Time in the step (${unit.name})`,
    frame.left + inner(frame) / 2,
    bottom + 30,
    "center",
  );
}
