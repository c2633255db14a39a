// SPDX-License-Identifier: Apache-2.0
// The page inside another page (`?embed=1`, docs/embed.md): results and one row of controls; nothing is stored and no
// file is taken. Its height is told only to the parent that asked, at the origin it asked from.
import { useEffect } from "preact/hooks";
import { Errors } from "../input/errors";
import { fields } from "../input/fields";
import { usePresets } from "../input/form";
import { readingOf } from "../input/reading";
import { FieldRow } from "../input/row";
import { AnswerView } from "../panels/answer";
import { StepTime } from "../panels/step-time";
import { CriticalPath } from "../panels/time";
import { useController, useSelect } from "./context";
import { onHello } from "./parent";
import { isStale } from "./state";
import { Announcements } from "./status";

/** What matters most and has a short name. */
const row = ["dp", "pp", "variability"];

export function Embedded() {
  const answer = useSelect((s) => s.answer);
  const stale = useSelect(isStale);
  const errors = useSelect((s) => s.errors);
  const refusal = useSelect((s) => s.refusal);
  useHeight();
  return (
    <main class="embedded">
      {refusal && (
        <p class="notice error" role="alert">
          {refusal.kind === "link" ? refusal.fault.message : refusal.message}
        </p>
      )}
      <AnswerView>
        <Errors errors={errors} />
      </AnswerView>
      <Controls />
      {answer && !refusal && (
        <div class="panels-place">
          <div class="panels" data-stale={stale || undefined}>
            <StepTime result={answer.result} />
            <CriticalPath result={answer.result} />
          </div>
        </div>
      )}
      <Announcements />
    </main>
  );
}

function Controls() {
  const app = useController();
  const text = useSelect((s) => s.doc.text);
  const answer = useSelect((s) => s.answer);
  const errors = useSelect((s) => s.errors);
  const undone = useSelect((s) => s.past.at(-1)?.done);
  const presets = usePresets();
  const reading = readingOf(text, answer?.result.scenario, presets);
  const own = fields.filter((f) => row.includes(f.id) && (f.shown?.(reading) ?? true));
  const link = app.link();
  return (
    <form class="row" aria-label="Scenario" onSubmit={(event) => event.preventDefault()}>
      {own.map(({ help: _, ...field }) => (
        <FieldRow
          key={field.id}
          field={field}
          reading={reading}
          result={undefined}
          faults={errors.filter((e) => e.pointer === field.pointer)}
          change={(_, changed, typing = false) =>
            app.edit(changed, `changing ${field.label.toLowerCase()}`, { typing })
          }
        />
      ))}
      <button type="button" disabled={undone === undefined} onClick={() => app.undo()}>
        Undo
      </button>
      <a href={`./${link ?? location.hash}`} target="_blank" rel="noopener">
        Open in Prism
      </a>
    </form>
  );
}

/** Answers the parent's `{ prism: "hello" }` with the height, now and at each change. */
function useHeight() {
  useEffect(() => {
    let origin: string | null = null;
    const tell = () => {
      if (origin !== null)
        parent.postMessage(
          { prism: "height", height: Math.ceil(document.documentElement.getBoundingClientRect().height) },
          origin,
        );
    };
    const observer = new ResizeObserver(tell);
    observer.observe(document.documentElement);
    const leave = onHello((from) => {
      origin = from;
      tell();
    });
    return () => {
      observer.disconnect();
      leave();
    };
  }, []);
}
