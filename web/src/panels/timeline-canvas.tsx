// SPDX-License-Identifier: Apache-2.0
// The timeline as one looks at it and moves in it: by pointer, by fingers and by keys.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type Move,
  moved,
  type Piece,
  panned,
  pieceAt,
  type Rows,
  type Span,
  showing,
  spanOf,
  zoomed,
} from "../base/timeline";
import * as palettes from "../charts/palette";
import {
  barOf,
  type Frame,
  frameFor,
  inner,
  middleOf,
  paintTimeline,
  rankAt,
  timeAt,
  xOf,
} from "../charts/timeline";
import { canvasSurface } from "../charts/timeline-surfaces";
import { useWidth } from "../ui/use-width";

export const zoom_step = 1.6;

const moves: Record<string, Move> = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  ArrowUp: "above",
  ArrowDown: "below",
  PageUp: "previous-wait",
  PageDown: "next-wait",
  Home: "first",
  End: "last",
  Enter: "follow",
};

interface TimelineCanvasProps {
  name: string;
  /** Id of the element that explains the chosen piece. */
  describedBy: string;
  rows: Rows;
  window: Span;
  limit: Span;
  chosen: Piece | null;
  onWindow: (change: (window: Span) => Span) => void;
  onChoose: (piece: Piece | null) => void;
}

export function TimelineCanvas(props: TimelineCanvasProps) {
  const { name, describedBy, rows, window: shown, limit, chosen, onWindow, onChoose } = props;
  const place = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const width = useWidth(place);
  const palette = usePalette(place);
  const frame = frameFor(width, rows.order.length);

  useLayoutEffect(() => {
    if (!palette || width < 120) return;
    const next = requestAnimationFrame(() => {
      const context = cleared(base.current!, frame);
      paintTimeline(canvasSurface(context, palette, devicePixelRatio), rows, shown, frame);
    });
    return () => cancelAnimationFrame(next);
  }, [rows, shown, palette, width]);

  // On a canvas of its own: a walk by keys draws no chunk again.
  useLayoutEffect(() => {
    if (!palette || width < 120) return;
    const next = requestAnimationFrame(() => {
      const context = cleared(marks.current!, frame);
      if (chosen) markChosen(context, palette, rows, shown, chosen, frame);
    });
    return () => cancelAnimationFrame(next);
  }, [rows, shown, chosen, palette, width]);

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = chosen ? middleTime(rows, chosen) : (shown.from + shown.to) / 2;
    const pan = (shown.to - shown.from) / 4;
    const change: Record<string, () => Span> = {
      "+": () => zoomed(showing(shown, { from: middle, to: middle }, limit), 1 / zoom_step, middle, limit),
      "-": () => zoomed(showing(shown, { from: middle, to: middle }, limit), zoom_step, middle, limit),
      "0": () => limit,
    };
    if (event.shiftKey && event.key === "ArrowLeft") onWindow((w) => panned(w, -pan, limit));
    else if (event.shiftKey && event.key === "ArrowRight") onWindow((w) => panned(w, pan, limit));
    else if (change[event.key === "=" ? "+" : event.key])
      onWindow(change[event.key === "=" ? "+" : event.key]!);
    else if (moves[event.key]) onChoose(moved(rows, chosen, moves[event.key]!));
    else return;
    event.preventDefault();
  };

  const pointers = usePointers({ frame, shown, limit, onWindow }, (x, y) => {
    const rank = rankAt(frame, y);
    if (rank >= 0 && rank < rows.order.length) onChoose(pieceAt(rows, rank, timeAt(frame, shown, x)));
  });

  return (
    <div class="chart timeline" ref={place} style={{ height: `${frame.height}px` }}>
      <canvas ref={base} />
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is moved in by keys of its own, as this role says. */}
      <canvas
        ref={marks}
        role="application"
        aria-label={name}
        aria-describedby={describedBy}
        tabIndex={0}
        onKeyDown={press}
        {...pointers}
      />
    </div>
  );
}

const middleTime = (rows: Rows, piece: Piece) => {
  const { from, to } = spanOf(rows, piece);
  return (from + to) / 2;
};

