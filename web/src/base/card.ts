// SPDX-License-Identifier: Apache-2.0
// A result as one picture for slides, 1200 × 630: what was computed, how sure it is, and where it comes from.
import { escapeXml, type Provenance } from "./exports";
import * as format from "./format";
import { valueAt } from "./json";
import type { Result } from "./result";
import { basis, deterministicText, headlineText, intervalText, isConstant } from "./sentences";

export const card_size = { width: 1200, height: 630 };
/** Place of the histogram. */
export const card_chart = { x: 48, y: 226, width: 1104 };

const ink = "#1c2128";
const muted = "#57606c";
const accent = "#a3431b";

/** At most so many characters, the last one an ellipsis where more were there. */
const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** "llama-3.1-405b · 16,384 × h100-sxm · TP 8 · PP 16 · DP 128 · interleaved-1f1b · global batch 2,048". */
export function configuration({ layout, scenario }: Result): string {
  const name = (pointer: string) => {
    const value = valueAt(scenario, pointer);
    return typeof value === "string" ? value : "";
  };
  const gpu = name("/cluster/gpu/preset");
  const batch = valueAt(scenario, "/batch/global");
  return [
    name("/model/preset"),
    `${format.count(layout.gpus)}${gpu ? ` × ${gpu}` : layout.gpus === 1 ? " GPU" : " GPUs"}`,
    `TP ${layout.tp}`,
    layout.cp > 1 ? `CP ${layout.cp}` : "",
    `PP ${layout.pp}`,
    `DP ${format.count(layout.dp)}`,
    layout.schedule,
    typeof batch === "number" ? `global batch ${format.count(batch)}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

function tiles({ step_time_s: step }: Result): { name: string; value: string; note: string }[] {
  if (isConstant(step))
    return [{ name: "Every step", value: deterministicText(step), note: "nothing varies" }];
  const confidence = `${Math.round(100 * step.confidence)} %: `;
  return [
    ...(["p50", "p95", "p99"] as const).map((name) => ({
      name: name === "p50" ? "Median" : name,
      value: headlineText(step, name),
      note: confidence + intervalText(step, name),
    })),
    { name: "Without variability", value: deterministicText(step), note: "every factor at its median" },
  ];
}

/** `chart` is the histogram's markup, drawn as wide as `card_chart`. */
export function cardSvg(chart: string, { result, link }: Provenance): string {
  const text = (x: number, y: number, size: number, fill: string, content: string, more = "") =>
    `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" ${more}>${escapeXml(content)}</text>`;
  const title = result.title || "Training step time";
  const left = card_chart.x;
  const shown = tiles(result).flatMap(({ name, value, note }, i) => {
    const x = left + i * 280;
    const figure = name === "p95" ? accent : ink;
    return [
      text(x, 132, 17, muted, name),
      text(x, 172, 36, figure, value, 'font-weight="650"'),
      text(x, 197, 15, muted, note),
    ];
  });
  const lines = link.match(/.{1,150}/g) ?? [];
  const origin = `Prism ${result.engine_version}, seed ${result.seed}, ${basis(result)}, digest ${result.digest}`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${card_size.width}" height="${card_size.height}" viewBox="0 0 ${card_size.width} ${card_size.height}" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif">
<rect width="100%" height="100%" fill="#ffffff"/>
${text(left, 60, title.length > 60 ? 24 : 32, ink, cut(title, 88), 'font-weight="650"')}
${text(left, 92, 18, muted, cut(configuration(result), 120))}
${shown.join("\n")}
<g transform="translate(${card_chart.x} ${card_chart.y})">${chart}</g>
${text(left, 556, 15, ink, origin)}
${
  lines.length > 3
    ? text(
        left,
        580,
        13,
        muted,
        `The link has ${format.count(link.length)} characters, too many for a picture.`,
      )
    : lines.map((line, i) => text(left, 580 + 18 * i, 13, muted, line)).join("\n")
}
</svg>
`;
}
