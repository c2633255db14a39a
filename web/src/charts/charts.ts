// SPDX-License-Identifier: Apache-2.0
// The pictures: pure functions from a result to SVG by Observable Plot. Loaded after the first sentence stands.
import * as Plot from "@observablehq/plot";
import { percent, unitFor } from "../base/format";
import type { Result, StepTime } from "../base/result";
import { kindText } from "../base/sentences";
import { barWidth } from "../base/tables";
import type { Palette } from "./palette";

export type Drawing = (SVGSVGElement | HTMLElement) & Plot.Plot;
export type Draw = (result: Result, width: number, palette: Palette) => Drawing;
/** `pinned`: another result, drawn dashed on the same axes. */
type DrawBeside = (result: Result, width: number, palette: Palette, pinned?: Result | null) => Drawing;

const label_px = 6.4;

/**
 * Plot's picture without its style element (ours has the rules, and a file needs none) and without the names it gives
 * to groups of marks: who places the picture names it as a whole.
 */
export function plot(options: Plot.PlotOptions): Drawing {
  const drawing = Plot.plot(options) as Drawing;
  for (const style of drawing.querySelectorAll("style")) style.remove();
  for (const group of drawing.querySelectorAll("[aria-label]")) group.removeAttribute("aria-label");
  return drawing;
}

export interface Marker {
  x: number;
  label: string;
  dashed: boolean;
  strong: boolean;
}

function markers(step: StepTime): Marker[] {
  const unit = unitFor(step.p50).seconds;
  const list: Marker[] = [
    { x: step.p50 / unit, label: "p50", dashed: false, strong: false },
    { x: step.p95 / unit, label: "p95", dashed: false, strong: true },
    { x: step.p99 / unit, label: "p99", dashed: false, strong: false },
  ];
  if (step.min !== step.max) {
    list.unshift({ x: step.deterministic / unit, label: "no variability", dashed: true, strong: false });
  }
  return list;
}

/** Range of step times shown, in the unit: everything drawn, and the deterministic time. */
export function extent(step: StepTime, pinned = step): [number, number] {
  const unit = unitFor(step.p50).seconds;
  const low = Math.min(step.min, step.deterministic, pinned.min) / unit;
  const high = Math.max(step.max, step.deterministic, pinned.max) / unit;
  const pad = (high - low) * 0.02 || high * 0.01 || 1;
  return [low - pad, high + pad];
}

/** Rows for the labels above the plot, so that none covers another, and shifts that keep them off the axis. */
function rowsOf(list: Marker[], domain: [number, number], inner: number) {
  const ends: number[] = [];
  return [...list]
    .sort((a, b) => a.x - b.x)
    .map((marker) => {
      const at = ((marker.x - domain[0]) / (domain[1] - domain[0])) * inner;
      const half = (marker.label.length * label_px + 10) / 2;
      const shift = Math.max(0, half - at) - Math.max(0, at + half - inner);
      let row = 0;
      while ((ends[row] ?? Number.NEGATIVE_INFINITY) > at + shift - half) row++;
      ends[row] = at + shift + half;
      return { marker, row, shift };
    });
}

export function frame(width: number, palette: Palette): Plot.PlotOptions {
  return {
    width,
    height: width < 480 ? 240 : 280,
    marginLeft: 48,
    marginRight: 16,
    marginBottom: 40,
    style: {
      background: "transparent",
      color: palette.muted,
      fontFamily: palette.font,
      fontSize: "12px",
      overflow: "visible",
    },
  };
}

function markerMarks(result: Result, width: number, palette: Palette, pinned?: Result | null) {
  const step = result.step_time_s;
  const domain = extent(step, pinned?.step_time_s);
  return { ...markedAt(markers(step), domain, width, palette), domain };
}

/** Upright lines with their labels above the plot, and the room that these take. */
export function markedAt(list: Marker[], domain: [number, number], width: number, palette: Palette) {
  const placed = rowsOf(list, domain, width - 64);
  const rows = 1 + Math.max(...placed.map((p) => p.row));
  const row_px = 16;
  const colour = (m: Marker) => (m.strong ? palette.accent : palette.ink);
  // Labels last: one that stands above another has its line behind that one.
  const lines = placed.map(({ marker, row }) =>
    Plot.ruleX([marker.x], {
      stroke: colour(marker),
      strokeWidth: marker.strong ? 2 : 1.25,
      strokeDasharray: marker.dashed ? "4 3" : "none",
      insetTop: -(row * row_px) - 2,
    }),
  );
  const labels = placed.map(({ marker, row, shift }) =>
    Plot.text([marker], {
      x: "x",
      text: "label",
      frameAnchor: "top",
      dx: shift,
      dy: -(row * row_px) - 5,
      lineAnchor: "bottom",
      fill: colour(marker),
      stroke: palette.paper,
      strokeWidth: 4,
      fontWeight: marker.strong ? 700 : 500,
    }),
  );
  const marks = [...lines, ...labels];
  return { marks, marginTop: rows * row_px + 8 };
}

