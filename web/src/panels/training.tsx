// SPDX-License-Identifier: Apache-2.0
// The training run: when it is done, where its time goes, what stops it, and one run drawn.
import type { ComponentChildren } from "preact";
import * as format from "../base/format";
import type { Result, TrainingRun } from "../base/result";
import {
  causesTable,
  finishHistogramTable,
  finishTable,
  goodputReading,
  oneRunReading,
  runReading,
  span,
  spentTable,
  timelineTable,
} from "../base/training";
import { DataTable } from "../ui/table";
import { Figure } from "./figure";

export function TrainingPanels({ result }: { result: Result }) {
  const run = result.training_run;
  if (!run) return null;
  const lossy = run.spent.slice(1).filter((s) => s.mean_s > 0).length;
  return (
    <>
      {run.wall_clock_s.histogram && run.wall_clock_s.sd !== 0 ? (
        <Figure
          title="The training run"
          place="seven"
          chart="finish"
          result={result}
          reading={runReading(run)}
          table={() => finishHistogramTable(run)}
          height={280}
          about={
            <p>
              Heights are shares of {format.count(run.runs)} simulated runs; the first bar is wider, and a
              long tail of few runs is told under the axis. The dashed line is the run with every step at its
              mean and no failure. What spreads the runs is when they are stopped: steps are taken as
              independent of each other.
            </p>
          }
        />
      ) : (
        <section class="card seven">
          <header>
            <h2>The training run</h2>
          </header>
          <p class="reading">{runReading(run)}</p>
        </section>
      )}
      <RunFacts run={run} />
      {lossy > 0 && (
        <Figure
          title="What the run loses"
          chart="goodput"
          result={result}
          reading={goodputReading(run)}
          table={() => spentTable(run)}
          height={lossy * 28 + 42}
          about={
            <p>
              Each moment of a run is booked on one account; with the productive time they add up to the
              wall-clock time exactly. Lost work is what had been done since the last complete checkpoint.
            </p>
          }
        />
      )}
      <Causes run={run} />
      <Figure
        title="One run"
        place="wide"
        chart="oneRun"
        result={result}
        reading={oneRunReading(run)}
        table={() => timelineTable(result)}
        height={200}
        legend={
          <ul class="legend" aria-label="Legend">
            <li>
              <span class="swatch compute" aria-hidden="true" />
              running
            </li>
            <li>
              <span class="swatch stopped" aria-hidden="true" />
              standing still
            </li>
          </ul>
        }
        about={
          <p>
            The first of the simulated runs, a few days a row. Running includes checkpoint writes and work
            that is lost later. A stop is drawn at least a line wide. At most 2,000 stretches are kept.
          </p>
        }
      />
    </>
  );
}

function RunFacts({ run }: { run: TrainingRun }) {
  const { finish, cost, theory } = run;
  return (
    <section class="card five">
      <header>
        <h2>The plan</h2>
      </header>
      <DataTable table={finishTable(run)} caption="Quantiles of the wall-clock time, with intervals" />
      <dl class="pairs">
        {finish.within.map(({ days, probability, interval: [low, high] }) => (
          <Pair key={days} name={`Within ${format.significant(days, 4)} days`}>
            {format.percent(probability)}
            {low !== null && high !== null && ` (${format.percent(low)} to ${format.percent(high)})`}
          </Pair>
        ))}
        {finish.p50 && <Pair name="Half are done by">{finish.p50.replace("T", " ")} UTC</Pair>}
        <Pair name="Productive">
          {format.percent(run.goodput.mean)} ± {format.percent(run.goodput.mean_standard_error, 2)}
        </Pair>
        <Pair name="Checkpoint every">
          {span(run.checkpoint.interval_s)} ({format.count(run.checkpoint.interval_steps)} steps), writing{" "}
          {span(run.checkpoint.write_s)}
        </Pair>
        {theory && (
          <>
            <Pair name="A failure every">{span(theory.mean_time_between_failures_s)}</Pair>
            <Pair name="Back at work after">{span(theory.recovery_s)}</Pair>
            <Pair name="Best interval">
              {span(theory.exact_interval_s)} exact, {span(theory.daly_interval_s)} Daly,{" "}
              {span(theory.young_interval_s)} Young
            </Pair>
            {theory.exact_goodput !== null && (
              <Pair name="Productive by formula">
                {format.percent(theory.exact_goodput)} exact
                {theory.linear_goodput !== null && `, ${format.percent(theory.linear_goodput)} linear`}
              </Pair>
            )}
          </>
        )}
        {cost && cost.p50 !== null && (
          <Pair name="Cost">
            {format.short(cost.p50)} {cost.currency} at the median
            {cost.p95 !== null && `, ${format.short(cost.p95)} at p95`}
          </Pair>
        )}
        {cost && cost.energy_mwh.p50 !== null && cost.energy_mwh.p50 > 0 && (
          <Pair name="Energy">{format.short(cost.energy_mwh.p50)} MWh at the median</Pair>
        )}
      </dl>
      <p class="hint">
        Formulas are for memoryless failures and blocking checkpoints alone; Young’s and Daly’s for writes
        much shorter than the time between failures.
      </p>
    </section>
  );
}

function Pair({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Causes({ run }: { run: TrainingRun }) {
  if (run.stops.every((s) => s.mean_count === 0)) return null;
  return (
    <section class="card">
      <header>
        <h2>What stops the run</h2>
      </header>
      <DataTable table={causesTable(run)} caption="What stops the run" />
    </section>
  );
}
