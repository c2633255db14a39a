// SPDX-License-Identifier: Apache-2.0
// One field: its label, its control, what it means and what is wrong with it.
import { useId, useRef, useState } from "preact/hooks";
import type { Diagnostic, Result } from "../base/result";
import { Icon } from "../ui/icons";
import {
  type ChoiceField,
  type Field,
  type NumberField,
  type Reading,
  type SeedField,
  shown,
} from "./reading";
import { RemedyButtons } from "./remedy-buttons";
import { freshSeed } from "./seed";

export const belongs = (d: Diagnostic, field: Field) =>
  d.pointer === field.pointer || d.pointer.startsWith(`${field.pointer}/`);

interface RowProps<F> {
  field: F;
  reading: Reading;
  result: Result | undefined;
  faults: Diagnostic[];
  change: (field: Field, text: string, typing?: boolean) => void;
}

export function FieldRow({ field, reading, result, faults, change }: RowProps<Field>) {
  const id = useId();
  const help = field.help?.(reading, result) ?? "";
  // What only a result tells keeps its place until the new one is there, so that no button moves away below a pointer.
  const before = useRef("");
  if (result) before.current = help;
  const hint = help || before.current;
  const describedBy =
    [help && `${id}-help`, faults.length > 0 && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  const invalid = faults.length > 0;
  const shared = { id, reading, change, invalid, describedBy };
  return (
    <div class="field" data-invalid={invalid || undefined}>
      <label for={id}>
        {field.label}
        {field.kind === "number" && field.unit && <span class="unit"> {field.unit}</span>}
      </label>
      {field.kind === "number" && <NumberInput field={field} {...shared} />}
      {field.kind === "choice" && <ChoiceInput field={field} {...shared} />}
      {field.kind === "seed" && <SeedInput field={field} {...shared} />}
      {hint && (
        <p class="hint" id={`${id}-help`} data-waiting={!help || undefined}>
          {hint}
        </p>
      )}
      {invalid && (
        <div class="fault" id={`${id}-fault`}>
          {faults.map((fault) => (
            <p key={fault.pointer + fault.message}>
              {[fault.message, fault.hint].filter(Boolean).join("; ")} <RemedyButtons fault={fault} />
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

interface InputProps<F> {
  field: F;
  id: string;
  reading: Reading;
  change: RowProps<F>["change"];
  invalid: boolean;
  describedBy: string | undefined;
}

function NumberInput({ field, id, reading, change, invalid, describedBy }: InputProps<NumberField>) {
  const { value, written } = field.value
    ? { value: field.value(reading), written: true }
    : shown(reading, field.pointer);
  const scale = field.scale ?? 1;
  const number = typeof value === "number" ? value : field.otherwise;
  const known = number === undefined ? null : tidy(number * scale);
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? (known === null ? "" : String(known));

  const write = (next: number, typing: boolean) =>
    change(field, field.write(reading, tidy(next / scale)), typing);
  const stepped = (up: boolean) => {
    if (known === null) return;
    setTyped(null);
    if (field.step === "scale") return write(up ? known * 2 : known / 2, false);
    if (field.step === "one") return write(Math.max(0, known + (up ? 1 : -1)), false);
    write(up ? known * 2 : Math.max(1, Math.floor(known / 2)), false);
  };
  const names = field.step === "one" ? ["Less", "More"] : ["÷2", "×2"];
  return (
    <div class="stepper">
      <button
        type="button"
        aria-label={`${names[0]} ${field.label}`}
        disabled={known === null || known <= (field.step === "double" ? 1 : 0)}
        onClick={() => stepped(false)}
      >
        {field.step === "one" ? <Icon name="minus" /> : "÷2"}
      </button>
      <input
        id={id}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        value={text}
        data-assumed={(!written && typed === null) || undefined}
        title={written ? undefined : "Not in the text: worked out or assumed"}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        onInput={(event) => {
          const raw = event.currentTarget.value;
          setTyped(raw);
          if (raw.trim() === "" && field.clear) change(field, field.clear(reading), true);
          const number = Number(raw.replace(/[\s,_]/g, ""));
          if (raw.trim() !== "" && Number.isFinite(number)) write(number, true);
        }}
        onBlur={() => setTyped(null)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          stepped(event.key === "ArrowUp");
        }}
      />
      <button
        type="button"
        aria-label={`${names[1]} ${field.label}`}
        disabled={known === null}
        onClick={() => stepped(true)}
      >
        {field.step === "one" ? <Icon name="plus" /> : "×2"}
      </button>
    </div>
  );
}

/** Without the dust of decimal fractions in binary. */
const tidy = (value: number) => Number(value.toPrecision(12));

function ChoiceInput({ field, id, reading, change, invalid, describedBy }: InputProps<ChoiceField>) {
  const value = field.value(reading);
  return (
    <select
      id={id}
      value={value}
      aria-invalid={invalid}
      aria-describedby={describedBy}
      onChange={(event) => change(field, field.write(reading, event.currentTarget.value))}
    >
      {field.options(reading).map((option) => (
        <option
          key={option.value}
          value={option.value}
          selected={option.value === value}
          disabled={option.value === ""}
        >
          {option.label}
        </option>
      ))}
    </select>
  );
}

function SeedInput({ field, id, reading, change, invalid, describedBy }: InputProps<SeedField>) {
  const { value, written } = shown(reading, field.pointer);
  return (
    <div class="seed">
      <input
        id={id}
        type="text"
        inputMode="numeric"
        autocomplete="off"
        spellcheck={false}
        value={value === undefined ? "" : String(value)}
        data-assumed={!written || undefined}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        onInput={(event) => change(field, field.write(reading, event.currentTarget.value.trim()), true)}
      />
      <button
        type="button"
        aria-label="Draw a new seed"
        onClick={() => change(field, field.write(reading, freshSeed()))}
      >
        <Icon name="die" />
      </button>
    </div>
  );
}
