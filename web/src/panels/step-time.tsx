// SPDX-License-Identifier: Apache-2.0
// The distribution of the step time: histogram or cumulative curve, and the quantiles with their intervals.
import { useMemo, useState } from "preact/hooks";
import { useSelect } from "../app/context";
import { isBesidePinned } from "../app/state";
import * as format from "../base/format";
import type { Result } from "../base/result";
import { basis, cost, inputErrorText, isConstant } from "../base/sentences";
import { barWidth, cumulativeTable, histogramTable, quantileTable } from "../base/tables";
import { Choice } from "../ui/choice";
import { DataTable } from "../ui/table";
import { type Cursor, Figure } from "./figure";

export function StepTime({ result }: { result: Result }) {
  const [view, setView] = useState<"histogram" | "cumulative">("histogram");
  const cursor = useMemo(() => cursorOf(result, view), [result, view]);
  const pinned = useSelect((s) => (isBesidePinned(s) ? s.pinned!.result : null));
  const step = result.step_time_s;
  if (isConstant(step)) {
    return (
      <section class="card seven">
        <header>
          <h2>Step time</h2>
        </header>
        <p class="reading">
          {result.engine.varies ? "All trials came out alike" : "Nothing varies"}, so there is no distribution
          to draw: every step takes {format.exactDuration(step.p50)}.
        </p>
      </section>
    );
  }
  const table = () => (view === "histogram" ? histogramTable(result) : cumulativeTable(result));
  return (
    <Figure
      title="Step time"
      place="seven"
      chart={view}
      result={result}
      pinned={pinned}
      reading={cost(step)}
      legend={
        pinned && (
          <ul class="legend" aria-label="Legend">
            <li>
              <span class={view === "histogram" ? "swatch series" : "stroke"} aria-hidden="true" />
              This result
            </li>
            <li>
              <span class="stroke dashed pinned" aria-hidden="true" />
              Pinned baseline
            </li>
          </ul>
        )
      }
      table={table}
      every={view === "cumulative" ? 10 : 1}
      height={280}
      controls={
        <Choice
          name="Kind of chart"
          value={view}
          options={[
            ["histogram", "Histogram"],
            ["cumulative", "Cumulative"],
          ]}
          onChange={setView}
        />
      }
      cursor={cursor}
      about={
        view === "histogram" ? (
          <p>
            Heights are shares of the simulated steps ({basis(result)}) for each{" "}
            {format.duration(barWidth(result, pinned))} of step time; the outermost bars are wider and reach
            to the shortest and the longest step. The dashed line is the step with every random factor at its
            median. Solid lines mark the times within which 50, 95 and 99 of 100 steps finish.
          </p>
        ) : (
          <p>
            The curve gives, for each time, the share of simulated steps ({basis(result)}) that finish within
            it. Dots mark p50, p95 and p99; the thick stroke through each is its{" "}
            {Math.round(100 * step.confidence)} % interval, the error of simulating only so many trials.
          </p>
        )
      }
    />
  );
}

function cursorOf(result: Result, view: "histogram" | "cumulative"): Cursor {
  const step = result.step_time_s;
  const unit = format.unitFor(step.p50);
  const { edges, counts } = step.histogram;
  const decimals = format.decimalsFor(step.p50 / unit.seconds, step.sd / unit.seconds / 20);
  const text = (seconds: number) => format.number(seconds / unit.seconds, decimals);
  if (view === "cumulative") {
    return {
      name: "Read the cumulative curve at",
      points: step.ecdf.map(([x, share]) => ({
        x: x / unit.seconds,
        text: `${format.percent(share)} of the steps finish within ${text(x)} ${unit.name}`,
      })),
    };
  }
  let below = 0;
  return {
    name: "Read the histogram at",
    points: counts.map((n, i) => {
      below += n;
      return {
        x: (edges[i]! + edges[i + 1]!) / 2 / unit.seconds,
        text: `${text(edges[i]!)} to ${text(edges[i + 1]!)} ${unit.name}: ${format.count(n)} of ${format.count(result.trials)} steps; ${format.percent(below / result.trials)} have finished by then`,
      };
    }),
  };
}

export function Quantiles({ result }: { result: Result }) {
  const step = result.step_time_s;
  const unit = format.unitFor(step.p50);
  return (
    <section class="card five">
      <header>
        <h2>Quantiles</h2>
      </header>
      <DataTable table={quantileTable(result)} caption="Quantiles of the step time, with intervals" />
      <dl class="pairs">
        <dt>Mean</dt>
        <dd>
          {format.withError(step.mean / unit.seconds, step.mean_standard_error / unit.seconds)} {unit.name}
        </dd>
        <dt>Standard deviation</dt>
        <dd>
          {format.significant(step.sd / unit.seconds, 3)} {unit.name} (CV{" "}
          {format.significant(100 * step.cv, 3)} %)
        </dd>
        {step.within.map(({ x, probability, interval }) => (
          <Within key={x} x={x} probability={probability} interval={interval} />
        ))}
      </dl>
      <p class="hint">
        Intervals and ± are sampling error: it shrinks with more trials. {inputErrorText(result)}
      </p>
    </section>
  );
}

function Within({ x, probability, interval }: Result["step_time_s"]["within"][number]) {
  const [low, high] = interval;
  return (
    <>
      <dt>Within {format.duration(x)}</dt>
      <dd>
        {format.percent(probability)} of the steps
        {low !== null && high !== null && ` (${format.percent(low)} to ${format.percent(high)})`}
      </dd>
    </>
  );
}
