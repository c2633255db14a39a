// SPDX-License-Identifier: Apache-2.0
// Pictures of studies: effects by kind, cost by position, curves over size, distributions side by side.
import * as Plot from "@observablehq/plot";
import { count, significant, unitFor } from "../base/format";
import { drawnVariants, effectName, type Study } from "../base/study";
import { type Drawing, frame, hatched, plot } from "./charts";
import type { Palette } from "./palette";

export type DrawStudy = (study: Study, width: number, palette: Palette) => Drawing;

const centered = { labelAnchor: "center", labelArrow: "none" } as const;

const signedPercent = (share: number) =>
  `${share < 0 ? "−" : share > 0 ? "+" : ""}${significant(Math.abs(100 * share), 2)} %`;

/** What silencing each kind takes off the p95, with its interval. */
const tornado: DrawStudy = (study, width, palette) => {
  const p95 = study.variants[0]!.p95_s.value;
  const rows = (study.answer?.kinds ?? []).map((k) => ({
    name: effectName(k),
    value: k.silenced.p95_s.value / p95,
    low: k.silenced.p95_s.interval[0] / p95,
    high: k.silenced.p95_s.interval[1] / p95,
    communication: k.class === "communication",
    told: k.silenced.p95_s.differs,
  }));
  const longest = Math.max(...rows.map((r) => r.name.length), 4);
  return hatched(palette, (hatch) =>
    plot({
      ...frame(width, palette),
      height: rows.length * 26 + 46,
      marginTop: 4,
      marginBottom: 40,
      marginLeft: Math.min(longest * 6.8 + 12, width * 0.42),
      x: {
        label: "Change of the p95",
        tickFormat: signedPercent,
        grid: true,
        ticks: width / 110,
        ...centered,
      },
      y: { domain: rows.map((r) => r.name), label: null, tickSize: 0, padding: 0.3 },
      marks: [
        Plot.barX(rows, {
          x: "value",
          y: "name",
          fill: (r) => (r.communication ? palette.communication : palette.compute),
          fillOpacity: (r) => (r.told ? 1 : 0.35),
        }),
        Plot.barX(
          rows.filter((r) => r.communication),
          { x: "value", y: "name", fill: hatch },
        ),
        Plot.ruleY(rows, { x1: "low", x2: "high", y: "name", stroke: palette.ink, strokeWidth: 1.5 }),
        Plot.ruleX([0], { stroke: palette.muted }),
      ],
    }),
  );
};

/** p95 over that without a slow place, by stage and factor: darker is slower. */
const heatMap: DrawStudy = (study, width, palette) => {
  const none = study.variants[0]!.p95_s.value;
  const cells = study.variants
    .slice(1)
    .flatMap((v) =>
      v.fault === null &&
      v.at.slow_in_a_replica === Math.min(...study.variants.slice(1).map((x) => x.at.slow_in_a_replica ?? 1))
        ? [{ stage: v.at.stage ?? 0, factor: v.at.factor ?? 1, ratio: v.p95_s.value / none }]
        : [],
    );
  const most = Math.max(...cells.map((c) => c.ratio), 1.0001);
  const factors = [...new Set(cells.map((c) => c.factor))];
  const stages = [...new Set(cells.map((c) => c.stage))].sort((a, b) => a - b);
  return plot({
    ...frame(width, palette),
    height: factors.length * 40 + 54,
    marginLeft: 56,
    marginBottom: 40,
    x: { type: "band", domain: stages, label: "Pipeline stage of the slow node", tickSize: 0, ...centered },
    y: { type: "band", domain: factors, label: null, tickSize: 0, tickFormat: (f: number) => `${f} ×` },
    marks: [
      Plot.cell(cells, {
        x: "stage",
        y: "factor",
        fill: palette.accent,
        fillOpacity: (c) => 0.04 + (0.5 * (c.ratio - 1)) / (most - 1),
        inset: 1,
      }),
      ...(width / stages.length > 38
        ? [
            Plot.text(cells, {
              x: "stage",
              y: "factor",
              text: (c) => significant(c.ratio, 3),
              fill: palette.ink,
            }),
          ]
        : []),
    ],
  });
};

const label_px = 14;

/** Positions from the highest down, each moved so that it is `least` or more below the one before it. */
function apart(values: number[], least: number): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[b]! - values[a]!);
  const placed = [...values];
  order.forEach((at, i) => {
    const above = order[i - 1];
    if (above !== undefined) placed[at] = Math.min(placed[at]!, placed[above]! - least);
  });
  return placed;
}

