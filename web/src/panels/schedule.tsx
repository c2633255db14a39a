// SPDX-License-Identifier: Apache-2.0
// Several runs with deadlines on one cluster: which first, and how likely each is in time.
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { useSelect } from "../app/context";
import { examples } from "../app/examples";
import { Glossary } from "../app/glossary";
import * as format from "../base/format";
import {
  type Listed,
  ordersOf,
  refusalText,
  type Schedule,
  scheduleOrigin,
  scheduleQuestion,
  scheduleReading,
  scheduleTable,
  withRun,
} from "../base/schedule";
import * as palettes from "../charts/palette";
import { drawSchedule } from "../charts/schedule";
import { DataTable } from "../ui/table";
import { shortened } from "./begin";
import { type Other, SecondScenario } from "./compare";
import { Files } from "./files";
import { Picture } from "./picture";
import { useStudy } from "./use-study";

const about =
  "One run after the other on one cluster, first the one that must start earliest: its deadline less its own 95 % quantile, or mean. Bars go from median start to median finish, lines on to the 95 % quantile; upright marks are deadlines.";

/** Examples of training runs: their headline speaks of runs. */
const planned = examples.filter(({ headline }) => headline.includes("runs finish"));

interface SchedulePanelProps {
  /** In how many days a run is due unless the user says otherwise. */
  days: number;
  list: Listed[];
  onList: (list: Listed[]) => void;
}

export function SchedulePanel({ days, list, onList }: SchedulePanelProps) {
  const text = useSelect((s) => s.answer?.text ?? s.doc.text);
  const title = useSelect((s) => s.answer?.result.title ?? "");
  const { running, share, fault, setFault, start, stop } = useStudy();
  const [found, setFound] = useState<{ schedule: Schedule; question: object } | null>(null);

  const change = (runs: Listed[]) => {
    stop();
    setFault("");
    onList(runs);
  };
  const take = (other: Pick<Other, "name" | "text"> | string) => {
    if (typeof other === "string") return setFault(other);
    const runs = withRun(list, other, days);
    if (runs) change(runs);
    else setFault(`${other.name} has no training run.`);
  };
  const play = () => {
    const question = scheduleQuestion(list, shortened);
    start(
      list[0]!.text,
      () => question,
      (answer) => setFound({ schedule: answer as unknown as Schedule, question }),
      { refusal: ([first]) => (first ? refusalText(first, list) : "it is refused") },
    );
  };
  const stale =
    found !== null && JSON.stringify(found.question) !== JSON.stringify(scheduleQuestion(list, shortened));

  return (
    <>
      <ul class="planned-runs" aria-label="Runs on one cluster">
        {list.map((run) => (
          <RunRow
            key={run.id}
            run={run}
            onChange={(changed) => change(list.map((r) => (r.id === run.id ? changed : r)))}
            onRemove={() => change(list.filter((r) => r.id !== run.id))}
          />
        ))}
      </ul>
      <p>
        <button type="button" class="small" onClick={() => take({ name: title || "This scenario", text })}>
          Add this scenario
        </button>
      </p>
      <SecondScenario offered={planned} label="A scenario to schedule" onTake={take} />
      <p>
        <button type="button" class="small" disabled={list.length === 0} onClick={running ? stop : play}>
          {running ? "Stop planning" : "Play this question"}
        </button>{" "}
        <output>{running ? `${Math.round(100 * share)} %` : ""}</output>
      </p>
      {fault && <p role="alert">{fault}</p>}
      {found && <Answer {...found} stale={stale} />}
    </>
  );
}

interface RunRowProps {
  run: Listed;
  onChange: (run: Listed) => void;
  onRemove: () => void;
}

function RunRow({ run, onChange, onRemove }: RunRowProps) {
  return (
    <li>
      <label>
        Run
        <input
          type="text"
          value={run.name}
          onInput={(event) => onChange({ ...run, name: event.currentTarget.value })}
        />
      </label>
      <label>
        Steps
        <input
          type="number"
          min="1"
          value={run.steps}
          onInput={(event) => onChange({ ...run, steps: Number(event.currentTarget.value) })}
        />
      </label>
      <label>
        Due in (days)
        <input
          type="number"
          min="0.001"
          step="any"
          value={run.days}
          onInput={(event) => onChange({ ...run, days: Number(event.currentTarget.value) })}
        />
      </label>
      <button type="button" class="plain" aria-label={`Remove ${run.name}`} onClick={onRemove}>
        Remove
      </button>
    </li>
  );
}

function Answer({ schedule, question, stale }: { schedule: Schedule; question: object; stale: boolean }) {
  const reading = scheduleReading(schedule);
  const orders = ordersOf(schedule);
  return (
    <div data-stale={stale || undefined}>
      {stale && <p>The list has changed since: play the question again.</p>}
      <p class="reading">{reading}</p>
      <Picture
        name={`Timeline of the runs. ${reading}`}
        draw={(width) => drawSchedule(schedule, width, palettes.page)}
        of={schedule}
      />
      {orders.map((shown) => (
        <Fragment key={shown.name}>
          {orders.length > 1 && <h3>{shown.name}</h3>}
          <DataTable table={scheduleTable(schedule, [shown])} caption={`${shown.name}, run by run`} />
        </Fragment>
      ))}
      <footer>
        <details>
          <summary>How to read this</summary>
          <div class="about">
            <p>{about}</p>
            <p>
              {format.count(schedule.runs)} runs of each, seed {schedule.seed}; digest {schedule.digest}.
            </p>
            <Glossary />
          </div>
        </details>
        <Files
          title="Runs on one cluster"
          stem="planning-schedule"
          origin={stale ? null : scheduleOrigin(schedule, question)}
          table={() => scheduleTable(schedule)}
          draw={(width, palette) => drawSchedule(schedule, width, palette)}
        />
      </footer>
    </div>
  );
}
