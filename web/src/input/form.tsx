// SPDX-License-Identifier: Apache-2.0
// The form: every field of the table, with its own faults beneath it, and the lists of causes and of slow places.
import { useEffect, useState } from "preact/hooks";
import { useController, useLater, useSelect } from "../app/context";
import type { Diagnostic } from "../base/result";
import { Causes } from "./cause-list";
import { fields, groups } from "./fields";
import { Places } from "./place-list";
import { type Field, type Presets, readingOf } from "./reading";
import { belongs, FieldRow } from "./row";

/** Told beside the cause itself. */
const ofOwnCause = (e: Diagnostic) => /^\/variability\/(factors|stalls)\/\d/.test(e.pointer);

export function usePresets(): Presets | undefined {
  const app = useController();
  const [presets, setPresets] = useState<Presets>();
  // Asked for once the first answer is there: it must wait for nothing.
  const ready = useSelect((s) => s.answer !== null || s.errors.length > 0);
  useEffect(() => {
    if (ready) app.presets().then((text) => setPresets(JSON.parse(text) as Presets));
  }, [app, ready]);
  return presets;
}

export function Form({ presets }: { presets: Presets | undefined }) {
  const app = useController();
  const text = useSelect((s) => s.doc.text);
  const answer = useLater((s) => s.answer);
  const errors = useSelect((s) => s.errors);
  const reading = readingOf(text, answer?.result.scenario, presets);
  const broken = reading.data === undefined;
  const result = answer?.text === text ? answer.result : undefined;
  const change = (field: Field, changed: string, typing = false) =>
    app.edit(changed, `changing ${field.label.toLowerCase()}`, { group: `field ${field.id}`, typing });
  const rest = { reading, result, errors, change };
  return (
    // The scenario is the text; nothing is ever submitted.
    <form onSubmit={(event) => event.preventDefault()} aria-label="Scenario">
      {broken && <p class="hint">The text is not valid JSON yet; the fields return when it is.</p>}
      <fieldset disabled={broken}>
        <legend class="visually-hidden">Main settings</legend>
        {groups.map((group) => {
          const members = fields.filter((f) => f.group === group.id && (f.shown?.(reading) ?? true));
          if (members.length === 0 && group.id !== "place") return null;
          return (
            <section key={group.id} class="field-group">
              <h2>{group.title}</h2>
              {members.map((field) => (
                <FieldRow
                  key={field.id}
                  field={field}
                  reading={reading}
                  result={result}
                  faults={errors.filter((e) => belongs(e, field) && !ofOwnCause(e))}
                  change={change}
                />
              ))}
              {group.id === "variability" && <Causes {...rest} />}
              {group.id === "place" && <Places {...rest} />}
            </section>
          );
        })}
      </fieldset>
    </form>
  );
}