/** The outermost bins are wide: heights are for each `bar` of width, so that areas compare. */
function binsOf({ step_time_s: { histogram }, trials }: Result, bar: number, unit: number) {
  const { edges, counts } = histogram;
  return counts.map((n, i) => ({
    from: edges[i]! / unit,
    to: edges[i + 1]! / unit,
    share: ((n / trials) * bar) / (edges[i + 1]! - edges[i]!),
  }));
}

/** The upper edge of bars: from the axis up, over all of them, and down again. */
function outline(bins: ReturnType<typeof binsOf>) {
  const points = bins.flatMap(({ from, to, share }) => [
    { x: from, share },
    { x: to, share },
  ]);
  return [{ x: points[0]?.x ?? 0, share: 0 }, ...points, { x: points.at(-1)?.x ?? 0, share: 0 }];
}

const dashed = (palette: Palette) => ({
  stroke: palette.ink,
  strokeWidth: 1.75,
  strokeDasharray: "6 3",
});

export const histogram: DrawBeside = (result, width, palette, pinned) => {
  const step = result.step_time_s;
  const unit = unitFor(step.p50);
  const bar = barWidth(result, pinned);
  const bins = binsOf(result, bar, unit.seconds);
  const { marks, marginTop, domain } = markerMarks(result, width, palette, pinned);
  return plot({
    ...frame(width, palette),
    marginTop,
    x: {
      domain,
      label: `Step time (${unit.name})`,
      labelAnchor: "center",
      labelArrow: "none",
      ticks: width / 90,
    },
    y: { label: null, tickFormat: "~%", ticks: 4, grid: true },
    marks: [
      Plot.rectY(bins, { x1: "from", x2: "to", y: "share", fill: palette.series, inset: 0, insetRight: 0.5 }),
      ...(pinned
        ? [Plot.line(outline(binsOf(pinned, bar, unit.seconds)), { x: "x", y: "share", ...dashed(palette) })]
        : []),
      Plot.ruleY([0], { stroke: palette.muted }),
      ...marks,
    ],
  });
};

export const cumulative: DrawBeside = (result, width, palette, pinned) => {
  const step = result.step_time_s;
  const unit = unitFor(step.p50);
  const pointsOf = ({ step_time_s: { ecdf } }: Result) =>
    ecdf.map(([x, share]) => ({ x: x / unit.seconds, share }));
  const curve = { x: "x", y: "share", curve: "step-after" } as const;
  const named = (["p50", "p95", "p99"] as const).map((name) => {
    const [low, high] = step.intervals[name];
    return {
      x: step[name] / unit.seconds,
      share: { p50: 0.5, p95: 0.95, p99: 0.99 }[name],
      low: (low ?? step.min) / unit.seconds,
      high: (high ?? step.max) / unit.seconds,
    };
  });
  const { marks, marginTop, domain } = markerMarks(result, width, palette, pinned);
  return plot({
    ...frame(width, palette),
    marginTop,
    x: {
      domain,
      label: `Step time (${unit.name})`,
      labelAnchor: "center",
      labelArrow: "none",
      ticks: width / 90,
    },
    y: { domain: [0, 1], label: null, tickFormat: "~%", ticks: 5, grid: true },
    marks: [
      Plot.ruleY([0], { stroke: palette.muted }),
      ...marks,
      ...(pinned ? [Plot.line(pointsOf(pinned), { ...curve, ...dashed(palette) })] : []),
      Plot.line(pointsOf(result), { ...curve, stroke: palette.compute, strokeWidth: 2 }),
      Plot.ruleY(named, {
        y: "share",
        x1: "low",
        x2: "high",
        stroke: palette.accent,
        strokeWidth: 4,
        strokeLinecap: "round",
      }),
      Plot.dot(named, {
        x: "x",
        y: "share",
        r: 3.5,
        fill: palette.paper,
        stroke: palette.accent,
        strokeWidth: 2,
      }),
    ],
  });
};

let patterns = 0;

