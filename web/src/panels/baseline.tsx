// SPDX-License-Identifier: Apache-2.0
// The result on show against the pinned one: both scenarios on the same noise, played anew after each change.
import { useEffect, useState } from "preact/hooks";
import { useController, useSelect } from "../app/context";
import { readDocument } from "../app/documents";
import { Glossary } from "../app/glossary";
import { type Answer, isSettled } from "../app/state";
import { baselineReading, shifts } from "../base/baseline";
import { asLayout, changedMembers, comparisonTable } from "../base/compare";
import * as format from "../base/format";
import { headlineText } from "../base/sentences";
import type { Study } from "../base/study";
import { curves } from "../charts/studies";
import { DataTable } from "../ui/table";
import { trials } from "./begin";
import { Changes } from "./compare";
import { Files, useStudyOrigin } from "./files";
import { Headline } from "./headline";
import { useStudy } from "./use-study";

/** Longer than this it is played when it is asked for. */
const limit_s = 10;

const dataOf = ({ text }: Answer) => JSON.parse(readDocument(text).scenario) as Record<string, unknown>;

const sidesOf = (answer: Answer) => ({ written: dataOf(answer), resolved: answer.result.scenario });

/** What the comparison takes, by what the two results took. */
const secondsOf = (answers: Answer[]) =>
  answers.reduce(
    (sum, { ms, result }) => sum + ((ms / 1000) * Math.min(trials, result.trials)) / result.trials,
    0,
  );

interface Found {
  study: Study;
  pinned: Answer;
  now: Answer;
}

export function BaselinePanel() {
  const app = useController();
  const pinned = useSelect((s) => s.pinned)!;
  const title = pinned.result.title || "Untitled scenario";
  return (
    <section class="card figure baseline">
      <header>
        <h2>Against the pinned baseline</h2>
        <span class="buttons">
          <button type="button" class="small" onClick={() => app.returnToPinned()}>
            Go back to it
          </button>{" "}
          <button type="button" class="small" onClick={() => app.unpin()}>
            Unpin
          </button>
        </span>
      </header>
      <p class="hint">
        Pinned: {title}, p95 {headlineText(pinned.result.step_time_s, "p95")}.
      </p>
      <Against pinned={pinned} />
    </section>
  );
}

function Against({ pinned }: { pinned: Answer }) {
  const text = useSelect((s) => s.doc.text);
  const now = useSelect((s) => (isSettled(s) ? s.answer : null));
  const { running, share, fault, setFault, start, stop } = useStudy();
  const [found, setFound] = useState<Found | null>(null);

  const play = (present: Answer) =>
    start(
      readDocument(pinned.text).scenario,
      () => ({ study: "compare", layouts: [asLayout("now", dataOf(pinned), dataOf(present))] }),
      (study) => setFound({ study, pinned, now: present }),
    );
  // The newest result alone is compared: a change ends what is being played for the one before.
  useEffect(() => {
    if (now && differs(pinned, now) && secondsOf([pinned, now]) <= limit_s) play(now);
    return () => {
      stop();
      setFault("");
    };
  }, [pinned, now]);

  if (text === pinned.text)
    return <p>Nothing has changed yet. Change one thing: what it does stands here.</p>;
  const current = found && found.pinned === pinned && found.now.text === text;
  if (now && !differs(pinned, now))
    return <p>Only the seed or the number of trials differs: on the same noise both are alike.</p>;
  const waits = now && !current && !running && !fault;
  return (
    <>
      {running && <p>Playing both on the same noise: {Math.round(100 * share)} %.</p>}
      {waits && (
        <p>
          <button type="button" class="small" onClick={() => play(now)}>
            Play both on the same noise
          </button>{" "}
          {format.timeLeft(secondsOf([pinned, now]))} of computing
        </p>
      )}
      {fault && <p role="alert">{fault}</p>}
      {found && found.pinned === pinned && <Difference {...found} stale={!current} />}
    </>
  );
}

/** Trials and seed are the pinned ones' in both, so they make no difference. */
const differs = (pinned: Answer, now: Answer) =>
  Object.keys(asLayout("now", dataOf(pinned), dataOf(now))).length > 1;

function Difference({ study, pinned, now, stale }: Found & { stale: boolean }) {
  const origin = useStudyOrigin(now.text, {
    ...study,
    name: `compared with the pinned ${pinned.result.title || "scenario"}, digest ${pinned.result.digest}`,
    sample: `${format.count(study.trials)} trials each`,
  });
  const tiles = shifts(study);
  const table = () => comparisonTable(study, ["Pinned", "Now"]);
  return (
    <div data-stale={stale || undefined}>
      <p class="reading" role="status">
        {stale ? "This difference belongs to the settings before the last change. " : ""}
        {baselineReading(study)}
      </p>
      {tiles && (
        <dl class="headlines">
          {tiles.map((tile) => (
            <Headline key={tile.name} {...tile} />
          ))}
        </dl>
      )}
      <Changes list={changedMembers(sidesOf(pinned), sidesOf(now))} headings={["Pinned", "Now"]} />
      {tiles && (
        <footer>
          <details>
            <summary>Data table</summary>
            <DataTable table={table()} caption="Pinned and now, and their difference" />
          </details>
          <details>
            <summary>How to read this</summary>
            <div class="about">
              <p>
                Both scenarios are played for {format.count(study.trials)} trials with the pinned seed; what
                the change leaves alone is drawn alike in both, so their difference is known better than
                either time. Intervals are 95 %; what is “not told from none” may be chance. In the chart of
                the step time the pinned result is the dashed line.
              </p>
              <p>Digest {study.digest}.</p>
              <Glossary />
            </div>
          </details>
          <Files
            title="Now, and dashed the pinned baseline"
            stem="against-pinned"
            origin={origin}
            table={table}
            draw={(width, palette) => curves(study, [1, 0], width, palette)}
          />
        </footer>
      )}
    </div>
  );
}
