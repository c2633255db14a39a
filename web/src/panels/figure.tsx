// SPDX-License-Identifier: Apache-2.0
// One chart: its name, a sentence that reads it, the picture, the data behind it, and its files.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { whole } from "../app/browser";
import { useController, useSelect } from "../app/context";
import { Glossary } from "../app/glossary";
import { isSettled } from "../app/state";
import { originOf } from "../base/exports";
import type { Result } from "../base/result";
import type { Table } from "../base/tables";
import { type ChartName, loadCharts } from "../charts";
import type { Drawing } from "../charts/charts";
import * as palettes from "../charts/palette";
import { DataTable } from "../ui/table";
import { useWidth } from "../ui/use-width";
import { Files } from "./files";

/** Lets a chart be read point by point, by pointer and by keyboard alike. */
export interface Cursor {
  name: string;
  /** In the chart's x unit, ascending. */
  points: { x: number; text: string }[];
}

export interface FigureProps {
  title: string;
  chart: ChartName;
  result: Result;
  /** Drawn dashed beside it on the page; a file holds only what it can name. */
  pinned?: Result | null;
  reading: string;
  /** Made when it is asked for. */
  table: () => Table;
  /** Of the table's rows, every n-th is shown on the page. */
  every?: number;
  /** Height kept free until the chart is drawn, so that nothing jumps. */
  height: number;
  legend?: ComponentChildren;
  controls?: ComponentChildren;
  about: ComponentChildren;
  /** Place in the grid of panels. */
  place?: "seven" | "five" | "wide";
  cursor?: Cursor;
}

const redraw_pause_ms = 500;

export function Figure(props: FigureProps) {
  const { title, chart, result, reading, table, every, legend, controls, about } = props;
  const app = useController();
  const settled = useSelect(isSettled);
  const [tableOpen, setTableOpen] = useState(false);

  const link = settled ? app.link() : null;

  return (
    <section class={`card figure ${props.place ?? ""}`}>
      <header>
        <h2>{title}</h2>
        {controls}
      </header>
      <p class="reading">{reading}</p>
      {legend}
      <Chart {...props} />
      <footer>
        <details onToggle={(event) => setTableOpen(event.currentTarget.open)}>
          <summary>Data table</summary>
          {tableOpen && <DataTable table={table()} caption={title} {...(every ? { every } : {})} />}
        </details>
        <details>
          <summary>How to read this</summary>
          <div class="about">
            {about}
            <Glossary />
          </div>
        </details>
        <Files
          title={props.pinned ? `${title}, and dashed the pinned ${props.pinned.title || "baseline"}` : title}
          stem={chart.toLowerCase()}
          origin={link === null ? null : originOf({ result, link: whole(link) })}
          table={table}
          draw={async (width, palette) => (await loadCharts())[chart](result, width, palette, props.pinned)}
        />
      </footer>
    </section>
  );
}

function Chart({ title, chart, result, pinned, reading, height, cursor }: FigureProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const [charts, setCharts] = useState<Awaited<ReturnType<typeof loadCharts>>>();
  const width = useWidth(place);
  const [at, setAt] = useState<number | null>(null);

  useEffect(() => {
    // After a pause of the main thread: the first sentence must be on screen before Plot is read.
    const timer = setTimeout(() => void loadCharts().then(setCharts), 0);
    return () => clearTimeout(timer);
  }, []);

  const drawn = useRef({ at: Number.NEGATIVE_INFINITY, chart });
  useLayoutEffect(() => {
    const element = place.current;
    if (!charts || !element || width < 120) return;
    const draw = () => {
      drawing.current = charts[chart](result, width, palettes.page, pinned);
      element.replaceChildren(drawing.current);
      drawn.current = { at: performance.now(), chart };
    };
    // While trials come in, pictures follow at a walk: drawing takes time from the workers.
    const wait = drawn.current.at + redraw_pause_ms - performance.now();
    if (!result.partial || drawn.current.chart !== chart || wait <= 0) return draw();
    const timer = setTimeout(draw, wait);
    return () => clearTimeout(timer);
  }, [charts, chart, result, pinned, width]);

  const index = cursor && at !== null ? Math.min(at, cursor.points.length - 1) : null;
  const point = cursor && index !== null ? cursor.points[index] : undefined;
  const scale = drawing.current?.scale("x");
  const left = point && scale ? Number(scale.apply(point.x)) : null;
  const [bottom = 0, top = 0] = (drawing.current?.scale("y")?.range ?? []) as number[];

  const follow = (event: PointerEvent) => {
    const x = drawing.current?.scale("x");
    const box = place.current?.getBoundingClientRect();
    if (!cursor || !x?.invert || !box) return;
    const value = Number(x.invert(event.clientX - box.left));
    let nearest = 0;
    cursor.points.forEach((p, i) => {
      if (Math.abs(p.x - value) < Math.abs(cursor.points[nearest]!.x - value)) nearest = i;
    });
    setAt(nearest);
  };

  return (
    <>
      <div
        class="chart"
        style={drawing.current ? {} : { minHeight: `${height}px` }}
        onPointerMove={follow}
        onPointerDown={follow}
      >
        <div
          ref={place}
          role="img"
          aria-label={`${title}. ${reading}${pinned ? " Dashed: the pinned baseline." : ""}`}
        />
        {left !== null && (
          <div class="cursor" style={{ left: `${left}px`, top: `${top}px`, height: `${bottom - top}px` }} />
        )}
      </div>
      {cursor && (
        <div class="read-off">
          <input
            type="range"
            min={0}
            max={Math.max(0, cursor.points.length - 1)}
            step={1}
            value={index ?? 0}
            aria-label={cursor.name}
            aria-valuetext={point?.text ?? "move to read the chart"}
            onInput={(event) => setAt(Number(event.currentTarget.value))}
          />
          <output aria-hidden="true">
            {point?.text ?? "Point at the chart, or move the slider, to read it off."}
          </output>
        </div>
      )}
    </>
  );
}
