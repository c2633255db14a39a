// SPDX-License-Identifier: Apache-2.0
// What a file of measurements says: its account first, then what was found in it.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { fileName } from "../app/browser";
import {
  type Account,
  type Evidence,
  heat,
  judgements,
  mean,
  type OperatorEvidence,
  operatorSentence,
  pairsTable,
  quantilePairs,
  type Validation,
  workersTable,
} from "../base/evidence";
import type { Origin } from "../base/exports";
import * as format from "../base/format";
import type { Table } from "../base/tables";
import { quantilePlot } from "../charts/evidence";
import * as palettes from "../charts/palette";
import { DataTable } from "../ui/table";
import { Files, type FilesProps } from "./files";
import { Picture } from "./picture";

export function AccountView({ account: a }: { account: Account }) {
  return (
    <section aria-label="Account">
      <p>
        <strong>{a.format}</strong>: {format.count(a.records)} records, {format.count(a.used)} used.
      </p>
      {a.notes.length > 0 && (
        <ul>
          {a.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <details>
        <summary>What was read and what was not</summary>
        <DataTable
          caption="Records by kind, used and not used"
          table={{
            headings: ["Kind", "Count"],
            keys: ["kind", "count"],
            rows: [
              ...a.kinds.map((k) => ({ shown: [k.what, format.count(k.count)], exact: [k.what, k.count] })),
              ...a.ignored.map((k) => ({
                shown: [`not used: ${k.what}`, format.count(k.count)],
                exact: [`not used: ${k.what}`, k.count],
              })),
            ],
          }}
        />
      </details>
    </section>
  );
}

export function Details({ evidence }: { evidence: Evidence }) {
  switch (evidence.kind) {
    case "operator_trace":
      return <OperatorView evidence={evidence} />;
    case "device_trace":
      return (
        <Rows
          caption="Kernels by total time"
          headings={["Kernel", "Kind", "Count", "Median", "p95"]}
          keys={["kernel", "kind", "count", "median_s", "p95_s"]}
          most={40}
          rows={evidence.kernels.map((k) => ({
            shown: [
              k.name.slice(0, 80),
              k.kind,
              format.count(k.count),
              seconds(k.median_s),
              seconds(k.p95_s),
            ],
            exact: [k.name, k.kind, k.count, k.median_s, k.p95_s],
          }))}
        />
      );
    case "collective_benchmark":
      return (
        <>
          {evidence.latency_bandwidth && (
            <p>
              time = {format.significant(evidence.latency_bandwidth.alpha_us, 3)} µs + bytes /{" "}
              {format.significant(evidence.latency_bandwidth.algorithm_gbyte_per_s, 4)} GB/s (algbw)
            </p>
          )}
          <Rows
            caption="Times by message size"
            headings={["Bytes", "Time", "algbw, GB/s", "busbw, GB/s"]}
            keys={["bytes", "time_us", "algorithm_gbyte_per_s", "bus_gbyte_per_s"]}
            most={100}
            rows={evidence.rows.map((r) => ({
              shown: [
                format.count(r.bytes),
                seconds(r.time_us * 1e-6),
                format.significant(r.algorithm_gbyte_per_s, 4),
                format.significant(r.bus_gbyte_per_s, 4),
              ],
              exact: [r.bytes, r.time_us, r.algorithm_gbyte_per_s, r.bus_gbyte_per_s],
            }))}
          />
        </>
      );
    case "step_times":
      return (
        <Rows
          caption={`A distribution of ${evidence.parameters} parameters against ${evidence.steps} steps`}
          headings={["Quantile", "Fit", "Steps", "Error"]}
          keys={["p", "fit_s", "steps_s", "error"]}
          rows={evidence.quantiles.map((q) => {
            const error = q.fit_s / q.steps_s - 1;
            return {
              shown: [
                `p${Math.round(100 * q.p)}`,
                seconds(q.fit_s),
                seconds(q.steps_s),
                signedPercent(error),
              ],
              exact: [q.p, q.fit_s, q.steps_s, error],
            };
          })}
        />
      );
    case "launch_arguments":
      return null; // the account's notes list what was assumed and what is unknown
  }
}

const seconds = (s: number): string => {
  const unit = format.unitFor(s);
  return `${format.significant(s / unit.seconds, 4)}\u00a0${unit.name}`;
};
const signedPercent = (share: number): string =>
  `${share >= 0 ? "+" : "−"}${Math.abs(100 * share).toFixed(2)}\u00a0%`;

interface RowsProps extends Table {
  caption: string;
  /** Rows on the page; a file has all. */
  most?: number;
}

function Rows({ caption, most, ...table }: RowsProps) {
  return (
    <section>
      <h3>{caption}</h3>
      <DataTable caption={caption} table={{ ...table, rows: table.rows.slice(0, most) }} />
      <FilesOf title={caption} table={() => table} />
    </section>
  );
}

/** The file that everything on show was read from. */
export const From = createContext<Origin | null>(null);

const FilesOf = (props: Pick<FilesProps, "title" | "table" | "draw">) => (
  <p class="file-row">
    <Files {...props} stem={fileName(props.title, "").replace(/-$/, "")} origin={useContext(From)} />
  </p>
);

function OperatorView({ evidence: e }: { evidence: OperatorEvidence }) {
  const groups = (title: string, list: { group: string; slowdown: number }[]) =>
    list.length > 0 && (
      <Rows
        caption={title}
        headings={["Place", "Slow-down"]}
        keys={["place", "slow_down"]}
        most={64}
        rows={[...list]
          .sort((a, b) => b.slowdown - a.slowdown)
          .map((g) => ({ shown: [g.group, g.slowdown.toFixed(4)], exact: [g.group, g.slowdown] }))}
      />
    );
  return (
    <>
      <p>
        <strong>{operatorSentence(e)}</strong>
      </p>
      <HeatMap evidence={e} />
      <dl class="pairs">
        <dt>Measured step, mean</dt>
        <dd>{seconds(mean(e.measured_s))}</dd>
        <dt>Replayed without launch gaps</dt>
        <dd>{seconds(mean(e.replayed_s))}</dd>
        <dt>Ideal</dt>
        <dd>{seconds(e.ideal_s)}</dd>
        {e.healthy_s !== null && (
          <>
            <dt>Slow workers replaced by a peer</dt>
            <dd>{seconds(e.healthy_s)}</dd>
          </>
        )}
        <dt>Spread of one operation</dt>
        <dd>{format.percent(e.spread.fresh_and_content)}</dd>
        <dt>Spread of a step, all together</dt>
        <dd>{format.percent(e.spread.step_level)}</dd>
      </dl>
      {e.episodes.length > 0 && (
        <ul>
          {e.episodes.map((x) => (
            <li key={x.kind + x.what}>
              {x.kind === "drift"
                ? `Drift: compute of the first ${x.steps.length} recorded steps takes ${signedPercent(x.changes_the_step_by)} against the rest.`
                : `Cold or stalled: ${x.what} takes ${seconds(x.there_s)} instead of ${seconds(x.usual_s)} in step ${x.steps.slice(0, 8).join(", ")}, ${
                    x.changes_the_step_by > 0
                      ? `which lengthens it by ${(100 * x.changes_the_step_by).toFixed(1)} %`
                      : "hidden behind other work"
                  }.`}
            </li>
          ))}
        </ul>
      )}
      {groups("What each type of operation alone does to the step", e.by_type)}
      {groups("What each stage alone does", e.by_stage)}
      {groups("What each replica alone does", e.by_replica)}
    </>
  );
}

/** Replicas down, stages across; a cell is compute relative to the stage's median, in words too. */
function HeatMap({ evidence: e }: { evidence: OperatorEvidence }) {
  const most = 64;
  const replicas = [...new Set(e.workers.map((w) => w.replica))]
    .sort((a, b) => worst(e, b) - worst(e, a) || a - b)
    .slice(0, most)
    .sort((a, b) => a - b);
  return (
    <section class="heat-map" aria-label="Heat map of workers">
      <h3>Compute of each worker, relative to the median of its stage</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="table-scroll" aria-label="Workers, replicas down and stages across" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Replica</th>
              {Array.from({ length: e.layout.pp }, (_, s) => (
                <th key={s} scope="col">
                  stage {s}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {replicas.map((r) => (
              <tr key={r}>
                <th scope="row">{r}</th>
                {e.workers
                  .filter((w) => w.replica === r)
                  .map((w) => {
                    const relative = (w.forward + w.backward) / 2;
                    return (
                      <td
                        key={w.stage}
                        data-slow={w.slow || undefined}
                        style={`--heat: ${heat(relative).toFixed(3)}`}
                        title={`rank ${w.rank}: forward × ${w.forward.toFixed(3)}, backward × ${w.backward.toFixed(3)}`}
                      >
                        {relative.toFixed(2)}
                        {w.slow ? " slow" : ""}
                      </td>
                    );
                  })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {e.layout.dp > most && <p class="hint">The {most} replicas with the slowest workers are shown.</p>}
      <FilesOf title="Compute of each worker" table={() => workersTable(e)} />
    </section>
  );
}

const worst = (e: OperatorEvidence, replica: number): number =>
  Math.max(...e.workers.filter((w) => w.replica === replica).map((w) => Math.max(w.forward, w.backward)));

export function ValidationView({ validation: v }: { validation: Validation }) {
  const p = v.prediction;
  return (
    <section aria-label="Validation">
      <h3>
        {v.held_out_steps.length} steps held out, predicted from {v.training_steps.length} others
      </h3>
      <Rows
        caption="Errors of the prediction and of what it must beat"
        headings={["What", "p50", "p95", "KS"]}
        keys={["what", "p50_error", "p95_error", "ks"]}
        rows={judgements(v).map(({ what, p50, p95, ks }) => ({
          shown: [what, signedPercent(p50), signedPercent(p95), ks.toFixed(3)],
          exact: [what, p50, p95, ks],
        }))}
      />
      <p>
        With so few steps a right prediction shows a KS distance of {p.ks_null.mean.toFixed(3)} on average,
        and more than this one with probability {p.ks_null.p.toFixed(2)}.
      </p>
      <QuantilePlot validation={v} />
    </section>
  );
}

/** Q–Q: on the diagonal, prediction and observation agree. */
function QuantilePlot({ validation: v }: { validation: Validation }) {
  const pairs = quantilePairs(v.observed_s, v.predicted_s);
  const reading = `Q–Q plot of ${pairs.length} held-out steps: observed across, predicted up`;
  return (
    <figure class="figure">
      <Picture name={reading} draw={(width) => quantilePlot(pairs, width, palettes.page)} of={v} />
      <figcaption>{reading}; on the line both agree.</figcaption>
      <FilesOf
        title="Q–Q plot"
        table={() => pairsTable(pairs)}
        draw={(width, palette) => quantilePlot(pairs, width, palette)}
      />
    </figure>
  );
}
