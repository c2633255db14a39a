// SPDX-License-Identifier: Apache-2.0
// Planning the training run of the scenario at hand: how often to write checkpoints, how many spares, how many GPUs, and
// in which order beside other runs.
import { useState } from "preact/hooks";
import { useSelect } from "../app/context";
import { Glossary } from "../app/glossary";
import * as format from "../base/format";
import { type Planning, type PlanningName, planningReading, planningTable } from "../base/planning";
import { withRun } from "../base/schedule";
import * as palettes from "../charts/palette";
import { drawPlanning } from "../charts/planning";
import { Choice } from "../ui/choice";
import { DataTable } from "../ui/table";
import { Comparison } from "./compare";
import { Files, useStudyOrigin } from "./files";
import { Picture } from "./picture";
import { SchedulePanel } from "./schedule";
import { StudyPanels } from "./studies";
import { useStudy } from "./use-study";

const offers: [PlanningName | "schedule", string][] = [
  ["checkpoint", "How often to write checkpoints"],
  ["spares", "How many spares"],
  ["capacity", "How many GPUs"],
  ["schedule", "In which order several runs"],
];
const about: Record<PlanningName, string> = {
  checkpoint:
    "Mean wall-clock time by interval, all on the same noise, with 95 % intervals. The best is the minimum of a smooth curve through the points. Young’s and Daly’s formulas are for memoryless failures and blocking writes much shorter than the time between failures.",
  spares:
    "Share of the runs that finish in time by the number of spare nodes; upright lines are 95 % intervals, the dashed line the chance asked for.",
  capacity:
    "Share of the runs that finish in time by the number of GPUs; the global batch is kept and the step simulated anew for each size. Upright lines are 95 % intervals, the dashed line the chance asked for.",
};

export function AllStudies() {
  const planned = useSelect((s) => s.answer?.result.training_run !== undefined);
  return (
    <>
      <StudyPanels />
      <Comparison />
      {planned && <PlanningPanel />}
    </>
  );
}

function PlanningPanel() {
  const text = useSelect((s) => s.answer?.text ?? s.doc.text);
  const asked = useSelect((s) => s.answer?.result.training_run?.finish.within.at(-1)?.days ?? 60);
  const [name, setName] = useState<PlanningName | "schedule">("checkpoint");
  const [days, setDays] = useState(asked);
  const title = useSelect((s) => s.answer?.result.title ?? "");
  const [list, setList] = useState(() => withRun([], { name: title || "This scenario", text }, asked) ?? []);
  const { running, share, fault, start, stop } = useStudy();
  const [found, setFound] = useState<{ planning: Planning; text: string } | null>(null);
  const play = () =>
    start(
      text,
      () => (name === "checkpoint" ? { study: name } : { study: name, within_days: days, probability: 0.95 }),
      (answer) => setFound({ planning: answer as unknown as Planning, text }),
    );

  return (
    <section class="card wide figure">
      <header>
        <h2>Planning the run</h2>
        <Choice
          name="Question"
          value={name}
          options={offers}
          onChange={(chosen) => {
            stop();
            setName(chosen);
          }}
        />
      </header>
      {name === "schedule" ? (
        <SchedulePanel days={asked} list={list} onList={setList} />
      ) : (
        <>
          {name !== "checkpoint" && (
            <p>
              <label>
                Finished within (days){" "}
                <input
                  type="number"
                  min="0.001"
                  step="any"
                  value={days}
                  onInput={(event) => setDays(Number(event.currentTarget.value))}
                />
              </label>
            </p>
          )}
          <p>
            <button type="button" class="small" onClick={running ? stop : play}>
              {running ? "Stop planning" : "Play this question"}
            </button>{" "}
            <output>{running ? `${Math.round(100 * share)} %` : ""}</output>
          </p>
          {fault && <p role="alert">{fault}</p>}
          {found && found.planning.prism_study === name && (
            <Answer planning={found.planning} of={found.text} stale={found.text !== text} />
          )}
        </>
      )}
    </section>
  );
}

function Answer({ planning, of, stale }: { planning: Planning; of: string; stale: boolean }) {
  const reading = planningReading(planning);
  const title = useSelect((s) => s.answer?.result.title ?? "");
  const origin = useStudyOrigin(of, {
    ...planning,
    title,
    name: planning.prism_study,
    sample: `${format.count(planning.runs)} runs each`,
  });
  return (
    <div data-stale={stale || undefined}>
      {stale && <p>The scenario has changed since: play the question again.</p>}
      <p class="reading">{reading}</p>
      {(planning.left_out ?? []).map(({ dp, why }) => (
        <p class="hint" key={dp}>
          {dp} replicas left out: {why}
        </p>
      ))}
      <Picture
        name={`Planning. ${reading}`}
        draw={(width) => drawPlanning(planning, width, palettes.page)}
        of={planning}
      />
      <footer>
        <details>
          <summary>Data table</summary>
          <DataTable table={planningTable(planning)} caption="What was tried" />
        </details>
        <details>
          <summary>How to read this</summary>
          <div class="about">
            <p>{about[planning.prism_study]}</p>
            <p>
              {format.count(planning.runs)} runs of each, seed {planning.seed}; digest {planning.digest}.
            </p>
            <Glossary />
          </div>
        </details>
        <Files
          title={`Planning: ${planning.prism_study}`}
          stem={`planning-${planning.prism_study}`}
          origin={origin}
          table={() => planningTable(planning)}
          draw={(width, palette) => drawPlanning(planning, width, palette)}
        />
      </footer>
    </div>
  );
}