function cleared(canvas: HTMLCanvasElement, { width, height }: Frame): CanvasRenderingContext2D {
  const [across, down] = [width, height].map((px) => Math.round(px * devicePixelRatio));
  if (canvas.width !== across) canvas.width = across!;
  if (canvas.height !== down) canvas.height = down!;
  const context = canvas.getContext("2d")!;
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

const least_mark_px = 8;

/** A box around the chosen piece, however short, and a dashed line from the chunk it waits for. */
function markChosen(
  context: CanvasRenderingContext2D,
  palette: palettes.Palette,
  rows: Rows,
  shown: Span,
  chosen: Piece,
  frame: Frame,
) {
  const { from, to } = spanOf(rows, chosen);
  const [left, right] = [xOf(frame, shown, from), xOf(frame, shown, to)];
  const [top, height] = barOf(frame, chosen.rank);
  const width = Math.max(right - left, least_mark_px);
  context.save();
  context.beginPath();
  context.rect(frame.left - 5, 0, inner(frame) + 10, frame.height);
  context.clip();
  const outline = (colour: string, wide: number) => {
    context.strokeStyle = colour;
    context.lineWidth = wide;
    context.strokeRect((left + right - width) / 2, top - 1, width, height + 2);
  };
  outline(palette.paper, 5);
  outline(palette.ink, 2.5);
  const source = chosen.kind === "wait" ? rows.timeline.chunks.waits_for[chosen.chunk]! : -1;
  if (source >= 0) {
    context.setLineDash([5, 3]);
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(
      xOf(frame, shown, rows.step.end_ns[source]!),
      middleOf(frame, rows.timeline.chunks.rank[source]!),
    );
    context.lineTo(right, middleOf(frame, chosen.rank));
    context.stroke();
  }
  context.restore();
}

/** The page's colours as a canvas needs them, read anew when the theme changes. */
function usePalette(place: { current: HTMLElement | null }): palettes.Palette | null {
  const [palette, setPalette] = useState<palettes.Palette | null>(null);
  useEffect(() => {
    const read = () => place.current && setPalette(resolved(place.current));
    const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((q) => matchMedia(q));
    const theme = new MutationObserver(read);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    for (const query of queries) query.addEventListener("change", read);
    read();
    return () => {
      theme.disconnect();
      for (const query of queries) query.removeEventListener("change", read);
    };
  }, []);
  return palette;
}

function resolved(place: HTMLElement): palettes.Palette {
  const probe = place.appendChild(document.createElement("span"));
  const style = getComputedStyle(probe);
  const palette = { ...palettes.page };
  for (const key of Object.keys(palette) as (keyof palettes.Palette)[]) {
    probe.style.color = palettes.page[key];
    palette[key] = key === "font" ? style.fontFamily : style.color;
  }
  probe.remove();
  return palette;
}

interface Moving {
  frame: Frame;
  shown: Span;
  limit: Span;
  onWindow: TimelineCanvasProps["onWindow"];
}

const still_px = 5;

/** One pointer pans or chooses, two zoom; so does the wheel with Ctrl, or once the canvas has been chosen. */
function usePointers({ frame, shown, limit, onWindow }: Moving, choose: (x: number, y: number) => void) {
  const down = useRef(new Map<number, number>());
  const gone = useRef(0);
  const nsPerPx = (shown.to - shown.from) / inner(frame);
  const xIn = (event: MouseEvent) =>
    event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
  return {
    onPointerDown(event: PointerEvent) {
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      if (down.current.size === 0) gone.current = 0;
      down.current.set(event.pointerId, xIn(event));
    },
    onPointerMove(event: PointerEvent) {
      const held = down.current;
      const before = held.get(event.pointerId);
      if (before === undefined) return;
      const x = xIn(event);
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
      gone.current += Math.abs(x - before);
      held.set(event.pointerId, x);
      if (other !== undefined) {
        gone.current = Number.POSITIVE_INFINITY;
        const factor = Math.max(20, Math.abs(before - other)) / Math.max(20, Math.abs(x - other));
        onWindow((w) => zoomed(w, factor, timeAt(frame, w, (x + other) / 2), limit));
      } else if (gone.current > still_px) onWindow((w) => panned(w, (before - x) * nsPerPx, limit));
    },
    onPointerUp(event: PointerEvent) {
      if (!down.current.delete(event.pointerId) || gone.current > still_px || down.current.size > 0) return;
      const box = (event.currentTarget as Element).getBoundingClientRect();
      choose(event.clientX - box.left, event.clientY - box.top);
    },
    onPointerCancel(event: PointerEvent) {
      down.current.delete(event.pointerId);
    },
    onWheel(event: WheelEvent) {
      const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
      if (sideways) {
        event.preventDefault();
        return onWindow((w) => panned(w, sideways * nsPerPx, limit));
      }
      const chosen = document.activeElement === event.currentTarget;
      const nothing_more = event.deltaY > 0 && shown.to - shown.from >= limit.to - limit.from;
      // Else the page scrolls, as one expects of a wheel.
      if (!event.ctrlKey && !event.metaKey && (!chosen || nothing_more)) return;
      event.preventDefault();
      const factor = Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * 0.003)));
      const x = xIn(event);
      onWindow((w) => zoomed(w, factor, timeAt(frame, w, x), limit));
    },
  };
}