/**
 * A drawing with a fill of diagonal lines, to lay over another: a second sign beside the hue. Each drawing has its own,
 * since ids are global.
 */
export function hatched(palette: Palette, draw: (fill: string) => Drawing): Drawing {
  const id = `hatch-${++patterns}`;
  const drawing = draw(`url(#${id})`);
  const svg = drawing instanceof SVGSVGElement ? drawing : drawing.querySelector("svg");
  if (!svg) return drawing;
  const ns = "http://www.w3.org/2000/svg";
  const pattern = document.createElementNS(ns, "pattern");
  const attributes = {
    id,
    width: "6",
    height: "6",
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  };
  for (const [name, value] of Object.entries(attributes)) pattern.setAttribute(name, value);
  const line = document.createElementNS(ns, "path");
  line.setAttribute("d", "M1 0v6");
  line.setAttribute("stroke-width", "1.5");
  line.setAttribute("style", `stroke: ${palette.ink}`);
  pattern.append(line);
  const defs = document.createElementNS(ns, "defs");
  defs.append(pattern);
  svg.prepend(defs);
  return drawing;
}

/** Frame of named shares as bars side by side; the axis reaches at least `least`. */
export function sharesFrame(
  rows: { name: string; share: number }[],
  width: number,
  palette: Palette,
  label: string,
  least: number,
) {
  const longest = Math.max(...rows.map((r) => r.name.length), 4);
  return {
    ...frame(width, palette),
    height: rows.length * 28 + 42,
    marginTop: 4,
    marginBottom: 36,
    marginLeft: Math.min(longest * 6.8 + 12, width * 0.42),
    marginRight: 56,
    x: {
      domain: [0, Math.max(...rows.map((r) => r.share), least)],
      label,
      labelAnchor: "center",
      labelArrow: "none",
      tickFormat: "~%",
      ticks: width / 110,
      grid: true,
    },
    y: { domain: rows.map((r) => r.name), label: null, tickSize: 0, padding: 0.3 },
  } as const;
}

export const criticalPath: Draw = (result, width, palette) => {
  const kinds = [...(result.critical_path?.kinds ?? [])].sort((a, b) => b.share - a.share);
  const rows = kinds.map((k) => ({
    name: kindText(k.kind),
    share: k.share,
    communication: k.class === "communication",
  }));
  return hatched(palette, (hatch) =>
    plot({
      ...sharesFrame(rows, width, palette, "Share of the critical path", 0.01),
      marks: [
        Plot.barX(rows, {
          x: "share",
          y: "name",
          fill: (r) => (r.communication ? palette.communication : palette.compute),
        }),
        Plot.barX(
          rows.filter((r) => r.communication),
          { x: "share", y: "name", fill: hatch },
        ),
        Plot.text(rows, {
          x: "share",
          y: "name",
          text: (r) => (r.share < 0.0005 ? "< 0.1 %" : percent(r.share)),
          textAnchor: "start",
          dx: 6,
          fill: palette.ink,
        }),
      ],
    }),
  );
};

const parts = ["compute", "communication", "idle"] as const;

export const ranks: Draw = (result, width, palette) => {
  const unit = unitFor(result.step_time_s.p50);
  const rows = result.ranks.flatMap((r) =>
    parts.map((part) => ({ rank: r.pipeline_rank, part, time: r[`${part}_s`] / unit.seconds })),
  );
  const count = result.ranks.length;
  const every = Math.max(1, Math.ceil((count * 26) / Math.max(1, width - 64)));
  const stack = { x: "rank", y: "time", order: [...parts] };
  return hatched(palette, (hatch) =>
    plot({
      ...frame(width, palette),
      height: 230,
      marginTop: 10,
      x: {
        type: "band",
        label: "Pipeline rank",
        labelAnchor: "center",
        labelArrow: "none",
        padding: count > 40 ? 0.08 : 0.2,
        ticks: result.ranks.map((r) => r.pipeline_rank).filter((r) => r % every === 0),
        tickSize: 0,
      },
      y: { label: null, tickFormat: (v: number) => `${v} ${unit.name}`, ticks: 4, grid: true },
      marks: [
        Plot.barY(
          rows,
          Plot.stackY({ ...stack, fill: (r: { part: (typeof parts)[number] }) => palette[r.part] }),
        ),
        Plot.barY(
          rows,
          Plot.stackY({
            ...stack,
            fill: (r: { part: string }) => (r.part === "communication" ? hatch : "none"),
          }),
        ),
        Plot.ruleY([0], { stroke: palette.muted }),
      ],
    }),
  );
};
