// SPDX-License-Identifier: Apache-2.0
// Pictures of planning questions: wall-clock time by checkpoint interval; chance of finishing in time by size.
import * as Plot from "@observablehq/plot";
import type { Planning } from "../base/planning";
import { day } from "../base/training";
import { type Drawing, frame, plot } from "./charts";
import type { Palette } from "./palette";

const centered = { labelAnchor: "center", labelArrow: "none" } as const;

export function drawPlanning(p: Planning, width: number, palette: Palette): Drawing {
  return p.curve ? checkpointCurve(p.curve, width, palette) : chances(p, width, palette);
}

function checkpointCurve(curve: NonNullable<Planning["curve"]>, width: number, palette: Palette): Drawing {
  const points = curve.points.map((c) => ({
    x: c.interval_s / 60,
    y: c.mean_wall_clock_s / day,
    error: (1.96 * c.standard_error_s) / day,
  }));
  const marks = [
    { x: curve.best_interval_s / 60, name: "best", row: 0 },
    { x: curve.young_interval_s / 60, name: "Young", row: 1 },
    { x: curve.daly_interval_s / 60, name: "Daly", row: 2 },
  ].filter((m) => m.x > 0);
  return plot({
    ...frame(width, palette),
    height: 300,
    marginTop: 56,
    x: {
      type: "log",
      label: "Checkpoint interval (minutes)",
      tickFormat: "~g",
      ticks: width / 110,
      ...centered,
    },
    y: { label: null, grid: true, ticks: 5, zero: false, tickFormat: (d: number) => `${d} d` },
    marks: [
      Plot.ruleX(points, {
        x: "x",
        y1: (c) => c.y - c.error,
        y2: (c) => c.y + c.error,
        stroke: palette.muted,
      }),
      Plot.line(points, { x: "x", y: "y", stroke: palette.compute, strokeWidth: 2 }),
      Plot.dot(points, { x: "x", y: "y", fill: palette.compute, r: 3 }),
      ...marks.flatMap((m) => {
        const colour = m.row === 0 ? palette.accent : palette.ink;
        return [
          Plot.ruleX([m.x], {
            stroke: colour,
            strokeWidth: m.row === 0 ? 2 : 1.25,
            strokeDasharray: m.row === 0 ? "none" : "4 3",
          }),
          Plot.text([m], {
            x: "x",
            text: "name",
            frameAnchor: "top",
            dy: -6 - 15 * m.row,
            lineAnchor: "bottom",
            fill: colour,
          }),
        ];
      }),
    ],
  });
}

function chances(p: Planning, width: number, palette: Palette): Drawing {
  const points = p.capacity?.candidates ?? [];
  return plot({
    ...frame(width, palette),
    height: 280,
    x: {
      type: p.prism_study === "capacity" ? "log" : "linear",
      label: p.prism_study === "capacity" ? "GPUs" : "Spare nodes",
      tickFormat: "~s",
      ticks: width / 110,
      ...centered,
    },
    y: { domain: [0, 1], label: null, tickFormat: "~%", grid: true, ticks: 5 },
    marks: [
      Plot.ruleY([p.asked_probability ?? 0.95], { stroke: palette.accent, strokeDasharray: "4 3" }),
      Plot.ruleX(points, {
        x: "x",
        y1: (c) => c.interval[0],
        y2: (c) => c.interval[1],
        stroke: palette.muted,
      }),
      Plot.line(points, { x: "x", y: "probability", stroke: palette.compute, strokeWidth: 2 }),
      Plot.dot(points, { x: "x", y: "probability", fill: palette.compute, r: 3 }),
    ],
  });
}
