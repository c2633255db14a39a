// SPDX-License-Identifier: Apache-2.0
// Studies of the scenario at hand: one is chosen, played by workers of its own, and drawn.
import { useState } from "preact/hooks";
import { useController, useSelect } from "../app/context";
import { Glossary } from "../app/glossary";
import * as format from "../base/format";
import {
  drawnVariants,
  inWords,
  leftText,
  played,
  type Study,
  type StudyName,
  studyReading,
  studyTable,
} from "../base/study";
import * as palettes from "../charts/palette";
import { drawStudy } from "../charts/studies";
import { Choice } from "../ui/choice";
import { DataTable } from "../ui/table";
import { trials as few } from "./begin";
import { Beside } from "./compare";
import { Warnings } from "./facts";
import { Files, useStudyOrigin } from "./files";
import { Picture } from "./picture";
import { type Trials, useStudy } from "./use-study";

interface Offer {
  label: string;
  question: object;
  about: string;
}

const offers: Partial<Record<StudyName, Offer>> = {
  sensitivity: {
    label: "What sets the tail",
    question: {},
    about:
      "Each bar: how the p95 would change if one kind of operators took everything random at its mean. The line across it is the 95 % interval; pale bars cannot be told from none. Effects do not add up: kinds share maxima. Work stays, variability goes.",
  },
  placement: {
    label: "Where a slow node hurts",
    question: { slow: [1.05, 1.1, 1.25, 1.5] },
    about:
      "Each cell: the p95 with one node of that pipeline stage slower, over the p95 without. Darker is worse. Replicas are taken as alike, so one stands for all; the node slows only compute.",
  },
  scaling: {
    label: "How it scales",
    question: {},
    about:
      "Sizes double from one replica to 131,072 GPUs; the batch of a replica is kept (weak scaling). The band around the p95 is its 95 % interval. The dashed line is the step without variability.",
  },
  compare: {
    label: "Which layout",
    question: { most: 24 },
    about:
      "Bars run from p5 to p95, dots are the medians. Layouts that divide the job and fit into an estimate of memory; of more than 24, those with the least estimated time; those slower than twice the best are in the table alone. The red ones cannot be told apart at p95 from the best.",
  },
  "scale-variability": {
    label: "More or less variability",
    question: { times: [0, 0.5, 1, 2] },
    about:
      "Bars run from p5 to p95, dots are the medians. Every factor with median 1 is raised to the power shown, stalls come so many times as often; medians stay.",
  },
};
/** Drawn as a list of variants. */
const listed = new Set<StudyName>(["compare", "scale-variability"]);
const names = Object.keys(offers) as StudyName[];

export function StudyPanels() {
  const text = useSelect((s) => s.answer?.text ?? s.doc.text);
  const asked = useSelect((s) => s.answer?.result.trials_asked ?? 0);
  const memory = useSelect((s) => s.answer?.result.memory ?? null);
  const [name, setName] = useState<StudyName>("sensitivity");
  const [trials, setTrials] = useState<Trials>("few");
  const { running, share, fault, start, stop } = useStudy();
  const [found, setFound] = useState<{ study: Study; text: string } | null>(null);
  const play = () =>
    start(
      text,
      () => ({ study: name, ...offers[name]!.question }),
      (study) => setFound({ study: inWords(study, memory), text }),
      { trials },
    );

  return (
    <section class="card wide figure">
      <header>
        <h2>Studies</h2>
        <Choice
          name="Study"
          value={name}
          options={names.map((n): [StudyName, string] => [n, offers[n]!.label])}
          onChange={(chosen) => {
            stop();
            setName(chosen);
          }}
        />
        {asked > few && (
          <Choice<Trials>
            name="Trials of each variant"
            value={trials}
            options={[
              ["few", `${format.count(few)} trials each`],
              ["as asked", `${format.count(asked)}, as the scenario`],
            ]}
            onChange={(chosen) => {
              stop();
              setTrials(chosen);
            }}
          />
        )}
      </header>
      <p>
        {running ? (
          <button type="button" class="small" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="small" onClick={play}>
            Play this study
          </button>
        )}{" "}
        <output>{running ? `${Math.round(100 * share)} %` : ""}</output>
      </p>
      {fault && <p role="alert">{fault}</p>}
      {found && found.study.prism_study === name && (
        <StudyView
          study={found.study}
          about={offers[name]!.about}
          of={found.text}
          stale={found.text !== text}
        />
      )}
    </section>
  );
}

function ClassLegend() {
  return (
    <ul class="legend" aria-label="Legend">
      {(["compute", "communication"] as const).map((name) => (
        <li key={name}>
          <span class={`swatch ${name}`} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}

interface StudyViewProps {
  study: Study;
  about: string;
  /** The scenario that was played. */
  of: string;
  stale: boolean;
}

function StudyView({ study, about, of, stale }: StudyViewProps) {
  const app = useController();
  const [other, setOther] = useState(0);
  const reading = studyReading(study);
  const left = leftText(study, listed.has(study.prism_study) ? drawnVariants(study).left : 0);
  const origin = useStudyOrigin(of, {
    ...study,
    name: study.prism_study,
    sample: `${format.count(study.trials)} trials each`,
  });
  const list = study.variants.map((v, i) => ({ v, i })).filter(({ v, i }) => i > 0 && v.fault === null);
  const chosen = other > 0 && other < study.variants.length ? other : (list[0]?.i ?? 0);
  return (
    <div data-stale={stale || undefined}>
      {stale && <p>The scenario has changed since: play the study again.</p>}
      <p class="reading">{reading}</p>
      {study.answer?.kinds && <ClassLegend />}
      <Picture
        name={`Study. ${reading}`}
        draw={(width) => drawStudy(study, width, palettes.page)}
        of={study}
      />
      {left && <p class="hint">{left}</p>}
      {chosen > 0 && (
        <>
          <p class="beside-first">
            <label>
              Set beside “{study.variants[0]!.name}”{" "}
              <select
                value={String(chosen)}
                onChange={(event) => setOther(Number(event.currentTarget.value))}
              >
                {list.map(({ v, i }) => (
                  <option key={i} value={String(i)}>
                    {v.name}
                  </option>
                ))}
              </select>
            </label>
            <button
              type="button"
              onClick={() =>
                app.openText(
                  "variant",
                  JSON.stringify(study.variants[chosen]!.scenario, null, 2),
                  "opening a variant",
                )
              }
            >
              Open as scenario
            </button>
          </p>
          <Beside study={study} index={chosen} origin={origin} />
        </>
      )}
      <Warnings warnings={study.warnings} label="Warnings of the study" />
      <footer>
        <details>
          <summary>Data table</summary>
          <DataTable table={studyTable(study)} caption="Variants of the study" />
        </details>
        <details>
          <summary>How to read this</summary>
          <div class="about">
            <p>{about}</p>
            {study.notes.map((note) => (
              <p key={note}>{note}</p>
            ))}
            <p>
              {format.count(played(study).length)} variants, {format.count(study.trials)} trials each on the
              same noise, seed {study.seed}; digest {study.digest}.
            </p>
            <Glossary />
          </div>
        </details>
        <Files
          title={`Study: ${study.prism_study}`}
          stem={`study-${study.prism_study}`}
          origin={origin}
          table={() => studyTable(study)}
          draw={(width, palette) => drawStudy(study, width, palette)}
        />
      </footer>
    </div>
  );
}
