// SPDX-License-Identifier: Apache-2.0
// A timeline of runs on one cluster: each from its median start to its median finish, a line on to its p95 finish, and
// its deadline.
import * as Plot from "@observablehq/plot";
import { ordersOf, type Schedule } from "../base/schedule";
import { day } from "../base/training";
import { type Drawing, frame, plot } from "./charts";
import type { Palette } from "./palette";

const row_px = 46;
const head_px = 26;
const character_px = 6.6;

export function drawSchedule(s: Schedule, width: number, palette: Palette): Drawing {
  const orders = ordersOf(s);
  let y = 0;
  const heads: { y: number; name: string }[] = [];
  const rows = orders.flatMap(({ name, order }) => {
    heads.push({ y, name });
    y += head_px;
    return order.places.map((p) => {
      const run = s.scheduled[p.run]!;
      const row = {
        y,
        name: run.name,
        start: p.p50_start_s / day,
        half: p.p50_finish_s / day,
        late: p.p95_finish_s / day,
        due: run.deadline_days,
      };
      y += row_px;
      return row;
    });
  });
  const end = 1.03 * Math.max(...rows.flatMap((r) => [r.late, r.due]));
  const fits = Math.floor((width - 24) / character_px);
  const short = (name: string) => (name.length > fits ? `${name.slice(0, fits - 1)}…` : name);
  const [top, bottom] = [20, 38];
  return plot({
    ...frame(width, palette),
    height: y + 6 + bottom,
    marginTop: 6,
    marginBottom: bottom,
    marginLeft: 8,
    x: {
      domain: [0, end],
      label: "Days from now",
      grid: true,
      ticks: width / 90,
      labelAnchor: "center",
      labelArrow: "none",
    },
    y: { domain: [0, y], range: [6, y + 6], axis: null },
    marks: [
      Plot.text(heads, {
        x: 0,
        y: (h) => h.y + head_px / 2,
        text: "name",
        textAnchor: "start",
        fill: palette.muted,
      }),
      Plot.text(rows, {
        x: 0,
        y: (r) => r.y + 9,
        text: (r) => short(r.name),
        textAnchor: "start",
        fill: palette.ink,
      }),
      Plot.rect(rows, {
        x1: "start",
        x2: "half",
        y1: (r) => r.y + top,
        y2: (r) => r.y + top + 14,
        fill: palette.compute,
      }),
      Plot.link(rows, {
        x1: "half",
        x2: "late",
        y1: (r) => r.y + top + 7,
        y2: (r) => r.y + top + 7,
        stroke: palette.compute,
        strokeWidth: 2,
      }),
      Plot.link(rows, {
        x1: "due",
        x2: "due",
        y1: (r) => r.y + top - 3,
        y2: (r) => r.y + top + 17,
        stroke: palette.accent,
        strokeWidth: 2.5,
      }),
    ],
  });
}
