// SPDX-License-Identifier: Apache-2.0
// The two surfaces of a timeline. On the page a canvas, since 50,000 chunks are drawn again while one zooms; in a file SVG,
// a path for each ink. Both hatch alike: beside its hue each pass has lines of its own.
import type { Rows, Span } from "../base/timeline";
import type { Palette } from "./palette";
import { type Frame, frameFor, type Ink, legendOf, paintTimeline, type Surface } from "./timeline";

interface Paint {
  fill: keyof Palette;
  /** Lines of the hatching in a tile of six by six, and their colour. */
  hatch?: [d: string, colour: keyof Palette];
  /** Of names on it. */
  text: keyof Palette;
}

const diagonal = "M-1 7L7 -1M-1 1L1 -1M5 7L7 5";
const paints: Record<Ink, Paint> = {
  idle: { fill: "idle", text: "ink" },
  forward: { fill: "compute", text: "paper" },
  backward: { fill: "series", hatch: [diagonal, "compute"], text: "ink" },
  weight: { fill: "muted", hatch: ["M0 3H6", "paper"], text: "paper" },
  collectives: { fill: "communication", text: "ink" },
  after: { fill: "ink", text: "paper" },
  others: { fill: "paper", hatch: ["M3 0V6", "muted"], text: "ink" },
  path: { fill: "accent", text: "ink" },
  gap: { fill: "paper", text: "ink" },
  axis: { fill: "muted", text: "muted" },
};
const inks = Object.keys(paints) as Ink[];
const tile = 6;
/** The lines go on from one chunk to the next, so that they show on chunks narrower than a tile; thinner is only noise. */
const least_hatched = 1;
const font_px = 11;
/** Behind a number, so that hatching does not run through it. */
const halo_px = 3;

export function canvasSurface(context: CanvasRenderingContext2D, palette: Palette, density: number): Surface {
  const patterns = new Map<Ink, CanvasPattern>();
  for (const ink of inks) {
    const { fill, hatch } = paints[ink];
    if (!hatch) continue;
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.round(tile * density);
    const c = canvas.getContext("2d")!;
    c.scale(canvas.width / tile, canvas.width / tile);
    c.fillStyle = palette[fill];
    c.fillRect(0, 0, tile, tile);
    c.strokeStyle = palette[hatch[1]];
    c.lineWidth = 1.2;
    c.stroke(new Path2D(hatch[0]));
    const pattern = context.createPattern(canvas, "repeat")!;
    pattern.setTransform(new DOMMatrix().scale(tile / canvas.width));
    patterns.set(ink, pattern);
  }
  context.font = `${font_px}px ${palette.font}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  return {
    rect(ink, x, y, width, height) {
      context.fillStyle = (width >= least_hatched && patterns.get(ink)) || palette[paints[ink].fill];
      context.fillRect(x, y, width > 3 ? width - 0.7 : width, height);
    },
    line(ink, points) {
      context.strokeStyle = palette[paints[ink].fill];
      context.lineWidth = 1.2;
      context.beginPath();
      for (const [x, y] of points) context.lineTo(x, y);
      context.stroke();
    },
    text(ink, content, x, y, align) {
      context.textAlign = align;
      if (patterns.has(ink)) {
        context.strokeStyle = palette[paints[ink].fill];
        context.lineWidth = halo_px;
        context.strokeText(content, x, y);
      }
      context.fillStyle = palette[paints[ink].text];
      context.fillText(content, x, y);
    },
  };
}

const legend_row_px = 18;

/** A file stands alone: it says itself what its inks mean. The height with it. */
function paintLegend(surface: Surface, rows: Rows, frame: Frame): number {
  let [x, y] = [frame.left, frame.height + legend_row_px];
  for (const [ink, label] of legendOf(rows)) {
    const width = 17 + label.length * 5.6 + 14;
    if (x + width > frame.width) [x, y] = [frame.left, y + legend_row_px];
    surface.rect(ink, x, y - 6, 12, 12);
    surface.text("axis", label, x + 17, y, "start");
    x += width;
  }
  return y + legend_row_px;
}

const short = (n: number) => Number(n.toFixed(2));

/** The window as a picture for a file. */
export function timelineSvg(rows: Rows, window: Span, width: number, palette: Palette): SVGSVGElement {
  const frame: Frame = frameFor(width, rows.timeline.ranks);
  const filled = new Map<string, string[]>();
  const put = (key: string, d: string) => {
    const list = filled.get(key);
    if (list) list.push(d);
    else filled.set(key, [d]);
  };
  const texts: SVGElement[] = [];
  const surface: Surface = {
    rect: (ink, x, y, w, h) =>
      put(
        `${w >= least_hatched && paints[ink].hatch ? "hatched" : "plain"} ${ink}`,
        `M${short(x)} ${short(y)}h${short(w > 3 ? w - 0.7 : w)}v${short(h)}H${short(x)}z`,
      ),
    line: (ink, points) =>
      put(`line ${ink}`, `M${points.map(([x, y]) => `${short(x)} ${short(y)}`).join("L")}`),
    text: (ink, content, x, y, align) => texts.push(svgText(palette, ink, content, [x, y], align)),
  };
  paintTimeline(surface, rows, window, frame);
  const height = paintLegend(surface, rows, frame);
  const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const defs = element("defs", {});
  svg.append(defs);
  for (const ink of inks) if (paints[ink].hatch) defs.append(svgPattern(palette, ink));
  for (const [key, d] of filled) {
    const [way, ink] = key.split(" ") as [string, Ink];
    const colour = palette[paints[ink].fill];
    const style: Attributes =
      way === "line"
        ? { fill: "none", stroke: colour, "stroke-width": 1.2 }
        : { fill: way === "hatched" ? `url(#timeline-${ink})` : colour };
    svg.append(element("path", { d: d.join(""), ...style }));
  }
  svg.append(...texts);
  return svg as SVGSVGElement;
}

type Attributes = Record<string, string | number>;

function element(name: string, attributes: Attributes): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function svgPattern(palette: Palette, ink: Ink): SVGElement {
  const { fill, hatch } = paints[ink];
  const pattern = element("pattern", {
    id: `timeline-${ink}`,
    width: tile,
    height: tile,
    patternUnits: "userSpaceOnUse",
  });
  pattern.append(
    element("rect", { width: tile, height: tile, fill: palette[fill] }),
    element("path", { d: hatch![0], stroke: palette[hatch![1]], "stroke-width": 1.2 }),
  );
  return pattern;
}

function svgText(
  palette: Palette,
  ink: Ink,
  content: string,
  [x, y]: [number, number],
  align: "start" | "center" | "end",
): SVGElement {
  const halo: Attributes = paints[ink].hatch
    ? { stroke: palette[paints[ink].fill], "stroke-width": halo_px, "paint-order": "stroke" }
    : {};
  const text = element("text", {
    x: short(x),
    y: short(y + font_px / 3),
    fill: palette[paints[ink].text],
    "font-size": font_px,
    "font-family": palette.font,
    "text-anchor": align === "center" ? "middle" : align,
    ...halo,
  });
  text.textContent = content;
  return text;
}
