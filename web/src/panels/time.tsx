// SPDX-License-Identifier: Apache-2.0
// Where the time goes: the critical path by operator kind, and each pipeline rank's share of work and waiting.
import { useRef } from "preact/hooks";
import * as format from "../base/format";
import type { Result } from "../base/result";
import { pathReading, ranksReading } from "../base/sentences";
import { pathTable, ranksTable } from "../base/tables";
import { Figure } from "./figure";

/** The account comes after the trials: until then the last one stays, marked, so that nothing moves. */
export function CriticalPath({ result }: { result: Result }) {
  const last = useRef(result);
  if (!result.partial || result.critical_path || !last.current.critical_path) last.current = result;
  return (
    <div class="stack" data-stale={last.current !== result || undefined}>
      <PathCard result={last.current} />
    </div>
  );
}

function PathCard({ result }: { result: Result }) {
  const path = result.critical_path;
  if (!path) {
    return (
      <section class="card">
        <header>
          <h2>Where the time goes</h2>
        </header>
        <p class="reading">{pathReading(result)}</p>
      </section>
    );
  }
  return (
    <Figure
      title="Where the time goes"
      chart="criticalPath"
      result={result}
      reading={pathReading(result)}
      table={() => pathTable(result)}
      height={path.kinds.length * 28 + 42}
      legend={<Legend parts={["compute", "communication"]} />}
      about={
        <p>
          A step ends when its last operator ends. Going back from there, always to the operator that was
          waited for, gives the critical path: only making these operators faster makes the step shorter. The
          bars split its length by kind, averaged over {format.count(path.trials)} steps.
        </p>
      }
    />
  );
}

export function Ranks({ result }: { result: Result }) {
  const { ranks, critical_path: path, layout } = result;
  if (ranks.length === 0) return null;
  return (
    <Figure
      title="Pipeline ranks"
      chart="ranks"
      result={result}
      reading={ranksReading(result)}
      table={() => ranksTable(result)}
      height={230}
      legend={<Legend parts={["compute", "communication", "idle"]} />}
      about={
        <p>
          Each column is one pipeline rank ({format.count(layout.gpus / layout.pp)} GPUs), from the first
          layers to the last. Idle is waiting: for the pipeline to fill and drain, for the neighbours’
          results, for slower members of a group. Two conventions call it the bubble: idle over the whole
          step, as here, and idle over busy time, as in most papers on schedules; the table has both.{" "}
          {path ? `Means over ${format.count(path.trials)} steps.` : "Of the step without variability."}
        </p>
      }
    />
  );
}

function Legend({ parts }: { parts: ("compute" | "communication" | "idle")[] }) {
  return (
    <ul class="legend" aria-label="Legend">
      {parts.map((part) => (
        <li key={part}>
          <span class={`swatch ${part}`} aria-hidden="true" />
          {part}
        </li>
      ))}
    </ul>
  );
}