const scalingCurve: DrawStudy = (study, width, palette) => {
  const points = (study.answer?.points ?? []).map((p) => ({ ...p, v: study.variants[p.variant]! }));
  const unit = unitFor(points[0]?.v.p50_s.value ?? 1);
  const lines = points.flatMap((p) => [
    { gpus: p.gpus, y: p.v.p95_s.value / unit.seconds, name: "p95" },
    { gpus: p.gpus, y: p.v.p50_s.value / unit.seconds, name: "p50" },
    { gpus: p.gpus, y: p.v.deterministic_s / unit.seconds, name: "no variability" },
  ]);
  const of = (name: string) => lines.filter((l) => l.name === name);
  const style = [
    ["p95", palette.accent, "none"],
    ["p50", palette.compute, "none"],
    ["no variability", palette.muted, "4 3"],
  ] as const;
  // Labels at the ends of curves keep a line's height between them: they stand in the order of the values.
  const height = 300;
  const values = lines.map((l) => l.y);
  const least = (label_px * (Math.max(...values) - Math.min(...values))) / (height - 80);
  const ends = apart(
    style.map(([name]) => of(name).at(-1)?.y ?? 0),
    least,
  );
  const sizes = points.map((p) => p.gpus);
  const every = Math.max(1, Math.ceil((sizes.length * 56) / Math.max(1, width - 144)));
  return plot({
    ...frame(width, palette),
    height,
    marginRight: 96,
    x: {
      type: "log",
      base: 2,
      label: "GPUs",
      tickFormat: count,
      ticks: sizes.filter((_, i) => (sizes.length - 1 - i) % every === 0),
      ...centered,
    },
    y: { label: `Step time (${unit.name})`, grid: true, ticks: 5 },
    marks: [
      Plot.areaY(points, {
        x: "gpus",
        y1: (p) => p.v.p95_s.interval[0] / unit.seconds,
        y2: (p) => p.v.p95_s.interval[1] / unit.seconds,
        fill: palette.accent,
        fillOpacity: 0.2,
      }),
      ...style.flatMap(([name, stroke, dash], i) => [
        Plot.line(of(name), { x: "gpus", y: "y", stroke, strokeWidth: 2, strokeDasharray: dash }),
        Plot.dot(of(name), { x: "gpus", y: "y", fill: stroke, r: 2.5 }),
        Plot.text(of(name).slice(-1), {
          x: "gpus",
          y: ends[i]!,
          text: "name",
          dx: 8,
          textAnchor: "start",
          fill: stroke,
        }),
      ]),
    ],
  });
};

/** Variants: from p5 to p95 a bar, and a dot at the median, which is seen where the bar is too narrow to be. */
const distributions: DrawStudy = (study, width, palette) => {
  const at = (v: { quantiles_s: number[] }, mass: number) => {
    const i = study.masses.findIndex((m) => Math.abs(m - mass) < 1e-9);
    return v.quantiles_s[i] ?? 0;
  };
  const unit = unitFor(study.variants[0]!.p50_s.value);
  const rows = drawnVariants(study).rows.map(({ variant, index }) => ({
    name: variant.name,
    low: at(variant, 0.05) / unit.seconds,
    mid: at(variant, 0.5) / unit.seconds,
    high: at(variant, 0.95) / unit.seconds,
    fill: study.tied_with_best_p95.includes(index) ? palette.accent : palette.compute,
  }));
  const longest = Math.max(...rows.map((r) => r.name.length), 4) * 6.4 + 12;
  // Where names would take half the width, they stand over their bars.
  const over = longest > width * 0.5;
  return plot({
    ...frame(width, palette),
    height: rows.length * (over ? 40 : 24) + 50,
    marginTop: 4,
    marginBottom: 40,
    marginLeft: over ? 8 : longest,
    x: {
      label: `Step time, p5 to p95 (${unit.name})`,
      grid: true,
      zero: false,
      ticks: width / 110,
      ...centered,
    },
    y: {
      axis: over ? null : "left",
      domain: rows.map((r) => r.name),
      label: null,
      tickSize: 0,
      padding: over ? 0.6 : 0.35,
    },
    marks: [
      Plot.barX(rows, { x1: "low", x2: "high", y: "name", fill: "fill", fillOpacity: 0.5 }),
      Plot.dot(rows, { x: "mid", y: "name", r: 4.5, fill: "fill" }),
      ...(over
        ? [
            Plot.text(rows, {
              y: "name",
              text: "name",
              frameAnchor: "left",
              textAnchor: "start",
              dy: -17,
              fontSize: 10.5,
            }),
          ]
        : []),
    ],
  });
};

/** The cumulative curves of two variants. */
export function curves(
  study: Study,
  [solid, dashed]: [solid: number, dashed: number],
  width: number,
  palette: Palette,
): Drawing {
  const unit = unitFor(study.variants[0]!.p50_s.value);
  const curve = (index: number) =>
    study.masses.map((mass, i) => ({
      x: (study.variants[index]!.quantiles_s[i] ?? 0) / unit.seconds,
      mass,
    }));
  return plot({
    ...frame(width, palette),
    height: 260,
    x: { label: `Step time (${unit.name})`, ticks: width / 90, ...centered },
    y: { label: "Share of steps within", tickFormat: "~%", grid: true, ticks: 5 },
    marks: [
      Plot.line(curve(solid), { x: "x", y: "mass", stroke: palette.compute, strokeWidth: 2 }),
      Plot.line(curve(dashed), {
        x: "x",
        y: "mass",
        stroke: palette.accent,
        strokeWidth: 2,
        strokeDasharray: "6 3",
      }),
    ],
  });
}

export function drawStudy(study: Study, width: number, palette: Palette): Drawing {
  const draw: Record<string, DrawStudy> = { sensitivity: tornado, placement: heatMap, scaling: scalingCurve };
  return (draw[study.prism_study] ?? distributions)(study, width, palette);
}
