// SPDX-License-Identifier: Apache-2.0
// The causes of variability, one below the other: what each does, who shares it and for how long, where its figures
// come from, and a switch. Those of the user's own can be changed here and taken out.
import { useId } from "preact/hooks";
import { useController } from "../app/context";
import type { Diagnostic, Result } from "../base/result";
import { Icon } from "../ui/icons";
import {
  type Cause,
  causeFields,
  causesOf,
  causeText,
  isOwn,
  pointerTo,
  restored,
  silenced,
  withAdded,
  withRemoved,
} from "./causes";
import type { Field, Reading } from "./reading";
import { belongs, FieldRow } from "./row";

export interface ListProps {
  reading: Reading;
  result: Result | undefined;
  errors: Diagnostic[];
  change: (field: Field, text: string, typing?: boolean) => void;
}

export function Causes(props: ListProps) {
  const app = useController();
  const { reading } = props;
  const causes = causesOf(reading);
  const add = (list: "factors" | "stalls") =>
    app.edit(withAdded(reading, list), list === "factors" ? "adding a factor" : "adding a stall");
  return (
    <>
      {causes.length > 0 && (
        <ul class="items" aria-label="Causes of variability">
          {causes.map((cause) => (
            <CauseItem key={`${cause.list} ${cause.index}`} cause={cause} {...props} />
          ))}
        </ul>
      )}
      <div class="buttons">
        <button type="button" class="small" onClick={() => add("factors")}>
          <Icon name="plus" /> Factor
        </button>
        <button type="button" class="small" onClick={() => add("stalls")}>
          <Icon name="plus" /> Stall
        </button>
      </div>
    </>
  );
}

function CauseItem({ cause, reading, result, errors, change }: ListProps & { cause: Cause }) {
  const app = useController();
  const id = useId();
  const text = causeText(reading, cause);
  const source = typeof cause.value.source === "string" ? cause.value.source : "";
  const own = isOwn(cause);
  const fields = own && cause.on ? causeFields(reading, cause) : [];
  const place = pointerTo(cause);
  const faults = errors.filter(
    (e) => `${e.pointer}/`.startsWith(`${place}/`) && !fields.some((field) => belongs(e, field)),
  );
  const toggle = (on: boolean) => {
    const earlier = app.state.past.map((step) => step.doc.text).reverse();
    app.edit(
      on ? restored(reading, cause, earlier) : silenced(reading, cause),
      `switching ${text.title.toLowerCase()} ${on ? "on" : "off"}`,
    );
  };
  return (
    <li class="item" data-off={!cause.on || undefined}>
      <div class="item-head">
        <input
          id={id}
          type="checkbox"
          class="switch"
          checked={cause.on}
          aria-describedby={`${id}-text`}
          onChange={(event) => toggle(event.currentTarget.checked)}
        />
        <label for={id}>{text.title}</label>
        {own && (
          <button
            type="button"
            class="plain"
            aria-label={`Take out ${text.title}`}
            onClick={() => app.edit(withRemoved(reading, cause), `taking out ${text.title.toLowerCase()}`)}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <p class="hint" id={`${id}-text`}>
        {text.law}; {text.shared}
      </p>
      {faults.length > 0 && <p class="fault">{faults.map((e) => e.message).join(" ")}</p>}
      {fields.map((field) => (
        <FieldRow
          key={field.id}
          field={field}
          reading={reading}
          result={result}
          faults={errors.filter((e) => belongs(e, field))}
          change={change}
        />
      ))}
      {source && (
        <details>
          <summary>Source</summary>
          <p class="hint">{source}</p>
        </details>
      )}
    </li>
  );
}
