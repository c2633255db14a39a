// SPDX-License-Identifier: Apache-2.0
// Pictures of the training run: where its time goes, when it is done, one run from start to end.
import * as Plot from "@observablehq/plot";
import { number, percent } from "../base/format";
import { day, lossText, stretchText, timelineRows } from "../base/training";
import { type Draw, frame, type Marker, markedAt, plot, sharesFrame } from "./charts";

export const goodput: Draw = (result, width, palette) => {
  const spent = result.training_run?.spent ?? [];
  const losses = spent.slice(1).filter((s) => s.mean_s > 0);
  const rows = [...losses]
    .sort((a, b) => b.share - a.share)
    .map((s) => ({ name: lossText(s.what), share: s.share }));
  return plot({
    ...sharesFrame(rows, width, palette, "Share of the wall-clock time", 0.001),
    marks: [
      Plot.barX(rows, { x: "share", y: "name", fill: palette.accent }),
      Plot.text(rows, {
        x: "share",
        y: "name",
        text: (r) => (r.share < 0.00005 ? "< 0.01 %" : percent(r.share, 2)),
        textAnchor: "start",
        dx: 6,
        fill: palette.ink,
      }),
    ],
  });
};

/** Times the ordinary width of a bin. */
const widest_tail = 4;

export const finish: Draw = (result, width, palette) => {
  const wall = result.training_run?.wall_clock_s;
  const edges = wall?.histogram?.edges ?? [0, 1];
  const counts = wall?.histogram?.counts ?? [0];
  const runs = result.training_run?.runs ?? 1;
  const narrowest = Math.min(...edges.slice(1).map((edge, i) => edge - edges[i]!));
  // The outermost bins are wide: heights are per width, so that areas compare.
  const bins = counts.map((n, i) => ({
    from: edges[i]! / day,
    to: edges[i + 1]! / day,
    share: ((n / runs) * narrowest) / (edges[i + 1]! - edges[i]!),
  }));
  const lines: Marker[] = [
    { x: (wall?.failure_free ?? 0) / day, label: "no failures", dashed: true, strong: false },
    ...(["p50", "p95"] as const).flatMap((name) => {
      const x = wall?.[name];
      return typeof x === "number"
        ? [{ x: x / day, label: name, dashed: false, strong: name === "p95" }]
        : [];
    }),
  ];
  // A last bin much wider than the others is a tail of few runs: said, not drawn.
  const last = bins.at(-1)!;
  const tail = last.to - last.from > (widest_tail * narrowest) / day ? bins.pop()! : null;
  const low = Math.min(edges[0]! / day, ...lines.map((l) => l.x));
  const high = Math.max(bins.at(-1)?.to ?? last.to, ...lines.map((l) => l.x));
  const pad = (high - low) * 0.03 || high * 0.01 || 1;
  const domain: [number, number] = [low - pad, high + pad];
  const { marks, marginTop } = markedAt(lines, domain, width, palette);
  const rest = tail ? `; ${percent(counts.at(-1)! / runs)} of runs take up to ${number(tail.to, 2)}` : "";
  return plot({
    ...frame(width, palette),
    marginTop,
    x: {
      domain,
      label: `${width < 480 ? "Days" : "Wall-clock time (days)"}${rest}`,
      labelAnchor: "center",
      labelArrow: "none",
      ticks: width / 90,
    },
    y: { label: null, tickFormat: "~%", ticks: 4, grid: true },
    marks: [
      Plot.rectY(bins, { x1: "from", x2: "to", y: "share", fill: palette.series, inset: 0, insetRight: 0.5 }),
      Plot.ruleY([0], { stroke: palette.muted }),
      ...marks,
    ],
  });
};

/** A row for each part of the run, so that stops of minutes are seen in a run of weeks. */
export const oneRun: Draw = (result, width, palette) => {
  const { rows, days } = timelineRows(result.training_run!);
  const bars = rows.flatMap((row, i) =>
    row.stretches.map((s) => ({
      row: i,
      from: (s.begin - row.begin) / day,
      to: (s.end - row.begin) / day,
      running: s.running,
      title: stretchText(s),
    })),
  );
  // A stop narrower than a line would not be seen.
  const least = (days / Math.max(1, width - 64)) * 1.2;
  return plot({
    ...frame(width, palette),
    height: rows.length * 24 + 50,
    marginTop: 6,
    x: {
      domain: [0, days],
      label: "Days from the start of the row",
      labelAnchor: "center",
      labelArrow: "none",
      ticks: width / 90,
    },
    y: {
      type: "band",
      domain: rows.map((_, i) => i),
      label: null,
      tickSize: 0,
      padding: 0.25,
      tickFormat: (i: number) => `${Math.round(rows[i]!.begin / day)} d`,
    },
    marks: [
      Plot.barX(
        bars.filter((b) => b.running),
        { x1: "from", x2: "to", y: "row", fill: palette.compute, insetLeft: 0, insetRight: 0 },
      ),
      Plot.barX(
        bars.filter((b) => !b.running),
        {
          x1: "from",
          x2: (b: { from: number; to: number }) => Math.max(b.to, b.from + least),
          y: "row",
          fill: palette.accent,
        },
      ),
    ],
  });
};
