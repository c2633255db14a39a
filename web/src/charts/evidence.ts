// SPDX-License-Identifier: Apache-2.0
// Pictures of measurements.
import * as Plot from "@observablehq/plot";
import type { Pair } from "../base/evidence";
import { unitFor } from "../base/format";
import { type Drawing, frame, plot } from "./charts";
import type { Palette } from "./palette";

/** Observed across, predicted up; on the line both agree. */
export function quantilePlot(pairs: Pair[], width: number, palette: Palette): Drawing {
  const values = pairs.flatMap((pair) => [pair.observed, pair.predicted]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const unit = unitFor(high);
  const domain = [low / unit.seconds, high / unit.seconds];
  const axis = { domain, nice: true, ticks: 5, labelArrow: "none" } as const;
  return plot({
    ...frame(width, palette),
    height: Math.min(width, 360),
    x: { ...axis, label: `Observed (${unit.name})`, labelAnchor: "center" },
    y: { ...axis, label: `Predicted (${unit.name})`, grid: true },
    marks: [
      Plot.line(
        domain.map((value) => [value, value] as const),
        { stroke: palette.muted },
      ),
      Plot.dot(pairs, {
        x: (pair: Pair) => pair.observed / unit.seconds,
        y: (pair: Pair) => pair.predicted / unit.seconds,
        fill: palette.compute,
        r: 3,
      }),
    ],
  });
}
